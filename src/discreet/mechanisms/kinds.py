"""From a law to the randomizer that draws by it."""

from __future__ import annotations

import base64
from array import array
from dataclasses import fields
from typing import Any

from ..errors import InvalidInput
from .law import Bits, Law, Row, plain_law
from .randomizer import Randomizer
from .registry import Registry

FOLLOWERS: Registry[type[Randomizer]] = Registry(
    {
        "blocks": "blocks:BlockResponse",
        "cyclic": "cyclic:Cyclic",
        "general_hadamard": "general_hadamard:GeneralHadamard",
        "hadamard": "hadamard:Hadamard",
        "high_low": "high_low:HighLowResponse",
        "mixture": "mixture:Mixture",
        "post_processed": "post_process:PostProcessed",
        "product": "compose:Product",
        "response": "randomized_response:RandomizedResponse",
        "subset": "subset:Subset",
        "table": "table:Table",
        "unary": "unary:Unary",
        "utility_rappor": "utility_rappor:UtilityRappor",
    }
)
"""The randomizers that draw by each kind of law that can be read; a new kind is registered here."""

LONGEST = 1 << 25
"""The most numbers that a law may write as one row of runs."""

DEPTH = 8
"""The most laws that may be inside each other."""

DIGITS = 4096
"""The most digits that a number may have."""


def randomizer_of(law: Law) -> Randomizer:
    """The randomizer that draws by this law."""
    if law.kind not in FOLLOWERS or type(law) is not FOLLOWERS[law.kind].follows:
        raise InvalidInput(f"law of kind {law.kind!r} is not known")
    return FOLLOWERS[law.kind].of_law(law)


def law_of(data: object, *, depth: int = DEPTH) -> Law:
    """The law that JSON data says, as `plain_law` writes it; `InvalidInput` if it is written in any other way."""
    if depth == 0:
        raise InvalidInput(f"law: laws must be at most {DEPTH} deep in each other")
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        raise InvalidInput("law must be an object with a kind")
    if data["kind"] not in FOLLOWERS:
        raise InvalidInput(f"law: kind={data['kind']!r} must be one of {', '.join(FOLLOWERS)}")
    made = FOLLOWERS[data["kind"]].follows
    names = [field.name for field in fields(made)]
    if set(data) != {"kind", *names}:
        raise InvalidInput(f"law of kind {data['kind']!r} must have {', '.join(names)} and nothing else")
    entries = {name: _entry(data[name], name, depth) for name in names}
    for field in fields(made):
        if not _has_shape(entries[field.name], str(field.type)):
            raise InvalidInput(f"law of kind {data['kind']!r}: {field.name} must have the type {field.type}")
    law = made(**entries)
    if plain_law(law) != data:
        raise InvalidInput(f"law of kind {data['kind']!r} must be written in the canonical way")
    return law


def _has_shape(entry: object, shape: str) -> bool:
    """True if an entry has the type that the field of a law is annotated with."""
    if isinstance(entry, tuple):
        rows = {"tuple[tuple[int, ...], ...]": "tuple[int, ...]", "Steps": "tuple[int, ...]", "tuple[Law, ...]": "Law"}
        inner = "int" if shape == "tuple[int, ...]" else rows.get(shape, "")
        return bool(inner) and all(_has_shape(part, inner) for part in entry)
    if isinstance(entry, Law):
        return shape in ("Law", type(entry).__name__)
    return shape == type(entry).__name__


def _entry(data: object, name: str, depth: int, *, rows: int = 2) -> Any:
    if isinstance(data, list):
        if rows == 0:
            raise InvalidInput(f"law: {name} must be at most a list of lists")
        return tuple(_entry(entry, name, depth, rows=rows - 1) for entry in data)
    if isinstance(data, dict) and set(data) == {"size", "bits"}:
        return _bits(data, name)
    if isinstance(data, dict) and set(data) == {"runs"}:
        return _row(data["runs"], name)
    if isinstance(data, dict):
        return law_of(data, depth=depth - 1)
    return _whole(data, name)


def _whole(data: object, name: str) -> int:
    if isinstance(data, str) and 15 < len(data) <= DIGITS and data.isascii() and data.isdigit():
        return int(data)
    if isinstance(data, bool) or not isinstance(data, int):
        raise InvalidInput(f"law: {name} must be a whole number")
    return data


def _bits(data: dict[str, Any], name: str) -> Bits:
    size = _whole(data["size"], name)
    try:
        packed = base64.b64decode(data["bits"], validate=True)
    except (TypeError, ValueError):
        packed = b""
    bits = int.from_bytes(packed, "little")
    if size < 0 or len(packed) != -(-size // 8) or bits >> size:
        raise InvalidInput(f"law: {name} must be the base64 of {size} bits")
    return Bits(size, bits)


def _row(runs: object, name: str) -> Row:
    row = array("I")
    for run in runs if isinstance(runs, list) else [()]:
        if not isinstance(run, list) or len(run) != 2:
            raise InvalidInput(f"law: {name} must be runs of [number, how often]")
        number, count = (_whole(entry, name) for entry in run)
        if not (0 <= number < 1 << 32 and 0 < count <= LONGEST - len(row)):
            raise InvalidInput(f"law: {name} must be at most {LONGEST} numbers of 32 bits")
        row.extend(array("I", [number]) * count)
    return Row.of(row)
