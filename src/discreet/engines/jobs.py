"""Randomize and tally whole files: pieces in parallel, results in order, memory for a few pieces.

A piece uses the words reserved for its rows when its turn comes, so the reports do not depend on the
number of threads. A file's name determines what reads and writes it (`discreet.files.formats`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import NDArray

from ..errors import InvalidReport, MissingExtra, UnknownValue
from ..files.formats import display_name, format_of
from ..files.text_reader import read_values
from ..files.text_writer import TextWriter
from ..statistics.acceleration import cores
from ..tally import Tally
from ..wire.located import located
from ..wire.reports import report_from_text, reports_from_texts, reports_to_json
from .bulk import randomize_many
from .numbers import Numbers

if TYPE_CHECKING:
    from ..files.arrow_columns import ArrowColumn, Piece
    from ..mechanisms.mechanism import Mechanism
    from ..random import Keystream, Stream
    from .arrow_numbers import ArrowNumbers

LARGE = 1 << 24
"""From this many bytes on, pyarrow reads a CSV file; smaller ones are read line by line and errors name the line."""

Progress = Callable[[int], object]
"""A callback that receives how many more rows have been processed."""

Write = Callable[[NDArray[Any]], None]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Made:
    """The reports of a piece, how many values it had, and how many of them were outside the domain."""

    reports: NDArray[Any]
    seen: int
    unknown: int


def only_by_arrow(file: str) -> bool:
    """True if only pyarrow reads and writes the format of this name; `MissingExtra` if it is not installed."""
    only = format_of(file).arrow_only
    if only and find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "files")
    return only


def by_arrow(file: str) -> bool:
    """True if pyarrow is to read the file: Parquet, Arrow and, if pyarrow is installed, large CSV."""
    if only_by_arrow(file):
        return True
    large = format_of(file).arrow is not None and Path(file).is_file() and Path(file).stat().st_size >= LARGE
    return large and find_spec("pyarrow") is not None


def rows_in(files: Iterable[str], column: str | None = None) -> int | None:
    """How many rows there are, if every file says so without being read; else None."""
    found = [_column(file, column).rows if by_arrow(file) else None for file in files]
    return None if None in found else sum(rows for rows in found if rows is not None)


def randomize_files(
    mechanism: Mechanism,
    files: Sequence[str],
    out: str,
    rng: Stream,
    *,
    column: str | None = None,
    unknown: str = "error",
    threads: int | None = None,
    progress: Progress = lambda rows: None,
) -> tuple[int, int]:
    """Write the reports of the values in `files`, in order, to `out`, which appears once it is complete.

    Returns how many values were read, and how many of them were outside the domain.
    """
    seen = outside = 0
    with _sink(out, mechanism) as write:
        for file in files:
            for made in _made_from(mechanism, file, column, unknown, rng, threads):
                write(made.reports)
                seen, outside = seen + made.seen, outside + made.unknown
                progress(made.seen)
    return seen, outside


def tally_files(
    mechanism: Mechanism,
    files: Sequence[str],
    *,
    column: str | None = None,
    threads: int | None = None,
    progress: Progress = lambda rows: None,
) -> Tally:
    """The tally of the reports in `files`; an error names the file and, in text, the entry."""
    total = Tally.of(mechanism)
    for file in files:
        source = _arrow_reports if by_arrow(file) else _text_reports
        for tally in in_order(source(mechanism, file, column), threads):
            total += tally
            progress(tally.n)
    return total


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


@contextmanager
def _sink(out: str, mechanism: Mechanism) -> Iterator[Write]:
    if only_by_arrow(out):
        from .arrow_reports import ReportWriter

        with ReportWriter(out, mechanism) as arrow:
            yield arrow.write
    else:
        with TextWriter(out) as text:
            yield lambda reports: text.write(reports_to_json(mechanism, reports))


def _made_from(
    mechanism: Mechanism, file: str, column: str | None, unknown: str, rng: Stream, threads: int | None
) -> Iterator[Made]:
    if by_arrow(file):
        return in_order(_arrow_values(mechanism, file, column, unknown, rng), threads)
    return (task() for task in _text_values(mechanism, file, column, unknown, rng))  # a pipe is served at once


def _text_values(
    mechanism: Mechanism, file: str, column: str | None, unknown: str, rng: Stream
) -> Iterator[Callable[[], Made]]:
    numbers = Numbers(mechanism.context.domain, unknown=unknown)
    for texts in read_values(file, column):
        before = numbers.unknown
        try:
            indices = numbers.of(texts)
        except UnknownValue as problem:
            raise UnknownValue(f"{display_name(file)}, {problem}") from None
        words = rng.reserve(len(indices) * mechanism.randomizer.words)
        yield partial(_made, mechanism, indices, words, len(texts), numbers.unknown - before)


def _arrow_values(
    mechanism: Mechanism, file: str, column: str | None, unknown: str, rng: Stream
) -> Iterator[Callable[[], Made]]:
    from .arrow_numbers import ArrowNumbers

    found, start = _column(file, column), 0
    numbers = ArrowNumbers(mechanism.context.domain, unknown=unknown)
    for piece in found.pieces():
        words = rng.reserve(piece.rows * mechanism.randomizer.words)
        yield partial(_numbered_and_made, mechanism, numbers, found, piece, start, words)
        start += piece.rows


def _numbered_and_made(
    mechanism: Mechanism, numbers: ArrowNumbers, column: ArrowColumn, piece: Piece, start: int, words: Keystream
) -> Made:
    try:
        found = numbers.of(piece.load(), start=start)
    except UnknownValue as problem:
        raise UnknownValue(f"{column.path}, {problem}") from None
    return _made(mechanism, found.indices, words, found.seen, found.unknown)


def _made(mechanism: Mechanism, indices: NDArray[Any], words: Keystream, seen: int, unknown: int) -> Made:
    return Made(randomize_many(mechanism.randomizer, indices, words, threads=1), seen, unknown)


# -- reports ----------------------------------------------------------------------------------------


def _text_reports(mechanism: Mechanism, file: str, column: str | None) -> Iterator[Callable[[], Tally]]:
    start = 1
    for texts in read_values(file, column):
        yield partial(_tally_of_texts, mechanism, texts, display_name(file), start)
        start += len(texts)


def _tally_of_texts(mechanism: Mechanism, texts: list[str], name: str, start: int) -> Tally:
    try:
        return Tally.of(mechanism, reports_from_texts(mechanism, texts), threads=1)
    except InvalidReport:
        for number, text in enumerate(texts, start):
            with located(f"{name}, entry {number}"):
                report_from_text(mechanism, text)
        raise


def _arrow_reports(mechanism: Mechanism, file: str, column: str | None) -> Iterator[Callable[[], Tally]]:
    from .arrow_reports import check_column

    found = _column(file, column)
    check_column(mechanism, found)
    return (partial(_tally_of_piece, mechanism, found, piece) for piece in found.pieces())


def _tally_of_piece(mechanism: Mechanism, column: ArrowColumn, piece: Piece) -> Tally:
    total = Tally.of(mechanism)
    with located(column.path):
        for reports in _reports_of(column)(mechanism, piece.load()):
            total += Tally.of(mechanism, reports, threads=1)
    return total


def _column(file: str, column: str | None) -> ArrowColumn:
    from ..files.arrow import open_column

    return open_column(file, column)


def _reports_of(column: ArrowColumn) -> Callable[[Mechanism, Any], Iterator[NDArray[Any]]]:
    from .arrow_reports import reports_of, reports_of_texts

    return reports_of if format_of(column.path).arrow_only else reports_of_texts
