"""How far x stands out from z among n shuffled reports, never below the truth.

For a contrast with floor m, g <= e**epsilon and n reports, the own one among them,

    delta(epsilon) <= sum over m = 0 of (P - g R)_+  +  (1/n) E[(L_1 + ... + L_n)_+],

L being (P - g R) / m with probability m, and 0 otherwise: whoever did not draw from the floor is told, with what they
drew, and so are reports without a floor. It is non-increasing in n, and at n = 1 it is the divergence of one report.

References: Balle2019 (Lemma 5.3, for all pairs at once); Su2026.

The mean of the positive part of a sum of n independent steps, never below the truth, at a cost free of n.

A step is ``steps[j]`` with probability ``masses[j]`` and 0 otherwise. With
``K(t) = n log(1 + sum_j q_j (e^(t l_j) - 1))`` and any theta > 0 the mean of S_+ is
``(1 / 2 pi i) int e^K(t) t^-2 dt`` along Re t = theta; computed is

    (h / 2 pi) sum_k (e^K(t_k) - (1 - |q|)^n) e^((tau t_k)^2 / 2) / t_k^2,    t_k = theta + i k h,

where the atom that no step was taken is left out, adding nothing to S_+. See `contour` for why this is not below the
mean; what rounding can have taken off is added, and so are the terms that were left out. Where there are few ways in
which the steps can come about, they are listed instead.

References: Balle2019 (the sum); Alghamdi2022 (the contour).

Every way to share n draws out among a few kinds: what they add up to, and how likely each is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..core.exact import exp_below
from .profiles.rows import Row
from .smallest_epsilon import ULP, Reals, expm1, grid_of, least, log1p

LISTED = 1 << 17
"""The most ways that are listed."""


class Ways(NamedTuple):
    """Sums of n draws, the logarithm of the probability of each, and the relative error that a probability may have."""

    sums: Reals
    logs: Reals
    doubt: float


def ways(masses: Reals, steps: Reals, n: int) -> Ways | None:
    """The sums of n draws of `steps` with probabilities `masses`, which may fall short of one, the rest adding nothing.

    None where there are more than `LISTED` ways. Masses that add up to one, or more, leave nothing over.
    """
    missed = 1 - math.fsum(masses)
    kinds, count = len(masses) - (missed <= 4 * ULP), 1
    for i in range(1, kinds + 1):
        count = count * (n + i) // i
        if count > LISTED:
            return None
    if missed > 4 * ULP:
        masses, steps = np.append(masses, missed), np.append(steps, 0.0)
    factorials = _log_factorials(n)
    logs = np.log(masses)
    sums, chances, left = np.zeros(1), np.full(1, factorials[n]), np.array([n])
    for step, log in zip(steps[:-1], logs[:-1], strict=True):
        counts = np.concatenate([np.arange(most + 1) for most in left])
        often = left + 1
        sums = np.repeat(sums, often) + counts * step
        chances = np.repeat(chances, often) + counts * log - factorials[counts]
        left = np.repeat(left, often) - counts
    sums, chances = sums + left * steps[-1], chances + left * logs[-1] - factorials[left]
    unsure = 1 / missed if missed > 4 * ULP else 1.0
    doubt = 8 * ULP * (n * (float(np.abs(logs).max()) + 4 + unsure) + 4 * float(factorials[n]) + 64)
    return Ways(np.asarray(sums), np.asarray(chances), doubt)


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> Reals:
    return np.array([math.lgamma(i + 1) for i in range(n + 1)])


FEW = 16
"""Up to so many kinds of step the noise is finer."""

FINE = 2.0**-10, 2.0**-8
"""The noise in widths of the sum, for few and for many kinds of step."""

FAR = 25.0
"""How far off, in units of 1 / theta, the next images of the sum are."""


def positive_part(masses: Reals, steps: Reals, n: int, *, enough: float = 0.0) -> float:
    """An upper bound on E[(L_1 + ... + L_n)_+]; any one that is at most `enough` will do.

    ``E[S_+] <= e^(K(theta) - 1) / theta`` (Chernoff) is tried first. NaN comes out only if something was NaN before.
    """
    if not (np.isfinite(masses).all() and np.isfinite(steps).all()):
        return math.nan
    masses, steps = masses[masses > 0], steps[masses > 0]
    if not (steps > 0).any():
        return 0.0
    mean = float(n * math.fsum(masses * steps))
    if not (steps < 0).any():
        return mean * (1 + 4 * ULP)
    if (few := listed(masses, steps, n)) is not None:
        return few
    kept = _Sum(masses, steps, n)
    return kept.chernoff if kept.chernoff <= enough else kept.value()


class _Sum:
    """A sum of many steps and the line that its mean is found along."""

    def __init__(self, masses: Reals, steps: Reals, n: int) -> None:
        self.masses, self.steps, self.n = masses, steps, n
        widest = float(np.abs(steps).max())
        self.theta = least(lambda t: self.cumulant(t) - 2 * math.log(t), 1e-9 / widest / n, 600 / float(steps.max()))
        self.height = self.cumulant(self.theta)
        self.chernoff = math.exp(min(700.0, self.height - 1)) / self.theta * (1 + 1e-9)

    def cumulant(self, t: float) -> float:
        """K(t) for real t."""
        with np.errstate(over="ignore"):
            inside = float(self.masses @ np.expm1(t * self.steps))
        return self.n * math.log1p(inside) if inside > -1 else -math.inf

    def deviation(self) -> float:
        """The deviation of the sum under the tilted law."""
        tilted = self.masses * np.exp(self.theta * self.steps)
        whole = 1 + float(self.masses @ np.expm1(self.theta * self.steps))
        first, second = float(tilted @ self.steps) / whole, float(tilted @ self.steps**2) / whole
        return math.sqrt(self.n * max(second - first**2, 0.0))

    def value(self) -> float:
        """The sum, with all that it may be too small by."""
        masses, steps, n, theta = self.masses, self.steps, self.n, self.theta
        deviation = self.deviation()
        about = self.height - math.log(theta**2 * math.sqrt(2 * math.pi) * (deviation + 1 / theta))
        span = FAR + max(0.0, math.log(n * float(np.abs(steps).max())) - about)
        grid = grid_of(theta, deviation, fine=FINE[len(masses) > FEW], span=span / theta)
        floor = math.fsum(masses)
        nothing = math.exp(n * math.log1p(-floor) - self.height) if floor < 1 else 0.0
        unsure = n * floor / max(1 - floor, ULP)
        rise, total, doubt = np.exp(theta * steps), 0.0, 0.0
        for weights, t in grid.nodes(len(masses)):
            turned = t[:, None] * steps
            moved = expm1(turned)
            inside = moved @ masses
            length, size = np.maximum(np.abs(1 + inside), 1e-150), (np.abs(moved) + np.abs(turned) * rise) @ masses
            loose = n * size * (1 / length + (1 + size) / length**2)  # what rounding may do to n log(1 + inside)
            grown = n * log1p(inside) - self.height
            noise = (grid.tau * t) ** 2 / 2
            factor = weights * np.exp(noise) / t**2
            terms = (np.exp(grown) - nothing) * factor
            total += float(terms.real.sum())
            rounded = 80 + 4 * (np.abs(grown) + np.abs(noise) + abs(self.height))
            sizes = np.abs(np.exp(grown)) * (8 * loose + rounded) + nothing * (8 * unsure + rounded)
            doubt += float(sizes @ np.abs(factor))
        cut = math.exp((grid.tau * theta) ** 2 / 2) * grid.cut
        scale = grid.step / (2 * math.pi) * math.exp(self.height)
        return min(self.chernoff, scale * (total + cut + ULP * doubt) * (1 + 8 * ULP))


def listed(masses: Reals, steps: Reals, n: int) -> float | None:
    """The mean of the positive part by listing how often each step is taken; None where there are too many ways."""
    if (found := ways(masses, steps, n)) is None:
        return None
    edge = 4 * (2 + len(steps)) * ULP * n * float(np.abs(steps).max())  # what rounding may have taken from a sum
    raised = np.maximum(found.sums + edge, 0)
    return math.fsum(raised * np.exp(found.logs)) * (1 + found.doubt)


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
