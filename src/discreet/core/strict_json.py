"""JSON read strictly: no repeated keys, no NaN, numbers as the decimals they print."""

from __future__ import annotations

import json
from typing import Any

from .documents import check_plain, decimal
from .errors import InvalidInput


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
    found = dict(entries)
    if len(found) != len(entries):
        seen: set[str] = set()
        twice = next(key for key, _ in entries if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise RepeatedKey(f"{twice!r} appears twice")
    return found


def _constant(name: str) -> Any:
    raise _Refused(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(parse_float=decimal, parse_constant=_constant, object_pairs_hook=_pairs)
