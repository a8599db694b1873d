"""The power of a test of a difference between groups or of a slope, and how many people it takes.

Variances are exact, from the moments of the mechanism, at shares tilted from the assumed ones until the query has the
value in question: ``p_x exp(t w_x)``, which for an event keeps the proportions inside it and outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput
from ..estimation.decoders import decoder_of
from ..estimation.results.weights import second_moment
from ..estimation.tally import MOST as MAX_REPORTS
from ..mechanisms.mechanism import Mechanism

Array = NDArray[np.float64]
PowerCurve: TypeAlias = Callable[[int], float]
Covariate: TypeAlias = tuple[Array, Array]

NODES = 40
"""The points of the normal distribution that stands for a covariate unless a sample is given (Gauss and Hermite)."""
PLACES = 65
"""At how many values of the query variances are worked out; between them second moments are interpolated."""
FLAT = 1e-9
"""A value of the query this close to the largest or smallest, relative to their distance, is that one."""


@dataclass(frozen=True)
class StudyDesign:
    """How people will be drawn, grouped and tested; a test at level `alpha` is two-sided.

    `subgroup` is the part of all people that is compared, `groups` the part of those in each group (one group is
    compared with a known figure), `comparisons` how many tests share alpha (Bonferroni), and `design_effect` how many
    times the variance is that of people drawn one by one.
    """

    alpha: float = 0.05
    subgroup: float = 1.0
    groups: tuple[float, ...] = (0.5, 0.5)
    comparisons: int = 1
    design_effect: float = 1.0

    @property
    def critical(self) -> float:
        """How many standard errors from nothing a finding must be."""
        return -NormalDist().inv_cdf(self.alpha / (2 * self.comparisons))

    def sizes(self, n: int) -> list[float]:
        """The people that each group is worth, of n asked in all."""
        return [max(math.floor(n * self.subgroup * part + 1e-9), 1) / self.design_effect for part in self.groups]


def tilt(shares: Array, weights: Array, target: float) -> Array:
    """The shares ``p_x exp(t w_x)``, scaled, for the t at which the query has the value `target`."""
    from scipy.optimize import brentq

    held = weights[shares > 0]
    low, high = float(held.min()), float(held.max())
    if high == low:
        raise InvalidInput(f"prior: everybody who is assumed has {low:g} in the query, which can have no other value")
    unit = (weights - low) / (high - low)
    goal = (target - low) / (high - low)
    if not -FLAT <= goal <= 1 + FLAT:
        raise InvalidInput(f"a query of {target:g} must be from {low:g} to {high:g}, as the assumed shares allow")
    if goal <= FLAT or goal >= 1 - FLAT:
        end = shares * (np.abs(unit - round(goal)) <= FLAT)
        return np.asarray(end / end.sum())

    def at(t: float) -> Array:
        odds = shares * np.exp(t * unit - max(t, 0.0))
        return np.asarray(odds / odds.sum())

    below, above = -1.0, 1.0
    while float(at(below) @ unit) > goal:
        below *= 2
    while float(at(above) @ unit) < goal:
        above *= 2
    return at(brentq(lambda t: float(at(t) @ unit) - goal, below, above, xtol=1e-13))


class Variances:
    """n times the variance of a query where it has a value, under a mechanism or, with None, without privacy."""

    def __init__(self, mechanism: Mechanism | None, weights: Array, shares: Array) -> None:
        self.mechanism, self.weights, self.shares = mechanism, weights, shares

    def at(self, target: float) -> float:
        """The variance of one person's score where the query is `target`."""
        return max(self._moment(target) - target**2, 0.0)

    def along(self, targets: Array) -> Array:
        """The variances at many values of the query; second moments between some of them are interpolated."""
        places = np.unique(targets)
        if len(places) > PLACES:
            places = np.linspace(places[0], places[-1], PLACES)
        moments = np.interp(targets, places, [self._moment(float(one)) for one in places])
        return np.maximum(moments - targets**2, 0.0)

    def _moment(self, target: float) -> float:
        p = tilt(self.shares, self.weights, target)
        if self.mechanism is None:
            return float(self.weights**2 @ p)
        return float(second_moment(decoder_of(self.mechanism), self.weights, p))


