"""JSON read strictly: no repeated keys, no NaN, numbers as the decimals they print."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from ..errors import InvalidInput


def loads(written: str | bytes, error: type[InvalidInput]) -> Any:
    """The data in a JSON text; `error` if it is malformed or a key appears twice."""

    def pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(entries)
        if len(found) != len(entries):
            keys = [key for key, _ in entries]
            twice = next(key for number, key in enumerate(keys) if key in keys[:number])
            raise error(f"{twice!r} appears twice")
        return found

    def constant(name: str) -> Any:
        raise error(f"{name} is not a JSON number")

    try:
        return json.loads(written, parse_float=Decimal, parse_constant=constant, object_pairs_hook=pairs)
    except error:
        raise
    except (ValueError, RecursionError) as problem:
        raise error(f"this is not JSON: {problem}") from None
