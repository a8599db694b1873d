"""Plain data as one canonical text: what is hashed is what is published, in any language."""

from __future__ import annotations

import json
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Integral
from typing import Any

from .errors import InvalidContext

EXACT = 1 << 53
"""Whole numbers below this are JSON numbers, which every reader keeps exactly."""


def canonical(data: Any) -> str:
    """The canonical JSON text of plain data: keys sorted, no spaces, with no two values written alike.

    Text, whole numbers below 2**53, true, false and null are themselves. Other values say their type, so that
    no two different ones are written alike: ``{"int": "9007199254740993"}``, ``{"float": "0.5"}``,
    ``{"tuple": [1, "a"]}``, ``{"type": "datetime.date", "text": "datetime.date(2026, 1, 1)"}``.
    """
    return json.dumps(plain(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def plain(entry: Any) -> Any:
    """An entry as JSON data that no other entry shares."""
    if entry is None or type(entry) in (str, bool):
        return entry
    if isinstance(entry, dict):
        return {key: plain(inner) for key, inner in entry.items()}
    if isinstance(entry, list):
        kinds = set(map(type, entry))
        if kinds == {str} or (kinds == {int} and min(entry) > -EXACT and max(entry) < EXACT):
            return entry  # long lists of plain entries are as they should be
        return [plain(inner) for inner in entry]
    if isinstance(entry, tuple):
        return {"tuple": [plain(inner) for inner in entry]}
    if isinstance(entry, Enum):
        return _typed(entry, entry.name)
    if isinstance(entry, str):
        return str(entry)
    if isinstance(entry, Integral) and not isinstance(entry, bool):
        return int(entry) if -EXACT < int(entry) < EXACT else {"int": str(int(entry))}
    if isinstance(entry, float):
        return {"float": repr(float(entry))}
    if isinstance(entry, (Fraction, Decimal)):
        return {type(entry).__name__.lower(): str(entry)}
    return _typed(entry, repr(entry))


def _typed(entry: Any, text: str) -> dict[str, str]:
    kind, unnamed = f"{type(entry).__module__}.{type(entry).__qualname__}", object.__repr__(entry)
    if text == unnamed:
        raise InvalidContext(f"values: a {kind} has no text that identifies it; use text, numbers or tuples")
    return {"type": kind, "text": text}