def difference_power(variances: Variances, first: float, second: float, design: StudyDesign) -> PowerCurve:
    """From n to the power of the test that two groups differ, or that one differs from the known figure `first`.

    ``Phi((|d| - z s0) / s1) + Phi((-|d| - z s0) / s1)``, with the standard error s0 if there were no difference, at
    the mean of both, and s1 as there is.
    """
    d, normal, parts = abs(second - first), NormalDist(), design.groups
    single = len(parts) == 1
    middle = first if single else (parts[0] * first + parts[1] * second) / (parts[0] + parts[1])
    null, others = (
        variances.at(middle),
        [variances.at(second)] if single else [variances.at(first), variances.at(second)],
    )

    def power(n: int) -> float:
        sizes = design.sizes(n)
        without = math.sqrt(sum(null / size for size in sizes))
        there = math.sqrt(sum(own / size for own, size in zip(others, sizes, strict=True)))
        if there == 0:
            return float(d > design.critical * without)
        return sum(normal.cdf((side * d - design.critical * without) / there) for side in (1, -1))

    return power


def slope_power(
    variances: Variances, level: float, slope: float, covariate: Covariate, design: StudyDesign
) -> PowerCurve:
    """From n to the power of the test of a slope: the query grows by `slope` for each unit of the covariate.

    The least-squares slope has the variance ``E[(V(c) + (g(c) - line)**2) (c - mean)**2] / (n Var(c)**2)``, where
    g(c) is the line through `level` at the mean, cut off where the query can go no further.
    """
    points, masses = covariate
    centred = points - points @ masses
    held = variances.weights[variances.shares > 0]
    met = np.clip(level + slope * centred, held.min(), held.max())
    square = float(centred**2 @ masses)
    reached = float(met * centred @ masses) / square
    line = float(met @ masses) + reached * centred
    meat = float((variances.along(met) + (met - line) ** 2) * centred**2 @ masses) / square**2
    normal = NormalDist()

    def power(n: int) -> float:
        people = max(n * design.subgroup / design.design_effect, 1.0)
        z = abs(reached) / math.sqrt(meat / people) if meat else math.inf
        return sum(normal.cdf(side * z - design.critical) for side in (1, -1))

    return power


def covariate_of(covariate: Any) -> Covariate:
    """A sample of the covariate with equal masses, or points and masses of the standard normal distribution."""
    if covariate is None:
        points, masses = np.polynomial.hermite_e.hermegauss(NODES)
        return points, masses / masses.sum()
    try:
        points = np.asarray(covariate, dtype=float)
    except (TypeError, ValueError):
        points = np.zeros(0)
    if points.ndim != 1 or len(points) < 2 or not np.isfinite(points).all() or np.ptp(points) == 0:
        raise InvalidInput("covariate must be a column of at least two different finite numbers")
    return points, np.full(len(points), 1 / len(points))


def people_for(power: PowerCurve, wanted: float, label: str) -> int:
    """The smallest n with at least this power."""
    high = 2
    while power(high) < wanted:
        if high > MAX_REPORTS:
            raise InvalidInput(f"{label} needs more than {MAX_REPORTS} reports; it must be larger")
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    return high


@dataclass(frozen=True)
class Detection:
    """What a planned test will detect: `kind` is "difference" or "slope", and `power` how often it is detected.

    `first` and `second` are the values of the query in two groups, or its mean and the slope. `n` people are asked in
    all; `without_privacy` would do if they told their values.
    """

    kind: str
    first: float
    second: float
    power: float
    n: int
    without_privacy: int
    design: StudyDesign

    def as_dict(self) -> dict[str, Any]:
        """The detection as plain data."""
        return {
            **{name: entry for name, entry in self.__dict__.items() if name != "design"},
            **{
                name: list(entry) if isinstance(entry, tuple) else entry for name, entry in self.design.__dict__.items()
            },
        }

    @property
    def sentence(self) -> str:
        """What is detected how often, in a sentence."""
        groups, parts = self.design.sizes(self.n), len(self.design.groups)
        level = f"at {100 * self.design.alpha:g} %"
        if self.design.comparisons > 1:
            level += f" shared by {self.design.comparisons} comparisons"
        if self.design.design_effect != 1:
            level += f", with a design effect of {self.design.design_effect:g}"
        if self.kind == "slope":
            what = f"A slope of {self.second:g} for each unit of the covariate, around {self.first:.4g},"
        elif parts == 1:
            what = f"{self.second:.4g} instead of the known {self.first:.4g}"
        else:
            people = " and ".join(f"{round(size * self.design.design_effect):,}" for size in groups)
            what = f"{self.first:.4g} against {self.second:.4g}, in groups of {people},"
        return (
            f"{what} is found in {100 * self.power:.3g} of 100 surveys of {self.n:,} people, by a two-sided test "
            f"{level}; without privacy {self.without_privacy:,} people would do."
        )
