"""Uploads, JSON or packed, decoded strictly and without the reports that the law cannot have written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...bulk.report_files import reports_from_bytes, reports_to_bytes
from ...core.canonical import canonical, loads
from ...core.errors import InvalidInput, InvalidReport
from ...estimation.decoders import decoder_of
from ...mechanisms.mechanism import Mechanism
from ...wire.reports import EXACT_BITS, HEXADECIMAL, byte_width
from ..store.protocol import Labels
from .response import JSON, HttpProblem

MAX_REFUSED = 10_000
"""The most refused reports that an answer lists; an upload with more is not one of this law, and is refused whole."""

MAX_SCALAR_REPORTS = 64
"""Up to so many reports are checked one by one, which is faster than an array."""

CHUNK_REPORTS = 4096
"""Packed reports that are checked together once one of an upload is known to be impossible."""

Refusals = list[tuple[int, str]]
"""The places of refused reports, in order, with a code: ``form`` (not written like a report) or ``impossible``."""

Validated = tuple[bytes, int, Refusals]
"""The possible reports, packed, how many they are, and the places of the others."""


class ReportValidator:
    """Separates the possible from the impossible reports of one law."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism, self._sampler, self._decoder = mechanism, mechanism.sampler, decoder_of(mechanism)
        self._bits, self.width = mechanism.bits, byte_width(mechanism)
        self._numbers = self._bits <= EXACT_BITS
        self._digits = -(-self._bits // 4)

    def validate_json(self, reports: Sequence[Any]) -> Validated:
        """Validate reports as JSON writes them."""
        array = self._as_array(reports) if len(reports) > MAX_SCALAR_REPORTS else None
        if array is not None and self._all_possible(array):
            return reports_to_bytes(self._mechanism, array), len(reports), []
        good: list[bytes] = []
        refused: Refusals = []
        for index, report in enumerate(reports):
            number = self._number(report)
            if number is None:
                _refuse(refused, index, "form")
            elif number < 0 or not self._sampler.is_report(number):
                _refuse(refused, index, "impossible")
            else:
                good.append(number.to_bytes(self.width, "little"))
        return b"".join(good), len(good), refused

    def validate_packed(self, packed: bytes) -> Validated:
        """Validate packed reports."""
        count = len(packed) // self.width
        if count > MAX_SCALAR_REPORTS and self._all_possible(reports_from_bytes(self._mechanism, packed)):
            return packed, count, []
        good: list[bytes] = []
        refused: Refusals = []
        for start in range(0, count, CHUNK_REPORTS):
            chunk = packed[start * self.width : (start + CHUNK_REPORTS) * self.width]
            if count > MAX_SCALAR_REPORTS and self._all_possible(reports_from_bytes(self._mechanism, chunk)):
                good.append(chunk)
                continue
            for place in range(len(chunk) // self.width):
                one = chunk[place * self.width : (place + 1) * self.width]
                if self._sampler.is_report(int.from_bytes(one, "little")):
                    good.append(one)
                else:
                    _refuse(refused, start + place, "impossible")
        return b"".join(good), count - len(refused), refused

    def _number(self, report: Any) -> int | None:
        """The number of a report; None unless it is written as reports of this law are."""
        if self._numbers:
            return report if type(report) is int else None
        well_formed = type(report) is str and len(report) == self._digits and HEXADECIMAL.issuperset(report)
        return int(report, 16) if well_formed else None

    def _as_array(self, reports: Sequence[Any]) -> NDArray[Any] | None:
        """Whole numbers as an array; None where there is anything else among them, or reports are written as text."""
        if not self._numbers or set(map(type, reports)) != {int}:
            return None
        if min(reports) < 0 or max(reports) >> self._bits:
            return None
        return np.array(reports, dtype=np.uint64)

    def _all_possible(self, reports: NDArray[Any]) -> bool:
        try:
            self._decoder.count(np.zeros(self._decoder.cells, dtype=np.int64), reports, 0)
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

MAX_REPORTS = 1_000_000
"""The most reports of one upload."""

MAX_LINE_BYTES = 65_536
"""The most bytes of the line before packed reports."""

UPLOAD_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
"""What an idempotency key must look like."""

KEYS = (b'"fingerprint"', b'"reports"', b'"version"', b'"labels"')


class UploadBody(msgspec.Struct, forbid_unknown_fields=True):
    """The body of an upload in JSON."""

    fingerprint: str
    reports: list[Any]
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


class DecodedUpload(msgspec.Struct, frozen=True):
    """The content of an upload: its labels, the possible reports, and the places of the refused ones."""

    labels: Labels
    reports: bytes
    count: int
    refused: Refusals


class UploadDecoder:
    """Decodes the uploads of one collection; what depends on its law alone is computed once."""

    def __init__(self, mechanism: Mechanism, labels: Mapping[str, tuple[str, ...]]) -> None:
        self._fingerprint, self._labels, self._validator = mechanism.fingerprint, labels, ReportValidator(mechanism)

    def decode(self, media_type: str, body: bytes) -> DecodedUpload:
        """The content of an upload; `HttpProblem` if it cannot be taken as a whole."""
        if media_type == JSON:
            sent = _read(BODY_DECODER, body)
            self._check(sent.fingerprint, len(sent.reports))
            labels = parse_labels(self._labels, bytes(sent.labels))
            return DecodedUpload(labels, *self._validator.validate_json(sent.reports))
        line, newline, packed = body.partition(b"\n")
        if not newline or len(line) > MAX_LINE_BYTES:
            raise HttpProblem("json", "packed reports must follow a line of canonical JSON")
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
        if not 1 <= count <= MAX_REPORTS:
            raise HttpProblem("count", f"an upload must hold 1 to {MAX_REPORTS} reports")


def _read(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    """The body by its decoder, which does not notice repeated keys: wherever there may be one, a strict reader looks.

    With as few quotation marks as fingerprint, its text and the other keys take there is no room for one.
    """
    try:
        decoded = decoder.decode(body)
        if b"\\" in body or (
            body.count(b'"') > MIN_QUOTES[type(decoded)] and any(body.count(name) > 1 for name in KEYS)
        ):
            loads(body, InvalidInput)
    except (ValueError, RecursionError):
        raise HttpProblem(
            "json",
            "the body must be a JSON object with fingerprint, reports, version 1 and perhaps labels, each once, "
            "and nothing else",
        ) from None
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
