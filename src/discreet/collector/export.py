"""Write the reports of a collection that are shown to a Parquet file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ..bulk.report_files import arrow_sink, reports_from_bytes
from ..mechanisms.mechanism import Mechanism
from .batching import MIXED
from .store.tallies import Cell

DAY_COLUMN = "day"


def write_parquet(
    path: str | Path, mechanism: Mechanism, names: list[str], batches: Iterable[tuple[Cell, list[bytes]]]
) -> int:
    """Write reports with their labels and days, and say how many there are; `batches` are those of `shown_uploads`.

    They are sorted, so that the order in which they came is not in the file. A label of which a batch has several texts
    is left out of its rows.
    """
    by_cell: dict[Cell, list[bytes]] = {}
    for cell, parts in batches:
        by_cell.setdefault(cell, []).extend(parts)
    count = 0
    with arrow_sink(str(path), mechanism, keep=[DAY_COLUMN, *names], mark=mechanism.fingerprint) as write:
        for labels, day in sorted(by_cell, key=lambda cell: (cell[1], cell[0])):
            reports = reports_from_bytes(mechanism, b"".join(by_cell.pop((labels, day))))
            reports = np.sort(reports) if reports.ndim == 1 else reports[np.lexsort(reports.T)]
            texts = {name: text for name, text in labels if text != MIXED}
            write(reports, [[text] * len(reports) for text in (day, *(texts.get(name) for name in names))])
            count += len(reports)
    return count
