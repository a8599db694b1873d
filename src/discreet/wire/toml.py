"""A spec as TOML: tables of text, whole numbers, lists and lists of tables, which is all a spec holds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(spec: Mapping[str, Any]) -> str:
    """The TOML text of a spec: plain entries first, then the tables."""
    plain = [f"{_key(key)} = {_entry(entry)}\n" for key, entry in spec.items() if not isinstance(entry, Mapping)]
    tables = [
        f"\n[{_key(key)}]\n" + "".join(f"{_key(inner)} = {_entry(entry)}\n" for inner, entry in table.items())
        for key, table in spec.items()
        if isinstance(table, Mapping)
    ]
    return "".join(plain + tables).lstrip("\n")


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _text(key)


def _text(entry: str) -> str:
    return json.dumps(entry, ensure_ascii=False).replace("\x7f", "\\u007f")


def _entry(entry: Any) -> str:
    if isinstance(entry, str):
        return _text(entry)
    if isinstance(entry, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_entry(inner)}" for key, inner in entry.items()) + "}"
    if isinstance(entry, (list, tuple)):
        if entry and isinstance(entry[0], (list, tuple, Mapping)):
            return "[\n" + "".join(f"    {_entry(row)},\n" for row in entry) + "]"
        return "[" + ", ".join(map(_entry, entry)) + "]"
    return str(entry)
