"""Reports as JSON, text and packed bytes: one canonical form each, and anything else is refused.

JSON: a whole number where a report has at most 53 bits (so that every reader of JSON keeps it exactly),
else its lowercase hexadecimal digits, padded to the width of the largest report. Text: the same, as text.
Bytes: ceil(bits / 8) bytes, lowest first. Every report of a mechanism takes the same number of bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..core.errors import InvalidReport, MechanismMismatch, shown
from ..mechanisms.mechanism import Mechanism

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    report = mechanism.randomizer.check_report(report)
    return report if mechanism.bits <= EXACT_BITS else f"{report:0{_digits(mechanism)}x}"


def report_from_json(mechanism: Mechanism, data: object) -> int:
    """The report in JSON data; `InvalidReport` unless it is exactly what `report_to_json` gives."""
    if mechanism.bits <= EXACT_BITS:
        if isinstance(data, bool) or not isinstance(data, int):
            raise InvalidReport(f"report={shown(data)} must be a whole number")
        return mechanism.randomizer.check_report(data)
    digits = _digits(mechanism)
    if not isinstance(data, str) or len(data) != digits or not HEXADECIMAL.issuperset(data):
        raise InvalidReport(f"report={shown(data)} must be text of {digits} lowercase hexadecimal digits")
    return mechanism.randomizer.check_report(int(data, 16))


def report_to_text(mechanism: Mechanism, report: int) -> str:
    """A report as one line of text: its name, where reports have names."""
    if mechanism.report_names:
        return mechanism.report_names[mechanism.randomizer.check_report(report)]
    return str(report_to_json(mechanism, report))


def report_from_text(mechanism: Mechanism, text: str) -> int:
    """The report in a line of text; `InvalidReport` unless it is exactly what `report_to_text` gives."""
    if mechanism.report_names:
        if text not in mechanism.report_names:
            raise InvalidReport(f"report must be one of {', '.join(map(repr, mechanism.report_names))}")
        return mechanism.randomizer.check_report(list(mechanism.report_names).index(text))
    if mechanism.bits > EXACT_BITS:
        return report_from_json(mechanism, text)
    if not _is_whole(text):
        raise InvalidReport(f"report={shown(text)} must be a whole number")
    return mechanism.randomizer.check_report(int(text))


def report_to_bytes(mechanism: Mechanism, report: int) -> bytes:
    """A report as packed bytes, lowest byte first."""
    return mechanism.randomizer.check_report(report).to_bytes(byte_width(mechanism), "little")


def report_from_bytes(mechanism: Mechanism, data: bytes) -> int:
    """The report in packed bytes; `InvalidReport` if there are too few or too many, or the report cannot occur."""
    if len(data) != byte_width(mechanism):
        raise InvalidReport(f"report: {len(data)} bytes must be {byte_width(mechanism)}")
    return mechanism.randomizer.check_report(int.from_bytes(data, "little"))


# -- many at once -----------------------------------------------------------------------------------


def reports_to_json(mechanism: Mechanism, reports: NDArray[Any]) -> list[int] | list[str]:
    """Reports of `randomize_indices` as JSON data, one entry per report."""
    if mechanism.bits <= EXACT_BITS:
        whole: list[int] = reports.tolist()
        return whole
    digits = _digits(mechanism)
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
    from ..estimation.tally import as_batch

    if mechanism.report_names:
        return as_batch(mechanism.reports_of(texts), mechanism.bits)
    if mechanism.bits <= EXACT_BITS:
        found = _whole_numbers(texts)
        if found is None:
            first = next(text for text in texts if not _is_whole(text))
            raise InvalidReport(f"report={shown(first)} must be a whole number")
        return found
    digits = _digits(mechanism)
    wrong = next((text for text in texts if len(text) != digits or not HEXADECIMAL.issuperset(text)), None)
    if wrong is not None:
        raise InvalidReport(f"report={shown(wrong)} must be text of {digits} lowercase hexadecimal digits")
    return as_batch((int(text, 16) for text in texts), mechanism.bits)


def reports_to_bytes(mechanism: Mechanism, reports: NDArray[Any]) -> bytes:
    """Reports of `randomize_indices` as packed bytes, one after the other."""
    import numpy as np

    rows = np.ascontiguousarray(reports if reports.ndim == 2 else reports[:, None])
    rows = rows.astype(rows.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(rows.view(np.uint8)[:, : byte_width(mechanism)]).tobytes()


def reports_from_bytes(mechanism: Mechanism, data: bytes) -> NDArray[Any]:
    """Packed bytes as a batch for `Mechanism.tally`; the reports are checked when counted."""
    import numpy as np

    width = byte_width(mechanism)
    if len(data) % width:
        raise InvalidReport(f"{len(data)} bytes must be a whole number of reports of {width} bytes")
    columns = -(-width // 8)
    padded = np.zeros((len(data) // width, 8 * columns), dtype=np.uint8)
    padded[:, :width] = np.frombuffer(data, dtype=np.uint8).reshape(-1, width)
    rows = padded.view("<u8")
    return rows if columns > 1 else rows[:, 0]


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


def _digits(mechanism: Mechanism) -> int:
    return -(-mechanism.bits // 4)


def _is_whole(text: str) -> bool:
    """True for canonical decimal digits: no sign, no leading zero, no separators, at most 16 digits."""
    return 0 < len(text) <= 16 and DIGITS.issuperset(text) and (text[0] != "0" or text == "0")


def _whole_numbers(texts: list[str]) -> NDArray[Any] | None:
    """The numbers in these texts; None unless each is written as `_is_whole` says, but faster."""
    import numpy as np

    try:
        numbers = list(map(int, texts))
    except ValueError:
        return None
    small = not numbers or (min(numbers) >= 0 and max(numbers) < 10**16)
    return np.array(numbers, dtype=np.uint64) if small and list(map(str, numbers)) == texts else None
