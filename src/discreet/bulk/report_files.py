"""Reports in files and pipes: written with the marks of their mechanism, and tallied only if they have them.

Arrays of reports as JSON, text and packed bytes, and back: the forms of `discreet.wire.reports`, many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import DiscreetError, InvalidInput, InvalidReport, MissingExtra, shown
from ..estimation.tally import Tally, as_batch
from ..files.columns import REPORT
from ..files.formats import PIPE
from ..files.frames import FrameReader, marks_in
from ..files.sources import Source
from ..files.text_reader import TextWriter, read_reports
from ..mechanisms.mechanism import Mechanism
from ..wire.reports import EXACT_BITS, HEXADECIMAL, byte_width, hex_digits, is_whole_text, report_from_text
from ..wire.spec import located

if TYPE_CHECKING:
    from ..files.arrow import ArrowColumn, Piece


def reports_to_json(mechanism: Mechanism, reports: NDArray[Any]) -> list[int] | list[str]:
    """Reports of `randomize_indices` as JSON data, one entry per report."""
    if mechanism.bits <= EXACT_BITS:
        whole: list[int] = reports.tolist()
        return whole
    digits = hex_digits(mechanism)
    if reports.ndim == 1:
        return [f"{report:0{digits}x}" for report in reports.tolist()]
    rows = reports[:, ::-1].astype(">u8")
    return [row.tobytes().hex()[-digits:] for row in rows]


def reports_to_texts(mechanism: Mechanism, reports: NDArray[Any]) -> list[int] | list[str]:
    """Reports as files of text hold them: names, where they have them, else as in JSON."""
    return (
        [mechanism.report_names[y] for y in reports.tolist()]
        if mechanism.report_names
        else reports_to_json(mechanism, reports)
    )


def reports_from_texts(mechanism: Mechanism, texts: list[str]) -> NDArray[Any]:
    """Lines of text as a batch for `Mechanism.tally`; the form is checked here, the reports when counted."""
    if mechanism.report_names:
        return as_batch(mechanism.reports_of(texts), mechanism.bits)
    if mechanism.bits <= EXACT_BITS:
        found = _whole_numbers(texts)
        if found is None:
            first = next(text for text in texts if not is_whole_text(text))
            raise InvalidReport(f"report={shown(first)} must be a whole number")
        return found
    digits = hex_digits(mechanism)
    wrong = next((text for text in texts if len(text) != digits or not HEXADECIMAL.issuperset(text)), None)
    if wrong is not None:
        raise InvalidReport(f"report={shown(wrong)} must be text of {digits} lowercase hexadecimal digits")
    return as_batch((int(text, 16) for text in texts), mechanism.bits)


def reports_to_bytes(mechanism: Mechanism, reports: NDArray[Any]) -> bytes:
    """Reports of `randomize_indices` as packed bytes, one after the other."""
    rows = np.ascontiguousarray(reports if reports.ndim == 2 else reports[:, None])
    rows = rows.astype(rows.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(rows.view(np.uint8)[:, : byte_width(mechanism)]).tobytes()


def reports_from_bytes(mechanism: Mechanism, data: bytes) -> NDArray[Any]:
    """Packed bytes as a batch for `Mechanism.tally`; the reports are checked when counted."""
    width = byte_width(mechanism)
    if len(data) % width:
        raise InvalidReport(f"{len(data)} bytes must be a whole number of reports of {width} bytes")
    columns = -(-width // 8)
    padded = np.zeros((len(data) // width, 8 * columns), dtype=np.uint8)
    padded[:, :width] = np.frombuffer(data, dtype=np.uint8).reshape(-1, width)
    rows = padded.view("<u8")
    return rows if columns > 1 else rows[:, 0]


def _whole_numbers(texts: list[str]) -> NDArray[Any] | None:
    """The numbers in these texts; None unless each is written as `is_whole_text` says, but faster."""
    try:
        numbers = list(map(int, texts))
    except ValueError:
        return None
    small = not numbers or (min(numbers) >= 0 and max(numbers) < 10**16)
    return np.array(numbers, dtype=np.uint64) if small and list(map(str, numbers)) == texts else None


Write = Callable[[NDArray[Any], Sequence[Any]], None]
"""Writes the next reports, and the columns kept beside them: lists of plain data, or Arrow columns."""


@contextmanager
def text_sink(out: str, mechanism: Mechanism, *, keep: Sequence[str], unmarked: bool) -> Iterator[Write]:
    """A writer of text lines, CSV or JSON lines; an error says if reports have already been passed on."""
    with TextWriter(out, None if unmarked else mechanism.fingerprint, keep=keep) as text:

        def write(reports: NDArray[Any], kept: Sequence[Any]) -> None:
            text.write(reports_to_texts(mechanism, reports), list(map(listed, kept)))

        with passed_on(text) if out == PIPE else nullcontext():
            yield write


def listed(column: Any) -> list[Any]:
    """A kept column as plain data."""
    if isinstance(column, list):
        return column
    try:
        entries: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        raise InvalidInput("a column of text that is not UTF-8 can be kept only in Parquet or Arrow") from None
    return entries


@contextmanager
def passed_on(text: TextWriter) -> Iterator[None]:
    """Add to an error that the reports already on standard output must not be used."""

    def told(said: object) -> str:
        return (
            f"{said}; the {text.count} reports passed on so far must be thrown away, "
            "because another run gives the same people second reports"
        )

    try:
        yield
    except (MissingExtra, BrokenPipeError):
        raise
    except DiscreetError as problem:
        raise type(problem)(told(problem) if text.count else str(problem)) from None
    except OSError as problem:
        if not text.count:
            raise
        raise InvalidInput(told(f"{problem.filename}: {problem.strerror}")) from None


@contextmanager
def arrow_sink(out: str, mechanism: Mechanism, *, keep: Sequence[Any], unmarked: bool) -> Iterator[Write]:
    """A writer of Parquet or Arrow; `keep` are fields, or names of columns that are then text."""
    import pyarrow as pa

    from .arrow.reports import ReportWriter

    fields = [pa.field(one, pa.string()) if isinstance(one, str) else one for one in keep]
    with ReportWriter(out, mechanism, None if unmarked else mechanism.fingerprint, keep=fields) as arrow:
        yield arrow.write


# -- tallies ----------------------------------------------------------------------------------------


def text_tallies(
    mechanism: Mechanism, file: Source, column: str | None, unmarked: bool
) -> Iterator[Callable[[], Tally]]:
    """The work of tallying a stream of text lines, CSV or JSON lines, run by run; an error unless it is whole."""
    name = file.name
    frames = _frames(mechanism, file, column, unmarked)
    for texts in read_reports(file, column):
        for start, run in frames.runs(texts, marks_in(texts)):
            yield partial(_tally_of_texts, mechanism, run, name, start)
    frames.close()


def _frames(mechanism: Mechanism, file: Source, column: str | None, unmarked: bool) -> FrameReader:
    return FrameReader(mechanism, file.name, unmarked=unmarked, header=column or REPORT)


def _tally_of_texts(mechanism: Mechanism, texts: list[str], name: str, start: int) -> Tally:
    with pointing(mechanism, texts, name, start):
        return Tally.of(mechanism, reports_from_texts(mechanism, texts), threads=1)


@contextmanager
def pointing(mechanism: Mechanism, texts: list[str], name: str, start: int) -> Iterator[None]:
    """Say of a report that cannot occur which entry of the stream it is; the first of these has the number `start`."""
    try:
        yield
    except InvalidReport:
        for number, text in enumerate(texts, start):
            with located(f"{name}, entry {number}"):
                report_from_text(mechanism, text)
        raise


def arrow_tallies(
    mechanism: Mechanism, file: Source, column: str | None, unmarked: bool
) -> Iterator[Callable[[], Tally]]:
    """The work of tallying a column that pyarrow reads, piece by piece; an error unless it has its marks."""
    from ..files.arrow import open_column
    from .arrow.reports import check_column

    found = open_column(file, column, usual=REPORT)
    if not file.format.arrow_only:
        return _tallies_of_csv(mechanism, found, _frames(mechanism, file, column, unmarked))
    check_column(mechanism, found, unmarked=unmarked)
    return (partial(_tally_of_piece, mechanism, found, piece) for piece in found.pieces())


def _tally_of_piece(mechanism: Mechanism, column: ArrowColumn, piece: Piece) -> Tally:
    from .arrow.reports import reports_of

    total = Tally.of(mechanism)
    with located(column.path):
        for reports in reports_of(mechanism, piece.load()):
            total += Tally.of(mechanism, reports, threads=1)
    return total


def _tallies_of_csv(mechanism: Mechanism, column: ArrowColumn, frames: FrameReader) -> Iterator[Callable[[], Tally]]:
    from .arrow.reports import marks_in_column

    for piece in column.pieces():
        for chunk in piece.load().chunks:
            for _, run in frames.runs(chunk, marks_in_column(chunk)):
                yield partial(_tally_of_texts_in, mechanism, run, column.path)
    frames.close()


def _tally_of_texts_in(mechanism: Mechanism, texts: Any, name: str) -> Tally:
    from .arrow.reports import reports_in_texts

    with located(name):
        return Tally.of(mechanism, reports_in_texts(mechanism, texts), threads=1)
