"""The event that best tells one value from another: found on some reports, compared on others.

For a feature, the sets that matter are those of the outcomes with the largest likelihood ratios: outcomes are
sorted by the ratio seen in one part of the reports, and each initial segment is scored on another part by the
same limits that will be used in the end, so that a set which fits only by chance scores badly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .counting import Counts, FeatureSet, Mask, Pair, PairFeature, Stage
from .features import BITS, Feature
from .pair_features import Sign, SignCombination

Array = NDArray[np.float64]

SIGNS_PER_VALUE = 2
"""How many signs of x, and of z, are combined for a pair."""


@dataclass(frozen=True)
class Event:
    """A set of outcomes of one feature, and how well it scored."""

    score: float
    feature: Feature | PairFeature
    mask: Mask

    def __str__(self) -> str:
        return self.feature.event(self.mask)


def score(hits: Array | Counts, others: Array | Counts, n: int, z: float) -> Array:
    """log(lower limit of the chance under x / upper limit under z) by Wilson's limits, z standard errors wide."""
    p, q = hits / n, others / n
    c = z * z / n
    low = (p + c / 2 - np.sqrt(c * p * (1 - p) + c * c / 4)) / (1 + c)
    high = (q + c / 2 + np.sqrt(c * q * (1 - q) + c * c / 4)) / (1 + c)
    result: Array = np.log(np.maximum(low, 1e-300)) - np.log(high)
    return result


def best_prefix(
    form: tuple[Counts, Counts], scored: tuple[Counts, Counts], n: int, z: float
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Over the last axis: the best score, the order of the outcomes, and how many of them the best set takes."""
    order = np.argsort(-(form[0] + 0.5) / (form[1] + 0.5), axis=-1, kind="stable")
    sums = [np.cumsum(np.take_along_axis(part, order, axis=-1), axis=-1) for part in scored]
    found = score(sums[0], sums[1], n, z)
    taken = found.argmax(axis=-1)
    return np.take_along_axis(found, taken[..., None], axis=-1)[..., 0], order, taken + 1


def _mask(order: NDArray[np.int64], taken: int) -> Mask:
    mask = np.zeros(len(order), dtype=bool)
    mask[order[:taken]] = True
    return mask


def best_event(pair: Pair, looks: FeatureSet, form: Stage, scored: Stage, z: float) -> Event:
    """The event with the highest score for x against z, over everything that was looked at."""
    x, other = pair
    options = [
        _of_feature(feature, (by[x], by[other]), (on[x], on[other]), scored.n, z)
        for feature, by, on in zip(looks.features, form.features, scored.features, strict=True)
    ]
    options += [
        _of_feature(feature, (by[0], by[1]), (on[0], on[1]), scored.n, z)
        for feature, by, on in zip(looks.special[pair], form.special[pair], scored.special[pair], strict=True)
    ]
    options += _of_bytes(pair, looks, form, scored, z)
    return max(options, key=lambda event: event.score)


def _of_feature(
    feature: Feature | PairFeature, form: tuple[Counts, Counts], scored: tuple[Counts, Counts], n: int, z: float
) -> Event:
    value, order, taken = best_prefix(form, scored, n, z)
    return Event(float(value), feature, _mask(order, int(taken)))


def _of_bytes(pair: Pair, looks: FeatureSet, form: Stage, scored: Stage, z: float) -> list[Event]:
    """The best set of values of one byte, and the best single bit, over all bytes at once."""
    x, other = pair
    on = scored.places[:, x], scored.places[:, other]
    value, order, taken = best_prefix((form.places[:, x], form.places[:, other]), on, scored.n, z)
    top = int(value.argmax())
    of_bits = score(on[0] @ BITS.T, on[1] @ BITS.T, scored.n, z)
    place, bit = np.unravel_index(int(of_bits.argmax()), of_bits.shape)
    return [
        Event(float(value[top]), looks.places[top], _mask(order[top], int(taken[top]))),
        Event(float(of_bits[place, bit]), looks.places[int(place)], BITS[int(bit)]),
    ]


def signs_of(pair: Pair, looks: FeatureSet, learnt: Stage, z: float) -> SignCombination | None:
    """The strongest signs of x and of z in the first reports, to be combined."""
    found: dict[tuple[str, int], Sign] = {}
    for favoured, against in (pair, pair[::-1]):
        best: list[tuple[float, tuple[str, int], Sign]] = []
        for feature, table in zip(looks.features, learnt.features, strict=True):
            values = score(table[favoured], table[against], learnt.n, z)
            top = int(values.argmax())
            best.append((float(values[top]), (feature.name, top), Sign(feature, np.arange(feature.size) == top)))
        bits = score(learnt.places[:, favoured] @ BITS.T, learnt.places[:, against] @ BITS.T, learnt.n, z)
        for flat in np.argsort(-bits, axis=None, kind="stable")[: 8 * SIGNS_PER_VALUE]:
            place, top = divmod(int(flat), len(BITS))
            byte = looks.places[place]
            best.append((float(bits[place, top]), (byte.name, top % 8), Sign(byte, BITS[top])))
        best.sort(key=lambda one: -one[0])
        room = len(found) + SIGNS_PER_VALUE
        for _, key, sign in best:
            if len(found) < room:
                found.setdefault(key, sign)
    return SignCombination(tuple(found.values())) if len(found) > 1 else None
