"""Reports with one bit per value, each drawn on its own: one estimator and one set of moments for all of them."""

from __future__ import annotations

from ..sampler import Sampler


class Bitwise(Sampler):
    """A sampler whose bit x is on with one probability for the value x and with another for any other value.

    Cell x counts the reports whose bit x is on; the last cell counts the reports. Given the value, bits are
    independent, so ``phi_x = (1{bit x is on} - h_x) / (g_x - h_x)`` are too.
    """

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return 1 << self.size
