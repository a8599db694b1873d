"""How far x stands out from z in what somebody sees: n shuffled reports, or several releases about one value.

Among n shuffled reports, the own one among them, with a pair profile of blanket m and g <= e**epsilon,

    delta(epsilon) <= sum over m = 0 of (P - g R)_+  +  (1/n) E[(L_1 + ... + L_n)_+],

L being (P - g R) / m with probability m, and 0 otherwise: whoever did not draw from the blanket is disclosed, with what
they drew, and so are reports without a blanket. It is non-increasing in n, and at n = 1 it is the divergence of one
report.

After several releases, with P and R the laws of a report under x and z, losses log(P/R) and b the probability under x
of reports that z never writes,

    delta(epsilon) = 1 - prod (1 - b_i)^T_i + E[(1 - e^(epsilon - S))_+],    S the sum of all losses.

Both expectations are those of `expected_excess`. A shuffled batch is a release as well, by its certified deltas at some
points: at gamma = e**epsilon the divergence h(gamma) = sup_S P(S) - gamma R(S) is convex, so the lines between
certified points lie above it. A jump of slope at gamma_i is the probability under R of a report whose ratio is gamma_i,
and gamma_i times that the probability under P. Below gamma = 1 the other direction of the pair gives
``h(gamma) = 1 - gamma + gamma h'(1/gamma)``.

References: Balle2019 (Lemma 5.3, for all pairs at once); Su2026; Kairouz2015; Doroshenko2022 (connect the dots).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..core.exact import exp_below
from .expected_excess import ULP, Reals, Steps, expected_excess
from .profiles.rows import ReportGroup
from .smallest_epsilon import above

MAX_EPSILON = 500.0
"""Beyond this epsilon nothing is won by others."""

POINTS = 64
"""Certified points of a shuffled batch on each side of gamma = 1."""


def positive_part(masses: Reals, steps: Reals, n: int, *, enough: float = 0.0) -> float:
    """An upper bound on E[(L_1 + ... + L_n)_+]; any one that is at most `enough` will do, and NaN stays NaN."""
    if not (np.isfinite(masses).all() and np.isfinite(steps).all()):
        return math.nan
    masses, steps = masses[masses > 0], steps[masses > 0]
    if not (steps > 0).any():
        return 0.0
    if not (steps < 0).any():
        return n * math.fsum(masses * steps) * (1 + 4 * ULP)
    return expected_excess([Steps(masses, steps, n)], enough=enough)


class Divergence:
    """The divergence of x from z by their pair profile, for any n and epsilon."""

    def __init__(self, rows: Sequence[ReportGroup]) -> None:
        self.total_blanket = sum((row.blanket for row in rows), Fraction(0))
        rows = [row for row in rows if row.own or row.other]
        covered = [row for row in rows if row.blanket > 0]
        self.masses = np.array([float(row.blanket) for row in covered], dtype=float)
        self._own = _split([row.own / row.blanket for row in covered])
        self._other = _split([row.other / row.blanket for row in covered])
        self._uncovered = [(row.own, row.other) for row in rows if not row.blanket]
        self._rows = [(row.own, row.other) for row in rows]

    @property
    def spread(self) -> float:
        """sum (P - R)**2 / m: n times the square of the width of a normal law that is about as telling; no bound."""
        if any(own > other for own, other in self._uncovered):
            return math.inf
        return float(self.masses @ (self._own[0] - self._other[0]) ** 2)

    def delta(self, n: int, epsilon: float, *, enough: float = 0.0) -> float:
        """The smallest certified delta among n reports, or any that is at most `enough`; NaN stays NaN."""
        if not epsilon >= 0:
            return math.nan
        if epsilon == math.inf:
            return above(sum((own for own, other in self._rows if not other), Fraction(0)))
        g = exp_below(Fraction(epsilon))
        alone, disclosed = _excess(self._rows, g), _excess(self._uncovered, g)
        if n == 1 or alone == disclosed or alone <= enough or epsilon > MAX_EPSILON:
            return alone
        rest = positive_part(self.masses, self._steps(g), n, enough=max(0.0, enough - disclosed) * n) / n
        return min(alone, (disclosed + rest) * (1 + 4 * ULP)) if rest == rest else math.nan

    def _steps(self, g: Fraction) -> Reals:
        """own - g other, in twice the precision of floats, rounded up."""
        (own, own_low), (other, other_low), (factor, factor_low) = self._own, self._other, _split([g])
        product, error = _two_product(other, factor[0])
        error = error + other * factor_low[0] + other_low * factor[0]
        first, rest = _two_sum(own, -product)
        steps = first + (rest + own_low - error)
        return np.asarray(steps + 4 * ULP * np.abs(steps) + 2.0**-98 * (np.abs(own) + np.abs(product)))


def _excess(rows: Sequence[tuple[Fraction, Fraction]], g: Fraction) -> float:
    """sum (own - g other)_+, rounded up."""
    return above(sum((own - g * other for own, other in rows if own > g * other), Fraction(0)))


def _split(numbers: Sequence[Fraction]) -> tuple[Reals, Reals]:
    """Numbers as sums of two floats each, the second far below the first."""
    high = [float(number) for number in numbers]
    low = [float(number - Fraction(near)) for number, near in zip(numbers, high, strict=True)]
    return np.array(high, dtype=float), np.array(low, dtype=float)


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


class Losses(NamedTuple):
    """The probability under x of each loss, the losses, and that of all reports which z never writes: `disclosed`."""

    masses: Reals
    losses: Reals
    disclosed: float


def losses_of(rows: Sequence[ReportGroup]) -> Losses:
    """The losses of x against z, each to the last digit."""
    masses: dict[Fraction, Fraction] = {}
    for row in rows:
        if row.own and row.other:
            beyond = (row.own - row.other) / row.other
            masses[beyond] = masses.get(beyond, Fraction(0)) + row.own
    disclosed = sum((row.own for row in rows if not row.other), Fraction(0))
    logs = [math.log1p(float(beyond)) for beyond in masses]
    return Losses(np.array([float(mass) for mass in masses.values()]), np.array(logs), float(disclosed) * (1 + 4 * ULP))


def composed_delta(releases: Sequence[tuple[Losses, int]], epsilon: float, *, enough: float = 0.0) -> float:
    """The certified delta of x against z at `epsilon` after all releases, or any that is at most `enough`.

    Losses are drawn given that nothing was disclosed, which has the probability of all masses together.
    """
    if not epsilon >= 0 or not all(np.isfinite(entry).all() for losses, _ in releases for entry in losses):
        return math.nan
    hidden = math.fsum(
        times * math.log1p(-part.disclosed) if part.disclosed < 1 else -math.inf for part, times in releases
    )
    disclosed = min(1.0, -math.expm1(hidden) * (1 + 8 * ULP))
    most = math.fsum(times * float(part.losses.max(initial=0.0)) for part, times in releases)
    if epsilon == math.inf or most * (1 + 8 * ULP) <= epsilon:
        return disclosed
    totals = [(part, math.fsum(part.masses), times) for part, times in releases]
    rest = math.exp(math.fsum(times * math.log(total) for _, total, times in totals))
    rest *= 1 + 8 * ULP * sum(times + 1 for *_, times in totals)
    parts = [Steps(part.masses / total, part.losses, times) for part, total, times in totals]
    left = max(0.0, enough - disclosed) / rest if rest else 1.0
    return min(1.0, disclosed + rest * expected_excess(parts, epsilon, c=1, enough=left))


def connect_points(
    forward: Callable[[float], float],
    backward: Callable[[float], float],
    ends: tuple[float, float],
    claimed: float,
) -> Losses:
    """The losses of a pair of laws with at least the divergence of the curves, at every gamma.

    `ends` are the epsilons up to which points are taken in both directions, `claimed` the entry of E for the
    backward one, beyond which no ratio goes. What is left at the last point forward is disclosed.
    """
    right, left = (map(float, np.linspace(0.0, end, POINTS + 1)) for end in ends)
    points = [(math.exp(e), forward(e)) for e in right]
    points += [(math.exp(-e), -math.expm1(-e) + math.exp(-e) * backward(e)) for e in left if e]
    start = math.exp(-claimed) if claimed < math.inf else 0.0
    gammas, heights = _hull(sorted([*points, (start, 1 - start)]))
    slopes = np.diff(heights) / np.diff(gammas)
    jumps = np.maximum(np.diff(np.concatenate([[-1.0], slopes, [0.0]])), 0.0)
    own = jumps * gammas
    rounding = 8 * ULP * len(gammas) * (1 + float(np.max(heights[:-1] / np.diff(gammas)) * gammas[-1]))
    disclosed = float(heights[-1]) + rounding + max(0.0, 1 - float(heights[-1]) - float(own.sum()))
    return Losses(own[own > 0], np.log(gammas[own > 0]) + 2 * ULP, disclosed)


def _hull(points: Sequence[tuple[float, float]]) -> tuple[Reals, Reals]:
    """The greatest convex function below some points, by its corners."""
    corners: list[tuple[Fraction, Fraction]] = []
    for gamma, height in points:
        point = Fraction(gamma), Fraction(height)
        if corners and corners[-1][0] == point[0]:
            if corners[-1][1] <= point[1]:
                continue
            corners.pop()
        while len(corners) > 1 and _is_above(corners[-1], corners[-2], point):
            corners.pop()
        corners.append(point)
    return np.array([float(g) for g, _ in corners]), np.array([float(h) for _, h in corners])


def _is_above(b: tuple[Fraction, Fraction], a: tuple[Fraction, Fraction], c: tuple[Fraction, Fraction]) -> bool:
    """True if b is on or above the line from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])
