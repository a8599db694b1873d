"""The power of a test of a difference between groups or of a slope, and how many people it takes.

Variances are exact, from the moments of the mechanism, at shares tilted from the assumed ones until the query has the
value in question: ``p_x exp(t w_x)``, which for an event keeps the proportions inside it and outside.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np

from ..core.errors import InvalidInput, shown
from ..estimation.decoders import decoder_of
from ..estimation.results.weights import second_moment
from ..estimation.tally import MAX_REPORTS
from ..mechanisms.mechanism import Mechanism
from .objective import Array, Objective

PowerCurve: TypeAlias = Callable[[int], float]
Covariate: TypeAlias = tuple[Array, Array]

COVARIATE_NODES = 40
"""The points of the normal distribution that stands for a covariate unless a sample is given (Gauss and Hermite)."""
MAX_PLACES = 65
"""At how many values of the query variances are worked out; between them second moments are interpolated."""
DEFAULT_POWER = 0.8
"""How often a difference or slope is to be detected, unless given."""
MAX_END_DISTANCE = 1e-9
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
        """How many standard errors from zero an estimate must be to be significant."""
        return -NormalDist().inv_cdf(self.alpha / (2 * self.comparisons))

    def sizes(self, n: int) -> list[float]:
        """The effective size of each group, of n people asked in all."""
        return [max(math.floor(n * self.subgroup * part + 1e-9), 1) / self.design_effect for part in self.groups]


def tilt(shares: Array, weights: Array, target: float) -> Array:
    """The shares ``p_x exp(t w_x)``, scaled, for the t at which the query has the value `target`."""
    from scipy.optimize import brentq

    possible = weights[shares > 0]
    low, high = float(possible.min()), float(possible.max())
    if high == low:
        raise InvalidInput(f"prior: everybody who is assumed has {low:g} in the query, which can have no other value")
    unit = (weights - low) / (high - low)
    goal = (target - low) / (high - low)
    if not -MAX_END_DISTANCE <= goal <= 1 + MAX_END_DISTANCE:
        raise InvalidInput(f"a query of {target:g} must be from {low:g} to {high:g}, as the assumed shares allow")
    if goal <= MAX_END_DISTANCE or goal >= 1 - MAX_END_DISTANCE:
        end = shares * (np.abs(unit - round(goal)) <= MAX_END_DISTANCE)
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
    """n times the variance of a query, as a function of its value, under a mechanism or, with None, without privacy."""

    def __init__(self, mechanism: Mechanism | None, weights: Array, shares: Array) -> None:
        self.mechanism, self.weights, self.shares = mechanism, weights, shares

    def at(self, target: float) -> float:
        """The variance of one person's score where the query is `target`."""
        return max(self._moment(target) - target**2, 0.0)

    def along(self, targets: Array) -> Array:
        """The variances at many values of the query; second moments between some of them are interpolated."""
        places = np.unique(targets)
        if len(places) > MAX_PLACES:
            places = np.linspace(places[0], places[-1], MAX_PLACES)
        moments = np.interp(targets, places, [self._moment(float(one)) for one in places])
        return np.maximum(moments - targets**2, 0.0)

    def _moment(self, target: float) -> float:
        p = tilt(self.shares, self.weights, target)
        if self.mechanism is None:
            return float(self.weights**2 @ p)
        return float(second_moment(decoder_of(self.mechanism), self.weights, p))


