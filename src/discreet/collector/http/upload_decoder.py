"""Decodes uploads, JSON or packed: strictly, and without the reports that the law cannot have written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from ...core.canonical import canonical
from ...core.errors import InvalidInput
from ...core.strict_json import loads
from ...mechanisms.mechanism import Mechanism
from ..store.protocol import Labels
from .problems import HttpProblem
from .report_validator import Refusals, ReportValidator
from .response import JSON

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
