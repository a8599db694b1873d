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

from ..core.errors import InvalidInput, MissingExtra, UnknownValue
from ..estimation.arrays.acceleration import cores
from ..estimation.tally import Tally
from ..files.columns import REPORT, Entry
from ..files.formats import Format, column_format
from ..files.sources import Source, source_of
from ..files.text_reader import read_rows, read_values
from .encoding import DomainEncoder, EncodedColumn, boolean_texts
from .randomizing import randomize_indices
from .report_files import Write, arrow_sink, arrow_tallies, text_sink, text_tallies

if TYPE_CHECKING:
    from ..files.arrow import ArrowColumn, Piece
    from ..mechanisms.mechanism import Mechanism
    from .words import Reserved, Stream

LARGE = 1 << 24
"""From this many bytes on, pyarrow reads a CSV file; smaller ones are read line by line and errors name the line."""

Progress = Callable[[int], object]
"""A callback that receives how many more rows have been processed."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Made:
    """The reports of a piece, how many values it had, how many of them were outside the domain, and what is kept."""

    reports: NDArray[Any]
    seen: int
    unknown: int
    kept: Sequence[Any]


def only_by_arrow(format: Format) -> bool:
    """True if only pyarrow reads and writes the format; `MissingExtra` if it is not installed."""
    if format.arrow_only and find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "files")
    return format.arrow_only


def by_arrow(file: Source) -> bool:
    """True if pyarrow is to read the file: Parquet, Arrow and, if pyarrow is installed, large CSV."""
    if only_by_arrow(file.format):
        return True
    large = file.format.arrow is not None and Path(file.path).is_file() and Path(file.path).stat().st_size >= LARGE
    return large and find_spec("pyarrow") is not None


def rows_in(files: Iterable[str | Source], column: str | None = None, *, usual: str | None = None) -> int | None:
    """How many rows there are, if every file says so without being read; else None.

    `InvalidInput` if the columns of Parquet and Arrow files have different names or types of value.
    """
    found = [_column(file, column, usual=usual) if by_arrow(file) else None for file in map(source_of, files)]
    opened = [column for column in found if column is not None]
    if opened:
        from ..files.arrow import check_alike

        check_alike(column for column in opened if column.source.format.arrow_only)
    rows = [None if column is None else column.rows for column in found]
    return None if None in rows else sum(number for number in rows if number is not None)


def randomize_files(
    mechanism: Mechanism,
    files: Sequence[str | Source],
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
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    _check_keep(column, keep)
    sources = [source_of(file) for file in files]
    seen = outside = 0
    with _sink(out, mechanism, sources, column, keep, unmarked) as write:
        for file in sources:
            for made in _made_from(mechanism, file, column, keep, unknown, rng, threads):
                write(made.reports, made.kept)
                seen, outside = seen + made.seen, outside + made.unknown
                progress(made.seen)
    return seen, outside


def tally_files(
    mechanism: Mechanism,
    files: Sequence[str | Source],
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
    total = Tally.of(mechanism)
    for file in map(source_of, files):
        tallies = arrow_tallies if by_arrow(file) else text_tallies
        for tally in in_order(tallies(mechanism, file, column, unmarked), threads):
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
    out: str, mechanism: Mechanism, files: Sequence[Source], column: str | None, keep: Sequence[str], unmarked: bool
) -> Iterator[Write]:
    if only_by_arrow(column_format(out)):
        typed = bool(keep and files) and by_arrow(files[0])
        fields: Sequence[Any] = _column(files[0], column, keep).keep if typed else keep
        with arrow_sink(out, mechanism, keep=fields, unmarked=unmarked) as write:
            yield write
    else:
        with text_sink(out, mechanism, keep=keep, unmarked=unmarked) as write:
            yield write


def _made_from(
    mechanism: Mechanism,
    file: Source,
    column: str | None,
    keep: Sequence[str],
    unknown: str,
    rng: Stream,
    threads: int | None,
) -> Iterator[Made]:
    if by_arrow(file):
        return in_order(_arrow_values(mechanism, file, column, keep, unknown, rng), threads)
    return (task() for task in _text_values(mechanism, file, column, keep, unknown, rng))  # a pipe is served at once


def _text_values(
    mechanism: Mechanism, file: Source, column: str | None, keep: Sequence[str], unknown: str, rng: Stream
) -> Iterator[Callable[[], Made]]:
    encoder, start = DomainEncoder(mechanism.context.domain, unknown=unknown, written=True), 0
    booleans = boolean_texts(mechanism.context.domain)
    for entries, kept in _chunks(file, column, keep):
        texts = [booleans[entry] if isinstance(entry, bool) else entry for entry in entries]
        try:
            found = encoder.encode(texts, start=start)
        except UnknownValue as problem:
            raise UnknownValue(f"{file.name}, {problem}") from None
        if found.rows is not None:
            kept = [[others[row] for row in found.rows] for others in kept]
        words = rng.reserve(len(found.indices) * mechanism.sampler.words)
        yield partial(_randomize, mechanism, found, words, kept)
        start += found.seen


def _chunks(file: Source, column: str | None, keep: Sequence[str]) -> Iterator[tuple[list[Entry], list[list[Any]]]]:
    """The values in a text file, a chunk at a time, and the columns kept beside them."""
    if not keep:
        yield from ((texts, []) for texts in read_values(file, column))
        return
    for rows in read_rows(file, column, keep):
        texts, *kept = map(list, zip(*rows, strict=True))
        yield texts, kept


def _arrow_values(
    mechanism: Mechanism, file: Source, column: str | None, keep: Sequence[str], unknown: str, rng: Stream
) -> Iterator[Callable[[], Made]]:
    found, start = _column(file, column, keep), 0
    encoder = DomainEncoder(mechanism.context.domain, unknown=unknown, written=True)
    for piece in found.pieces():
        words = rng.reserve(piece.rows * mechanism.sampler.words)
        yield partial(_encode_and_randomize, mechanism, encoder, found, piece, start, words)
        start += piece.rows


def _encode_and_randomize(
    mechanism: Mechanism, encoder: DomainEncoder, column: ArrowColumn, piece: Piece, start: int, words: Reserved
) -> Made:
    from .arrow.values import column_as_text

    try:
        found = encoder.encode(column_as_text(piece.load(), mechanism.context.domain), start=start)
    except UnknownValue as problem:
        raise UnknownValue(f"{column.path}, {problem}") from None
    except InvalidInput as problem:
        raise InvalidInput(f"{column.path}: {problem}") from None
    kept = piece.kept() if column.keep else []
    if found.rows is not None:
        kept = [entries.take(found.rows) for entries in kept]
    return _randomize(mechanism, found, words, kept)


def _randomize(mechanism: Mechanism, found: EncodedColumn, words: Reserved, kept: Sequence[Any]) -> Made:
    reports = randomize_indices(mechanism.sampler, found.indices, words, threads=1)
    return Made(reports, found.seen, found.unknown, kept)


def _column(file: Source, column: str | None, keep: Sequence[str] = (), *, usual: str | None = None) -> ArrowColumn:
    from ..files.arrow import open_column

    return open_column(file, column, keep=keep, usual=usual)
