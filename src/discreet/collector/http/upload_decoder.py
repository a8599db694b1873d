"""Uploads, JSON or packed, decoded strictly and without the reports that the law cannot have written.

Anybody may send a body of any bytes. So reports are numbers or texts and nothing that has parts; they are counted
before they are decoded; and a large body is decoded a piece at a time, so that neither the objects that it becomes nor
the time that others wait for the interpreter grow with it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...bulk.report_files import numbers_from_bytes, numbers_to_bytes
from ...core.canonical import canonical, loads
from ...core.errors import InvalidInput, InvalidReport
from ...wire.reports import EXACT_BITS, HEXADECIMAL
from ..instrument import Instrument
from ..store.protocol import Labels, Packed
from ..store.tallies import reports_at_once
from .response import JSON, HttpProblem

MAX_REFUSED = 10_000
"""The most refused reports that an answer lists; an upload with more is not one of this law, and is refused whole."""

MAX_SCALAR_REPORTS = 64
"""Up to so many reports are checked one by one, which is faster than an array."""

SMALL_BODY_BYTES = 4096
"""Bodies up to this size are decoded at once, where they arrive; others in pieces, in a thread, one at a time."""

PIECE_BYTES = 1 << 15
"""The bytes of JSON that are decoded together: half a millisecond of the interpreter or so."""

Body = bytes | bytearray

Scalar = int | float | str | bool | None
"""What a list of reports may hold at all."""

Refusals = list[tuple[int, str]]
"""The places of refused reports, in order, with a code: ``form`` (not written like a report) or ``impossible``."""

Validated = tuple[Packed, int, Refusals]
"""The possible reports, packed, how many they are, and the places of the others."""


class ReportValidator:
    """Separates the possible from the impossible reports of one question or form."""

    def __init__(self, instrument: Instrument) -> None:
        self._count, self._is_report = instrument.count, instrument.is_report
        self._bits, self.width = instrument.bits, instrument.width
        self.numbers = self._bits <= EXACT_BITS
        self._digits = -(-self._bits // 4)

    def validate_json(self, pieces: Iterable[Sequence[Scalar]]) -> Validated:
        """Validate reports as JSON writes them, piece by piece."""
        good, count = bytearray(), 0
        refused: Refusals = []
        for reports in pieces:
            array = self._as_array(reports) if len(reports) > MAX_SCALAR_REPORTS else None
            if array is not None and self._all_possible(array):
                good += numbers_to_bytes(array, self.width)
            else:
                self._validate_each(reports, count, good, refused)
            count += len(reports)
        return good, count - len(refused), refused

    def _validate_each(self, reports: Sequence[Scalar], first: int, good: bytearray, refused: Refusals) -> None:
        """Add the possible reports to `good`, and the places of the others, counted from `first`, to `refused`."""
        for index, report in enumerate(reports, first):
            number = self._number(report)
            if number is None:
                _refuse(refused, index, "form")
            elif number < 0 or not self._is_report(number):
                _refuse(refused, index, "impossible")
            else:
                good += number.to_bytes(self.width, "little")

    def validate_packed(self, packed: Packed) -> Validated:
        """Validate packed reports, piece by piece."""
        count, step = len(packed) // self.width, reports_at_once(self.width) * self.width
        good: bytearray | None = None
        refused: Refusals = []
        for start in range(0, len(packed), step):
            piece = packed[start : start + step]
            if count > MAX_SCALAR_REPORTS and self._all_possible(numbers_from_bytes(piece, self.width)):
                if good is not None:
                    good += piece
                continue
            for at in range(0, len(piece), self.width):
                one = piece[at : at + self.width]
                if self._is_report(int.from_bytes(one, "little")):
                    if good is not None:
                        good += one
                else:
                    if good is None:
                        good = bytearray(packed[: start + at])
                    _refuse(refused, (start + at) // self.width, "impossible")
        return packed if good is None else good, count - len(refused), refused

    def _number(self, report: Scalar) -> int | None:
        """The number of a report; None unless it is written as reports of this law are."""
        if self.numbers:
            return report if type(report) is int else None
        if type(report) is not str or len(report) != self._digits or not HEXADECIMAL.issuperset(report):
            return None
        return int(report, 16)

    def _as_array(self, reports: Sequence[Any]) -> NDArray[Any] | None:
        """Reports as an array; None where one of them is not written like a report."""
        if not self.numbers:
            return self._of_digits(reports)
        if set(map(type, reports)) != {int}:
            return None
        if min(reports) < 0 or max(reports) >> self._bits:
            return None
        return np.array(reports, dtype=np.uint64)

    def _of_digits(self, reports: Sequence[Any]) -> NDArray[Any] | None:
        """Reports that are written as hexadecimal digits, as an array."""
        if set(map(type, reports)) != {str} or set(map(len, reports)) != {self._digits}:
            return None
        if not HEXADECIMAL.issuperset(joined := "".join(reports)):
            return None
        missing = 2 * self.width - self._digits  # a digit, where they are odd
        digits = np.frombuffer(joined.encode(), dtype=np.uint8).reshape(-1, self._digits)
        padded = np.pad(digits, ((0, 0), (missing, 0)), constant_values=ord("0"))
        rows = np.frombuffer(bytes.fromhex(padded.tobytes().decode()), dtype=np.uint8).reshape(-1, self.width)
        return numbers_from_bytes(np.ascontiguousarray(rows[:, ::-1]).tobytes(), self.width)

    def _all_possible(self, reports: NDArray[Any]) -> bool:
        try:
            self._count(reports)
        except InvalidReport:
            return False
        return True


def _refuse(refused: Refusals, index: int, code: str) -> None:
    if len(refused) == MAX_REFUSED:
        raise HttpProblem(
            "impossible", f"more than {MAX_REFUSED} of the reports cannot be this law's, so none of them is taken"
        )
    refused.append((index, code))


PACKED = "application/vnd.discreet.reports"

MAX_REPORTS, MAX_REPORT_BYTES = 1_000_000, 1 << 22
"""The most reports of one upload, and the most bytes that they have when packed, which are stored in one commit."""

MAX_LINE_BYTES = 65_536
"""The most bytes of the line before packed reports."""

UPLOAD_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
"""What an idempotency key must look like."""

KEYS = (b'"fingerprint"', b'"reports"', b'"version"', b'"labels"')


class UploadBody(msgspec.Struct, forbid_unknown_fields=True):
    """The body of an upload in JSON."""

    fingerprint: str
    reports: list[Scalar]
    version: Literal[1]
    labels: msgspec.Raw = msgspec.Raw()


class PackedHeader(msgspec.Struct, forbid_unknown_fields=True):
    """The line before packed reports."""

    fingerprint: str
    version: Literal[1]
    labels: msgspec.Raw = msgspec.Raw()


MIN_QUOTES: dict[Any, int] = {UploadBody: 8, PackedHeader: 6}
"""The quotation marks of a body without labels whose reports are numbers."""

BODY_DECODER, HEADER_DECODER = msgspec.json.Decoder(UploadBody), msgspec.json.Decoder(PackedHeader)
NUMBERS, TEXTS, SCALARS = (msgspec.json.Decoder(list[kind]) for kind in (int, str, Scalar))  # type: ignore[valid-type]

REPORTS_BEGIN = re.compile(rb'"reports"[ \t\n\r]*:[ \t\n\r]*\[')
"""What comes before the reports of a body; no text in JSON can hold it, since quotation marks are escaped there."""


class DecodedUpload(msgspec.Struct, frozen=True):
    """The content of an upload: its labels, the possible reports, and the places of the refused ones."""

    labels: Labels
    reports: Packed
    count: int
    refused: Refusals


class UploadDecoder:
    """Decodes the uploads of one collection; what depends on its law alone is computed once."""

    def __init__(self, instrument: Instrument, labels: Mapping[str, tuple[str, ...]]) -> None:
        self._fingerprint, self._labels, self._validator = instrument.fingerprint, labels, ReportValidator(instrument)
        self._most = max(1, min(MAX_REPORTS, MAX_REPORT_BYTES // instrument.width))

    def decode(self, media_type: str, body: Body) -> DecodedUpload:
        """The content of an upload; `HttpProblem` if it cannot be taken as a whole."""
        if media_type != JSON:
            return self._decode_packed(body)
        if len(body) > SMALL_BODY_BYTES:
            return self._decode_large(body)
        sent = _read(BODY_DECODER, body)
        self._check(sent.fingerprint, len(sent.reports))
        labels = parse_labels(self._labels, bytes(sent.labels))
        return DecodedUpload(labels, *self._validator.validate_json([sent.reports]))

    def _decode_large(self, body: Body) -> DecodedUpload:
        """The content of a large body in JSON: what is around the reports, and then these, a piece at a time."""
        begin = REPORTS_BEGIN.search(body, 0, MAX_LINE_BYTES)
        start = begin.end() if begin else 0
        end = body.find(b"]", start)  # the end of the list, unless something in it has parts
        if begin is None or end < 0 or start + len(body) - end > MAX_LINE_BYTES:
            raise _not_an_upload()
        sent = _read(BODY_DECODER, body[:start] + body[end:])
        if sent.reports:  # another list, so that the one above is not where it should be
            raise _not_an_upload()
        self._check(sent.fingerprint, 1 + _count(body, b",", start, end))
        labels = parse_labels(self._labels, bytes(sent.labels))
        return DecodedUpload(labels, *self._validator.validate_json(self._pieces(body, start, end)))

    def _pieces(self, body: Body, start: int, end: int) -> Iterator[list[Scalar]]:
        """The reports between two places, some at a time.

        Where a cut falls into a text, a list or an object, the piece before it has one that does not end, and is
        refused; so what is accepted in pieces is what would be accepted whole.
        """
        expected = NUMBERS if self._validator.numbers else TEXTS
        while start >= 0:
            begun = time.perf_counter()
            cut = body.find(b",", min(start + PIECE_BYTES, end), end)
            piece = b"[%b]" % bytes(body[start : end if cut < 0 else cut])
            try:
                try:
                    reports: list[Scalar] = expected.decode(piece)
                except msgspec.ValidationError:
                    reports = SCALARS.decode(piece)
            except (ValueError, RecursionError):
                raise _not_an_upload() from None
            if not reports:  # between two commas
                raise _not_an_upload()
            yield reports
            start = cut + 1 if cut >= 0 else -1
            time.sleep(time.perf_counter() - begun)  # others have the interpreter for as long as this took

    def _decode_packed(self, body: Body) -> DecodedUpload:
        newline = body.find(b"\n", 0, MAX_LINE_BYTES + 1)
        if newline < 0:
            raise HttpProblem("json", "packed reports must follow a line of canonical JSON")
        line, packed = bytes(body[:newline]), memoryview(body)[newline + 1 :]
        header = _read(HEADER_DECODER, line)
        if canonical(loads(line, InvalidInput)).encode() != line:
            raise HttpProblem("json", "the line before packed reports must be canonical JSON: keys sorted, no spaces")
        width = self._validator.width
        if len(packed) % width:
            raise HttpProblem("json", f"packed reports must be a whole number of reports of {width} bytes each")
        self._check(header.fingerprint, len(packed) // width)
        return DecodedUpload(parse_labels(self._labels, bytes(header.labels)), *self._validator.validate_packed(packed))

    def _check(self, fingerprint: str, count: int) -> None:
        if fingerprint != self._fingerprint:
            raise HttpProblem("other_law", "fingerprint must be that of this collection's law")
        if not 1 <= count <= self._most:
            raise HttpProblem("count", f"an upload to this collection must hold 1 to {self._most} reports")


def _count(body: Body, byte: bytes, start: int, end: int) -> int:
    """How often a byte is between two places, counted in steps that let others run."""
    steps = range(start, end, 1 << 20)
    return sum(body.count(byte, step, min(step + (1 << 20), end)) for step in steps)


def _not_an_upload() -> HttpProblem:
    return HttpProblem(
        "json",
        "the body must be a JSON object with fingerprint, reports, version 1 and perhaps labels, each once, and "
        "nothing else; reports must be a list of numbers or texts",
    )


def _read(decoder: msgspec.json.Decoder[Any], body: Body) -> Any:
    """The body by its decoder, which does not notice repeated keys: wherever there may be one, a strict reader looks.

    With as few quotation marks as fingerprint, its text and the other keys take there is no room for one.
    """
    try:
        decoded = decoder.decode(body)
        if b"\\" in body or (
            body.count(b'"') > MIN_QUOTES[type(decoded)] and any(body.count(name) > 1 for name in KEYS)
        ):
            loads(bytes(body), InvalidInput)
    except (ValueError, RecursionError):
        raise _not_an_upload() from None
    return decoded


def parse_labels(declared: Mapping[str, tuple[str, ...]], text: bytes) -> Labels:
    """The labels in a JSON object, sorted by name; `HttpProblem` unless each was declared with this text."""
    if not text:
        return ()
    try:
        table = loads(text, InvalidInput)
    except InvalidInput:
        raise HttpProblem("json", "labels must be a JSON object without repeated keys") from None
    if not isinstance(table, dict):
        raise HttpProblem("json", "labels must be a JSON object")
    for name, value in table.items():
        if name not in declared or not isinstance(value, str) or value not in declared[name]:
            raise HttpProblem("label", "a label must be one that the collection declares, with one of its texts")
    return tuple(sorted(table.items()))
