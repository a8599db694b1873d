"""What a person types as an answer or behind an option, as entries of a spec."""

from __future__ import annotations

import re
from typing import Any

from ..core.errors import InvalidInput
from ..core.exact import epsilon_of, positive_finite

RANGE = re.compile(r"(-?\d{1,15})\.\.(-?\d{1,15})", re.ASCII)
PLACE = re.compile(r"-?\d{1,30}(\.\d{1,30})?", re.ASCII)
WHOLE = re.compile(r"0|-?[1-9]\d{0,14}", re.ASCII)


def values(text: str) -> Any:
    """Values separated by commas, or whole numbers by their ends, ``18..99``."""
    if ends := RANGE.fullmatch(text.strip()):
        return {"from": int(ends[1]), "to": int(ends[2])}
    entries = [entry.strip() for entry in text.split(",")]
    if "" in entries:
        raise InvalidInput("values must be separated by single commas, such as never,once,often; or 18..99 for numbers")
    return [int(entry) for entry in entries] if all(map(WHOLE.fullmatch, entries)) else entries


def one_epsilon(text: str) -> str:
    """One positive epsilon, as it was written."""
    positive_finite(text.strip())
    return text.strip()


def two_epsilons(text: str) -> list[str]:
    """The epsilons of two values, separated by a comma, ``inf`` allowed."""
    pair = [entry.strip() for entry in text.split(",")]
    if len(pair) != 2:
        raise InvalidInput(f"epsilon={text!r} must be two, separated by a comma, such as inf,1")
    for entry in pair:
        epsilon_of(entry)
    return pair


def block_epsilons(text: str) -> Any:
    """One epsilon for all blocks, or one for each, ``boston=1,nyc=0.5``."""
    if "=" not in text:
        return one_epsilon(text)
    pairs = [entry.rpartition("=") for entry in text.split(",")]
    levels = {name.strip(): one_epsilon(level) for name, _, level in pairs}
    if len(levels) != len(pairs) or "" in levels:
        raise InvalidInput(f"epsilon={text!r} must name every block once, such as boston=1,nyc=0.5")
    return levels


def block(text: str) -> tuple[str, Any]:
    """The name of a block and its values, ``boston=b1,b2``."""
    name, equals, members = text.partition("=")
    if not equals or not name.strip():
        raise InvalidInput(f"block={text!r} must be a name and its values, such as boston=b1,b2")
    return name.strip(), values(members)


def nested_block(text: str) -> tuple[tuple[str, ...], Any]:
    """The names of blocks inside each other, the outermost first, and the values, ``fr/paris=p1,p2``."""
    path, members = block(text)
    names = tuple(name.strip() for name in path.split("/"))
    if "" in names:
        raise InvalidInput(f"block={text!r} must name every block around its values, such as fr/paris=p1,p2")
    return names, members


def increasing_epsilons(text: str) -> list[str]:
    """Epsilons separated by commas, from inside the innermost blocks outwards, ``1,2,inf``."""
    levels = [entry.strip() for entry in text.split(",")]
    for entry in levels:
        epsilon_of(entry)
    return levels


def value_epsilons(text: str) -> tuple[Any, dict[str, str]]:
    """Values, each with its epsilon, ``none=inf,cold=3,hiv=0.5``: the values, and the epsilons by value."""
    pairs = [entry.rpartition("=") for entry in text.split(",")]
    levels = {name.strip(): level.strip() for name, _, level in pairs}
    if len(levels) != len(pairs) or "" in levels:
        raise InvalidInput(f"epsilon={text!r} must give every value once, such as none=inf,cold=3,hiv=0.5")
    for level in levels.values():
        epsilon_of(level)
    return values(",".join(levels)), levels


def points(text: str) -> Any:
    """Points separated by commas, each one number or coordinates separated by spaces; or a range ``18..99``."""
    if ends := RANGE.fullmatch(text.strip()):
        return {"from": int(ends[1]), "to": int(ends[2])}
    found = [entry.split() for entry in text.split(",")]
    if not all(found):
        raise InvalidInput("points must be separated by single commas, their coordinates by spaces: 0 0,3 4")
    if not all(PLACE.fullmatch(coordinate) for place in found for coordinate in place):
        raise InvalidInput(
            "points must be decimals, such as 0.5; the coordinates of one are separated by spaces: 0 0,3 4"
        )
    return [place if len(place) > 1 else place[0] for place in found]


def places_of(entries: Any) -> str | None:
    """The points that whole numbers are on a line, as they would be typed; None for other values."""
    if isinstance(entries, dict):
        return f"{entries['from']}..{entries['to']}" if "from" in entries else None
    numbers = isinstance(entries, list) and all(isinstance(entry, int) for entry in entries)
    return ",".join(map(str, entries)) if numbers else None
