"""The smallest epsilon at a delta: searched for among certified values, rounded up, and certified again."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np

from ..core.errors import InvalidInput, shown
from ..core.exact import Epsilon

DIGITS = 6
"""Significant digits of an epsilon that was searched for."""

CLOSE = 1e-7
"""How close, relative to it, an epsilon is searched for before it is rounded up."""

LARGEST = 64.0
"""The largest epsilon that is tried where E asks for nothing."""

MOST = 10**6
"""Any larger epsilon is as good as none: no ratio of words is as large."""

Curve = Callable[[float, float], float]
"""From epsilon, and a delta that is small enough, to a certified delta."""


def delta_of(delta: object) -> float:
    """A delta as a float between 0 and 1."""
    if isinstance(delta, bool) or not isinstance(delta, (int, float, np.floating)) or not 0 <= delta < 1:
        raise InvalidInput(f"delta={shown(delta)} must be a number from 0 to below 1")
    return float(delta)


def level_of(epsilon: object) -> float:
    """An epsilon at which a delta is asked for, as a float."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float, Fraction, np.floating)) or not epsilon >= 0:
        raise InvalidInput(f"epsilon={shown(epsilon)} must be a number that is not negative")
    return float(epsilon) if epsilon <= MOST else math.inf


def above(claimed: Epsilon | Decimal) -> float:
    """An entry of E, or a logarithm, as a float that is not below it."""
    near = float(claimed)
    return near if near >= claimed else math.nextafter(near, math.inf)


def smallest_epsilon(curve: Curve, delta: float, claimed: Epsilon) -> float:
    """The smallest epsilon that `curve` certifies at `delta`, to six digits, rounded up; never above `claimed`.

    NaN certifies nothing: a curve that fails leaves `claimed`, which holds whatever happens.
    """
    limit = above(claimed)
    high = min(limit, LARGEST) if limit == math.inf else limit
    if high < limit and not curve(high, delta) <= delta:
        return limit
    low, at_low = _start(curve, delta, high)
    if low == 0 and at_low <= delta:
        return 0.0
    while low == 0 or at_low <= delta:  # the last one that was certified is still the smallest
        high, low = low, low / 2
        at_low = curve(low, delta / 100)
        if low < 1e-15:
            return high
    high = _narrowed(curve, delta, low, at_low, high)
    return min(limit, _rounded(curve, delta, high, limit))


def _start(curve: Curve, delta: float, high: float) -> tuple[float, float]:
    at_zero = curve(0.0, delta)
    return (0.0, at_zero) if at_zero <= delta else (high / 2, curve(high / 2, delta / 100))


def _narrowed(curve: Curve, delta: float, low: float, at_low: float, high: float) -> float:
    """False position on the logarithm of delta, halved where one end stays; the upper end is certified."""
    wanted, tiny = math.log(delta) if delta else -1000.0, 1e-300
    at_high, side = curve(high, delta / 100), 0
    y_low, y_high = (math.log(max(at, tiny)) - wanted for at in (at_low, at_high))
    for turn in range(200):
        if high - low <= CLOSE * high:
            break
        place = (low + high) / 2
        if turn % 3 != 2 and math.isfinite(y_low) and y_low > y_high and y_low > 0 >= y_high:
            place = low + (high - low) * y_low / (y_low - y_high)
            place = min(max(place, low + CLOSE / 3 * high), high - CLOSE / 3 * high)
        at = curve(place, delta / 1e4)
        if at <= delta:
            high, y_high = place, math.log(max(at, tiny)) - wanted
            y_low, side = y_low / (2 if side > 0 else 1), 1
        else:
            low, y_low = place, math.log(at) - wanted if at == at else math.inf
            y_high, side = y_high / (2 if side < 0 else 1), -1
    return high


def _rounded(curve: Curve, delta: float, high: float, limit: float) -> float:
    """Rounded up to `DIGITS` digits, and certified once more; the next one up if that fails, or else as it was."""
    unit = 10.0 ** (math.floor(math.log10(high)) - DIGITS + 1)
    for more in range(3):
        shown_as = float(f"{(math.ceil(high / unit) + more) * unit:.{DIGITS - 1}e}")
        if high <= shown_as and (shown_as >= limit or curve(shown_as, delta) <= delta):
            return shown_as
    return high
