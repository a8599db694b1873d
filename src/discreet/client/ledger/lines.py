"""The lines of a journal: canonical JSON, each with the hash of all before it, read so that damage is noticed.

``chain = SHA-256(chain of the line before + canonical JSON of the object without "chain")``, in hexadecimal; 64 zeros
stand before the first line. A line ends with a line feed, which is written with it. So a last piece without one was
never finished, and nobody has acted upon it; anything else that does not fit is damage.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from ...core.canonical import canonical
from ...core.errors import DamagedLedger, InvalidInput
from ...core.strict_json import loads

START = "0" * 64
"""The chain before the first line."""


def line(previous: str, data: dict[str, Any]) -> tuple[bytes, str]:
    """The line of an object after one with the chain `previous`, and its own chain."""
    chain = hashlib.sha256((previous + canonical(data)).encode()).hexdigest()
    return canonical({**data, "chain": chain}).encode() + b"\n", chain


@dataclass(frozen=True)
class Lines:
    """What a journal holds: its objects, how many bytes they take, and the chain of the last."""

    data: tuple[dict[str, Any], ...]
    length: int
    chain: str


def read_lines(content: bytes, name: str) -> Lines:
    """The whole lines of a journal; `DamagedLedger`, which calls it `name`, for any that is not as it was written."""
    *whole, rest = content.split(b"\n")
    found, chain = [], START
    for number, written in enumerate(whole, start=1):
        data = _read(written, chain)
        if data is None:
            raise DamagedLedger(
                f"{name}, line {number} is not as it was written; nothing is spent or sent until an undamaged copy "
                "is put back"
            )
        chain = data.pop("chain")
        found.append(data)
    if rest and _read(rest[:-1], chain) is not None:  # a whole line whose line feed became something else
        raise DamagedLedger(f"{name}, line {len(found) + 1} does not end as it was written")
    return Lines(tuple(found), len(content) - len(rest), chain)


def _read(written: bytes, previous: str) -> dict[str, Any] | None:
    """The object of a line, with its chain; None unless it is exactly what `line` writes."""
    try:
        data = loads(written, InvalidInput)
    except InvalidInput:
        return None
    if not isinstance(data, dict) or "chain" not in data:
        return None
    rest = {key: entry for key, entry in data.items() if key != "chain"}
    return data if line(previous, rest)[0] == written + b"\n" else None
