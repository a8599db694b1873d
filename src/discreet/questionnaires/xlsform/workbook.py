"""Workbooks (.xlsx) as plain rows of text and numbers, and back; formulas are read by their values only.

A workbook comes from somebody else: what it unpacks to is counted before anything of it is parsed, and a part that
declares entities is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from ...core.documents import read_document, replacing
from ...core.errors import BeyondLimits, InvalidInput, MissingExtra, shown

SUFFIXES = (".xlsx", ".xlsm")
MAX_PARTS = 2_000
"""The most files inside a workbook."""
MAX_UNPACKED = 1 << 25
"""The most bytes that a workbook unpacks to."""
MAX_TAGS = 2_000_000
"""The most tags of all its parts; parsing them takes some ten seconds."""
MAX_ROWS = 20_000
"""The most rows of a sheet, empty ones between others included."""
MAX_COLUMNS = 400
MAX_CELLS = 4_000_000
"""The most cells of a sheet, empty ones before others included."""
MAX_CELL = 32_767
"""The most characters that a cell holds."""

Cell = str | int
"""What a cell holds, here: text, or a whole number; any other number, a date or a truth value is text."""


@dataclass(frozen=True)
class Row:
    """The cells of a row that are not empty, by the number of their column; `number` is that of the spreadsheet."""

    number: int
    cells: Mapping[int, Cell]


@dataclass(frozen=True)
class Sheet:
    """The rows of a sheet that are not empty, and the cells with a formula that has no stored value."""

    name: str
    rows: Sequence[Row]
    unknown: Sequence[tuple[int, int]] = ()


def read_workbook(path: str | Path) -> dict[str, Sheet]:
    """The sheets of a workbook by their names, in order; `InvalidInput` if it is none, `BeyondLimits` if too large."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"{path}: an XLSForm must be an .xlsx file; save others, such as .xls, as .xlsx")
    content = read_document(path)
    openpyxl = _openpyxl()
    has_formulas = _check_parts(content, str(path))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about charts and styles, which nobody reads here
            values = list(_sheets(openpyxl, content, data_only=True))
            written = list(_sheets(openpyxl, content, data_only=False)) if has_formulas else values
    except (BeyondLimits, InvalidInput) as problem:
        raise type(problem)(f"{path}: {problem}") from None
    except Exception:  # whatever a parser of another project raises for a damaged file
        raise InvalidInput(f"{path}: this is not a workbook that can be read; save it again as .xlsx") from None
    return {
        name: Sheet(name, rows, _unknown(rows, other)) for (name, rows), (_, other) in zip(values, written, strict=True)
    }


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtra("openpyxl", "xlsform") from None
    return openpyxl


def _check_parts(content: bytes, path: str) -> bool:
    """True if a part has formulas; an error for a file that is no workbook, or unpacks to more than is allowed."""
    try:
        with ZipFile(BytesIO(content)) as parts:
            infos = parts.infolist()
            size = sum(info.file_size for info in infos)
            for name, count, most in (("files", len(infos), MAX_PARTS), ("bytes", size, MAX_UNPACKED)):
                if count > most:
                    raise BeyondLimits(f"{path}: a workbook of {count} {name} inside must have at most {most}")
            tags, has_formulas = 0, False
            for info in infos:
                part = parts.read(info).replace(b"\0", b"")  # of UTF-16 what ASCII would be
                tags += part.count(b"<")
                has_formulas |= b"<f" in part
                if b"<!DOCTYPE" in part or b"<!ENTITY" in part:
                    raise InvalidInput(f"{path}: {shown(info.filename)} must not declare a document type or entities")
                if tags > MAX_TAGS:
                    raise BeyondLimits(f"{path}: a workbook of more than {MAX_TAGS} tags is too large to be read")
    except (BeyondLimits, InvalidInput):
        raise
    except BadZipFile:
        raise InvalidInput(f"{path}: this is not a workbook, or it is damaged or protected by a password") from None
    except Exception:  # an unknown compression, a password, a damaged entry
        raise InvalidInput(f"{path}: this workbook is damaged, or protected by a password") from None
    return has_formulas


