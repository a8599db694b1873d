"""What an entry of E means for someone who tests one value against another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from ..core.errors import InvalidInput
from ..core.exact import Epsilon


@dataclass(frozen=True)
class ErrorRegion:
    """The errors that tests between x and z can reach under E[x, z] = `forward`, E[z, x] = `backward`.

    False alarm is Pr(say x | z), missed detection Pr(say z | x). Every test obeys
    ``P_FA + e**backward * P_MD >= 1`` and ``e**forward * P_FA + P_MD >= 1``; the region is the
    triangle (and its reflection through (1/2, 1/2)) with corners (0, 1), (1, 0) and `corner`.

    References: Acharya2020, Theorem 1 and (22), (23) with the second coordinate corrected.
    """

    forward: Epsilon
    backward: Epsilon

    @property
    def corner(self) -> tuple[float, float]:
        """The (false alarm, missed detection) pair with the smallest errors: both bounds hold with equality.

        With a = e**-forward, b = e**-backward: ``(a(1-b), b(1-a)) / (1 - ab)``.
        """
        a, b = math.exp(-float(self.forward)), math.exp(-float(self.backward))
        if a == b == 1:
            return 0.5, 0.5
        slack = -math.expm1(-float(self.forward) - float(self.backward))
        return a * -math.expm1(-float(self.backward)) / slack, b * -math.expm1(-float(self.forward)) / slack

    @property
    def corners(self) -> list[tuple[float, float]]:
        """The corners of the lower boundary, from (0, 1) to (1, 0)."""
        return [(0.0, 1.0), self.corner, (1.0, 0.0)]

    def allows(self, false_alarm: float, missed_detection: float) -> bool:
        """True if some channel under this context allows a test with these two errors."""
        if not (0 <= false_alarm <= 1 and 0 <= missed_detection <= 1):
            raise InvalidInput(f"errors ({false_alarm}, {missed_detection}) must lie between 0 and 1")
        return _above(false_alarm, missed_detection, self) and _above(1 - false_alarm, 1 - missed_detection, self)


def _above(false_alarm: float, missed: float, region: ErrorRegion) -> bool:
    a, b = math.exp(-float(region.forward)), math.exp(-float(region.backward))
    tolerance = 1e-15
    return b * false_alarm + missed >= b - tolerance and false_alarm + a * missed >= a - tolerance


def posterior_odds_bound(epsilon: Epsilon, prior_odds: float) -> float:
    """``e**epsilon * prior_odds``: the largest odds that any report can leave (Acharya2020, Proposition 3)."""
    try:
        odds = float(prior_odds) if isinstance(prior_odds, Real) and not isinstance(prior_odds, bool) else math.nan
    except OverflowError:
        odds = math.inf
    if not 0 <= odds < math.inf:
        raise InvalidInput(f"prior_odds={repr(prior_odds)[:60]} must be a finite number that is not negative")
    if odds == 0:
        return 0.0
    return math.exp(float(epsilon)) * odds if epsilon < 700 else math.inf
