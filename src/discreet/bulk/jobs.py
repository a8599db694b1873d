"""Randomize and tally whole files: pieces in parallel, results in order, memory for a few pieces.

A piece uses the words reserved for its rows when its turn comes, so the reports do not depend on the
number of threads. A file's name determines what reads and writes it (`discreet.files.formats`). Reports are read only
with the marks of their mechanism.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput, InvalidReport, MissingExtra, UnknownValue
from ..estimation.arrays.acceleration import cores
from ..estimation.tally import Tally
from ..files.columns import REPORT
from ..files.formats import Format, column_format
from ..files.frames import INSECURE, FrameReader, mark_of, marks_in
from ..files.sources import FileSource, source_of
from ..files.text_reader import read_columns
from ..wire.reports import report_from_text
from ..wire.spec import located
from .encoding import DomainEncoder, EncodedColumn, boolean_texts
from .labelled.columns import Labels
from .randomizing import randomize_positions
from .report_files import Write, arrow_sink, reports_from_texts, text_sink

if TYPE_CHECKING:
    from ..files.arrow import ArrowColumn, Piece
    from ..mechanisms.mechanism import Mechanism
    from .words import Stream

LARGE = 1 << 24
"""From this many bytes on, pyarrow reads a CSV file; smaller ones are read line by line and errors name the line."""

Progress = Callable[[int], object]
"""A callback that receives how many more rows have been processed."""

Result = TypeVar("Result")

Process: TypeAlias = Callable[[NDArray[Any], list[Labels]], Result]
"""Processes some reports and the labels beside them; an error that it raises is given the place of the reports."""

Randomized: TypeAlias = tuple[EncodedColumn, NDArray[Any], Sequence[Any]]
"""The values of a piece, their reports, and what is kept beside them."""


def only_by_arrow(format: Format) -> bool:
    """True if only pyarrow reads and writes the format; `MissingExtra` if it is not installed."""
    if format.arrow_only and find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "files")
    return format.arrow_only


def by_arrow(file: FileSource) -> bool:
    """True if pyarrow is to read the file: Parquet, Arrow and, if pyarrow is installed, large CSV."""
    if only_by_arrow(file.format):
        return True
    large = file.format.arrow is not None and Path(file.path).is_file() and Path(file.path).stat().st_size >= LARGE
    return large and find_spec("pyarrow") is not None


def rows_in(files: Iterable[str | FileSource], column: str | None = None, *, usual: str | None = None) -> int | None:
    """How many rows there are, if every file says so without being read; else None.

    `InvalidInput` if the columns of Parquet and Arrow files have different names or types of value.
    """
    columns = [_column(file, column, usual=usual) if by_arrow(file) else None for file in map(source_of, files)]
    opened = [column for column in columns if column is not None]
    if opened:
        from ..files.arrow import check_alike

        check_alike(column for column in opened if column.source.format.arrow_only)
    rows = [column.rows for column in opened if column.rows is not None]
    return sum(rows) if len(rows) == len(columns) else None


def randomize_files(
    mechanism: Mechanism,
    files: Sequence[str | FileSource],
    out: str,
    rng: Stream,
    *,
    column: str | None = None,
    keep: Sequence[str] = (),
    unknown: str = "error",
    unmarked: bool = False,
    threads: int | None = None,
    progress: Progress = lambda rows: None,
) -> tuple[int, int]:
    """Write the reports of the values in `files`, in order, to `out`, which appears once it is complete.

    `keep` names columns that are carried beside the reports, where anyone who sees a report sees them. `unmarked`
    leaves out the marks by which a tally knows its reports and that they are whole. Returns how many values were
    read, and how many of them were outside the domain.
    """
    from .words import Keystream

    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    _check_keep(column, keep)
    sources = [source_of(file) for file in files]
    seen = outside = 0
    mark = None if unmarked else mark_of(mechanism.fingerprint, insecure=isinstance(rng, Keystream))
    with _sink(out, mechanism, sources, column, keep, mark) as write:
        for file in sources:
            if by_arrow(file):
                pieces = in_order(_arrow_values(mechanism, file, column, keep, unknown, rng), threads)
            else:
                pieces = _text_values(mechanism, file, column, keep, unknown, rng)  # a pipe is served at once
            for encoded, reports, kept in pieces:
                write(reports, kept)
                seen, outside = seen + encoded.seen, outside + encoded.unknown
                progress(encoded.seen)
    return seen, outside


def tally_files(
    mechanism: Mechanism,
    files: Sequence[str | FileSource],
    *,
    column: str | None = None,
    unmarked: bool = False,
    threads: int | None = None,
    progress: Progress = lambda rows: None,
) -> Tally:
    """The tally of the reports in `files`; an error names the file and, in text, the entry.

    Reports of another mechanism, streams that are not whole, and reports without marks are refused. `unmarked`
    accepts the last: then neither another mechanism's reports nor missing ones are noticed.
    """
    total, sources = Tally.of(mechanism), [source_of(file) for file in files]
    for tally in map_reports(
        mechanism,
        sources,
        lambda reports, labels: Tally.of(mechanism, reports, threads=1),
        column=column,
        unmarked=unmarked,
        threads=threads,
        progress=progress,
    ):
        total += tally
    return replace(total, insecure=are_insecure(sources))


def are_insecure(files: Iterable[FileSource]) -> bool:
    """True if files that were read say that a seed drew reports of theirs."""
    return any(INSECURE in file.remarks for file in files)


def map_reports(
    mechanism: Mechanism,
    files: Sequence[str | FileSource],
    process: Process[Result],
    *,
    keep: Sequence[str] = (),
    column: str | None = None,
    unmarked: bool = False,
    threads: int | None = None,
    progress: Progress = lambda rows: None,
) -> Iterator[Result]:
    """What `process` gives for the reports in `files` and the columns `keep` beside them, piece by piece, in order.

    Reports of another mechanism, streams that are not whole and reports without marks are refused, as by
    `tally_files`, and only after the last of them it is known that all is well.
    """
    for place, name in enumerate(keep):
        if name == (column or REPORT):
            raise InvalidInput(f"label={name!r} is the column of reports, which are no labels")
        if name in keep[:place]:
            raise InvalidInput(f"label={name!r} is given twice")

    def counted(reports: NDArray[Any], labels: list[Labels]) -> tuple[int, Result]:
        return len(reports), process(reports, labels)

    for file in map(source_of, files):
        tasks = _arrow_reports if by_arrow(file) else _text_reports
        for rows, result in in_order(tasks(mechanism, file, column, keep, unmarked, counted), threads):
            progress(rows)
            yield result


def in_order(tasks: Iterable[Callable[[], Result]], threads: int | None = None) -> Iterator[Result]:
    """The results of tasks in order; one task runs per thread, and one more result is held."""
    workers = cores() if threads is None else max(1, threads)
    pending: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for task in tasks:
                pending.append(pool.submit(task))
                if len(pending) > workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


# -- values -----------------------------------------------------------------------------------------


def _check_keep(column: str | None, keep: Sequence[str]) -> None:
    if keep and column is None:
        raise InvalidInput("keep needs column, the one that holds the values")
    for place, name in enumerate(keep):
        if column == name or str(column).startswith(f"{name}."):
            raise InvalidInput(f"keep={name!r} holds what is to be protected: the values of column {column!r}")
        if name == REPORT:
            raise InvalidInput(f"keep={name!r} must not be {REPORT!r}, which is what the column of reports is called")
        if name in keep[:place]:
            raise InvalidInput(f"keep={name!r} is given twice")


@contextmanager
def _sink(
    out: str,
    mechanism: Mechanism,
    files: Sequence[FileSource],
    column: str | None,
    keep: Sequence[str],
    mark: str | None,
) -> Iterator[Write]:
    if only_by_arrow(column_format(out)):
        typed = bool(keep and files) and by_arrow(files[0])
        fields: Sequence[Any] = _column(files[0], column, keep).keep if typed else keep
        with arrow_sink(out, mechanism, keep=fields, mark=mark) as write:
            yield write
    else:
        with text_sink(out, mechanism, keep=keep, mark=mark) as write:
            yield write


def _text_values(
    mechanism: Mechanism, file: FileSource, column: str | None, keep: Sequence[str], unknown: str, rng: Stream
) -> Iterator[Randomized]:
    encoder, start = DomainEncoder(mechanism.context.domain, unknown=unknown, written=True), 0
    booleans = boolean_texts(mechanism.context.domain)
    for entries, *kept in read_columns(file, column, keep):
        texts = [booleans[entry] if isinstance(entry, bool) else entry for entry in entries]
        try:
            encoded = encoder.encode(texts, start=start)
        except UnknownValue as problem:
            raise UnknownValue(f"{file.name}, {problem}") from None
        if encoded.rows is not None:
            kept = [[others[row] for row in encoded.rows] for others in kept]
        words = rng.reserve(len(encoded.indices) * mechanism.words)
        yield encoded, randomize_positions(mechanism, encoded.indices, words, threads=1), kept
        start += encoded.seen


def _arrow_values(
    mechanism: Mechanism, file: FileSource, column: str | None, keep: Sequence[str], unknown: str, rng: Stream
) -> Iterator[Callable[[], Randomized]]:
    opened, start = _column(file, column, keep), 0
    encoder = DomainEncoder(mechanism.context.domain, unknown=unknown, written=True)
    for piece in opened.pieces():
        words = rng.reserve(piece.rows * mechanism.words)
        yield partial(_randomize_piece, mechanism, encoder, opened, piece, start, words)
        start += piece.rows


def _randomize_piece(
    mechanism: Mechanism, encoder: DomainEncoder, column: ArrowColumn, piece: Piece, start: int, words: Stream
) -> Randomized:
    from .arrow.values import column_as_text

    try:
        encoded = encoder.encode(column_as_text(piece.load(), mechanism.context.domain), start=start)
    except UnknownValue as problem:
        raise UnknownValue(f"{column.path}, {problem}") from None
    except InvalidInput as problem:
        raise InvalidInput(f"{column.path}: {problem}") from None
    kept = piece.kept() if column.keep else []
    if encoded.rows is not None:
        kept = [entries.take(encoded.rows) for entries in kept]
    return encoded, randomize_positions(mechanism, encoded.indices, words, threads=1), kept


# -- reports ----------------------------------------------------------------------------------------


def _text_reports(
    mechanism: Mechanism,
    file: FileSource,
    column: str | None,
    keep: Sequence[str],
    unmarked: bool,
    process: Process[Result],
) -> Iterator[Callable[[], Result]]:
    frames = _frames(mechanism, file, column, unmarked)
    seen = 0
    for texts, *kept in read_columns(file, column, keep, reports=True):
        for start, run in frames.runs(texts, marks_in(texts)):
            place = start - 1 - seen
            beside = [entries[place : place + len(run)] for entries in kept]
            yield partial(_process_texts, mechanism, run, beside, file.name, start, process)
        seen += len(texts)
    _close(frames, file)


def _close(frames: FrameReader, file: FileSource) -> None:
    """Check that the last frame is whole, and note what marks say of the file."""
    frames.close()
    if frames.insecure:
        file.remarks.add(INSECURE)


def _frames(mechanism: Mechanism, file: FileSource, column: str | None, unmarked: bool) -> FrameReader:
    return FrameReader(mechanism, file.name, unmarked=unmarked, header=column or REPORT)


def _process_texts(
    mechanism: Mechanism, texts: list[str], kept: list[list[Any]], name: str, start: int, process: Process[Result]
) -> Result:
    """The result for some entries of a stream; a report that cannot occur is named by its number, from `start` on."""
    try:
        return process(reports_from_texts(mechanism, texts), [Labels.of(entries) for entries in kept])
    except InvalidReport:
        for number, text in enumerate(texts, start):
            with located(f"{name}, entry {number}"):
                report_from_text(mechanism, text)
        raise


def _arrow_reports(
    mechanism: Mechanism,
    file: FileSource,
    column: str | None,
    keep: Sequence[str],
    unmarked: bool,
    process: Process[Result],
) -> Iterator[Callable[[], Result]]:
    from .arrow.reports import check_column, marks_in_column, reports_in_texts, reports_of

    def read_piece(piece: Piece) -> tuple[NDArray[Any], list[Any]]:
        parts = list(reports_of(mechanism, piece.load())) or [reports_from_texts(mechanism, [])]
        return parts[0] if len(parts) == 1 else np.concatenate(parts), piece.kept() if keep else []

    def read_run(run: Any, kept: list[Any]) -> tuple[NDArray[Any], list[Any]]:
        return reports_in_texts(mechanism, run), kept

    opened = _column(file, column, keep, usual=REPORT)
    if file.format.arrow_only:
        if check_column(mechanism, opened, unmarked=unmarked):
            file.remarks.add(INSECURE)
        yield from (partial(_process_arrow, opened, partial(read_piece, piece), process) for piece in opened.pieces())
        return
    frames = _frames(mechanism, file, column, unmarked)
    seen = 0
    for piece in opened.pieces():
        kept = piece.kept() if keep else []
        begin = seen
        for chunk in piece.load().chunks:
            for start, run in frames.runs(chunk, marks_in_column(chunk)):
                beside = [entries.slice(start - 1 - begin, len(run)) for entries in kept]
                yield partial(_process_arrow, opened, partial(read_run, run, beside), process)
            seen += len(chunk)
    _close(frames, file)


def _process_arrow(
    column: ArrowColumn, read: Callable[[], tuple[NDArray[Any], list[Any]]], process: Process[Result]
) -> Result:
    from .labelled.arrow_labels import labels_in

    with located(column.path):
        reports, kept = read()
        labels = [
            labels_in(entries, f"column {field.name!r}", written=True)
            for field, entries in zip(column.keep, kept, strict=True)
        ]
        return process(reports, labels)


def _column(file: FileSource, column: str | None, keep: Sequence[str] = (), *, usual: str | None = None) -> ArrowColumn:
    from ..files.arrow import open_column

    return open_column(file, column, keep=keep, usual=usual)
