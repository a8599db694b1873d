"""Write the reports of a collection that are shown to a Parquet file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.report_files import arrow_sink, numbers_from_bytes
from ..questionnaires.packing import unpack_reports
from ..questionnaires.writing import form_sink
from ..wire.form import Form
from ..wire.form_reports import ReportPacking
from .batching import MIXED
from .instrument import Instrument
from .store.tallies import Cell

DAY_COLUMN = "day"

MAX_WRITTEN_BYTES = 1 << 23
"""The bytes of packed reports that are written together."""


def write_parquet(
    path: str | Path, instrument: Instrument, names: list[str], batches: Iterable[tuple[Cell, list[bytes]]]
) -> int:
    """Write reports with their labels and days, and say how many there are; `batches` are those of `shown_uploads`.

    They are sorted, so that the order in which they came is not in the file. A label of which a batch has several texts
    is left out of its rows. Reports of a form have the columns that `questionnaires.reading` takes.
    """
    by_cell: dict[Cell, list[bytes]] = {}
    for cell, parts in batches:
        by_cell.setdefault(cell, []).extend(parts)
    count, step = 0, max(1, MAX_WRITTEN_BYTES // instrument.width)
    with _sink(str(path), instrument, [DAY_COLUMN, *names]) as write:
        for labels, day in sorted(by_cell, key=lambda cell: (cell[1], cell[0])):
            reports = numbers_from_bytes(b"".join(by_cell.pop((labels, day))), instrument.width)
            order = np.argsort(reports) if reports.ndim == 1 else np.lexsort(reports.T)
            texts = {name: text for name, text in labels if text != MIXED}
            for start in range(0, len(order), step):
                some = reports[order[start : start + step]]
                write(some, [[text] * len(some) for text in (day, *(texts.get(name) for name in names))])
            count += len(reports)
    return count


@contextmanager
def _sink(
    path: str, instrument: Instrument, keep: list[str]
) -> Iterator[Callable[[NDArray[Any], Sequence[Any]], None]]:
    """What writes the next reports, and the columns beside them."""
    law = instrument.law
    if not isinstance(law, Form):
        with arrow_sink(path, law, keep=keep, mark=law.fingerprint) as write:
            yield write
        return
    packing = ReportPacking(law)
    with form_sink(law, path, keep) as write_form:
        yield lambda reports, beside: write_form(unpack_reports(packing, reports), beside)
