"""JSON lines: objects, of which one key is read, or plain entries."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import Any

from ..core import errors
from ..core.canonical import RepeatedKey, loads
from ..core.errors import InvalidInput
from . import frames
from .columns import REPORT, Entry, TextLines, no_column, text_of_bytes

MAX_NUMBER_DIGITS = 20
"""The most digits of a number with a point or an exponent that is taken as a whole one."""

ABSENT = object()
"""What stands for a key that an object does not have."""


class JsonLines(TextLines):
    """JSON lines: the first line says whether there are objects or plain entries, and every line must be like it."""

    def rows(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[Any]:
        """The entries under a key, by name unless the first object has only one, and whatever those to keep hold.

        None stands for what is null or absent.
        """
        if not keep:
            yield from (entry for entry, _, _ in _entries(lines, column, name))
            return
        missing, data = set(keep), {}
        for entry, line, where in _entries(lines, column, name):
            data = json.loads(line, parse_float=partial(_finite, where))  # once more, with numbers as JSON writes them
            missing.difference_update(data)
            yield [entry, *(data.get(key) for key in keep)]
        if missing and data:
            raise no_column(list(data), min(missing), f"{name}, line 1 and all others")

    def reports(self, lines: Iterator[str], column: str | None, keep: Sequence[str], name: str) -> Iterator[Any]:
        """The reports and marks under a key or in plain entries, each followed by what the keys to keep hold."""
        if not keep:
            yield from (report for report, _, _ in _reports(lines, column, name))
            return
        missing, last = set(keep), None
        for report, data, where in _reports(lines, column, name):
            if data is None:
                yield [report, *(None for _ in keep)]
                continue
            last = data if isinstance(data, dict) else {}
            labels = {key: _under(last, key, where) for key in keep}
            missing.difference_update(key for key, value in labels.items() if value is not ABSENT)
            yield [report, *(_label(value, where) for value in labels.values())]
        if missing and last is not None:
            raise no_column(list(last), min(missing), f"{name}, line 1 and all others")

    def mark(self, text: str, columns: Sequence[str]) -> str:
        return f"{json.dumps(frames.to_object(text))}\n"

    def write(self, columns: Mapping[str, Sequence[Any]]) -> str:
        dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_plain).encode
        rows = zip(*columns.values(), strict=True)
        try:
            return "".join(f"{dumps(dict(zip(columns, row, strict=True)))}\n" for row in rows)
        except ValueError:
            raise InvalidInput(
                "JSON has no NaN and no infinity; a column with them cannot be kept in JSON lines"
            ) from None


def _label(value: Any, where: str) -> Any:
    """A label as plain data; `InvalidInput` for one that is made of others."""
    if value is ABSENT or value is None or isinstance(value, (str, int)):
        return None if value is ABSENT else value
    if isinstance(value, Decimal):
        return _finite(where, str(value))
    raise InvalidInput(f"{where}: a label must be text, a number, true, false or null")


def _reports(lines: Iterator[str], column: str | None, name: str) -> Iterator[tuple[str, Any, str]]:
    """Every report and mark, the data of its line (None for a mark), and where that is."""
    for number, line in enumerate(lines, 1):
        where = f"{name}, line {number}"
        value = data = _data(line, where)
        if isinstance(data, dict):
            if (mark := frames.from_object(data)) is not None:
                yield mark, None, where
                continue
            value = _under(data, column or (next(iter(data)) if len(data) == 1 else REPORT), where)
            if value is ABSENT:
                raise no_column(list(data), column, where)
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise InvalidInput(f"{where}: a report must be text or a whole number")
        yield str(value), data, where


def _entries(lines: Iterator[str], column: str | None, name: str) -> Iterator[tuple[Entry, str, str]]:
    """Every entry with its line and where that is."""
    documents = _documents(lines, name)
    first = next(documents, None)
    if first is None:
        return
    data, _, where = first
    objects = column is not None or isinstance(data, dict)
    if objects and column is None:
        if len(data) != 1:
            raise no_column(list(data), None, where)
        (column,) = data
    missing = True
    for data, line, where in chain([first], documents):
        if objects is not isinstance(data, dict):
            raise InvalidInput(f"{where}: must be {'an object' if objects else 'a plain entry'}")
        value = data if column is None else _under(data, column, where)
        missing = missing and value is ABSENT
        yield entry_of(value), line, where
    if missing:
        raise no_column(list(first[0]), column, f"{name}, line 1 and all others")


def _documents(lines: Iterator[str], name: str) -> Iterator[tuple[Any, str, str]]:
    """The data of every line, the line, and where it is; only at the very end may lines be blank."""
    blank = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            blank = blank or number
            continue
        if blank:
            raise InvalidInput(f"{name}, line {blank}: is blank; every line must hold JSON")
        where = f"{name}, line {number}"
        yield _data(line, where), line, where


def _data(line: str, where: str) -> Any:
    try:
        return loads(line, InvalidInput)
    except RepeatedKey as problem:
        raise InvalidInput(f"{where}: {problem if errors.show_values else 'a key appears twice'}") from None
    except InvalidInput as problem:
        raise InvalidInput(f"{where}: {problem}") from None


def _finite(where: str, written: str) -> float:
    """A number to keep; `InvalidInput` if it is beyond all that another program could read."""
    if math.isinf(number := float(written)):
        raise InvalidInput(f"{where}: a number to keep is beyond the range of floating point")
    return number


def _under(data: dict[str, Any], column: str, where: str) -> Any:
    """What stands under a key or, if there is none of this name, under keys joined by dots, one inside the other."""
    if column in data or "." not in column:
        return data.get(column, ABSENT)
    *path, last = column.split(".")
    inner: Any = data
    for place, key in enumerate(path, 1):
        inner = inner.get(key)
        if inner is None:
            return ABSENT
        if not isinstance(inner, dict):
            raise InvalidInput(f"{where}: {'.'.join(path[:place])!r} must be an object")
    return inner.get(last, ABSENT)


def entry_of(value: Any) -> Entry:
    """What a value is called in the domain, a list as a tuple; None for null, for an absent key, and for objects."""
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, list):
        return str(_tuple(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        value = Decimal(repr(value))
    if not isinstance(value, Decimal):
        return None
    whole = -MAX_NUMBER_DIGITS < value.adjusted() < MAX_NUMBER_DIGITS and value == value.to_integral_value()
    return str(int(value)) if whole else str(value)  # 18.0 and 18 are one number


def _tuple(entries: list[Any]) -> tuple[Any, ...]:
    """The answers to several questions, as a domain has them."""
    return tuple(_tuple(entry) if isinstance(entry, list) else entry for entry in entries)


def _plain(entry: Any) -> str:
    """What JSON has no form for, as text: bytes, dates and exact numbers."""
    return text_of_bytes(entry) if isinstance(entry, bytes) else str(entry)
