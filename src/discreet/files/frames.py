"""Frames: a stream of reports is made of frames, which say who wrote the reports and that all of them are there.

A frame begins with a header, which names the mechanism by its fingerprint, and ends with a trailer, which counts the
reports between them. Each of these marks is an entry like a report, and stands where a report would; in JSON lines it
is an object of its own. It begins with `SIGN`, as no report does. Whatever is not a whole frame of the mechanism's own
reports is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from ..core.errors import InvalidInput, MechanismMismatch
from .columns import REPORT

VERSION = 1
"""The version of marks; another one is refused."""

SIGN = "#"
"""What every mark begins with."""

INSECURE = "insecure"
"""What stands behind the fingerprint of reports that were drawn from a seed, and can be undone by who knows it."""

HEADER = re.compile(rf"#discreet reports (0|[1-9][0-9]{{0,8}}) ([0-9a-f]{{64}}(?: {INSECURE})?)")
TRAILER = re.compile(r"#end (0|[1-9][0-9]{0,17})")


def mark_of(fingerprint: str, *, insecure: bool) -> str:
    """What reports are marked with: the fingerprint of their mechanism, and whether a seed drew them."""
    return f"{fingerprint} {INSECURE}" if insecure else fingerprint


def frame_header(mark: str) -> str:
    """The line that begins a frame of reports with this mark."""
    return f"#discreet reports {VERSION} {mark}"


def frame_trailer(count: int) -> str:
    """The line that ends a frame of so many reports."""
    return f"#end {count}"


def to_object(mark: str) -> dict[str, Any]:
    """A mark as the object that stands in JSON lines."""
    if trailer := TRAILER.fullmatch(mark):
        return {"discreet": "end", "reports": int(trailer[1])}
    version, fingerprint, *more = mark.split()[2:]
    insecure = {INSECURE: True} if more else {}
    return {"discreet": "reports", "version": int(version), "fingerprint": fingerprint, **insecure}


def from_object(data: Mapping[str, Any]) -> str | None:
    """The mark that an object of JSON lines is; None if it is none."""
    match dict(data):
        case {"discreet": "reports", "version": version, "fingerprint": str(fingerprint), **rest}:
            insecure = rest.pop(INSECURE, False)
            if rest or type(version) is not int or type(insecure) is not bool:
                return None
            return f"#discreet reports {version} {mark_of(fingerprint, insecure=insecure)}"
        case {"discreet": "end", "reports": count, **rest}:
            return None if rest or type(count) is not int else f"#end {count}"
    return None


UNMARKED = "--unmarked (in Python unmarked=True) accepts them unchecked"
"""What is said at the end of errors about reports that carry no mark."""


class ReportOrigin(Protocol):
    """What writes reports under its own fingerprint: a mechanism, or a form of several."""

    @property
    def name(self) -> str:
        """What errors call it."""
        ...

    @property
    def fingerprint(self) -> str:
        """What its marks name it by."""
        ...


def check_fingerprint(mechanism: ReportOrigin, mark: str | None, where: str, *, unmarked: bool = False) -> bool:
    """True for reports that a seed drew; an error for another mechanism's or, unless `unmarked`, those of nobody."""
    insecure = mark is not None and mark == mark_of(mechanism.fingerprint, insecure=True)
    if mark is None and not unmarked:
        raise InvalidInput(f"{where}: no mark says which mechanism wrote these reports; {UNMARKED}")
    if not insecure and mark not in (None, mechanism.fingerprint):
        raise MechanismMismatch(
            f"{where}: holds reports of another mechanism ({str(mark)[:12]}), "
            f"not of {mechanism.name} ({mechanism.fingerprint[:12]})"
        )
    return insecure


class FrameReader:
    """Follows the marks of one stream, and gives the reports between them.

    `name` is the stream's in errors. With `unmarked`, a stream that does not begin with a mark may do without any.
    `header` is the entry that may stand between frames: the name of the column, where CSV files were joined.
    """

    def __init__(self, mechanism: ReportOrigin, name: str, *, unmarked: bool = False, header: str = REPORT) -> None:
        self._mechanism, self._name, self._unmarked, self._header = mechanism, name, unmarked, header
        self._seen = 0
        self._frames = 0
        self._begun: int | None = None
        self._count = 0
        self._headed = False
        self.insecure = False
        """True as soon as a frame says that a seed drew its reports."""

    def runs(self, entries: Any, marked: Sequence[int]) -> Iterator[tuple[int, Any]]:
        """The runs of reports among the next entries, a list or an array, each with the number of its first entry.

        `marked` are the places of the marks.
        """
        begin = 0
        for place in (*marked, len(entries)):
            if begin < place:
                run = entries[begin:place]
                if self._are_reports(run):
                    yield self._seen + 1, run
                self._seen += len(run)
            if place < len(entries):
                self._follow(str(entries[place]))
                self._seen += 1
            begin = place + 1

    def close(self) -> None:
        """Raise an error unless the stream ends with the end of a frame."""
        if self._begun is not None or self._headed:
            raise InvalidInput(
                f"{self._name}: ends after {self._count} reports without the mark of a whole stream; "
                "it was cut short, or what wrote it failed"
            )
        if not self._seen and not self._unmarked:
            raise InvalidInput(f"{self._name}: is empty; even a stream of no reports has marks")

    def _are_reports(self, run: Any) -> bool:
        """True for reports, False for the header of the next frame; `InvalidInput` for what is neither."""
        if self._begun is not None:
            self._count += len(run)
            return True
        if not self._frames:
            check_fingerprint(self._mechanism, None, self._name, unmarked=self._unmarked)
            return True
        if len(run) == 1 and str(run[0]) == self._header and not self._headed:
            self._headed, self._count = True, 0
            return False
        raise InvalidInput(f"{self._where()}: this is neither a mark nor inside a frame")

    def _follow(self, mark: str) -> None:
        if header := HEADER.fullmatch(mark):
            self._open(int(header[1]), header[2])
        elif trailer := TRAILER.fullmatch(mark):
            self._end(int(trailer[1]))
        else:
            raise InvalidInput(f"{self._where()}: begins with {SIGN} and is not a mark")

    def _open(self, version: int, fingerprint: str) -> None:
        if version != VERSION:
            raise InvalidInput(f"{self._where()}: version={version} of marks must be {VERSION}, the only known version")
        self.insecure |= check_fingerprint(self._mechanism, fingerprint, self._name)
        if self._begun is not None:
            raise InvalidInput(f"{self._where()}: a frame begins, but the one of entry {self._begun} has not ended")
        if self._seen and not self._frames:
            raise InvalidInput(f"{self._where()}: a frame begins after reports that are in none")
        self._frames, self._begun, self._count, self._headed = self._frames + 1, self._seen + 1, 0, False

    def _end(self, count: int) -> None:
        if self._begun is None:
            raise InvalidInput(f"{self._where()}: a frame ends that did not begin")
        if count != self._count:
            raise InvalidInput(f"{self._where()}: the frame should hold {count} reports, but holds {self._count}")
        self._begun = None

    def _where(self) -> str:
        return f"{self._name}, entry {self._seen + 1}"


def marks_in(texts: list[str]) -> list[int]:
    """The places of the marks among these entries."""
    if SIGN not in "".join(texts):
        return []
    return [place for place, text in enumerate(texts) if text.startswith(SIGN)]
