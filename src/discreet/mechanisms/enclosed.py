"""What a randomizer must know to serve inside a block: how it hides whether a report is that of a value at all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..core.arithmetic import Arithmetic
from .randomizer import Randomizer

if TYPE_CHECKING:
    from ..estimation.arrays.numeric import Array, Numeric


class Enclosed(Randomizer):
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

    @abstractmethod
    def blank_means(self, ops: Numeric) -> Any:
        """E[phi_x] of a blank report, one number or one for each value."""

    @abstractmethod
    def blank_moments(self, ops: Numeric) -> Any:
        """E[phi_x**2] of a blank report, one number or one for each value."""

    @abstractmethod
    def own_moments(self, ops: Numeric) -> Any:
        """E[phi_x**2] of a report of x itself, one number or one for each value."""

    @abstractmethod
    def joint_moment(self, shares: Array, neutral: Any, first: Array, second: Array, ops: Numeric) -> Array:
        """E[(first . phi)(second . phi)] for `shares` of the values and `neutral` mass of blank reports."""

    @abstractmethod
    def push_neutral(self, mass: Any, ops: Numeric) -> Array:
        """The expected counts from `mass` blank reports."""

    @abstractmethod
    def pull_neutral(self, weights: Array, ops: Numeric) -> Array:
        """The expected sum of cell weights of one blank report."""
