"""What one partition of a cluster does: Arrow batches of records in, reports or tallies out.

Everything here is a function of the batches alone: a partition that is computed again gives the
same rows (`discreet.bulk.prf`). Memory is bounded by a slab of rows, never by the partition.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...core.errors import InvalidInput, UnknownValue
from ...core.numbers import NumberDomain
from ...estimation.decoders import decoder_of
from ...estimation.tally import Tally
from ...files.arrow import group_batches, is_text
from ...mechanisms.mechanism import Mechanism
from ..encoding import ABSENT, DomainLookup, lookup_of
from ..prf import CollectionKey, randomize_records
from .reports import report_column, reports_in, reports_in_texts
from .values import record_ids

SLAB = 1 << 17
"""Rows processed together, unless reports are wide or the tally has more cells than this."""

PARTIAL = pa.schema([("counts", pa.binary()), ("n", pa.int64()), ("unknown", pa.int64()), ("nameless", pa.int64())])
"""The single row that a partition returns: packed counts, reports, and rows refused for their value or their id."""


Partial: TypeAlias = tuple[bytes, int, int, int]
"""The same row as plain data."""


@dataclass(frozen=True)
class Parcel:
    """A mechanism packed for another process, which unpacks it only once however many tasks it runs."""

    content: bytes = field(repr=False)
    fingerprint: str

    @classmethod
    def of(cls, mechanism: Mechanism) -> Parcel:
        """The parcel of a mechanism."""
        return cls(pickle.dumps(mechanism), mechanism.fingerprint)

    def open(self) -> tuple[Mechanism, DomainLookup]:
        """The mechanism, and the index that finds its values."""
        return _opened(self)


@lru_cache(maxsize=4)
def _opened(parcel: Parcel) -> tuple[Mechanism, DomainLookup]:
    mechanism: Mechanism = pickle.loads(parcel.content)
    return mechanism, lookup_of(mechanism.context.domain, written=True)


@dataclass(frozen=True)
class Recipe:
    """How records become reports: the first column is randomized under `key`, addressed by the second.

    `column` and `record_id` are their names in errors.
    """

    parcel: Parcel
    key: CollectionKey
    column: str
    record_id: str
    drop_unknown: bool

    def randomize(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches of the columns from the third on, and the reports; raises an error rather than lose a row."""
        mechanism, _ = self.parcel.open()
        for slab in slabs(batches, rows_together(mechanism)):
            reports, rows, unknown, nameless = self._randomize_slab(slab)
            refuse(self, unknown=unknown, nameless=nameless, at_least="at least ")
            columns = slab.columns[2:]
            if rows is not None:
                columns = [column.take(pa.array(rows)) for column in columns]
            columns.append(report_column(mechanism, reports))
            yield pa.RecordBatch.from_arrays(columns, names=[*slab.schema.names[2:], "report"])

    def count(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One `PARTIAL` row: the tally of the reports, which are made and discarded slab by slab."""
        mechanism, _ = self.parcel.open()
        total, all_unknown, all_nameless = Tally.of(mechanism), 0, 0
        for slab in slabs(batches, rows_together(mechanism)):
            reports, _, unknown, nameless = self._randomize_slab(slab)
            total += Tally.of(mechanism, reports)
            all_unknown += unknown
            all_nameless += nameless
        yield partial(total, unknown=all_unknown, nameless=all_nameless)

    def _randomize_slab(self, slab: pa.RecordBatch) -> tuple[NDArray[Any], NDArray[np.int64] | None, int, int]:
        """The reports, the rows they belong to (None for all), and how many rows lack a value or an id."""
        mechanism, lookup = self.parcel.open()
        values, names = slab.columns[:2]
        indices = lookup.indices(values)
        known = indices != ABSENT
        unknown = len(indices) - int(np.count_nonzero(known))
        nameless = names.null_count
        rows = None
        if unknown or nameless:
            rows = np.nonzero(known & names.is_valid().to_numpy(zero_copy_only=False))[0]
            indices, names = indices[rows], names.take(pa.array(rows))
        reports = randomize_records(mechanism, indices, ids=record_ids(names, self.key), key=self.key)
        return reports, rows, unknown, nameless


def refuse(recipe: Recipe, *, unknown: int, nameless: int, at_least: str = "") -> None:
    """Raise an error if rows have no usable value or id; it names no value, because logs get around."""
    if nameless:
        raise InvalidInput(
            f"column {recipe.record_id!r}: {at_least}{nameless} records have no id; each must have its own"
        )
    if unknown and not recipe.drop_unknown:
        domain = recipe.parcel.open()[0].context.domain
        among = domain.rule if isinstance(domain, NumberDomain) else f"among the {len(domain)} values of the domain"
        raise UnknownValue(
            f"column {recipe.column!r}: {at_least}{unknown} records are null or not {among}; "
            "correct them, or leave them out with unknown='drop'"
        )


def count_reports(parcel: Parcel, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One `PARTIAL` row: the tally of the reports in the first column; `InvalidReport` if one cannot occur.

    Text is read as in CSV. A second column of booleans says which reports are the mechanism's own; the others
    are left out, and counted as unknown.
    """
    mechanism, _ = parcel.open()
    total, foreign = Tally.of(mechanism), 0
    for slab in slabs(batches, rows_together(mechanism)):
        rows = slab if slab.num_columns == 1 else slab.filter(slab.column(1))
        foreign += slab.num_rows - rows.num_rows
        reports = reports_in_texts if is_text(rows.column(0).type) else reports_in
        total += Tally.of(mechanism, reports(mechanism, rows.column(0)))
    yield partial(total, unknown=foreign)


def slabs(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The same rows in order, in batches of about `rows`; no batch if there are no rows."""
    for group in group_batches(batches, rows):
        yield from pa.Table.from_batches(group).combine_chunks().to_batches(max_chunksize=2 * rows)


def rows_together(mechanism: Mechanism) -> int:
    """How many rows make a slab: enough to make a pass over the cells worthwhile, few enough for wide reports."""
    wide = max(-(-mechanism.bits // 64), 1)
    return min(max(SLAB, min(decoder_of(mechanism).cells, 8 * SLAB)), max(1, (1 << 23) // wide))


# -- counts as rows ---------------------------------------------------------------------------------


def nothing(mechanism: Mechanism) -> Partial:
    """The row of no records at all."""
    return bytes(8 * decoder_of(mechanism).cells), 0, 0, 0


def merge(one: Partial, other: Partial) -> Partial:
    """Two rows merged into one."""
    counts = np.frombuffer(one[0], dtype="<i8") + np.frombuffer(other[0], dtype="<i8")
    if (counts < 0).any():
        raise InvalidInput("counts must not add up to 2**63 or more")
    return counts.tobytes(), one[1] + other[1], one[2] + other[2], one[3] + other[3]


def partial(tally: Tally, *, unknown: int = 0, nameless: int = 0) -> pa.RecordBatch:
    """A tally and the rows left out as one `PARTIAL` row."""
    packed = tally.counts.astype("<i8").tobytes()
    return pa.RecordBatch.from_pylist(
        [{"counts": packed, "n": tally.n, "unknown": unknown, "nameless": nameless}], schema=PARTIAL
    )


def whole(mechanism: Mechanism, counts: bytes, n: int) -> Tally:
    """The tally of a `PARTIAL` row."""
    return Tally(mechanism, np.frombuffer(counts, dtype="<i8").astype(np.int64), n)
