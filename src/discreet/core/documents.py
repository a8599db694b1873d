"""Documents as plain data: read within the limits, and refused where no reader could use them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from .errors import InvalidInput, InvalidSpec
from .limits import DEPTH, DIGITS, allowed, check_bytes

BITS = (10**DIGITS).bit_length()
"""The most bits of a whole number."""

PIECE = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*"""
LONG_KEY = re.compile(rf"(?:^[ \t]*+|[\[{{,]\s*+)(?:{PIECE}){{{DEPTH}}}", re.MULTILINE)
"""A dotted key of TOML with more tables inside each other than any document has; parsing it takes their square."""


def read_document(path: str | Path) -> bytes:
    """The bytes of a file that is a document; `BeyondLimits`, without reading on, if there are too many."""
    with open(path, "rb") as file:
        content = file.read(allowed().bytes + 1)
    check_bytes(len(content), str(path))
    return content


def parse_toml(written: str) -> dict[str, Any]:
    """TOML as plain data, numbers as the decimals they print; `InvalidSpec` says where it is malformed."""
    if LONG_KEY.search(written):
        raise InvalidSpec(f"this is not a spec: tables must be at most {DEPTH} deep in each other")
    try:
        data = tomllib.loads(written, parse_float=decimal)
    except (ValueError, RecursionError) as problem:
        raise InvalidSpec(f"this is not TOML: {problem}") from None
    check_plain(data, InvalidSpec)
    return data


def decimal(text: str) -> Decimal:
    """A number with a point or an exponent, as the decimal it prints; `ValueError` for one beyond all decimals."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError("a number beyond all decimals") from None


def check_plain(data: Any, error: type[InvalidInput]) -> None:
    """Raise `error` for lists and tables too deep in each other, too long a number, or text that is not Unicode."""
    level, depth = [data], 0
    while level:
        if depth > DEPTH:
            raise error(f"lists and tables must be at most {DEPTH} deep in each other")
        below: list[Any] = []
        for entry in level:
            if isinstance(entry, Mapping):
                below += entry
                below += entry.values()
            elif isinstance(entry, list):
                below += entry
            elif isinstance(entry, int):
                if entry.bit_length() > BITS:
                    raise error(f"a number must have at most {DIGITS} digits")
            elif isinstance(entry, str) and not entry.isascii():
                _check_text(entry, error)
        level, depth = below, depth + 1


def _check_text(entry: str, error: type[InvalidInput]) -> None:
    try:
        entry.encode()
    except UnicodeEncodeError:
        raise error("text must not have lone surrogates, which UTF-8 cannot say") from None
