"""Scores and likelihoods of reports, one report a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.randomizer import Randomizer
from ..results.calibration import constants
from ..results.weights import weights_of
from ..statistics.numeric import NUMERIC
from ..tally import as_batch

Array = NDArray[np.float64]

ROWS = 1 << 22
"""Counts written out at a time."""


def scores_of(mechanism: Mechanism, reports: Any, weights: Any, shares: Any) -> Array:
    """The scores of reports; calibrated at `shares` unless they are None."""
    randomizer, values = mechanism.randomizer, mechanism.context.values
    w = weights_of(values, weights)
    batch = as_batch(reports, randomizer.bits)
    if shares is None:
        return gathered(randomizer, randomizer.weigh(w, NUMERIC), batch)
    c = constants(randomizer, w, _distribution(values, shares))
    return gathered(randomizer, randomizer.weigh(w - c, NUMERIC) + _shown(randomizer, c), batch)


def _distribution(values: Any, shares: Any) -> Array:
    found = weights_of(values, shares, name="shares")
    if (found < 0).any() or abs(found.sum() - 1) > 1e-6:
        raise InvalidInput("shares must be a distribution: none below 0, and adding up to 1")
    return found


def _shown(randomizer: Randomizer, constant: Array) -> Array:
    """A weight per cell whose sum over the cells of a report is the constant of its block."""
    found = np.zeros(randomizer.cells)
    for part, _, cells, values in randomizer.groups(NUMERIC):
        found[cells] = constant[values[:, :1]] * (part.totals_of(NUMERIC) < 0)
    return found


def gathered(randomizer: Randomizer, entries: Array, batch: NDArray[Any]) -> Array:
    """For every report the sum of the entries of the cells that it adds to."""
    step = max(1, ROWS // randomizer.cells)
    found = np.empty(len(batch))
    for begin in range(0, len(batch), step):
        some = batch[begin : begin + step]
        counts = np.zeros(len(some) * randomizer.cells, dtype=np.int64)
        randomizer.count(counts, some, np.arange(len(some)) * randomizer.cells, NUMERIC)
        found[begin : begin + len(some)] = counts.reshape(len(some), -1) @ entries
    return found


def columns_of(mechanism: Mechanism, reports: Any) -> Array:
    """The probability of each report under each value, up to a factor a report: once for every distinct report."""
    randomizer = mechanism.randomizer
    batch = as_batch(reports, randomizer.bits)
    distinct, places = np.unique(batch, axis=0, return_inverse=True)
    rows = distinct[:, None] if distinct.ndim == 1 else distinct
    numbers = [sum(int(word) << 64 * i for i, word in enumerate(row)) for row in rows]
    for y in numbers:
        randomizer.check_report(y)
    if randomizer.disjoint:
        units = np.zeros((len(numbers), randomizer.cells))
        units[np.arange(len(numbers)), [randomizer.cells_of(y)[0] for y in numbers]] = 1.0
        found = np.asarray(randomizer.pull(units, NUMERIC))
    else:
        found = np.array([[float(randomizer.probability(x, y)) for x in range(randomizer.size)] for y in numbers])
    return np.asarray(found.reshape(-1, randomizer.size)[places.reshape(-1)])
