"""Pure protocols: samplers whose reports support values (Wang2017).

A report y *supports* the values in some set: the person's own value with probability p, any other value with
probability q. A *cover report*, which composers write for people whose value is elsewhere, supports each value with
probability r.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from ...core.domain import Alike
from ..sampler import RatioBound, Sampler


class PureSampler(Sampler):
    """A sampler whose reports support the own value with probability p, any other with q, and r if they are cover.

    Where it `is_numbered`, a report is a number and has one of two probabilities. Else it is the set of the values that
    it supports, as an integer with one bit per value, of which there are ``2**size``.
    """

    p: Fraction
    q: Fraction
    r: Fraction
    ratio: Fraction
    """The certified largest Q(y | x) / Q(y | z)."""

    low: Fraction
    """The probability of a numbered report that does not support the own value."""
    high: Fraction
    """The probability of a numbered report that supports it."""
    likeliest: int
    """The most words that lead to any numbered report."""

    set_size: int | None = None
    """How many values every set holds, or None where that varies."""
    both_own: Fraction
    """Pr(a set holds two given values | one of them is the own one)."""
    both_other: Fraction
    """Pr(a set holds two given values | neither is the own one)."""
    both_cover: Fraction
    """Pr(a cover report holds two given values)."""

    takes_bits: ClassVar[bool] = False
    """True if its constructor takes `bits`, the most bits that a report may have."""

    @classmethod
    def worth_trying(cls, size: int, epsilon: Fraction, *, bits: int | None, mass: float | None) -> bool:
        """True if its reports can fit `bits` bits and no other base is sure to be as good.

        `mass` is the share of people whose value is sensitive, for a high-low part; None where all values are.
        """
        return cls.is_numbered or bits is None or size <= bits

    @property
    def class_of(self) -> Sequence[int]:
        return Alike(self.size)

    def ratio_bounds(self) -> Iterator[RatioBound]:
        if self.size > 1:
            yield RatioBound(0, 1, self.ratio)