def difference_power(variances: Variances, first: float, second: float, design: StudyDesign) -> PowerCurve:
    """The power, as a function of n, of the test that two groups differ, or one group from the known figure `first`.

    ``Phi((|d| - z s0) / s1) + Phi((-|d| - z s0) / s1)``, with the standard error s0 if there were no difference, at
    the mean of both, and s1 as there is.
    """
    d, normal, parts = abs(second - first), NormalDist(), design.groups
    single = len(parts) == 1
    null = variances.at(first if single else (parts[0] * first + parts[1] * second) / (parts[0] + parts[1]))
    effects = [variances.at(value) for value in ([second] if single else [first, second])]

    def power(n: int) -> float:
        sizes = design.sizes(n)
        s0 = math.sqrt(sum(null / size for size in sizes))
        s1 = math.sqrt(sum(effect / size for effect, size in zip(effects, sizes, strict=True)))
        if s1 == 0:
            return float(d > design.critical * s0)
        return sum(normal.cdf((side * d - design.critical * s0) / s1) for side in (1, -1))

    return power


def slope_power(
    variances: Variances, level: float, slope: float, covariate: Covariate, design: StudyDesign
) -> PowerCurve:
    """The power, as a function of n, of the test of a slope: the query grows by `slope` per unit of the covariate.

    The least-squares slope has the variance ``E[(V(c) + (g(c) - line)**2) (c - mean)**2] / (n Var(c)**2)``, where
    g(c) is the line through `level` at the mean, cut off where the query can go no further.
    """
    points, masses = covariate
    centred = points - points @ masses
    possible = variances.weights[variances.shares > 0]
    met = np.clip(level + slope * centred, possible.min(), possible.max())
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
    """The points and masses of the covariate: its sample, or those of the standard normal distribution."""
    if covariate is None:
        points, masses = np.polynomial.hermite_e.hermegauss(COVARIATE_NODES)
        return points, masses / masses.sum()
    try:
        points = np.asarray(covariate, dtype=float)
    except (TypeError, ValueError):
        points = np.zeros(0)
    if points.ndim != 1 or len(points) < 2 or not np.isfinite(points).all() or np.ptp(points) == 0:
        raise InvalidInput("covariate must be a column of at least two different finite numbers")
    return points, np.full(len(points), 1 / len(points))


def people_for(power: PowerCurve, target: float, label: str) -> int:
    """The smallest n with at least this power, from 2 on."""
    people = bisect_left(range(MAX_REPORTS), target, lo=2, key=power)
    if people == MAX_REPORTS:
        raise InvalidInput(f"{label} needs more than {MAX_REPORTS} reports; it must be larger")
    return people


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
        data = vars(self) | vars(self.design) | {"groups": list(self.design.groups)}
        return {name: entry for name, entry in data.items() if name != "design"}

    @property
    def sentence(self) -> str:
        """A sentence that says what is detected how often."""
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


@dataclass(frozen=True)
class Effect:
    """A difference or a slope to detect; with neither, the smallest difference that is detected with `power`."""

    difference: float | tuple[float, float] | None
    slope: float | None
    power: float | None
    covariate: Covariate
    design: StudyDesign

    def detect(self, mechanism: Mechanism, objective: Objective, shares: Array, n: int | None) -> Detection:
        """The power with which n people detect the effect under a mechanism, or how many people the power takes."""
        weights = query_of(objective)
        private, public = (Variances(each, weights, shares) for each in (mechanism, None))
        first, target = float(weights @ shares), DEFAULT_POWER if self.power is None else self.power
        if self.slope is not None:
            kind, second, change = "slope", self.slope, self.slope
            powers = [slope_power(way, first, second, self.covariate, self.design) for way in (private, public)]
        else:
            if isinstance(self.difference, tuple):
                first, second = self.difference
            elif self.difference is not None:
                second = first + self.difference
            else:
                assert n is not None
                second = self._smallest(private, first, n, target)
            kind, change = "difference", second - first
            powers = [difference_power(way, first, second, self.design) for way in (private, public)]
        people = people_for(powers[0], target, f"{kind}={change:g}") if n is None else n
        power = powers[0](people)
        public_people = people_for(powers[1], power, f"{kind}={change:g}")
        return Detection(kind, first, second, power, people, public_people, self.design)

    def _smallest(self, way: Variances, level: float, n: int, target: float) -> float:
        """The nearest value above the level, or else below it, that is detected with the target power."""
        from scipy.optimize import brentq

        def lacking(second: float) -> float:
            return difference_power(way, level, second, self.design)(n) - target

        possible = way.weights[way.shares > 0]
        way.at(level)
        for end in (float(possible.max()), float(possible.min())):
            if end != level and lacking(end) >= 0:
                return float(brentq(lacking, level, end, xtol=1e-14))
        raise InvalidInput(f"n={n} is too few to find any difference with power {target:g}")


