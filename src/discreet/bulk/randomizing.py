"""Many reports at once, on every core and in bounded memory: words from the source, one pass, packed reports.

Report i uses words [iW, (i+1)W) of the source, however the work is cut, so any number of threads and any
engine give the same reports. The compiled samplers of `discreet.bulk.kernels` are used from `MIN_COMPILED_SIZE`
values on where Numba is installed; NumPy serves the rest. Apart from the values and their reports,
memory holds one buffer of words per thread, small enough for the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core import errors
from ..core.errors import InvalidInput, MissingExtra, RandomnessFailure, UnknownValue
from ..core.numbers import NumberDomain
from ..core.random import check_source
from ..estimation.arrays.acceleration import accelerated, cores, present
from ..estimation.arrays.arithmetic import ARRAYS
from .encoding import outside
from .numbers import compiled_place, grid_of, place
from .words import words_of

if TYPE_CHECKING:
    from ..core.random import Source
    from ..mechanisms.mechanism import Mechanism
    from ..mechanisms.sampler import Sampler
    from .words import Stream

BUFFER = 1 << 17
"""Words held by a thread at a time: few enough for its cache, enough that threads seldom contend."""

SLAB = 1 << 20
"""Words or members of sets held by a thread where NumPy passes over them once per step of a draw."""

TASK = 1 << 20
"""Words that a thread takes at a time."""

Fill = Callable[..., None]
"""``fill(indices, words, out, before=0)`` writes the reports of `indices`, by W words each after `before` others; or it
raises `UnknownValue`."""


def report_type(bits: int) -> np.dtype[Any]:
    """The smallest unsigned type that holds a report of this many bits (64 per word of a wide one)."""
    return np.dtype(next((f"u{size}" for size in (1, 2, 4, 8) if bits <= 8 * size), "u8"))


def randomize_indices(
    sampler: Sampler, indices: Any, rng: Source, *, threads: int | None = None, engine: str = "auto"
) -> NDArray[Any]:
    """The reports of many values given by number, in the smallest unsigned type.

    `threads` is how many cores to use, all of them unless given (one where the source cannot be addressed).
    `engine` is "numpy", "numba", or "auto": compiled where that pays. The reports are the same.
    """
    return _randomized(sampler, None, indices, rng, threads, engine)


def randomize_positions(
    mechanism: Mechanism, positions: Any, rng: Source, *, threads: int | None = None, engine: str = "auto"
) -> NDArray[Any]:
    """The reports of what many people hold, given by its `Domain.position`: the words that place it come first."""
    domain = mechanism.context.domain
    grid = domain if isinstance(domain, NumberDomain) else None
    return _randomized(mechanism.sampler, grid, positions, rng, threads, engine)


def _randomized(
    sampler: Sampler, grid: NumberDomain | None, given: Any, rng: Source, threads: int | None, engine: str
) -> NDArray[Any]:
    check_source(rng)
    numbers = _whole_numbers(given)
    size, draws = (sampler.size, 0) if grid is None else (grid.positions, grid.draws)
    absent = outside(numbers, size)
    if absent is not None:
        row = int(np.argmax(absent))
        shown = f"index {numbers[row]}" if errors.show_values else "an index"
        raise UnknownValue(f"row {row + 1}: {shown} must be from 0 to {size - 1}")
    x = numbers.view(f"u{numbers.itemsize}")
    columns = -(-sampler.bits // 64)
    shape = len(x) if columns == 1 else (len(x), columns)
    out = np.empty(shape, dtype=report_type(sampler.bits))
    compiled = _compiled(sampler, len(x), engine)
    fill = compiled or _numpy_fill(sampler)
    if grid is not None:
        fill = _placing(grid, fill, _is_compiled(len(x), engine))
    words = draws + sampler.words
    work = _Work(fill, x, out, words, _rows(sampler, words, compiled))
    reserve = getattr(rng, "reserve", None)
    if reserve is None:
        work.go_on(rng)
    else:
        work.share(reserve(len(x) * words), cores() if threads is None else threads)
    return out


def _placing(domain: NumberDomain, fill: Fill, compiled: bool) -> Fill:
    """Numbers become nodes by the first word of each, as by `NumberDomain.place`; their reports are filled in."""
    grid, draws = grid_of(domain), domain.draws
    placing = compiled_place if compiled else place

    def placed(positions: NDArray[Any], words: NDArray[np.uint64], out: NDArray[Any]) -> None:
        firsts = words[:: len(words) // len(positions)] if draws else None
        fill(placing(grid, positions, firsts), words, out, draws)

    return placed


class _Work:
    """The values to randomize and where to write their reports, cut into pieces."""

    def __init__(self, fill: Fill, x: NDArray[Any], out: NDArray[Any], words: int, chunk: int) -> None:
        self._fill, self._x, self._out, self._words, self._chunk = fill, x, out, words, chunk
        self._task = max(chunk, TASK // words // chunk * chunk)

    def go_on(self, rng: Source) -> None:
        """Make the reports from a source that can only be read in order."""
        for begin in range(0, len(self._x), self._chunk):
            asked = len(self._x[begin : begin + self._chunk]) * self._words
            words = words_of(rng, asked)
            if words.dtype != np.uint64 or words.shape != (asked,):
                raise RandomnessFailure(
                    f"asked for {asked} words of 64 bits, got {words.dtype} {words.shape}; no report was made"
                )
            self._write(begin, words)

    def share(self, stream: Stream, threads: int) -> None:
        """Make the reports from a source whose words any thread can address."""
        starts = range(0, len(self._x), self._task)
        threads = min(threads, len(starts))
        if threads <= 1:
            for begin in starts:
                self._piece(begin, stream)
            return
        with ThreadPoolExecutor(threads) as pool:
            try:
                for _ in pool.map(self._piece, starts, [stream] * len(starts)):
                    pass
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _piece(self, start: int, stream: Stream) -> None:
        mine = stream.at(start * self._words)
        words = np.empty(self._chunk * self._words, dtype=np.uint64)
        end = min(start + self._task, len(self._x))
        for begin in range(start, end, self._chunk):
            part = words[: min(self._chunk, end - begin) * self._words]
            mine.fill_into(part)
            self._write(begin, part)

    def _write(self, begin: int, words: NDArray[np.uint64]) -> None:
        end = begin + len(words) // self._words
        self._fill(self._x[begin:end], words, self._out[begin:end])


def _rows(sampler: Sampler, words: int, compiled: Fill | None) -> int:
    """How many reports, of so many words each, are made together."""
    if compiled is not None or sampler.words == 1:
        return max(1, BUFFER // words)
    return max(1, SLAB // max(words, sampler.size if sampler.bits > 64 else 1))


def _compiled(sampler: Sampler, n: int, engine: str) -> Fill | None:
    """The compiled sampler if there is one and it is requested or worthwhile, else None."""
    if engine not in ("auto", "numpy", "numba"):
        raise InvalidInput(f"engine={engine!r} must be auto, numpy or numba")
    if engine == "numba" and not present():
        raise MissingExtra("numba", "fast")
    if _is_compiled(n * sampler.words, engine):
        from .samplers import compiled_sampler

        return compiled_sampler(sampler)
    return None


def _is_compiled(n: int, engine: str) -> bool:
    return engine == "numba" or (engine == "auto" and accelerated(n))


def _numpy_fill(sampler: Sampler) -> Fill:
    def fill(x: NDArray[Any], words: NDArray[np.uint64], out: NDArray[Any], before: int = 0) -> None:
        if int(x.max()) >= sampler.size:
            raise outside_domain(sampler.size)
        columns = words.reshape(len(x), before + sampler.words)[:, before:]
        out[...] = sampler.draw(x.astype(np.uint64), [columns[:, w] for w in range(sampler.words)], ARRAYS)

    return fill


def outside_domain(size: int) -> UnknownValue:
    """The error of a sampler that is given a number outside the domain."""
    return UnknownValue(f"indices must be from 0 to {size - 1}")


def _whole_numbers(indices: Any) -> NDArray[Any]:
    """Value numbers as one row of integers in this machine's order, without a copy where they are that."""
    array = np.asarray(indices)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.uint64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or isinstance(indices, np.ma.MaskedArray):
        raise UnknownValue(f"indices of type {array.dtype} and shape {array.shape} must be one row of whole numbers")
    return array.astype(array.dtype.newbyteorder("="), copy=False)
