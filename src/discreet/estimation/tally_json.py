"""Tallies as JSON: counts with the fingerprint of their mechanism, checked before they are used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InvalidInput, MechanismMismatch, shown
from ..core.strict_json import loads
from ..estimation.decoders import decoder_of
from ..mechanisms.mechanism import Mechanism
from ..wire.located import located

if TYPE_CHECKING:
    from .tally import Tally

VERSION = 1
"""The version of tally files; another one is refused."""


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

    from .tally import MOST, Tally

    if not isinstance(data, dict):
        raise InvalidInput("a tally must be a JSON object with fingerprint, n and counts")
    for key in ("fingerprint", "n", "counts"):
        if key not in data:
            if "groups" in data:
                raise InvalidInput(
                    "holds tallies by label, which estimate and compare read; tally without --by for one"
                )
            raise InvalidInput(f"{key} is missing; a tally must have fingerprint, n and counts")
    for key in data.keys() - {"version", "mechanism", "fingerprint", "n", "counts"}:
        raise InvalidInput(f"{key} is not a known entry of a tally")
    version = data.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        raise InvalidInput(f"version={shown(version)} must be {VERSION}, the only known version")
    if not isinstance(data.get("mechanism", ""), str):
        raise InvalidInput("mechanism must be text")
    n = _count(data["n"], "n", MOST)
    if data["fingerprint"] != mechanism.fingerprint:
        raise MechanismMismatch(
            f"this tally is of {data.get('mechanism', 'a mechanism')} ({str(data['fingerprint'])[:12]}), "
            f"not of {mechanism.name} ({mechanism.fingerprint[:12]})"
        )
    cells = decoder_of(mechanism).cells
    if not isinstance(data["counts"], list) or len(data["counts"]) != cells:
        raise InvalidInput(f"counts must be a list of {cells} numbers, one per cell")
    counts = np.array([_count(c, f"counts[{i}]", n) for i, c in enumerate(data["counts"])], dtype=np.int64)
    return Tally(mechanism, counts, n)


def _count(data: object, name: str, most: int) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data <= most:
        raise InvalidInput(f"{name}={shown(data)} must be a whole number from 0 to {most}")
    return data


def parse_tally(mechanism: Mechanism, written: str | bytes) -> Tally:
    """The tally in a JSON text."""
    if len(written) > (most := most_bytes(mechanism)):
        raise InvalidInput(f"this is not a tally of {mechanism.name}: it has more than {most} bytes")
    return tally_from_json(mechanism, loads(written, InvalidInput))


def most_bytes(mechanism: Mechanism) -> int:
    """Far more than a tally of the mechanism takes, however its numbers are set out."""
    return 64 * decoder_of(mechanism).cells + (1 << 16)


def read_tally(path: str | Path, mechanism: Mechanism) -> Tally:
    """The tally in a JSON file."""
    with open(path, "rb") as file:
        written = file.read(most_bytes(mechanism) + 1)
    with located(str(path)):
        return parse_tally(mechanism, written)


def tally_text(tally: Tally) -> str:
    """A tally as the text of a JSON file."""
    return json.dumps(tally_to_json(tally)) + "\n"


def write_tally(tally: Tally, path: str | Path) -> None:
    """Write a tally to a JSON file, whole or not at all."""
    from ..core.atomic import replacing

    with replacing(path) as file:
        file.write(tally_text(tally).encode())
