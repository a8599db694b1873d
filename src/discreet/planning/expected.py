"""The error to expect from n reports of a mechanism, or from n values without privacy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bulk.words import seeded
from ..contexts import Context
from ..estimation.decoders import decoder_of
from ..estimation.results.intervals import quantile
from ..estimation.results.projection import project
from ..estimation.results.unbiased import estimate
from ..estimation.results.weights import weights_of
from ..estimation.simplex import project_blocks
from ..estimation.tally import Tally
from ..leakage.profiles import profile_of
from ..mechanisms.mechanism import Mechanism
from .objective import Array, Objective

SIMULATED_SHARES = 1 << 18
"""Shares simulated for the expected distance of a projected estimate: the more values, the fewer surveys."""
SURVEYS_RANGE = 2, 128
"""The smallest and largest number of simulated surveys."""
SIMULATED_WORDS = 1 << 23
"""Random words spent where people must be simulated one by one; their noise is then scaled to n."""
MIN_PEOPLE = 1 << 10
"""The smallest number of people simulated in such a survey."""


@dataclass(frozen=True)
class Expected:
    """The error to expect from one way to collect, at one n and one assumed distribution.

    `total_squared_error` and `stderr` are exact; `tv` is the normal approximation
    ``sum_x sd_x / sqrt(2 pi)``; `tv_projected` is the mean of seeded simulations. A share of `detectable` is told
    from zero in 19 of 20 surveys. `targets` are the queries that were planned for beside the shares, by name, with the
    exact standard error of each, the largest where a target is several queries. `guess` is how often somebody who
    assumes the same distribution guesses a person's value right from one report; None if there are too many reports.
    """

    label: str
    mechanism: str
    n: int
    bits: int
    total_squared_error: float
    stderr: float
    tv: float
    tv_projected: float
    detectable: float
    targets: tuple[tuple[str, float], ...] = ()
    guess: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        wishes = [{"name": name, "stderr": stderr} for name, stderr in self.targets]
        return {"wishes" if key == "targets" else key: entry for key, entry in vars(self).items()} | {"wishes": wishes}


def expected_error(
    mechanism: Mechanism, n: int, shares: Array, *, label: str = "", objective: Objective | None = None
) -> Expected:
    """The error to expect from n reports of a mechanism, of shares and of queries, when values follow `shares`."""
    shares = weights_of(mechanism.context.domain, shares, name="shares")
    deviations = deviations_of(mechanism, shares) / math.sqrt(n)
    rng = np.random.default_rng(20200713)
    surveys = (_simulate(mechanism, n, shares, rng, number) for number in range(_surveys(shares)))
    return Expected(
        label or mechanism.name,
        mechanism.name,
        n,
        mechanism.bits,
        *_errors(deviations, surveys, shares),
        detectable_share(mechanism, n, shares),
        _target_errors(mechanism, n, shares, objective),
        profile_of(mechanism).bayes_success(shares),
    )


def _errors(deviations: Array, surveys: Iterable[Array], shares: Array) -> tuple[float, float, float, float]:
    """The total squared error, the largest standard error, the TV, and its mean over simulated surveys."""
    distances = [0.5 * np.abs(survey - shares).sum() for survey in surveys]
    return float(np.sum(deviations**2)), float(deviations.max()), tv_of(deviations), float(np.mean(distances))


def _target_errors(
    mechanism: Mechanism | None, n: int, shares: Array, objective: Objective | None
) -> tuple[tuple[str, float], ...]:
    """The name and the largest standard error of each query; without privacy if `mechanism` is None."""
    if objective is None:
        return ()
    deviations = objective.deviations(None if mechanism is None else decoder_of(mechanism), shares)
    pairs = zip(objective.targets, deviations, strict=True)
    return tuple((name, deviation / math.sqrt(n)) for (name, rows), deviation in pairs if rows is not None)


def deviations_of(mechanism: Mechanism, shares: Array) -> Array:
    """The standard error of every share, times the root of n."""
    moments = decoder_of(mechanism).second_moments(shares)
    return np.asarray(np.sqrt(np.maximum(moments - shares**2, 0.0)))


def tv_of(deviations: Array) -> float:
    """The expected total variation of normal errors with these standard deviations."""
    return float(np.sum(deviations) / math.sqrt(2 * math.pi))


def detectable_share(mechanism: Mechanism, n: int, shares: Array) -> float:
    """The smallest share detected in 19 of 20 cases at 95 %: its estimate is 1.96 + 1.64 deviations above 0."""
    decoder = decoder_of(mechanism)
    zeroed = decoder.second_moments(shares) - decoder.second_moment_derivative(shares) * shares
    spread = math.sqrt(max(float(np.max(zeroed)), 0.0) / n)
    return (quantile(0.95) + quantile(0.9)) * spread


def _surveys(shares: Array) -> int:
    """How many surveys to simulate: fewer for many values, whose mean distance varies little."""
    fewest, most = SURVEYS_RANGE
    return min(most, max(fewest, SIMULATED_SHARES // len(shares)))


def _simulate(mechanism: Mechanism, n: int, shares: Array, rng: np.random.Generator, number: int) -> Array:
    """The projected shares of n simulated people; the counts are drawn at once where each report has one cell.

    Otherwise the errors of fewer people stand for those of n, scaled.
    """
    decoder = decoder_of(mechanism)
    if decoder.disjoint:
        chances = np.clip(decoder.expected_counts(shares), 0.0, None)
        return project(Tally(mechanism, rng.multinomial(n, chances / chances.sum()), n)).shares
    people = min(n, max(MIN_PEOPLE, SIMULATED_WORDS // (_surveys(shares) * mechanism.sampler.words)))
    values, scale = rng.choice(len(shares), size=people, p=shares), math.sqrt(people / n)
    survey = estimate(mechanism.tally(mechanism.randomize_indices(values, seeded(number))))
    block_of, totals = survey.blocks
    whole = np.bincount(block_of, weights=shares, minlength=len(totals))
    return project_blocks(shares + scale * (survey.shares - shares), block_of, whole + scale * (totals - whole))


def without_privacy(context: Context, n: int, shares: Array, objective: Objective) -> Expected:
    """The error to expect if n people gave their values as they are."""
    deviations = np.sqrt(shares * (1 - shares) / n)
    rng = np.random.default_rng(20200713)
    surveys = (rng.multinomial(n, shares) / n for _ in range(_surveys(shares)))
    return Expected(
        "no privacy",
        "the value itself",
        n,
        max(1, (context.size - 1).bit_length()),
        *_errors(deviations, surveys, shares),
        -math.log(0.05) / n,
        _target_errors(None, n, shares, objective),
        1.0,
    )
