"""Noise that moves every value alike around a ring or a torus: its statistics are convolutions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ..uniform.numbered import Numbered

LEAST = 1e-12
"""A pattern of shares of which reports show less than this part is not seen in them."""


class Circular(Numbered):
    """A sampler whose report is the own cell of a torus, moved by noise that depends on nothing."""

    shape: tuple[int, ...]
    """The lengths of the torus."""
    places: Sequence[int]
    """The cell of every value; empty where value x is at cell x."""

    @property
    @abstractmethod
    def noise(self) -> Sequence[int]:
        """The words that lead from cell 0 to each cell."""
