"""Tallies: the counts that estimates need, which can be merged in any order, and the same as checked JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.canonical import loads
from ..core.errors import InvalidInput, InvalidReport, MechanismMismatch, shown
from ..mechanisms.mechanism import Mechanism
from ..wire.spec import located
from .arrays.acceleration import cores
from .arrays.reports import as_reports
from .decoders import decoder_of

CHUNK = 1 << 20
"""Reports counted at a time, or a few times the number of cells if that is more."""

MAX_REPORTS = (1 << 53) - 1
"""The most reports of a tally: all that a double, and so any reader of JSON, counts exactly."""


@dataclass(frozen=True, eq=False)
class Tally:
    """How many reports fell in each cell, and how many there are; ``+`` merges, the empty tally is its zero.

    `InvalidInput` for counts that no n reports of the mechanism can have; the message names the rule that they break.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> monday, tuesday = mechanism.tally([0, 1, 1]), mechanism.tally([1, 0])
    >>> both = monday + tuesday
    >>> both.n, both.counts.tolist()
    (5, [2, 3])
    """

    mechanism: Mechanism
    counts: NDArray[np.int64]
    n: int
    insecure: bool = False
    """True if a seed drew some of the reports, so that whoever knows it can undo them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", _check_counts(self.mechanism, self.counts, self.n))

    @classmethod
    def of(cls, mechanism: Mechanism, reports: Any = (), *, threads: int | None = None) -> Tally:
        """The tally of an array of reports (or an iterable of whole numbers); `InvalidReport` if one cannot occur.

        `threads` is how many cores to use: all of them unless given.
        """
        decoder = decoder_of(mechanism)
        array = as_batch(reports, decoder.bits)
        step = max(1, max(CHUNK, min(4 * decoder.cells, 8 * CHUNK)) // (array.shape[1] if array.ndim == 2 else 1))
        starts = range(0, len(array), step)

        def count(begins: range) -> NDArray[np.int64]:
            counts = np.zeros(decoder.cells, dtype=np.int64)
            for begin in begins:
                decoder.count(counts, array[begin : begin + step], 0)
            return counts

        workers = min(cores() if threads is None else threads, len(starts))
        if workers <= 1:
            return cls(mechanism, count(starts), len(array))
        with ThreadPoolExecutor(workers) as pool:
            parts = list(pool.map(count, (starts[i::workers] for i in range(workers))))
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
        return Tally(self.mechanism, self.counts + other.counts, self.n + other.n, self.insecure or other.insecure)

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


def _check_counts(mechanism: Mechanism, counts: Any, n: int) -> NDArray[np.int64]:
    """The counts as whole numbers, if some n reports of the mechanism have them."""
    if not isinstance(mechanism, Mechanism):
        raise InvalidInput(f"mechanism of type {type(mechanism).__name__} must be a mechanism")
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n <= MAX_REPORTS:
        raise InvalidInput(f"n={n!r} must be a whole number from 0 to {MAX_REPORTS}")
    decoder, given = decoder_of(mechanism), np.asarray(counts)
    if given.dtype.kind not in "iu" or given.shape != (decoder.cells,):
        raise InvalidInput(
            f"counts of type {given.dtype} and shape {given.shape} must be {decoder.cells} whole numbers, one a cell"
        )
    if given.size and not 0 <= int(given.min()) <= int(given.max()) <= n:
        raise InvalidInput(f"counts: every count must be from 0 to n={n}")
    whole = given.astype(np.int64)
    if np.sum(whole, dtype=np.float64) >= 1 << 62:
        raise InvalidInput("counts must not add up to 2**62 or more")
    if (total := int(np.sum(decoder.total(whole)))) != n:
        raise InvalidInput(f"counts add up to {total} reports, but n={n}")
    if (rule := decoder.inconsistency(whole)) is not None:
        raise InvalidInput(f"counts cannot be those of reports: {rule}")
    return whole


def as_batch(reports: Any, bits: int) -> NDArray[Any]:
    """Reports as an engine's batch: unsigned integers, or rows of 64-bit words if wider than one word.

    They may come as a list, an array of NumPy, or a column of pandas, polars or Arrow; packed bytes, lowest first, are
    taken where all of them are.
    """
    if isinstance(reports, (str, bytes, Mapping, np.ma.MaskedArray)) or not isinstance(reports, (Iterable, np.ndarray)):
        raise InvalidReport(f"reports of type {type(reports).__name__} must be one column of reports, such as a list")
    if not hasattr(reports, "__array__"):
        return _of_list(list(reports), bits)
    array = np.asarray(reports)
    if array.dtype.kind == "O" and array.ndim == 1:
        return _of_list(array.tolist(), bits)
    columns = -(-bits // 64)
    array = as_reports(array)
    if (array.ndim, columns == 1) not in ((1, True), (2, False)) or (array.ndim == 2 and array.shape[1] != columns):
        raise InvalidReport(f"reports of shape {array.shape} must have {columns} word(s) each")
    return array


def _of_list(reports: list[Any], bits: int) -> NDArray[Any]:
    columns = -(-bits // 64)
    if reports and all(isinstance(y, bytes) for y in reports):
        if any(len(y) != -(-bits // 8) for y in reports):
            raise InvalidReport(f"reports: every report must have {-(-bits // 8)} bytes")
        reports = [int.from_bytes(y, "little") for y in reports]
    if any(isinstance(y, bool) or not isinstance(y, (int, np.integer)) for y in reports):
        raise InvalidReport("reports must be whole numbers")
    if any(not 0 <= int(y) < 1 << 64 * columns for y in reports):
        raise InvalidReport(f"reports: every report must be from 0 to 2**{64 * columns} - 1")
    if columns > 1:
        packed = b"".join(int(y).to_bytes(8 * columns, "little") for y in reports)
        return np.asarray(np.frombuffer(packed, dtype="<u8")).reshape(len(reports), columns)
    return np.array(reports, dtype=np.uint64)


VERSION = 1
"""The version of tally files; another one is refused."""


def tally_to_json(tally: Tally) -> dict[str, Any]:
    """A tally as JSON data."""
    return {
        "version": VERSION,
        "mechanism": tally.mechanism.name,
        "fingerprint": tally.fingerprint,
        "n": tally.n,
        "counts": tally.counts.tolist(),
        **({"insecure": True} if tally.insecure else {}),
    }


def tally_from_json(mechanism: Mechanism, data: object) -> Tally:
    """The tally in JSON data, which must belong to `mechanism` and be consistent."""
    if not isinstance(data, dict):
        raise InvalidInput("a tally must be a JSON object with fingerprint, n and counts")
    for key in ("fingerprint", "n", "counts"):
        if key not in data:
            if "groups" in data:
                raise InvalidInput(
                    "holds tallies by label, which estimate and compare read; tally without --by for one"
                )
            raise InvalidInput(f"{key} is missing; a tally must have fingerprint, n and counts")
    for key in data.keys() - {"version", "mechanism", "fingerprint", "n", "counts", "insecure"}:
        raise InvalidInput(f"{key} is not a known entry of a tally")
    version = data.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        raise InvalidInput(f"version={shown(version)} must be {VERSION}, the only known version")
    if not isinstance(data.get("mechanism", ""), str):
        raise InvalidInput("mechanism must be text")
    if not isinstance(insecure := data.get("insecure", False), bool):
        raise InvalidInput(f"insecure={shown(insecure)} must be true or false")
    n = _count(data["n"], "n", MAX_REPORTS)
    if data["fingerprint"] != mechanism.fingerprint:
        raise MechanismMismatch(
            f"this tally is of {data.get('mechanism', 'a mechanism')} ({str(data['fingerprint'])[:12]}), "
            f"not of {mechanism.name} ({mechanism.fingerprint[:12]})"
        )
    cells = decoder_of(mechanism).cells
    if not isinstance(data["counts"], list) or len(data["counts"]) != cells:
        raise InvalidInput(f"counts must be a list of {cells} numbers, one per cell")
    counts = np.array([_count(c, f"counts[{i}]", n) for i, c in enumerate(data["counts"])], dtype=np.int64)
    return Tally(mechanism, counts, n, insecure)


def _count(data: object, name: str, most: int) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data <= most:
        raise InvalidInput(f"{name}={shown(data)} must be a whole number from 0 to {most}")
    return data


def parse_tally(mechanism: Mechanism, written: str | bytes) -> Tally:
    """The tally in a JSON text."""
    if len(written) > (most := max_tally_bytes(mechanism)):
        raise InvalidInput(f"this is not a tally of {mechanism.name}: it has more than {most} bytes")
    return tally_from_json(mechanism, loads(written, InvalidInput))


def max_tally_bytes(mechanism: Mechanism) -> int:
    """Far more than a tally of the mechanism takes, however its numbers are set out."""
    return 64 * decoder_of(mechanism).cells + (1 << 16)


def read_tally(path: str | Path, mechanism: Mechanism) -> Tally:
    """The tally in a JSON file."""
    with open(path, "rb") as file:
        written = file.read(max_tally_bytes(mechanism) + 1)
    with located(str(path)):
        return parse_tally(mechanism, written)


def tally_text(tally: Tally) -> str:
    """A tally as the text of a JSON file."""
    return json.dumps(tally_to_json(tally)) + "\n"


def write_tally(tally: Tally, path: str | Path) -> None:
    """Write a tally to a JSON file, whole or not at all."""
    from ..core.documents import replacing

    with replacing(path) as file:
        file.write(tally_text(tally).encode())
