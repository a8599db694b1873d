"""The smallest epsilon at a delta: searched for among certified values, rounded up, and certified again.

Sums along a line in the complex plane: an expectation from its transform, never below the truth.

Both sums here have the form f(0) with ``f(a) e^(theta a)`` the Fourier transform of F on the line Re t = theta. Three
things are done to it, each of which can only raise it or is added in full: noise of deviation tau is put on top (the
mean of a convex function rises), the integral becomes a sum with a step (Poisson: f(0) plus values of f that are not
negative), and the sum is cut off where the noise has made its terms small.

References: Alghamdi2022 (the contour).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


Reals = NDArray[np.float64]
Complexes = NDArray[np.complex128]

ULP = 2.0**-53
"""The largest relative error of one operation."""

NODES = 1 << 17
"""The most terms of a sum: beyond them there is more noise instead."""

REACH = 9.5
"""Where a sum is cut off, in units of 1 / tau."""

CHUNK = 1 << 18
"""Entries of an array that are worked on at once."""

GOLDEN = (math.sqrt(5) - 1) / 2


class Grid(NamedTuple):
    """Where a sum is taken: the line, the noise, the distance of its terms and how many there are on each side."""

    theta: float
    tau: float
    step: float
    many: int

    @property
    def cut(self) -> float:
        """A bound on the weights ``e^(-(tau u)^2 / 2) / u^2`` of all terms that are left out, on both sides."""
        u = (self.many + 1) * self.step
        return 2 * math.exp(-((self.tau * u) ** 2) / 2) / u**2 * (1 + 1 / (self.step * self.tau**2 * u))

    def nodes(self, width: int) -> Iterator[tuple[Reals, Complexes]]:
        """The weights of the terms, two for each that stands for its mirror image as well, and their places."""
        each = max(1, CHUNK // max(1, width))
        for first in range(0, self.many + 1, each):
            number = np.arange(first, min(first + each, self.many + 1))
            places = np.asarray(self.theta + 1j * self.step * number, dtype=np.complex128)
            yield np.where(number == 0, 1.0, 2.0), places


def grid_of(theta: float, deviation: float, *, fine: float, span: float) -> Grid:
    """The grid for a tilted deviation: noise of `fine` times its width, and a period of at least `span`."""
    tau = fine * (deviation + 1 / theta)
    step = 2 * math.pi / max(9 * deviation, span)
    count = math.ceil(REACH / (tau * step))
    if count > NODES:
        count, tau = NODES, REACH / (step * NODES)
    return Grid(theta, tau, step, count)


def least(curve: Callable[[float], float], low: float, high: float, *, steps: int = 44) -> float:
    """A place near the minimum of a curve with one valley over positive numbers, by golden section of the logarithm."""
    a, d = math.log(low), math.log(high)
    b, c = d - GOLDEN * (d - a), a + GOLDEN * (d - a)
    at_b, at_c = curve(math.exp(b)), curve(math.exp(c))
    for _ in range(steps):
        if at_b <= at_c:
            d, c, at_c = c, b, at_b
            b = d - GOLDEN * (d - a)
            at_b = curve(math.exp(b))
        else:
            a, b, at_b = b, c, at_c
            c = a + GOLDEN * (d - a)
            at_c = curve(math.exp(c))
    return math.exp(b if at_b <= at_c else c)


def expm1(z: Complexes) -> Complexes:
    """e^z - 1 without loss where z is small."""
    x, y = z.real, z.imag
    half = np.sin(y / 2)
    return np.asarray((np.expm1(x) * np.cos(y) - 2 * half * half) + 1j * (np.exp(x) * np.sin(y)))


def log1p(z: Complexes) -> Complexes:
    """log(1 + z) without loss where z is small."""
    a, b = z.real, z.imag
    square = np.maximum(2 * a + a * a + b * b, -1 + 2.0**-1000)
    with np.errstate(divide="ignore"):
        return np.asarray(0.5 * np.log1p(square) + 1j * np.arctan2(b, 1 + a))
