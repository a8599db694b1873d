"""The inputs of the estimator, checked once and laid out for it."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....core.errors import InvalidInput
from .dictionary import bin_edges, support_tops
from .posterior import FloatArray, IntArray, Readings

_QUIETEST: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Layout:
    """The live values, whose block has reports and more than one value, and their blocks.

    settled holds every value's count where it is known: the total of a block of one, 0 in a block without
    reports. block, readings and direction have one row per live value; totals and tops (an edge's index) one
    per live block.
    """

    settled: FloatArray
    live: IntArray
    block: IntArray
    totals: FloatArray
    edges: FloatArray
    tops: IntArray
    largest: float
    readings: Readings
    direction: FloatArray


def lay_out(unbiased: ArrayLike, block_of: ArrayLike, totals: ArrayLike, v0: ArrayLike, v1: ArrayLike) -> Layout:
    """The layout of k unbiased counts in m blocks; the variance of a count is v0 n_j + v1 clip(y, 0, n_j)."""
    counts = _numbers("unbiased", unbiased)
    whole = _numbers("totals", totals)
    if np.any(whole < 0):
        raise InvalidInput(f"totals={whole.min()} must not be negative")
    label = _labels(block_of, len(counts), len(whole))
    sizes = np.bincount(label, minlength=len(whole)).astype(np.float64)
    if np.any(sizes == 0):
        raise InvalidInput(f"block_of must name every block: block {int(np.argmin(sizes))} has no value")
    noise, extra = (_per_value(name, v, label, len(whole)) for name, v in (("v0", v0), ("v1", v1)))
    if np.any(noise < 0):
        raise InvalidInput(f"v0={noise.min()} must not be negative")
    reports, size = whole[label], sizes[label]
    live = np.flatnonzero((reports > 0) & (size > 1))
    kept, block = np.unique(label[live], return_inverse=True)
    settled = np.where(size == 1, reports, 0.0)
    if not len(live):
        empty, none = np.empty(0), np.empty(0, dtype=np.int64)
        return Layout(settled, live, none, empty, empty, none, 0.0, Readings(empty, empty, empty, empty), empty)
    y, n, a, b = counts[live], reports[live], noise[live], extra[live]
    unit = n / size[live]
    variance = np.maximum(np.maximum(a * n + b * np.clip(y, 0.0, n), b), (_QUIETEST * unit) ** 2)
    edges = bin_edges(size[live], n, a)
    tops = support_tops(edges, sizes[kept])
    readings = Readings(y, np.sqrt(variance), unit, edges[tops][block])
    direction = np.where(a > 0, a * n, variance)
    return Layout(settled, live, block, whole[kept], edges, tops, float(sizes[kept].max()), readings, direction)


def _numbers(name: str, given: ArrayLike) -> FloatArray:
    """The array as floats; `InvalidInput` unless it is one-dimensional, not empty and finite."""
    array = np.asarray(given, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise InvalidInput(f"{name} of shape {array.shape} must be one-dimensional and not empty")
    if not np.all(np.isfinite(array)):
        raise InvalidInput(f"{name} must be finite: entry {int(np.argmin(np.isfinite(array)))} is not")
    return array


def _labels(given: ArrayLike, size: int, blocks: int) -> IntArray:
    """The block of each value; `InvalidInput` unless they are integers in range."""
    array: NDArray[np.generic] = np.asarray(given)
    if array.shape != (size,) or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInput(f"block_of of shape {array.shape} and type {array.dtype} must be integers [{size}]")
    labels = array.astype(np.int64)
    if labels.min() < 0 or labels.max() >= blocks:
        raise InvalidInput(f"block_of must lie in 0..{blocks - 1}: it spans {labels.min()}..{labels.max()}")
    return labels


def _per_value(name: str, given: ArrayLike, label: IntArray, blocks: int) -> FloatArray:
    """One number per value, given as a single number, one per value or one per block."""
    array = np.asarray(given, dtype=np.float64)
    if array.shape not in ((), label.shape, (blocks,)):
        raise InvalidInput(
            f"{name} of shape {array.shape} must be one number, "
            f"one per value [{len(label)}] or one per block [{blocks}]"
        )
    if not np.all(np.isfinite(array)):
        raise InvalidInput(f"{name} must be finite")
    if array.shape == label.shape:
        return array
    return np.broadcast_to(array, (blocks,))[label]
