"""Reports with the public labels beside them, from files and pipes: marks are checked as when reports are tallied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ...files.columns import REPORT
from ...files.frames import FrameReader, marks_in
from ...files.sources import Source, source_of
from ...files.text_reader import read_labelled
from ...wire.spec import located
from ..jobs import Progress, by_arrow, in_order
from ..report_files import pointing, reports_from_texts
from .columns import Labels

if TYPE_CHECKING:
    from ...files.arrow import ArrowColumn, Piece
    from ...mechanisms.mechanism import Mechanism

Made = TypeVar("Made")
Make: TypeAlias = Callable[[NDArray[Any], list[Labels]], Made]
"""Makes something of some reports and the labels beside them; what it raises is told with the place of the reports."""


def made_of_files(
    mechanism: Mechanism,
    files: Sequence[str | Source],
    keep: Sequence[str],
    make: Make[Made],
    *,
    column: str | None = None,
    unmarked: bool = False,
    threads: int | None = None,
    progress: Progress = lambda rows: None,
) -> Iterator[Made]:
    """What `make` makes of the reports in `files` and of the columns `keep` beside them, some rows at a time, in order.

    Reports of another mechanism, streams that are not whole and reports without marks are refused, as by
    `tally_files`, and only after the last of them it is known that all is well.
    """
    _check_keep(keep, column)

    def counted(reports: NDArray[Any], labels: list[Labels]) -> tuple[int, Made]:
        return len(reports), make(reports, labels)

    for file in map(source_of, files):
        tasks = _arrow_tasks if by_arrow(file) else _text_tasks
        for rows, made in in_order(tasks(mechanism, file, column, keep, unmarked, counted), threads):
            progress(rows)
            yield made


def _check_keep(keep: Sequence[str], column: str | None) -> None:
    for place, name in enumerate(keep):
        if name == (column or REPORT):
            raise InvalidInput(f"label={name!r} is the column of reports, which are no labels")
        if name in keep[:place]:
            raise InvalidInput(f"label={name!r} is given twice")


def _text_tasks(
    mechanism: Mechanism, file: Source, column: str | None, keep: Sequence[str], unmarked: bool, make: Make[Made]
) -> Iterator[Callable[[], Made]]:
    frames = _frames(mechanism, file, column, unmarked)
    seen = 0
    for rows in read_labelled(file, column, keep):
        texts = [row[0] for row in rows]
        for start, run in frames.runs(texts, marks_in(texts)):
            place = start - 1 - seen
            yield partial(_of_texts, mechanism, run, rows[place : place + len(run)], file.name, start, make)
        seen += len(rows)
    frames.close()


def _frames(mechanism: Mechanism, file: Source, column: str | None, unmarked: bool) -> FrameReader:
    return FrameReader(mechanism, file.name, unmarked=unmarked, header=column or REPORT)


def _of_texts(
    mechanism: Mechanism, texts: list[str], rows: list[list[Any]], name: str, start: int, make: Make[Made]
) -> Made:
    _, *columns = zip(*rows, strict=True)
    with pointing(mechanism, texts, name, start):
        return make(reports_from_texts(mechanism, texts), [Labels.of(column) for column in columns])


def _arrow_tasks(
    mechanism: Mechanism, file: Source, column: str | None, keep: Sequence[str], unmarked: bool, make: Make[Made]
) -> Iterator[Callable[[], Made]]:
    from ...files.arrow import open_column
    from ..arrow.reports import check_column

    found = open_column(file, column, keep=keep, usual=REPORT)
    if not file.format.arrow_only:
        return _csv_tasks(mechanism, found, _frames(mechanism, file, column, unmarked), make)
    check_column(mechanism, found, unmarked=unmarked)
    return (partial(_of_piece, mechanism, found, piece, make) for piece in found.pieces())


def _of_piece(mechanism: Mechanism, column: ArrowColumn, piece: Piece, make: Make[Made]) -> Made:
    import numpy as np

    from ..arrow.reports import reports_of

    with located(column.path):
        parts = list(reports_of(mechanism, piece.load()))
        reports = np.concatenate(parts) if parts else reports_from_texts(mechanism, [])
        return make(reports, _kept(column, piece.kept() if column.keep else []))


def _csv_tasks(
    mechanism: Mechanism, column: ArrowColumn, frames: FrameReader, make: Make[Made]
) -> Iterator[Callable[[], Made]]:
    from ..arrow.reports import marks_in_column

    seen = 0
    for piece in column.pieces():
        kept = piece.kept() if column.keep else []
        begin = seen
        for chunk in piece.load().chunks:
            for start, run in frames.runs(chunk, marks_in_column(chunk)):
                beside = [entries.slice(start - 1 - begin, len(run)) for entries in kept]
                yield partial(_of_run, mechanism, column, run, beside, make)
            seen += len(chunk)
    frames.close()


def _of_run(mechanism: Mechanism, column: ArrowColumn, run: Any, kept: list[Any], make: Make[Made]) -> Made:
    from ..arrow.reports import reports_in_texts

    with located(column.path):
        return make(reports_in_texts(mechanism, run), _kept(column, kept))


def _kept(column: ArrowColumn, kept: Sequence[Any]) -> list[Labels]:
    from .arrow_labels import labels_in

    names = [f"column {field.name!r}" for field in column.keep]
    return [labels_in(entries, name, written=True) for name, entries in zip(names, kept, strict=True)]
