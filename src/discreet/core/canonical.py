"""Plain data as one canonical text: what is hashed is what is published, in any language.

JSON read strictly: no repeated keys, no NaN, numbers as the decimals they print.
"""

from __future__ import annotations

import json
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Integral
from typing import Any

from .documents import check_plain, decimal
from .errors import InvalidContext, InvalidInput

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
    """An entry as JSON data that no different entry shares; `InvalidContext` for one of a type without such data."""
    kind = type(entry)
    if kind is str:
        return entry if entry.isascii() else _text(entry)
    if entry is None or kind is bool or (kind is int and -EXACT < entry < EXACT):
        return entry
    if kind is tuple:
        return {"tuple": [plain(inner) for inner in entry]}
    if kind is dict:
        return {key: plain(inner) for key, inner in entry.items()}
    if kind is list:
        kinds = set(map(type, entry))
        if kinds == {int} and min(entry) > -EXACT and max(entry) < EXACT:
            return entry  # long lists of small numbers are already plain, and so is plain text
        if kinds == {str} and "".join(entry).isascii():
            return entry
        return [plain(inner) for inner in entry]
    if isinstance(entry, Enum):
        return _typed(entry, entry.name)
    if isinstance(entry, str):
        return _text(str.__str__(entry))
    if isinstance(entry, Integral):
        return int(entry) if -EXACT < int(entry) < EXACT else {"int": str(int(entry))}
    if isinstance(entry, float) and entry == entry:
        return {"float": repr(float(entry))}
    if kind in (Fraction, Decimal):
        return {kind.__name__.lower(): str(entry)}
    if kind is bytes or kind.__module__ in ("datetime", "uuid"):
        return _typed(entry, repr(entry))
    named = "nan" if isinstance(entry, float) else f"a {kind.__module__}.{kind.__qualname__}"
    raise InvalidContext(f"values: {named} has no text that identifies it; use text, numbers, dates or tuples of them")


def _text(entry: str) -> str:
    try:
        entry.encode()
    except UnicodeEncodeError:
        raise InvalidContext("values: text must not have lone surrogates, which UTF-8 cannot say") from None
    return entry


def _typed(entry: Any, text: str) -> dict[str, str]:
    return {"type": f"{type(entry).__module__}.{type(entry).__qualname__}", "text": text}


class RepeatedKey(InvalidInput):
    """An object has a key twice."""


class _Refused(Exception):
    """What Python's reader would let pass."""


def loads(written: str | bytes, error: type[InvalidInput]) -> Any:
    """The data in a JSON text; `error` if it is malformed, a key appears twice or no reader could use it."""
    try:
        data = _DECODER.decode(written if isinstance(written, str) else written.decode())
    except RepeatedKey as problem:
        raise problem if issubclass(RepeatedKey, error) else error(str(problem)) from None
    except _Refused as problem:
        raise error(str(problem)) from None
    except (ValueError, RecursionError) as problem:
        raise error(f"this is not JSON: {problem}") from None
    check_plain(data, error)
    return data


def _pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(entries)
    if len(data) != len(entries):
        seen: set[str] = set()
        twice = next(key for key, _ in entries if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise RepeatedKey(f"{twice!r} appears twice")
    return data


def _constant(name: str) -> Any:
    raise _Refused(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(parse_float=decimal, parse_constant=_constant, object_pairs_hook=_pairs)
