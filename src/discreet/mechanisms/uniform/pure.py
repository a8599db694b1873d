"""Pure protocols: samplers whose reports support values (Wang2017).

A report y *supports* the values in some set; it supports the person's own value with probability p, any other value
with probability q. A *cover report*, which composers write for people whose value is elsewhere, supports each value
with probability r.

Samplers whose reports are the numbers below `outputs`, all of which can occur.

Samplers whose report is the set of supported values itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from ...core.domain import Alike
from ..sampler import RatioBound, Sampler


class Numbered(Sampler):
    """A sampler that can write every number below `outputs`."""

    @property
    def is_numbered(self) -> bool:
        return True

    def reports(self) -> Iterable[int]:
        return range(self.outputs)

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs


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


class SetValued(PureSampler):
    """A sampler whose report is the set of supported values itself, as an integer with one bit per value.

    Cell x counts the reports that contain x; the last cell counts the reports. Values enter
    symmetrically, so joint support needs three numbers: `both_own` when one of the two is the
    person's value, `both_other` when neither is, `both_cover` for a neutral report.
    """

    both_own: Fraction
    both_other: Fraction
    both_cover: Fraction

    @classmethod
    def worth_trying(cls, size: int, epsilon: Fraction, *, bits: int | None, mass: float | None) -> bool:
        return bits is None or size <= bits

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return 1 << self.size

    @property
    def set_size(self) -> int | None:
        """How many values every report holds, or None where that varies."""
        return None