def query_of(objective: Objective) -> Array:
    """The weights of the one query that is compared; of two values, the share of the second."""
    if len(objective.targets) == 1:
        rows = objective.targets[0][1]
        if rows is not None and len(rows) == 1:
            return np.asarray(rows[0])
        if rows is None and objective.size == 2:
            return np.array([0.0, 1.0])
    raise InvalidInput('query must be one query, such as {value: 1} or "mean", to plan a difference or slope of it')


def effect_of(
    *, difference: Any = None, slope: Any = None, power: Any = None, covariate: Any = None, **design_arguments: Any
) -> Effect | None:
    """The effect to detect, with every argument checked, those of `StudyDesign` among them; None if none was given."""
    design = _design(**design_arguments)
    if difference is None and slope is None and power is None:
        if covariate is not None or replace(design, subgroup=1.0) != StudyDesign():
            raise InvalidInput("plan needs a difference, a slope or a power to plan groups and tests for")
        return None
    if difference is not None and slope is not None:
        raise InvalidInput("plan needs one of difference and slope")
    if covariate is not None and slope is None:
        raise InvalidInput("covariate must go with a slope")
    if power is not None:
        _check("power", power)
        if power <= design.alpha:
            raise InvalidInput(f"power={power:g} must be above alpha={design.alpha:g}")
    if slope is not None and (not _finite(slope) or slope == 0):
        raise InvalidInput(f"slope={shown(slope)} must be a number other than 0")
    return Effect(_difference(difference), slope, power, covariate_of(covariate), design)


def _difference(given: Any) -> float | tuple[float, float] | None:
    if given is None:
        return None
    if _finite(given) and given != 0:
        return float(given)
    if isinstance(given, (tuple, list)) and len(given) == 2 and all(map(_finite, given)) and given[0] != given[1]:
        return float(given[0]), float(given[1])
    raise InvalidInput(f"difference={shown(given)} must be a number other than 0, or two different numbers")


def _design(
    alpha: Any = 0.05, subgroup: Any = 1.0, groups: Any = (0.5, 0.5), comparisons: Any = 1, design_effect: Any = 1.0
) -> StudyDesign:
    _check("alpha", alpha)
    _check("subgroup", subgroup, inclusive=True)
    parts = tuple(groups) if isinstance(groups, (tuple, list)) else ()
    if len(parts) not in (1, 2) or not all(_finite(part) and 0 < part <= 1 for part in parts) or sum(parts) > 1 + 1e-9:
        raise InvalidInput(f"groups={shown(groups)} must be one or two parts of the people, adding up to 1 at most")
    if isinstance(comparisons, bool) or not isinstance(comparisons, (int, np.integer)) or comparisons < 1:
        raise InvalidInput(f"comparisons={shown(comparisons)} must be a whole number from 1 on")
    if not _finite(design_effect) or design_effect <= 0:
        raise InvalidInput(f"design_effect={shown(design_effect)} must be a positive number")
    return StudyDesign(float(alpha), float(subgroup), tuple(map(float, parts)), int(comparisons), float(design_effect))


def _finite(number: Any) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and math.isfinite(number)


def _check(name: str, number: Any, *, inclusive: bool = False) -> None:
    if not _finite(number) or not 0 < number <= 1 or (number == 1 and not inclusive):
        last = " (itself allowed)" if inclusive else ""
        raise InvalidInput(f"{name}={shown(number)} must be between 0 and 1{last}")
