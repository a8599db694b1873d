"""What a randomizer must know to serve inside a block: how it hides whether a report is that of a value at all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..core.arithmetic import Arithmetic
from .sampler import Sampler


class Enclosed(Sampler):
    """A randomizer that can also write *blank* reports, which say nothing of any value.

    Whoever holds a value of another block writes one when the block is shown; own and blank reports are drawn by the
    same lines from as many words.
    """

    @property
    @abstractmethod
    def hides(self) -> bool:
        """True if it has blank reports."""

    @property
    @abstractmethod
    def held_words(self) -> int:
        """The number of words that `draw_held` takes."""

    @abstractmethod
    def draw_held(self, x: Any, blank: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        """The report of value number x, or a blank one where the flag is 1; then x may be any number."""

    @abstractmethod
    def blank_probability(self, y: int) -> Fraction:
        """Pr(a blank report is y), exactly (small domains)."""

    @abstractmethod
    def blank_ratios_of(self, x: int) -> tuple[Fraction, Fraction]:
        """The certified largest Q(y | x) / Pr(blank y) and Pr(blank y) / Q(y | x)."""
