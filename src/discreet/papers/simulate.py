"""Surveys of made-up or recorded people, and the distance of an estimate from the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.words import seeded
from ..estimation.decoders import decoder_of
from ..estimation.results.shrinking import shrink
from ..estimation.tally import Tally
from ..geo import grid_coordinates
from ..mechanisms.mechanism import Mechanism
from .data import SHAPE

Array = NDArray[np.float64]


def drawn_tally(mechanism: Mechanism, shares: Array, n: int, generator: np.random.Generator) -> Tally:
    """The tally of n people whose values are drawn from `shares`.

    Where each report adds to one cell, the counts of all reports are multinomial with the expected shares of
    the cells; they are drawn at once, with exactly the law of n single reports. Otherwise people are drawn and
    each is randomized.
    """
    decoder = decoder_of(mechanism)
    if not decoder.disjoint:
        return recorded_tally(mechanism, generator.multinomial(n, shares), int(generator.integers(1 << 62)))
    law = np.maximum(np.asarray(decoder.expected_counts(shares)), 0.0)
    return Tally(mechanism, generator.multinomial(n, law / law.sum()), n)


def recorded_tally(mechanism: Mechanism, counts: NDArray[Any], seed: int) -> Tally:
    """The tally of recorded people, `counts` of each value, every one randomized by the mechanism itself."""
    people = np.repeat(np.arange(len(counts)), counts)
    return mechanism.tally(mechanism.randomize_indices(people, seeded(seed)))


def shrink_spatially(tally: Tally) -> Array:
    """The shares of the paper's cells by spatial shrinkage with the rule for total variation."""
    return shrink(tally, rule="tv", coordinates=grid_coordinates(SHAPE)).shares


def total_variation(shares: Array, truth: Array) -> float:
    """``1/2 sum |p - q|``."""
    return float(np.abs(shares - truth).sum() / 2)


def squared_error(shares: Array, truth: Array) -> float:
    """``sum (p - q)**2``."""
    return float(np.sum((shares - truth) ** 2))


@dataclass(frozen=True)
class Mean:
    """The mean of repeated measurements and the spread of a single one (unknown from one alone)."""

    value: float
    spread: float
    runs: int

    @classmethod
    def of(cls, measured: Any) -> Mean:
        """The mean and the sample standard deviation."""
        array = np.asarray(measured, dtype=float)
        spread = float(array.std(ddof=1)) if len(array) > 1 else float("nan")
        return cls(float(array.mean()), spread, len(array))

    @classmethod
    def of_each(cls, measured: Sequence[Mapping[str, float]]) -> dict[str, Mean]:
        """The mean of every quantity that was measured together with the others."""
        return {what: cls.of([one[what] for one in measured]) for what in measured[0]}

    @property
    def stderr(self) -> float:
        """The standard error of the mean, ``spread / sqrt(runs)``."""
        return self.spread / float(np.sqrt(self.runs))

    def stderr_beside(self, runs: int) -> float:
        """The standard error of the difference from a mean of `runs` other measurements of the same spread."""
        return self.spread * float(np.sqrt(1 / self.runs + 1 / runs))


MeanErrors = dict[tuple[str, ...], dict[str, Mean]]
"""For each case of an experiment, the mean of every error that was measured."""
