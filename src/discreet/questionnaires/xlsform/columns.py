"""The columns of a sheet by what they are, and what becomes of those that a questionnaire has no place for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...core.errors import InvalidInput, shown
from .languages import code_of
from .workbook import Cell, Row, Sheet

ALIASES = {
    "survey": {
        "caption": "label", "command": "type", "tag": "name", "relevance": "relevant", "calculate": "calculation",
        "readonly": "read_only", "constraining message": "constraint_message", "constraint-msg": "constraint_message",
        "constraint message": "constraint_message", "requiredmsg": "required_message",
        "required message": "required_message", "repeat-count": "repeat_count", "bind::relevant": "relevant",
        "bind::required": "required", "bind::constraint": "constraint", "bind::calculate": "calculation",
        "control::appearance": "appearance", "body::appearance": "appearance", "media::image": "image",
        "media::audio": "audio", "media::video": "video", "media::big-image": "big-image",
        "bind::jr::constraintmsg": "constraint_message", "bind::jr::requiredmsg": "required_message",
        "bind::readonly": "read_only", "jr::count": "repeat_count", "control::jr::count": "repeat_count",
        "body::jr::count": "repeat_count",
    },
    "choices": {
        "list name": "list_name", "caption": "label", "value": "name", "media::image": "image",
        "media::audio": "audio", "media::video": "video", "media::big-image": "big-image",
    },
    "settings": {
        "set form title": "form_title", "title": "form_title", "set form id": "form_id", "id_string": "form_id",
    },
}  # fmt: skip
"""Other names of columns, as ODK reads them."""

TRANSLATED = {
    "survey": ("label", "hint", "guidance_hint", "constraint_message", "required_message", "image", "audio", "video",
               "big-image", "discreet_group", "discreet_unit"),
    "choices": ("label", "hint", "image", "audio", "video", "big-image"),
    "settings": ("discreet_title", "discreet_asker", "discreet_introduction", "discreet_consent", "discreet_thanks"),
}  # fmt: skip
"""The columns that may stand once for each language, as ``label::English (en)``."""

NO_MEDIA = "a questionnaire has no pictures, sounds or films"
FATES = {
    "survey": {
        "relevant": "the question is asked of everybody: give it an answer for those whom it is not about",
        "choice_filter": "every choice of the list is offered",
        "calculation": "nothing is calculated",
        "default": "no answer is filled in beforehand",
        "appearance": "a question is shown as its kind is",
        "constraint_message": "the limits of a number are named in the page's own words",
        "required_message": "a missing answer is named in the page's own words",
        "read_only": "an answer that nobody may change is not asked for",
        "repeat_count": "nothing is asked more than once",
        "parameters": "only start, end and step of a range are read",
        "guidance_hint": "only hint is shown",
        "image": NO_MEDIA, "audio": NO_MEDIA, "video": NO_MEDIA, "big-image": NO_MEDIA,
        "autoplay": NO_MEDIA,
        "trigger": "nothing is calculated",
    },
    "choices": {"image": NO_MEDIA, "audio": NO_MEDIA, "video": NO_MEDIA, "big-image": NO_MEDIA,
                "hint": "choices have no help of their own"},
    "settings": {
        "style": "the pages have their own style",
        "public_key": "reports are not encrypted as submissions of ODK are: they are randomized before they are sent",
        "submission_url": "the collector is named when the collection is made",
        "instance_name": "reports have no names",
        "allow_choice_duplicates": "a choice that a list repeats is one answer",
        "auto_send": "an answer is sent when the person sends it",
        "auto_delete": "an answer is kept on the person's device, so that it is not sent twice",
    },
}  # fmt: skip
"""What becomes of a column that has no place in a questionnaire."""

HARMLESS = ("appearance", "style", "auto_send", "auto_delete", "constraint_message", "required_message")
"""Columns whose loss changes nothing of what is asked, answered or promised."""


@dataclass(frozen=True)
class Remark:
    """One thing in a workbook that a questionnaire has no place for, or has otherwise, and what becomes of it.

    `lost` is False where the questionnaire still asks what the workbook does.
    """

    sheet: str
    row: int | None
    column: str
    text: str
    lost: bool = True

    def __str__(self) -> str:
        where = [f"sheet {self.sheet}", f"row {self.row}" if self.row else "", self.column and f"column {self.column}"]
        return f"{', '.join(part for part in where if part)}: {self.text}"


def listing(remarks: Iterable[Remark]) -> list[str]:
    """Lines that say all of them, those that differ only by their rows together."""
    rows: dict[Remark, list[int]] = {}
    for one in remarks:
        rows.setdefault(Remark(one.sheet, None, one.column, one.text, one.lost), []).append(one.row or 0)
    lines = []
    for one, numbers in rows.items():
        named = sorted({number for number in numbers if number})
        where = f"row{'s' if len(named) > 1 else ''} {_joined(named)}" if named else ""
        parts = (f"sheet {one.sheet}" if one.sheet else "", where, f"column {one.column}" if one.column else "")
        lines.append(f"{', '.join(part for part in parts if part)}: {one.text}")
    return lines


def _joined(numbers: list[int]) -> str:
    """Numbers in a row, ``4, 7-9``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


