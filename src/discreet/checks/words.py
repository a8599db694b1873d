"""Every report takes the same number of words, whatever the value and the outcome, alone or in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.words import ArraySource, replay, seeded
from ..core.errors import CheckFailed, RandomnessFailure
from ..mechanisms.mechanism import Mechanism

REPORTS = 300
"""Reports made to check each law."""


class Counting:
    """A source that passes on another's words and counts how many were taken."""

    def __init__(self, source: ArraySource) -> None:
        self.source = source
        self.taken = 0

    def take(self, count: int) -> list[int]:
        """The next words, counted."""
        self.taken += count
        return self.source.take(count)

    def fill(self, count: int) -> NDArray[np.uint64]:
        """The next words, counted."""
        self.taken += count
        return self.source.fill(count)


def some_values(size: int, count: int, seed: int) -> NDArray[np.int64]:
    """`count` value numbers that include the first, the last and random others."""
    values = np.random.default_rng(seed).integers(0, size, size=count)
    values[:2] = 0, size - 1
    return values


def as_integers(reports: NDArray[Any]) -> list[int]:
    """The reports of a bulk engine as whole numbers."""
    if reports.ndim == 1:
        return [int(y) for y in reports]
    return [sum(int(word) << 64 * i for i, word in enumerate(row)) for row in reports]


def check_equal_words(mechanism: Mechanism, *, seed: int = 1) -> None:
    """Every value and outcome takes exactly `words` words; with one fewer there is no report."""
    words = mechanism.sampler.words
    source = Counting(seeded(seed))
    for x in some_values(mechanism.context.size, 30, seed):
        before = source.taken
        mechanism.randomize_index(int(x), source)
        if source.taken - before != words:
            raise CheckFailed(f"{mechanism.name}: value {x} took {source.taken - before} words; it must take {words}")
    values = some_values(mechanism.context.size, 30, seed)
    source = Counting(seeded(seed))
    mechanism.randomize_indices(values, source)
    if source.taken != words * len(values):
        raise CheckFailed(
            f"{mechanism.name}: {len(values)} reports in bulk took {source.taken} words, not {words} each"
        )
    _fails_closed(mechanism, [0] * (words - 1))


def _fails_closed(mechanism: Mechanism, too_few: Sequence[int]) -> None:
    try:
        report = mechanism.randomize_index(0, replay(too_few))
    except RandomnessFailure:
        return
    raise CheckFailed(f"{mechanism.name}: with one word too few it wrote {report} instead of failing")


def check_scalar_is_vector(mechanism: Mechanism, *, seed: int = 1) -> None:
    """`randomize` one by one and `randomize_indices` write the same reports from the same words, and only reports."""
    values = some_values(mechanism.context.size, min(REPORTS, max(8, 200_000 // mechanism.sampler.words)), seed)
    alone = seeded(seed)
    one_by_one = [mechanism.randomize_index(int(x), alone) for x in values]
    in_bulk = as_integers(mechanism.randomize_indices(values, seeded(seed)))
    for at, (one, many) in enumerate(zip(one_by_one, in_bulk, strict=True)):
        if one != many:
            raise CheckFailed(f"{mechanism.name}: report {at} of value {values[at]} is {one} alone and {many} in bulk")
        if not mechanism.sampler.is_report(one):
            raise CheckFailed(f"{mechanism.name}: value {values[at]} wrote {one}, which is_report denies")
    stream = seeded(seed)
    cut = len(values) // 3
    parts = [*as_integers(mechanism.randomize_indices(values[:cut], stream))]
    parts += as_integers(mechanism.randomize_indices(values[cut:], stream))
    if parts != in_bulk:
        raise CheckFailed(f"{mechanism.name}: reports made in two batches differ from those made in one")
