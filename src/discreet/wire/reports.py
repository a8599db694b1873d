"""Reports as JSON, text and packed bytes: one canonical form each, and anything else is refused.

JSON: a whole number where a report has at most 53 bits (so that every reader of JSON keeps it exactly),
else its lowercase hexadecimal digits, padded to the width of the largest report. Text: the same, as text.
Bytes: ceil(bits / 8) bytes, lowest first. Every report of a mechanism takes the same number of bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.errors import InvalidReport, MechanismMismatch, shown
from ..mechanisms.mechanism import Mechanism

EXACT_BITS = 53
"""The widest report written as a JSON number: a double holds it exactly."""

VERSION = 1
"""The version of the envelope around reports."""

DIGITS = frozenset("0123456789")
HEXADECIMAL = frozenset("0123456789abcdef")


def byte_width(mechanism: Mechanism) -> int:
    """The number of bytes of every packed report."""
    return -(-mechanism.bits // 8)


def report_to_json(mechanism: Mechanism, report: int) -> int | str:
    """A report as JSON data."""
    return number_to_json(mechanism.sampler.check_report(report), mechanism.bits)


def report_from_json(mechanism: Mechanism, data: object) -> int:
    """The report in JSON data; `InvalidReport` unless it is exactly what `report_to_json` gives."""
    return mechanism.sampler.check_report(number_from_json(data, mechanism.bits))


def number_to_json(number: int, bits: int) -> int | str:
    """A report of so many bits as JSON data; whether it can occur is not looked at."""
    return number if bits <= EXACT_BITS else f"{number:0{-(-bits // 4)}x}"


def number_from_json(data: object, bits: int) -> int:
    """The number in JSON data that `number_to_json` gives; `InvalidReport` if it is written in any other way."""
    if bits <= EXACT_BITS:
        if isinstance(data, bool) or not isinstance(data, int):
            raise InvalidReport(f"report={shown(data)} must be a whole number")
        return data
    digits = -(-bits // 4)
    if not isinstance(data, str) or len(data) != digits or not HEXADECIMAL.issuperset(data):
        raise InvalidReport(f"report={shown(data)} must be text of {digits} lowercase hexadecimal digits")
    return int(data, 16)


def report_to_text(mechanism: Mechanism, report: int) -> str:
    """A report as one line of text: its name, where reports have names."""
    if mechanism.report_names:
        return mechanism.report_names[mechanism.sampler.check_report(report)]
    return str(report_to_json(mechanism, report))


def report_from_text(mechanism: Mechanism, text: str) -> int:
    """The report in a line of text; `InvalidReport` unless it is exactly what `report_to_text` gives."""
    if mechanism.report_names:
        if text not in mechanism.report_names:
            raise InvalidReport(f"report must be one of {', '.join(map(repr, mechanism.report_names))}")
        return mechanism.sampler.check_report(list(mechanism.report_names).index(text))
    if mechanism.bits > EXACT_BITS:
        return report_from_json(mechanism, text)
    if not is_whole_text(text):
        raise InvalidReport(f"report={shown(text)} must be a whole number")
    return mechanism.sampler.check_report(int(text))


def report_to_bytes(mechanism: Mechanism, report: int) -> bytes:
    """A report as packed bytes, lowest byte first."""
    return mechanism.sampler.check_report(report).to_bytes(byte_width(mechanism), "little")


def report_from_bytes(mechanism: Mechanism, data: bytes) -> int:
    """The report in packed bytes; `InvalidReport` if there are too few or too many, or the report cannot occur."""
    if len(data) != byte_width(mechanism):
        raise InvalidReport(f"report: {len(data)} bytes must be {byte_width(mechanism)}")
    return mechanism.sampler.check_report(int.from_bytes(data, "little"))


def reports_to_envelope(mechanism: Mechanism, reports: Iterable[int]) -> dict[str, Any]:
    """Reports with the fingerprint of the mechanism that wrote them, as JSON data."""
    written = [report_to_json(mechanism, report) for report in reports]
    return {"version": VERSION, "fingerprint": mechanism.fingerprint, "reports": written}


def reports_from_envelope(mechanism: Mechanism, data: object) -> list[int]:
    """The reports of an envelope; `MechanismMismatch` if another mechanism wrote them."""
    if not isinstance(data, dict) or set(data) != {"version", "fingerprint", "reports"}:
        raise InvalidReport("an envelope must hold version, fingerprint and reports, and nothing else")
    if data["version"] != VERSION or isinstance(data["version"], bool):
        raise InvalidReport(f"version={shown(data['version'])} must be {VERSION}, the only known version")
    if data["fingerprint"] != mechanism.fingerprint:
        raise MechanismMismatch(
            f"reports with fingerprint {shown(data['fingerprint'])} were not written by {mechanism.name} "
            f"({mechanism.fingerprint[:12]})"
        )
    if not isinstance(data["reports"], list):
        raise InvalidReport("reports must be a list")
    return [report_from_json(mechanism, report) for report in data["reports"]]


def hex_digits(mechanism: Mechanism) -> int:
    """How many hexadecimal digits the JSON of every wide report has."""
    return -(-mechanism.bits // 4)


def is_whole_text(text: str) -> bool:
    """True for canonical decimal digits: no sign, no leading zero, no separators, at most 16 digits."""
    return 0 < len(text) <= 16 and DIGITS.issuperset(text) and (text[0] != "0" or text == "0")
