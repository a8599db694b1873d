"""JSON lines: objects, of which one key is read, or plain entries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ..errors import InvalidInput
from .columns import no_column


def entries(lines: Iterator[str], column: str | None, name: str) -> Iterator[str]:
    """The entries under a key, by name unless it is the only one; text and whole numbers only."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(f"{name}, line {number}: this is not JSON") from None
        if isinstance(data, dict):
            key = next(iter(data)) if column is None and len(data) == 1 else column
            if key not in data:
                raise no_column(list(data), column, f"{name}, line {number}")
            data = data[key]
        if isinstance(data, bool) or not isinstance(data, (int, str)):
            raise InvalidInput(f"{name}, line {number}: {json.dumps(data)[:60]} must be text or a whole number")
        yield str(data)


def header(column: str) -> str:
    """An empty text: every line has its key."""
    return ""


def written(entries: Iterable[int | str], column: str) -> str:
    """The entries as objects with one key, one per line."""
    return "".join(f"{json.dumps({column: entry}, ensure_ascii=False)}\n" for entry in entries)
