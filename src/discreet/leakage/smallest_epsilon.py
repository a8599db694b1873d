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

CLOSE = 3e-8
"""How close, relative to it, an epsilon is searched for before it is rounded up."""

TINY = 1e-300
"""A delta below this is taken for this one in the search."""

ULP = 2.0**-53

LARGEST = 64.0
"""The largest epsilon that is tried where E asks for nothing."""

LARGEST_GIVEN = 10**6
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
    return float(epsilon) if epsilon <= LARGEST_GIVEN else math.inf


def above(claimed: Epsilon | Decimal) -> float:
    """An entry of E, or a logarithm, as a float that is not below it."""
    near = float(claimed)
    return near if near >= claimed else math.nextafter(near, math.inf)


def smallest_epsilon(curve: Curve, delta: float, claimed: Epsilon) -> float:
    """The smallest epsilon that `curve` certifies at `delta`, to six digits, rounded up; never above `claimed`.

    NaN certifies nothing: a curve that fails leaves `claimed`, which holds whatever happens.
    """
    from scipy.optimize import brentq

    limit = above(claimed)
    high = LARGEST if limit == math.inf else limit
    if high < limit and not curve(high, delta) <= delta:
        return limit
    if curve(0.0, delta) <= delta:
        return 0.0
    while curve(low := high / 2, delta / 100) <= delta:
        high = low
        if high < 1e-15:
            return high
    certified, start = high, high

    def log_excess(epsilon: float) -> float:
        """log(delta at epsilon / delta), below 0 where that is certified."""
        nonlocal certified
        at = curve(epsilon, delta / 1e4)
        over = math.log(max(at, TINY) / max(delta, TINY)) if at == at else 1.0
        if at <= delta or epsilon >= start:
            certified = min(certified, epsilon)
            return min(over, -ULP)
        return max(over, ULP)

    brentq(log_excess, low, high, xtol=CLOSE * low, rtol=CLOSE)
    return min(limit, _round_up(curve, delta, certified, limit))


def _round_up(curve: Curve, delta: float, high: float, limit: float) -> float:
    """Rounded up to `DIGITS` digits, and certified once more; the next one up if that fails, or else as it was."""
    unit = 10.0 ** (math.floor(math.log10(high)) - DIGITS + 1)
    for more in range(3):
        shown_as = float(f"{(math.ceil(high / unit) + more) * unit:.{DIGITS - 1}e}")
        if high <= shown_as and (shown_as >= limit or curve(shown_as, delta) <= delta):
            return shown_as
    return high