@dataclass(frozen=True)
class Entry:
    """A row of a sheet with its cells by column, those in several languages by (column, language)."""

    row: int
    cells: Mapping[str | tuple[str, str], Cell]

    def text(self, column: str) -> str:
        """A cell as text; "" for an empty one."""
        return str(self.cells.get(column, ""))

    def texts(self, column: str) -> dict[str, str]:
        """A cell in every language that has it; that of a column without a language is called ""."""
        return {
            key[1] if isinstance(key, tuple) else "": str(cell)
            for key, cell in self.cells.items()
            if (key[0] if isinstance(key, tuple) else key) == column
        }

    @property
    def columns(self) -> Iterator[str]:
        """The columns in which the row has something."""
        yield from dict.fromkeys(key[0] if isinstance(key, tuple) else key for key in self.cells)


class Table:
    """A sheet of an XLSForm: its entries below its headings, and the languages of its columns in order."""

    def __init__(self, sheet: Sheet, kind: str, remarks: list[Remark]) -> None:
        self.kind, self.name = kind, sheet.name
        heading, *rows = sheet.rows or (Row(1, {}),)
        self.languages: list[str] = []
        self._columns: dict[int, str | tuple[str, str]] = {}
        for place, cell in sorted(heading.cells.items()):
            if (key := self._column(str(cell), remarks)) is None:
                continue
            if key in self._columns.values():
                raise InvalidInput(f"sheet {self.name}: column {shown(str(cell))} must be there only once")
            self._columns[place] = key
        self.entries = [
            Entry(row.number, cells)
            for row in rows
            if (cells := {self._columns[place]: cell for place, cell in row.cells.items() if place in self._columns})
        ]
        for row, place in sheet.unknown:
            if place in self._columns:
                key = self._columns[place]
                column = "::".join(key) if isinstance(key, tuple) else key
                text = "a formula without a stored value is read as empty: open and save the workbook in a spreadsheet"
                remarks.append(Remark(self.name, row, column, text))

    def __contains__(self, column: str) -> bool:
        return any((key[0] if isinstance(key, tuple) else key) == column for key in self._columns.values())

    def _column(self, heading: str, remarks: list[Remark]) -> str | tuple[str, str] | None:
        """What a column is: its name, with its language if it has one; None for one in an unknown language."""
        written = re.sub(r"\s*::?\s*", "::", " ".join(heading.split()))
        aliases = ALIASES[self.kind]
        if (whole := aliases.get(written.lower(), written.lower())) in TRANSLATED[self.kind] or "::" not in written:
            return whole
        for column in (*TRANSLATED[self.kind], *aliases):
            if written.lower().startswith(f"{column}::"):
                known = aliases.get(column, column)
                if known not in TRANSLATED[self.kind]:
                    continue
                language = written[len(column) + 2 :]
                if (code := code_of(language)) is None:
                    text = f"a language without a known code is left out: name the column {column}::{language} (xx)"
                    remarks.append(Remark(self.name, None, heading, text))
                    return None
                if code not in self.languages:
                    self.languages.append(code)
                return known, code
        return whole
