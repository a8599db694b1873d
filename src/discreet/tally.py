"""Tallies: the counts that estimates need, which can be merged in any order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidReport, MechanismMismatch
from .statistics.acceleration import cores
from .statistics.numeric import NUMERIC, as_reports

if TYPE_CHECKING:
    from .mechanisms.mechanism import Mechanism

CHUNK = 1 << 20
"""Reports counted at a time, or a few times the number of cells if that is more."""


@dataclass(frozen=True, eq=False)
class Tally:
    """How many reports fell in each cell, and how many there are; ``+`` merges, the empty tally is its zero."""

    mechanism: Mechanism
    counts: NDArray[np.int64]
    n: int

    @classmethod
    def of(cls, mechanism: Mechanism, reports: Any = (), *, threads: int | None = None) -> Tally:
        """The tally of an array of reports (or an iterable of whole numbers); `InvalidReport` if one cannot occur.

        `threads` is how many cores to use: all of them unless given.
        """
        randomizer = mechanism.randomizer
        array = as_batch(reports, randomizer.bits)
        step = max(1, max(CHUNK, min(4 * randomizer.cells, 8 * CHUNK)) // (array.shape[1] if array.ndim == 2 else 1))
        starts = range(0, len(array), step)

        def counted(begins: range) -> NDArray[np.int64]:
            counts = np.zeros(randomizer.cells, dtype=np.int64)
            for begin in begins:
                randomizer.count(counts, array[begin : begin + step], 0, NUMERIC)
            return counts

        workers = min(cores() if threads is None else threads, len(starts))
        if workers <= 1:
            return cls(mechanism, counted(starts), len(array))
        with ThreadPoolExecutor(workers) as pool:
            parts = list(pool.map(counted, (starts[i::workers] for i in range(workers))))
        return cls(mechanism, np.sum(parts, axis=0, dtype=np.int64), len(array))

    @property
    def fingerprint(self) -> str:
        """The mechanism whose reports were counted."""
        return self.mechanism.fingerprint

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        if other.mechanism is not self.mechanism and other.fingerprint != self.fingerprint:
            raise MechanismMismatch(
                f"tally of {other.mechanism.name} ({other.fingerprint[:12]}) cannot be merged "
                f"with one of {self.mechanism.name} ({self.fingerprint[:12]})"
            )
        return Tally(self.mechanism, self.counts + other.counts, self.n + other.n)

    def __radd__(self, other: object) -> Tally:
        """Make ``sum(tallies)`` work."""
        if other == 0:
            return self
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        same = self.n == other.n and bool(np.array_equal(self.counts, other.counts))
        return same and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash((self.fingerprint, self.n))

    def __repr__(self) -> str:
        return f"<tally of {self.n} reports of {self.mechanism.name}>"


def as_batch(reports: Any, bits: int) -> NDArray[Any]:
    """Reports as an engine's batch: unsigned integers, or rows of 64-bit words if wider than one word."""
    columns = -(-bits // 64)
    if not isinstance(reports, np.ndarray):
        listed = list(reports)
        if any(isinstance(y, bool) or not isinstance(y, (int, np.integer)) for y in listed):
            raise InvalidReport("reports must be whole numbers")
        if any(not 0 <= int(y) < 1 << 64 * columns for y in listed):
            raise InvalidReport(f"reports: every report must be from 0 to 2**{64 * columns} - 1")
        if columns > 1:
            packed = b"".join(int(y).to_bytes(8 * columns, "little") for y in listed)
            return np.asarray(np.frombuffer(packed, dtype="<u8")).reshape(len(listed), columns)
        return np.array(listed, dtype=np.uint64)
    array = as_reports(reports)
    if (array.ndim, columns == 1) not in ((1, True), (2, False)) or (array.ndim == 2 and array.shape[1] != columns):
        raise InvalidReport(f"reports of shape {array.shape} must have {columns} word(s) each")
    return array
