"""What one partition of a cluster does for tallies by label: Arrow batches of reports and labels in, counts out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from ...files.arrow_columns import is_text
from ..arrow.records import Parcel, rows_together, slabs
from ..arrow.reports import reports_in, reports_in_texts
from .arrow_labels import labels_in
from .counts import Counts, Key, add_counts, counts_by_label

GROUP = pa.schema([("labels", pa.string()), ("counts", pa.binary()), ("foreign", pa.int64())])
"""A row for each group of a partition: its labels as JSON and its packed counts; the last one has no labels, and
says how many reports are another mechanism's."""


def counted_by_label(
    parcel: Parcel, names: Sequence[str], marked: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The `GROUP` rows of the reports in the first column, by the labels in the next ones.

    Where they are `marked`, the last column says which reports are the mechanism's own; the others are only counted.
    """
    mechanism, _ = parcel.open()
    totals: dict[Key, Counts] = {}
    foreign = 0
    for slab in slabs(batches, rows_together(mechanism)):
        rows = slab.filter(slab.column(slab.num_columns - 1)) if marked else slab
        foreign += slab.num_rows - rows.num_rows
        read = reports_in_texts if is_text(rows.column(0).type) else reports_in
        labels = [
            labels_in(pa.chunked_array([rows.column(place)]), f"column {name!r}") for place, name in enumerate(names, 1)
        ]
        add_counts(mechanism, totals, counts_by_label(mechanism, read(mechanism, rows.column(0)), labels))
    made = [{"labels": json.dumps(key), "counts": counts.astype("<i8").tobytes()} for key, counts in totals.items()]
    yield pa.RecordBatch.from_pylist([*made, {"foreign": foreign}], schema=GROUP)


def merged_counts(one: bytes, other: bytes) -> bytes:
    """The packed counts of two rows of one group, added up."""
    return bytes((np.frombuffer(one, dtype="<i8") + np.frombuffer(other, dtype="<i8")).tobytes())


def counts_of_rows(rows: Mapping[str, bytes]) -> dict[Key, Counts]:
    """The counts of every group, from rows that were merged."""
    return {
        tuple(json.loads(labels)): np.frombuffer(packed, dtype="<i8").astype(np.int64)
        for labels, packed in rows.items()
    }
