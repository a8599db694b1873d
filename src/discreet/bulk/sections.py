"""The sections of a stream of reports: whose they are and whether they are whole, checked as the entries come.

What marks look like is said in `discreet.files.marks`. Whatever is not a whole section of the mechanism's own reports
is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from ..core.errors import InvalidInput, MechanismMismatch
from ..files.columns import REPORT
from ..files.marks import END, OPENING, SIGN, VERSION

UNMARKED = "--unmarked (in Python unmarked=True) accepts them unchecked"
"""What is said at the end of errors about reports that carry no mark."""


class Whose(Protocol):
    """What writes reports under its own fingerprint: a mechanism, or a form of several."""

    @property
    def name(self) -> str:
        """What errors call it."""
        ...

    @property
    def fingerprint(self) -> str:
        """What its marks name it by."""
        ...


def check_mark(mechanism: Whose, mark: str | None, where: str, *, unmarked: bool = False) -> None:
    """Raise an error for reports marked as another mechanism's or, unless `unmarked`, as nobody's."""
    if mark is None and not unmarked:
        raise InvalidInput(f"{where}: no mark says which mechanism wrote these reports; {UNMARKED}")
    if mark not in (None, mechanism.fingerprint):
        raise MechanismMismatch(
            f"{where}: holds reports of another mechanism ({str(mark)[:12]}), "
            f"not of {mechanism.name} ({mechanism.fingerprint[:12]})"
        )


class Sections:
    """Follows the marks of one stream, and gives the reports between them.

    `name` is the stream's in errors. With `unmarked`, a stream that does not begin with a mark may do without any.
    `header` is the entry that may stand between sections: the name of the column, where CSV files were joined.
    """

    def __init__(self, mechanism: Whose, name: str, *, unmarked: bool = False, header: str = REPORT) -> None:
        self._mechanism, self._name, self._unmarked, self._header = mechanism, name, unmarked, header
        self._seen = 0
        self._sections = 0
        self._begun: int | None = None
        self._count = 0
        self._headed = False

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
        """Raise an error unless the stream ends with the end of a section."""
        if self._begun is not None or self._headed:
            raise InvalidInput(
                f"{self._name}: ends after {self._count} reports without the mark of a whole stream; "
                "it was cut short, or what wrote it failed"
            )
        if not self._seen and not self._unmarked:
            raise InvalidInput(f"{self._name}: is empty; even a stream of no reports has marks")

    def _are_reports(self, run: Any) -> bool:
        """True for reports, False for the header of the next section; `InvalidInput` for what is neither."""
        if self._begun is not None:
            self._count += len(run)
            return True
        if not self._sections:
            check_mark(self._mechanism, None, self._name, unmarked=self._unmarked)
            return True
        if len(run) == 1 and str(run[0]) == self._header and not self._headed:
            self._headed, self._count = True, 0
            return False
        raise InvalidInput(f"{self._where()}: this is neither a mark nor inside a section")

    def _follow(self, mark: str) -> None:
        if found := OPENING.fullmatch(mark):
            self._open(int(found[1]), found[2])
        elif found := END.fullmatch(mark):
            self._end(int(found[1]))
        else:
            raise InvalidInput(f"{self._where()}: begins with {SIGN} and is not a mark")

    def _open(self, version: int, fingerprint: str) -> None:
        if version != VERSION:
            raise InvalidInput(f"{self._where()}: version={version} of marks must be {VERSION}, the only known version")
        check_mark(self._mechanism, fingerprint, self._name)
        if self._begun is not None:
            raise InvalidInput(f"{self._where()}: a section begins, but the one of entry {self._begun} has not ended")
        if self._seen and not self._sections:
            raise InvalidInput(f"{self._where()}: a section begins after reports that are in none")
        self._sections, self._begun, self._count, self._headed = self._sections + 1, self._seen + 1, 0, False

    def _end(self, count: int) -> None:
        if self._begun is None:
            raise InvalidInput(f"{self._where()}: a section ends that did not begin")
        if count != self._count:
            raise InvalidInput(f"{self._where()}: the section should hold {count} reports, but holds {self._count}")
        self._begun = None

    def _where(self) -> str:
        return f"{self._name}, entry {self._seen + 1}"


def marks_in(texts: list[str]) -> list[int]:
    """The places of the marks among these entries."""
    if SIGN not in "".join(texts):
        return []
    return [place for place, text in enumerate(texts) if text.startswith(SIGN)]
