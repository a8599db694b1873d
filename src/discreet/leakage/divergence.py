"""How far x stands out from z among n shuffled reports, never below the truth.

For a contrast with floor m, g <= e**epsilon and n reports, the own one among them,

    delta(epsilon) <= sum over m = 0 of (P - g R)_+  +  (1/n) E[(L_1 + ... + L_n)_+],

L being (P - g R) / m with probability m, and 0 otherwise: whoever did not draw from the floor is told, with what they
drew, and so are reports without a floor. It is non-increasing in n, and at n = 1 it is the divergence of one report.

References: Balle2019 (Lemma 5.3, for all pairs at once); Su2026.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..core.exact import exp_below
from .contour import ULP, Reals
from .positive_part import positive_part
from .profiles.rows import Row

FURTHEST = 500.0
"""Beyond this epsilon nothing is won by others."""


class Split(NamedTuple):
    """Numbers as sums of two floats each, the second far below the first."""

    high: Reals
    low: Reals

    @classmethod
    def of(cls, numbers: Sequence[Fraction]) -> Split:
        """The nearest such sums."""
        high = [float(number) for number in numbers]
        low = [float(number - Fraction(near)) for number, near in zip(numbers, high, strict=True)]
        return cls(np.array(high, dtype=float), np.array(low, dtype=float))


class Divergence:
    """The divergence of x from z by what hides them, for any n and epsilon."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.floor = sum((row.blanket for row in rows), Fraction(0))
        rows = [row for row in rows if row.own or row.other]
        floored = [row for row in rows if row.blanket > 0]
        self.masses = np.array([float(row.blanket) for row in floored], dtype=float)
        self.own = Split.of([row.own / row.blanket for row in floored])
        self.other = Split.of([row.other / row.blanket for row in floored])
        self._told = [(row.own, row.other) for row in rows if not row.blanket]
        self._rows = [(row.own, row.other) for row in rows]

    @property
    def spread(self) -> float:
        """sum (P - R)**2 / m: n times the square of the width of a normal law that is about as telling; no bound."""
        if any(own > other for own, other in self._told):
            return math.inf
        return float(self.masses @ (self.own.high - self.other.high) ** 2)

    def delta(self, n: int, epsilon: float, *, enough: float = 0.0) -> float:
        """The smallest certified delta among n reports, or any that is at most `enough`; NaN stays NaN."""
        if not epsilon >= 0:
            return math.nan
        if epsilon == math.inf:
            return _up(sum((own for own, other in self._rows if not other), Fraction(0)))
        g = exp_below(Fraction(epsilon))
        alone, told = _beyond(self._rows, g), _beyond(self._told, g)
        if n == 1 or alone == told or alone <= enough or epsilon > FURTHEST:
            return alone
        found = positive_part(self.masses, self._steps(g), n, enough=max(0.0, enough - told) * n) / n
        return min(alone, (told + found) * (1 + 4 * ULP)) if found == found else math.nan

    def _steps(self, g: Fraction) -> Reals:
        """own - g other, in twice the precision of floats, rounded up."""
        factor = Split.of([g])
        product, error = _two_product(self.other.high, factor.high[0])
        error = error + self.other.high * factor.low[0] + self.other.low * factor.high[0]
        first, rest = _two_sum(self.own.high, -product)
        found = first + (rest + self.own.low - error)
        tiny = 2.0**-98 * (np.abs(self.own.high) + np.abs(product))
        return np.asarray(found + 4 * ULP * np.abs(found) + tiny)


def _beyond(rows: Sequence[tuple[Fraction, Fraction]], g: Fraction) -> float:
    """sum (own - g other)_+, rounded up."""
    return _up(sum((own - g * other for own, other in rows if own > g * other), Fraction(0)))


def _up(exact: Fraction) -> float:
    """The float next above, or the number itself."""
    near = float(exact)
    return near if near >= exact else math.nextafter(near, math.inf)


def _two_product(a: Reals, b: float) -> tuple[Reals, Reals]:
    """a b and what rounding took from it (Dekker)."""
    whole = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(np.asarray(b))
    return whole, np.asarray(((a_high * b_high - whole) + a_high * b_low + a_low * b_high) + a_low * b_low)


def _halves(a: Reals) -> tuple[Reals, Reals]:
    """The upper and the lower half of the digits."""
    shifted = a * 134217729.0
    high = shifted - (shifted - a)
    return high, a - high


def _two_sum(a: Reals, b: Reals) -> tuple[Reals, Reals]:
    """a + b and what rounding took from it (Knuth)."""
    whole = a + b
    moved = whole - a
    return whole, (a - (whole - moved)) + (b - moved)
