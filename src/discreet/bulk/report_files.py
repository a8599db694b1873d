"""Arrays of reports as JSON, text and packed bytes, and back, and as files and pipes with the marks of their mechanism.

The forms are those of `discreet.wire.reports`, many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import DiscreetError, InvalidInput, InvalidReport, MissingExtra, shown
from ..estimation.tally import as_batch
from ..files.formats import PIPE
from ..files.text_reader import TextWriter
from ..mechanisms.mechanism import Mechanism
from ..wire.reports import EXACT_BITS, HEXADECIMAL, byte_width, hex_digits, is_whole_text


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
    names = mechanism.report_names
    return [names[y] for y in reports.tolist()] if names else reports_to_json(mechanism, reports)


def reports_from_texts(mechanism: Mechanism, texts: list[str]) -> NDArray[Any]:
    """Lines of text as a batch for `Mechanism.tally`; the form is checked here, the reports when counted."""
    if mechanism.report_names:
        return as_batch(mechanism.reports_of(texts), mechanism.bits)
    if mechanism.bits <= EXACT_BITS:
        numbers = _whole_numbers(texts)
        if numbers is None:
            first = next(text for text in texts if not is_whole_text(text))
            raise InvalidReport(f"report={shown(first)} must be a whole number")
        return numbers
    digits = hex_digits(mechanism)
    wrong = next((text for text in texts if len(text) != digits or not HEXADECIMAL.issuperset(text)), None)
    if wrong is not None:
        raise InvalidReport(f"report={shown(wrong)} must be text of {digits} lowercase hexadecimal digits")
    return as_batch((int(text, 16) for text in texts), mechanism.bits)


def reports_to_bytes(mechanism: Mechanism, reports: NDArray[Any]) -> bytes:
    """Reports of `randomize_indices` as packed bytes, one after the other."""
    return numbers_to_bytes(reports, byte_width(mechanism))


def reports_from_bytes(mechanism: Mechanism, data: bytes | bytearray | memoryview) -> NDArray[Any]:
    """Packed bytes as a batch for `Mechanism.tally`; the reports are checked when counted."""
    return numbers_from_bytes(data, byte_width(mechanism))


def numbers_to_bytes(numbers: NDArray[Any], width: int) -> bytes:
    """Whole numbers, or rows of 64-bit words, as so many bytes each, lowest byte first."""
    rows = np.ascontiguousarray(numbers if numbers.ndim == 2 else numbers[:, None])
    rows = rows.astype(rows.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(rows.view(np.uint8)[:, :width]).tobytes()


def numbers_from_bytes(data: bytes | bytearray | memoryview, width: int) -> NDArray[Any]:
    """Whole numbers of so many bytes each, or rows of 64-bit words where they are wider; `InvalidReport` for a rest."""
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
def text_sink(out: str, mechanism: Mechanism, *, keep: Sequence[str], mark: str | None) -> Iterator[Write]:
    """A writer of text lines, CSV or JSON lines; an error says if reports have already been passed on."""
    with TextWriter(out, mark, keep=keep) as text:

        def write(reports: NDArray[Any], kept: Sequence[Any]) -> None:
            text.write(reports_to_texts(mechanism, reports), list(map(as_list, kept)))

        with warn_of_passed_on(text) if out == PIPE else nullcontext():
            yield write


def as_list(column: Any) -> list[Any]:
    """A kept column as plain data."""
    if isinstance(column, list):
        return column
    try:
        entries: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        raise InvalidInput("a column of text that is not UTF-8 can be kept only in Parquet or Arrow") from None
    return entries


@contextmanager
def warn_of_passed_on(text: TextWriter) -> Iterator[None]:
    """Add to an error that the reports already on standard output must not be used."""

    def warning(message: object) -> str:
        return (
            f"{message}; the {text.count} reports passed on so far must be thrown away, "
            "because another run gives the same people second reports"
        )

    try:
        yield
    except (MissingExtra, BrokenPipeError):
        raise
    except DiscreetError as problem:
        raise type(problem)(warning(problem) if text.count else str(problem)) from None
    except OSError as problem:
        if not text.count:
            raise
        raise InvalidInput(warning(f"{problem.filename}: {problem.strerror}")) from None


@contextmanager
def arrow_sink(out: str, mechanism: Mechanism, *, keep: Sequence[Any], mark: str | None) -> Iterator[Write]:
    """A writer of Parquet or Arrow; `keep` are fields, or names of columns that are then text."""
    import pyarrow as pa

    from .arrow.reports import report_writer

    fields = [pa.field(one, pa.string()) if isinstance(one, str) else one for one in keep]
    with report_writer(out, mechanism, mark, keep=fields) as write:
        yield write