def _sheets(openpyxl: Any, content: bytes, *, data_only: bool) -> Iterator[tuple[str, list[Row]]]:
    book = openpyxl.load_workbook(BytesIO(content), read_only=True, data_only=data_only, keep_links=False)
    try:
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # they may be wrong, and are not needed
            yield sheet.title, list(_rows(sheet))
    finally:
        book.close()


def _rows(sheet: Any) -> Iterator[Row]:
    seen = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        seen += len(row)
        for name, count, most in (("rows", number, MAX_ROWS), ("cells", seen, MAX_CELLS)):
            if count > most:
                raise BeyondLimits(f"sheet {shown(sheet.title)} must have at most {most} {name}")
        filled = [(place, entry) for place, entry in enumerate(row) if entry is not None]
        cells = {place: cell for place, entry in filled if (cell := as_cell(entry)) != ""}
        if cells:
            if max(cells) >= MAX_COLUMNS:
                raise BeyondLimits(f"sheet {shown(sheet.title)}, row {number} must have at most {MAX_COLUMNS} columns")
            yield Row(number, cells)


def as_cell(entry: Any) -> Cell:
    """What a cell holds as text or a whole number; "" for an empty one."""
    if entry is None:
        return ""
    if isinstance(entry, bool):
        return "true" if entry else "false"
    if isinstance(entry, float) and entry.is_integer() and abs(entry) < 2**53:
        return int(entry)
    if isinstance(entry, int):
        return entry
    if isinstance(entry, (date, datetime)):
        return entry.isoformat()
    return str(entry).replace("_x000D_", "").replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ").strip()


def _unknown(values: Sequence[Row], written: Sequence[Row]) -> list[tuple[int, int]]:
    """The cells that are written and have no value, which are formulas that nobody has calculated yet."""
    known = {row.number: row.cells for row in values}
    return [(row.number, place) for row in written for place in row.cells if place not in known.get(row.number, {})]


def workbook_bytes(sheets: Mapping[str, Sequence[Sequence[Cell | None]]]) -> bytes:
    """A workbook with these sheets, whose first rows are headings; text is text, whatever it begins with."""
    openpyxl = _openpyxl()
    for entry in (entry for rows in sheets.values() for row in rows for entry in row):
        _check_writable(entry)
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font

    book = openpyxl.Workbook(write_only=True)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        sheet.freeze_panes = "A2"
        for place, width in enumerate(_widths(rows)):
            sheet.column_dimensions[openpyxl.utils.get_column_letter(place + 1)].width = width
        for number, row in enumerate(rows):
            cells = []
            for entry in row:
                cell = WriteOnlyCell(sheet, value=None)
                if entry is not None and entry != "":
                    cell = WriteOnlyCell(sheet, value=entry)
                    if isinstance(entry, str):
                        cell.data_type = "s"  # also where it begins with =, which is no formula here
                cell.font = Font(bold=number == 0)
                cell.alignment = Alignment(vertical="top", wrap_text=True)
                cells.append(cell)
            sheet.append(cells)
    written = BytesIO()
    book.save(written)
    return written.getvalue()


def _check_writable(entry: Cell | None) -> None:
    if isinstance(entry, str) and len(entry) > MAX_CELL:
        raise InvalidInput(f"a text of {len(entry)} characters is longer than the {MAX_CELL} that a cell holds")
    if isinstance(entry, str) and any(ord(c) < 32 and c not in "\n\t" for c in entry):
        raise InvalidInput(f"{shown(entry)} has characters that no cell holds")


def _widths(rows: Sequence[Sequence[Cell | None]]) -> list[int]:
    lengths = [[len(str(entry)) for entry in column if entry is not None] for column in zip(*rows, strict=True)]
    return [min(60, max(12, *column, 0) + 2) for column in lengths]


def check_writable_name(path: Path) -> None:
    """Raise `InvalidInput` unless the name of a file is that of a workbook."""
    if path.suffix.lower() != ".xlsx":
        raise InvalidInput(f"{path}: a workbook must be written as an .xlsx file")


def write_workbook(path: Path, content: bytes) -> None:
    """Write the bytes of a workbook, whole or not at all."""
    with replacing(path) as file:
        file.write(content)
