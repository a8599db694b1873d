"""Pure protocols: samplers whose reports support values (Wang2017).

A report y *supports* the values in some set; it supports the person's own value with probability p, any other value
with probability q. A *cover report*, which composers write for people whose value is elsewhere, supports each value
with probability r.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from ...core.domain import Alike
from ..sampler import RatioBound, Sampler
from .numbered import Numbered


class PureSampler(Sampler):
    """A sampler whose reports support the own value with probability p, any other with q, and r if they are cover."""

    p: Fraction
    q: Fraction
    r: Fraction
    ratio: Fraction
    """The certified largest Q(y | x) / Q(y | z)."""
    takes_bits: ClassVar[bool] = False
    """True if its constructor takes `bits`, the most bits that a report may have."""

    @classmethod
    def worth_trying(cls, size: int, epsilon: Fraction, *, bits: int | None, mass: float | None) -> bool:
        """True if its reports can fit `bits` bits and no other base is sure to be as good.

        `mass` is the share of people whose value is sensitive, for a high-low part; None where all values are.
        """
        return True

    @property
    def labels(self) -> Sequence[int]:
        return Alike(self.size)

    def ratio_bounds(self) -> Iterator[RatioBound]:
        if self.size > 1:
            yield RatioBound(0, 1, self.ratio)


class PureNumbered(Numbered, PureSampler):
    """A pure protocol whose reports are few enough to count one by one.

    A report that supports the value has probability `high`, any other one `low`.
    """

    low: Fraction
    high: Fraction
    likeliest: int
    """The most words that lead to any report."""
