"""Many reports at once in bounded memory: words straight from the source, one sampler, packed reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownValue
from ..numerics.arrays import ARRAYS

if TYPE_CHECKING:
    from ..mechanisms.randomizer import Randomizer
    from ..random import Source

BATCH = 1 << 22
"""Words held at a time."""


def report_type(bits: int) -> np.dtype[Any]:
    """The smallest unsigned type that holds a report of this many bits (64 for each word of a wide one)."""
    return np.dtype(next((f"u{size}" for size in (1, 2, 4, 8) if bits <= 8 * size), "u8"))


def indices_of(indices: Any, size: int) -> NDArray[np.uint64]:
    """Value numbers as an array, each checked to lie in the domain."""
    array = np.asarray(indices)
    if array.size == 0:
        return np.zeros(0, dtype=np.uint64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise UnknownValue(f"indices of type {array.dtype} and shape {array.shape} must be one row of whole numbers")
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= size:
        raise UnknownValue(f"index {low if low < 0 else high} must be from 0 to {size - 1}")
    return array.astype(np.uint64)


def randomize_many(randomizer: Randomizer, indices: Any, rng: Source) -> NDArray[Any]:
    """The reports of many values, in the smallest unsigned type; report i uses words [iW, (i+1)W)."""
    x = indices_of(indices, randomizer.size)
    columns = -(-randomizer.bits // 64)
    kind = report_type(randomizer.bits)
    out = np.empty(len(x) if columns == 1 else (len(x), columns), dtype=kind)
    step = max(1, BATCH // max(randomizer.words, columns, randomizer.size if columns > 1 else 1))
    for begin in range(0, len(x), step):
        part = x[begin : begin + step]
        words = rng.fill(len(part) * randomizer.words).reshape(len(part), randomizer.words)
        drawn = randomizer.draw(part, [words[:, w] for w in range(randomizer.words)], ARRAYS)
        out[begin : begin + step] = drawn
    return out
