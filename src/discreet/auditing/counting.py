"""One stage of an audit: fresh reports of every audited value, counted by the outcomes of every feature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .features import Byte, Feature
from .strings import Strings
from .subjects import Subject

Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]
Pair = tuple[int, int]
"""Two of the audited values, by their positions in the list."""

BATCH = 1 << 16
"""Reports held at a time."""


class PairFeature(Protocol):
    """A feature made to tell one value from another."""

    size: int

    def codes(self, batch: Strings) -> NDArray[np.int64]:
        """The outcome of every report."""
        ...

    def event(self, mask: Mask) -> str:
        """The event that the outcome is in the set, in words."""
        ...


@dataclass(frozen=True)
class FeatureSet:
    """What an audit looks at: features for all pairs, single bytes, and features made for one pair."""

    features: Sequence[Feature]
    places: Sequence[Byte]
    special: Mapping[Pair, Sequence[PairFeature]]


@dataclass(frozen=True)
class Stage:
    """Counts of outcomes in n reports per value.

    `features` has for each feature one row per value, `places` is indexed by byte, value and outcome,
    `special` has for each pair's features the rows of x and of z.
    """

    n: int
    features: list[Counts]
    places: Counts
    special: Mapping[Pair, list[Counts]]


def count_stage(
    subject: Subject, values: Sequence[int], n: int, looks: FeatureSet, progress: Callable[[int], None]
) -> Stage:
    """Count n fresh reports of every value by all features; those made for a pair only on its two values."""
    stage = _empty(len(values), n, looks)
    for row, x in enumerate(values):
        for begin in range(0, n, BATCH):
            batch = subject.reports(x, min(BATCH, n - begin))
            _add(stage, row, batch, looks)
            progress(len(batch))
    return stage


def count_batches(seen: Sequence[Strings], looks: FeatureSet) -> Stage:
    """Count existing reports, one batch per value."""
    stage = _empty(len(seen), len(seen[0]), looks)
    for row, batch in enumerate(seen):
        _add(stage, row, batch, looks)
    return stage


def _empty(values: int, n: int, looks: FeatureSet) -> Stage:
    return Stage(
        n,
        [np.zeros((values, feature.size), dtype=np.int64) for feature in looks.features],
        np.zeros((len(looks.places), values, Byte.size), dtype=np.int64),
        {pair: [np.zeros((2, one.size), dtype=np.int64) for one in own] for pair, own in looks.special.items()},
    )


def _add(stage: Stage, row: int, batch: Strings, looks: FeatureSet) -> None:
    for table, feature in zip(stage.features, looks.features, strict=True):
        table[row] += np.bincount(feature.codes_of(batch), minlength=feature.size)
    for table, byte in zip(stage.places, looks.places, strict=True):
        table[row] += np.bincount(byte.codes(batch), minlength=Byte.size)
    for pair, own in looks.special.items():
        if row in pair:
            for table, one in zip(stage.special[pair], own, strict=True):
                table[pair.index(row)] += np.bincount(one.codes(batch), minlength=one.size)
