"""The effect that a plan is to detect: a difference or a slope, with which power, and among whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput, shown
from ..mechanisms.mechanism import Mechanism
from .objective import Objective
from .power import (
    Covariate,
    Detection,
    PowerCurve,
    StudyDesign,
    Variances,
    covariate_of,
    difference_power,
    people_for,
    slope_power,
)

Array = NDArray[np.float64]

DEFAULT_POWER = 0.8
"""How often a difference or slope is to be detected, unless given."""


@dataclass(frozen=True)
class Effect:
    """A difference or a slope to detect; with neither, the smallest difference that is detected with `power`."""

    difference: float | tuple[float, float] | None
    slope: float | None
    power: float | None
    covariate: Covariate
    design: StudyDesign

    def detect(self, mechanism: Mechanism, objective: Objective, shares: Array, n: int | None) -> Detection:
        """How surely n people detect the effect under a mechanism, or how many people that takes."""
        weights = query_of(objective)
        ways = [Variances(each, weights, shares) for each in (mechanism, None)]
        level, wanted = float(weights @ shares), DEFAULT_POWER if self.power is None else self.power
        if self.slope is None and self.difference is None:
            assert n is not None
            first, second = level, self._smallest(ways[0], level, n, wanted)
            powers = [difference_power(way, first, second, self.design) for way in ways]
            return self._detection("difference", first, second, powers, n, wanted)
        if self.slope is not None:
            first, second = level, self.slope
            powers = [slope_power(way, level, self.slope, self.covariate, self.design) for way in ways]
            return self._detection("slope", first, second, powers, n, wanted)
        given = self.difference
        first, second = given if isinstance(given, tuple) else (level, level + float(given or 0))
        return self._detection("difference", first, second, [self._test(way, first, second) for way in ways], n, wanted)

    def _test(self, way: Variances, first: float, second: float) -> PowerCurve:
        return difference_power(way, first, second, self.design)

    def _detection(
        self, kind: str, first: float, second: float, powers: Sequence[PowerCurve], n: int | None, wanted: float
    ) -> Detection:
        label = f"{kind}={second if kind == 'slope' else second - first:g}"
        people = people_for(powers[0], wanted, label) if n is None else n
        power = powers[0](people)
        return Detection(kind, first, second, power, people, people_for(powers[1], power, label), self.design)

    def _smallest(self, way: Variances, level: float, n: int, wanted: float) -> float:
        """The nearest value above the level, or else below it, that is detected with the wanted power."""
        from scipy.optimize import brentq

        held = way.weights[way.shares > 0]
        way.at(level)
        for end in (float(held.max()), float(held.min())):
            if end == level or self._test(way, level, end)(n) < wanted:
                continue
            return float(brentq(lambda second: self._test(way, level, second)(n) - wanted, level, end, xtol=1e-14))
        raise InvalidInput(f"n={n} is too few to find any difference with power {wanted:g}")


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
    *,
    difference: Any = None,
    slope: Any = None,
    power: Any = None,
    covariate: Any = None,
    alpha: Any = 0.05,
    subgroup: Any = 1.0,
    groups: Any = (0.5, 0.5),
    comparisons: Any = 1,
    design_effect: Any = 1.0,
) -> Effect | None:
    """The effect to detect, with every argument checked; None if none was given."""
    design = _design(alpha, subgroup, groups, comparisons, design_effect)
    if difference is None and slope is None and power is None:
        if covariate is not None or replace(design, subgroup=1.0) != StudyDesign():
            raise InvalidInput("plan needs a difference, a slope or a power to plan groups and tests for")
        return None
    if difference is not None and slope is not None:
        raise InvalidInput("plan needs one of difference and slope")
    if covariate is not None and slope is None:
        raise InvalidInput("covariate must go with a slope")
    if power is not None:
        _check("power", power, 0, 1)
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


def _design(alpha: Any, subgroup: Any, groups: Any, comparisons: Any, design_effect: Any) -> StudyDesign:
    _check("alpha", alpha, 0, 1)
    _check("subgroup", subgroup, 0, 1, inclusive=True)
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


def _check(name: str, number: Any, low: float, high: float, *, inclusive: bool = False) -> None:
    if not _finite(number) or not low < number or not (number <= high if inclusive else number < high):
        last = " (itself allowed)" if inclusive else ""
        raise InvalidInput(f"{name}={shown(number)} must be between {low:g} and {high:g}{last}")
