"""A spec as TOML: tables of text, whole numbers, lists and lists of tables, which is all a spec holds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(spec: Mapping[str, Any]) -> str:
    """The TOML text of a spec: plain entries first, then the tables."""
    plain = [f"{key_of(key)} = {inline(entry)}\n" for key, entry in spec.items() if not isinstance(entry, Mapping)]
    tables = [
        f"\n[{key_of(key)}]\n" + "".join(f"{key_of(inner)} = {inline(entry)}\n" for inner, entry in table.items())
        for key, table in spec.items()
        if isinstance(table, Mapping)
    ]
    return "".join(plain + tables).lstrip("\n")


def key_of(key: str) -> str:
    """A key, in quotes if it has to be."""
    return key if BARE.fullmatch(key) else _text(key)


def _text(entry: str) -> str:
    return json.dumps(entry, ensure_ascii=False).replace("\x7f", "\\u007f")


def inline(entry: Any) -> str:
    """An entry as it stands behind the equals sign."""
    if isinstance(entry, str):
        return _text(entry)
    if isinstance(entry, Mapping):
        return "{" + ", ".join(f"{key_of(key)} = {inline(inner)}" for key, inner in entry.items()) + "}"
    if isinstance(entry, (list, tuple)):
        if entry and isinstance(entry[0], (list, tuple, Mapping)):
            return "[\n" + "".join(f"    {inline(row)},\n" for row in entry) + "]"
        return "[" + ", ".join(map(inline, entry)) + "]"
    return str(entry)
