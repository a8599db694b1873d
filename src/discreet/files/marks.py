"""Marks: the entries around the reports of a stream, which say who wrote them and that all of them are there.

A stream of reports is made of sections, one after the other. A section begins with an opening, which names the
mechanism by its fingerprint, and ends with an end, which counts the reports between them. A mark is an entry like a
report, and stands where a report would; in JSON lines it is an object of its own. It begins with `SIGN`, as no
report does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

VERSION = 1
"""The version of marks; another one is refused."""

SIGN = "#"
"""What every mark begins with."""

OPENING = re.compile(r"#discreet reports (0|[1-9][0-9]{0,8}) ([0-9a-f]{64})")
END = re.compile(r"#end (0|[1-9][0-9]{0,17})")


def opening(fingerprint: str) -> str:
    """The mark that a section begins with."""
    return f"#discreet reports {VERSION} {fingerprint}"


def ending(count: int) -> str:
    """The mark that a section of so many reports ends with."""
    return f"#end {count}"


def as_object(mark: str) -> dict[str, Any]:
    """A mark as the object that stands in JSON lines."""
    if found := END.fullmatch(mark):
        return {"discreet": "end", "reports": int(found[1])}
    version, fingerprint = mark.split()[-2:]
    return {"discreet": "reports", "version": int(version), "fingerprint": fingerprint}


def of_object(data: Mapping[str, Any]) -> str | None:
    """The mark that an object of JSON lines is; None if it is none."""
    match dict(data):
        case {"discreet": "reports", "version": version, "fingerprint": str(fingerprint), **rest}:
            return None if rest or type(version) is not int else f"#discreet reports {version} {fingerprint}"
        case {"discreet": "end", "reports": count, **rest}:
            return None if rest or type(count) is not int else f"#end {count}"
    return None
