"""Tallies as JSON: counts with the fingerprint of their mechanism, checked before they are used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, MechanismMismatch
from ..mechanisms.mechanism import Mechanism
from .located import located
from .strict_json import loads

if TYPE_CHECKING:
    from ..tally import Tally

VERSION = 1
"""The version of tally files; another one is refused."""

MOST = 1 << 53
"""The most reports that a tally file may claim."""


def tally_to_json(tally: Tally) -> dict[str, Any]:
    """A tally as JSON data."""
    return {
        "version": VERSION,
        "mechanism": tally.mechanism.name,
        "fingerprint": tally.fingerprint,
        "n": tally.n,
        "counts": tally.counts.tolist(),
    }


def tally_from_json(mechanism: Mechanism, data: object) -> Tally:
    """The tally in JSON data, which must belong to `mechanism` and be consistent."""
    import numpy as np

    from ..statistics.numeric import NUMERIC
    from ..tally import Tally

    if not isinstance(data, dict):
        raise InvalidInput("a tally must be a JSON object with fingerprint, n and counts")
    for key in ("fingerprint", "n", "counts"):
        if key not in data:
            raise InvalidInput(f"{key} is missing; a tally must have fingerprint, n and counts")
    for key in data.keys() - {"version", "mechanism", "fingerprint", "n", "counts"}:
        raise InvalidInput(f"{key} is not a known entry of a tally")
    version = data.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        raise InvalidInput(f"version={version!r} must be {VERSION}, the only known version")
    if not isinstance(data.get("mechanism", ""), str):
        raise InvalidInput("mechanism must be text")
    n = _count(data["n"], "n", MOST - 1)
    if data["fingerprint"] != mechanism.fingerprint:
        raise MechanismMismatch(
            f"this tally is of {data.get('mechanism', 'a mechanism')} ({str(data['fingerprint'])[:12]}), "
            f"not of {mechanism.name} ({mechanism.fingerprint[:12]})"
        )
    cells = mechanism.randomizer.cells
    if not isinstance(data["counts"], list) or len(data["counts"]) != cells:
        raise InvalidInput(f"counts must be a list of {cells} numbers, one per cell")
    counts = np.array([_count(c, f"counts[{i}]", n) for i, c in enumerate(data["counts"])], dtype=np.int64)
    total = int(np.sum(mechanism.randomizer.total(counts.astype(float), NUMERIC)))
    if total != n:
        raise InvalidInput(f"counts add up to {total} reports, but n={n}")
    return Tally(mechanism, counts, n)


def _count(data: object, name: str, most: int) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data <= most:
        shown = repr(data) if isinstance(data, str) else str(data)
        raise InvalidInput(f"{name}={shown[:60]} must be a whole number from 0 to {most}")
    return data


def parse_tally(mechanism: Mechanism, written: str | bytes) -> Tally:
    """The tally in a JSON text."""
    return tally_from_json(mechanism, loads(written, InvalidInput))


def read_tally(path: str | Path, mechanism: Mechanism) -> Tally:
    """The tally in a JSON file."""
    written = Path(path).read_bytes()
    with located(str(path)):
        return parse_tally(mechanism, written)


def tally_text(tally: Tally) -> str:
    """A tally as the text of a JSON file."""
    return json.dumps(tally_to_json(tally)) + "\n"


def write_tally(tally: Tally, path: str | Path) -> None:
    """Write a tally to a JSON file, whole or not at all."""
    from ..files.atomic import replacing

    with replacing(path) as file:
        file.write(tally_text(tally).encode())
