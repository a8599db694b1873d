"""Uploads as they are sent, JSON or packed: read strictly, each report checked, and what is refused listed by index."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..canonical import canonical
from ..errors import InvalidInput, InvalidReport
from ..mechanisms.mechanism import Mechanism
from ..statistics.numeric import NUMERIC
from ..strict_json import loads
from ..wire.reports import EXACT_BITS, HEXADECIMAL, byte_width, reports_from_bytes, reports_to_bytes
from .problems import Problem
from .store import Labels

JSON = "application/json"
PACKED = "application/vnd.discreet.reports"

MOST_REPORTS = 1_000_000
"""The most reports of one upload."""

MOST_REFUSED = 10_000
"""The most refused reports that an answer lists; an upload with more is not one of this law, and is refused whole."""

FEW = 64
"""Up to so many reports are checked one by one, which is faster than an array."""

STEP = 4096
"""Packed reports that are checked together once one of an upload is known to be impossible."""

HEADER_LINE = 65_536
"""The most bytes of the line before packed reports."""

KEYS = (b'"fingerprint"', b'"reports"', b'"version"', b'"labels"')
KEY = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
"""An upload's number, as its sender may give it."""

Refusals = list[tuple[int, str]]
"""The places of refused reports, in order, with a code: ``form`` (not written like a report) or ``impossible``."""


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


DECODER, HEADERS = msgspec.json.Decoder(Sent), msgspec.json.Decoder(Header)


@dataclass(frozen=True)
class Decoded:
    """What an upload holds: its labels, the reports that the law can have written, and the places of the others."""

    labels: Labels
    reports: bytes
    count: int
    refused: Refusals


def decode(mechanism: Mechanism, declared: Mapping[str, tuple[str, ...]], media_type: str, body: bytes) -> Decoded:
    """What an upload holds; `Problem` if it cannot be taken as a whole."""
    if media_type == JSON:
        sent = _read(DECODER, body)
        _check_law(mechanism, sent.fingerprint)
        labels = labels_of(declared, bytes(sent.labels))
        _check_count(len(sent.reports))
        return Decoded(labels, *_checked(mechanism, sent.reports))
    line, found, packed = body.partition(b"\n")
    if not found or len(line) > HEADER_LINE:
        raise Problem("json", "packed reports must follow a line of canonical JSON")
    header = _read(HEADERS, line)
    if canonical(loads(line, InvalidInput)).encode() != line:
        raise Problem("json", "the line before packed reports must be canonical JSON: keys sorted, no spaces")
    _check_law(mechanism, header.fingerprint)
    labels = labels_of(declared, bytes(header.labels))
    width = byte_width(mechanism)
    if len(packed) % width:
        raise Problem("json", f"packed reports must be a whole number of reports of {width} bytes each")
    _check_count(len(packed) // width)
    return Decoded(labels, *_checked_packed(mechanism, packed))


def _read(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    """The body by its decoder, which does not notice repeated keys: wherever there may be one, a strict one looks."""
    try:
        found = decoder.decode(body)
        if b"\\" in body or any(body.count(key) > 1 for key in KEYS):
            loads(body, InvalidInput)
    except (ValueError, RecursionError):
        raise Problem(
            "json",
            "the body must be a JSON object with fingerprint, reports, version 1 and perhaps labels, each once, "
            "and nothing else",
        ) from None
    return found


def _check_law(mechanism: Mechanism, fingerprint: str) -> None:
    if fingerprint != mechanism.fingerprint:
        raise Problem("other_law", "fingerprint must be that of this collection's law")


def _check_count(count: int) -> None:
    if not 1 <= count <= MOST_REPORTS:
        raise Problem("count", f"an upload must hold 1 to {MOST_REPORTS} reports")


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


# -- reports ----------------------------------------------------------------------------------------


def _checked(mechanism: Mechanism, reports: Sequence[Any]) -> tuple[bytes, int, Refusals]:
    """Reports as JSON data: packed where they are good, and the places of the others."""
    array = _as_array(mechanism, reports) if len(reports) > FEW else None
    if array is not None and _all_possible(mechanism, array):
        return reports_to_bytes(mechanism, array), len(reports), []
    width, randomizer, read = byte_width(mechanism), mechanism.randomizer, _reader(mechanism)
    good: list[bytes] = []
    refused: Refusals = []
    for index, report in enumerate(reports):
        number = read(report)
        if number is None:
            _refuse(refused, index, "form")
        elif number < 0 or not randomizer.is_report(number):
            _refuse(refused, index, "impossible")
        else:
            good.append(number.to_bytes(width, "little"))
    return b"".join(good), len(good), refused


def _reader(mechanism: Mechanism) -> Callable[[Any], int | None]:
    """From the JSON data of a report to its number; None unless it is written as reports of the mechanism are."""
    if mechanism.bits <= EXACT_BITS:
        return lambda report: report if type(report) is int else None
    digits = -(-mechanism.bits // 4)

    def read(report: Any) -> int | None:
        hexadecimal = type(report) is str and len(report) == digits and HEXADECIMAL.issuperset(report)
        return int(report, 16) if hexadecimal else None

    return read


def _as_array(mechanism: Mechanism, reports: Sequence[Any]) -> NDArray[Any] | None:
    """Whole numbers as an array; None where there is anything else among them, or reports are written as text."""
    if mechanism.bits > EXACT_BITS or set(map(type, reports)) != {int}:
        return None
    if min(reports) < 0 or max(reports) >> mechanism.bits:
        return None
    return np.array(reports, dtype=np.uint64)


def _checked_packed(mechanism: Mechanism, packed: bytes) -> tuple[bytes, int, Refusals]:
    width, count = byte_width(mechanism), len(packed) // byte_width(mechanism)
    if count > FEW and _all_possible(mechanism, reports_from_bytes(mechanism, packed)):
        return packed, count, []
    good: list[bytes] = []
    refused: Refusals = []
    for start in range(0, count, STEP):
        piece = packed[start * width : (start + STEP) * width]
        if len(piece) > FEW * width and _all_possible(mechanism, reports_from_bytes(mechanism, piece)):
            good.append(piece)
            continue
        for place, one in _pieces(piece, width):
            if mechanism.randomizer.is_report(int.from_bytes(one, "little")):
                good.append(one)
            else:
                _refuse(refused, start + place, "impossible")
    return b"".join(good), count - len(refused), refused


def _pieces(packed: bytes, width: int) -> Iterator[tuple[int, bytes]]:
    return ((place, packed[place * width : (place + 1) * width]) for place in range(len(packed) // width))


def _all_possible(mechanism: Mechanism, reports: NDArray[Any]) -> bool:
    """True if the law can have written every one of these reports."""
    randomizer = mechanism.randomizer
    try:
        randomizer.count(np.zeros(randomizer.cells, dtype=np.int64), reports, 0, NUMERIC)
    except InvalidReport:
        return False
    return True


def _refuse(refused: Refusals, index: int, code: str) -> None:
    if len(refused) == MOST_REFUSED:
        raise Problem(
            "impossible", f"more than {MOST_REFUSED} of the reports cannot be this law's, so none of them is taken"
        )
    refused.append((index, code))
