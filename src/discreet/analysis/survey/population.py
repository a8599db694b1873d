"""The number of people that a survey was drawn from: checked against it, and that of two surveys together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import codes_of
from ...core.errors import InvalidInput, shown

if TYPE_CHECKING:
    from .survey import Population, Survey


def checked_population(population: Any, n: int, strata: NDArray[Any] | None) -> Population | None:
    """The population of n people who were asked, in strata or not; `InvalidInput` for one that is none of theirs.

    A stratum may be named by its text.
    """
    if population is None:
        return None
    if not isinstance(population, Mapping):
        if strata is not None:
            raise InvalidInput(
                f"population={shown(population)} must be the number of people of each stratum, {{stratum: number}}: "
                "where people are drawn from strata, each has its own part that was drawn"
            )
        return _people(population, n, "population")
    if strata is None:
        raise InvalidInput("population must be one whole number where there are no strata")
    levels, codes = codes_of(strata)
    by_text = {str(level): level for level in levels}
    population = {key if key in levels else by_text.get(key, key): size for key, size in population.items()}
    apart = [*(level for level in levels if level not in population), *(key for key in population if key not in levels)]
    if apart:
        raise InvalidInput(
            f"population must have the strata of the survey, and only these: {shown(apart[0])} is not in both"
        )
    sizes = np.bincount(codes, minlength=len(levels)).tolist()
    return {
        level: _people(population[level], size, f"population[{level!r}]")
        for level, size in zip(levels, sizes, strict=True)
    }


def _people(number: Any, n: int, name: str) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < n:
        raise InvalidInput(f"{name}={shown(number)} must be a whole number, at least the {n} people asked")
    return int(number)


def joint_population(one: Survey, other: Survey) -> Population | None:
    """The population of two surveys together, of which each must have drawn the same part, in every stratum."""
    if one.population is None or other.population is None:
        return None
    (first, drawn), (second, others) = (_by_stratum(survey) for survey in (one, other))
    if any(drawn[level] * second[level] != others[level] * first[level] for level in first.keys() & second.keys()):
        raise InvalidInput("surveys of different parts of their populations must be analysed apart")
    both = {level: first.get(level, 0) + second.get(level, 0) for level in {**first, **second}}
    return both if isinstance(one.population, Mapping) else both[None]


def _by_stratum(survey: Survey) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
    """How many people each stratum has, and how many of them were drawn; one stratum, None, where there are none."""
    if not isinstance(survey.population, Mapping) or survey.strata is None:
        return {None: cast(int, survey.population)}, {None: survey.n}
    levels, codes = codes_of(survey.strata)
    return dict(survey.population), dict(zip(levels, np.bincount(codes).tolist(), strict=True))
