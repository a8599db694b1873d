"""Uploads as they are sent, JSON or packed: read strictly, and sifted."""

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
from .problems import Problem
from .sieve import Refusals, Sieve

JSON = "application/json"
PACKED = "application/vnd.discreet.reports"

MOST_REPORTS = 1_000_000
"""The most reports of one upload."""

HEADER_LINE = 65_536
"""The most bytes of the line before packed reports."""

KEY = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
"""An upload's number, as its sender may give it."""

NAMES = (b'"fingerprint"', b'"reports"', b'"version"', b'"labels"')


class Sent(msgspec.Struct, forbid_unknown_fields=True):
    """The body of an upload in JSON."""

    fingerprint: str
    reports: list[Any]
    version: Literal[1]
    labels: msgspec.Raw = msgspec.Raw()


class Header(msgspec.Struct, forbid_unknown_fields=True):
    """The line before packed reports."""

    fingerprint: str
    version: Literal[1]
    labels: msgspec.Raw = msgspec.Raw()


FEWEST: dict[Any, int] = {Sent: 8, Header: 6}
"""The quotation marks of a body without labels whose reports are numbers."""

SENT, HEADER = msgspec.json.Decoder(Sent), msgspec.json.Decoder(Header)


class Decoded(msgspec.Struct, frozen=True):
    """What an upload holds: its labels, the reports that the law can have written, and the places of the others."""

    labels: Labels
    reports: bytes
    count: int
    refused: Refusals


class Decoder:
    """Decodes the uploads of one collection; everything that depends on its law alone is worked out before."""

    def __init__(self, mechanism: Mechanism, labels: Mapping[str, tuple[str, ...]]) -> None:
        self._fingerprint, self._labels, self._sieve = mechanism.fingerprint, labels, Sieve(mechanism)

    def decode(self, media_type: str, body: bytes) -> Decoded:
        """What an upload holds; `Problem` if it cannot be taken as a whole."""
        if media_type == JSON:
            sent = _read(SENT, body)
            self._check(sent.fingerprint, len(sent.reports))
            labels = labels_of(self._labels, bytes(sent.labels))
            return Decoded(labels, *self._sieve.data(sent.reports))
        line, found, packed = body.partition(b"\n")
        if not found or len(line) > HEADER_LINE:
            raise Problem("json", "packed reports must follow a line of canonical JSON")
        header = _read(HEADER, line)
        if canonical(loads(line, InvalidInput)).encode() != line:
            raise Problem("json", "the line before packed reports must be canonical JSON: keys sorted, no spaces")
        width = self._sieve.width
        if len(packed) % width:
            raise Problem("json", f"packed reports must be a whole number of reports of {width} bytes each")
        self._check(header.fingerprint, len(packed) // width)
        return Decoded(labels_of(self._labels, bytes(header.labels)), *self._sieve.packed(packed))

    def _check(self, fingerprint: str, count: int) -> None:
        if fingerprint != self._fingerprint:
            raise Problem("other_law", "fingerprint must be that of this collection's law")
        if not 1 <= count <= MOST_REPORTS:
            raise Problem("count", f"an upload must hold 1 to {MOST_REPORTS} reports")


def _read(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    """The body by its decoder, which does not notice repeated keys: wherever there may be one, a strict reader looks.

    With as few quotation marks as fingerprint, its text and the other keys take there is no room for one.
    """
    try:
        found = decoder.decode(body)
        if b"\\" in body or (body.count(b'"') > FEWEST[type(found)] and any(body.count(name) > 1 for name in NAMES)):
            loads(body, InvalidInput)
    except (ValueError, RecursionError):
        raise Problem(
            "json",
            "the body must be a JSON object with fingerprint, reports, version 1 and perhaps labels, each once, "
            "and nothing else",
        ) from None
    return found


def labels_of(declared: Mapping[str, tuple[str, ...]], written: bytes) -> Labels:
    """The labels in a JSON object, sorted by name; `Problem` unless each was declared with this text."""
    if not written:
        return ()
    try:
        table = loads(written, InvalidInput)
    except InvalidInput:
        raise Problem("json", "labels must be a JSON object without repeated keys") from None
    if not isinstance(table, dict):
        raise Problem("json", "labels must be a JSON object")
    for name, text in table.items():
        if name not in declared or not isinstance(text, str) or text not in declared[name]:
            raise Problem("label", "a label must be one that the collection declares, with one of its texts")
    return tuple(sorted(table.items()))
