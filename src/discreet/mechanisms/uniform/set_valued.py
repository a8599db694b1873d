"""Samplers whose report is the set of supported values itself."""

from __future__ import annotations

from fractions import Fraction

from .pure import PureSampler


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
