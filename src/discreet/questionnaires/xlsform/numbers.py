"""Numbers in an XLSForm: their bounds, the bands that many whole ones are asked in, and domains of any numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...core.canonical import loads
from ...core.errors import InvalidInput, InvalidSpec, shown

MAX_NUMBERS = 200
"""The most numbers that are asked for one by one, unless discreet_bands says otherwise."""
MAX_BANDS = 20
"""The most bands that are made where none are given."""

AND = re.compile(r"\s+and\s+", re.IGNORECASE)
NUMBER = r"(-?\d{1,15})(?:\.0+)?"
BOUND = re.compile(rf"\.\s*(>=|<=|>|<)\s*{NUMBER}|{NUMBER}\s*(>=|<=|>|<)\s*\.")
ANY = re.compile(r"\.\s*(>=|<=)\s*(-?\d{1,15}(?:\.\d{1,15})?)", re.ASCII)
"""A bound of any numbers."""
NUMBERS, CLIP = "numbers", "clip"
"""What discreet_domain says of any numbers between the bounds: those beyond are refused, or count as the nearest."""
TURNED = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
PARAMETER = re.compile(r"(\w+)\s*=\s*([^\s,;]+)")
WHOLE = re.compile(r"(-?\d{1,15})(?:\.0+)?", re.ASCII)


def bounds_in(constraint: str) -> tuple[int | None, int | None, list[str]]:
    """The least and the largest number of a constraint such as ``. >= 0 and . <= 120``, and the parts not read."""
    low: int | None = None
    high: int | None = None
    unread = []
    for part in AND.split(_bare(constraint)) if constraint else ():
        bound = BOUND.fullmatch(_bare(part))
        if bound is None:
            unread.append(part.strip())
            continue
        sign, number = (bound[1], int(bound[2])) if bound[1] else (TURNED[bound[4]], int(bound[3]))
        if sign in (">=", ">"):
            least = number + (sign == ">")
            low = least if low is None else max(low, least)
        else:
            most = number - (sign == "<")
            high = most if high is None else min(high, most)
    return low, high, unread


def any_bounds_in(constraint: str) -> tuple[str, str] | None:
    """The ends of any numbers, from a constraint such as ``. >= 0 and . <= 99.5``; None if it is not just that."""
    bounds = [ANY.fullmatch(_bare(part)) for part in AND.split(_bare(constraint))]
    found = {bound[1]: bound[2] for bound in bounds if bound is not None}
    return (found[">="], found["<="]) if len(found) == len(bounds) == 2 else None


def domain_in(written: str, bounds: tuple[str, str]) -> dict[str, Any]:
    """The domain of any numbers between bounds, as discreet_domain describes it."""
    domain: dict[str, Any] = {"low": bounds[0], "high": bounds[1]}
    if written in ("", NUMBERS, CLIP):
        return domain | ({"clip": True} if written == CLIP else {})
    more = loads(written, InvalidSpec) if written.startswith("{") else None
    if not isinstance(more, dict) or not more.keys().isdisjoint(domain):
        raise InvalidInput(
            f"discreet_domain={shown(written)} must be {NUMBERS}, {CLIP}, or a table of a domain in JSON"
        )
    return domain | more


def _bare(text: str) -> str:
    """Text without the brackets around all of it."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")") and _closes_last(text):
        text = text[1:-1].strip()
    return text


def _closes_last(text: str) -> bool:
    """True if the bracket that begins a text is closed by the one that ends it."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(text) - 1
    return False


def range_in(parameters: str) -> tuple[int, int, int]:
    """Start, end and step of a range, ``start=1 end=10 step=1``; `InvalidInput` unless they are whole numbers."""
    given = {"start": "1", "end": "10", "step": "1"} | {
        name.lower(): number for name, number in PARAMETER.findall(parameters)
    }
    numbers = []
    for name in ("start", "end", "step"):
        if (whole := WHOLE.fullmatch(given[name])) is None:
            raise InvalidInput(f"{name}={shown(given[name])} must be a whole number")
        numbers.append(int(whole[1]))
    start, end, step = numbers
    if step < 1 or end < start:
        raise InvalidInput(f"a range from {start} to {end} by {step} must rise")
    return start, end, step


def bands_in(written: str, low: int, high: int) -> list[tuple[int, int]]:
    """The bands that discreet_bands asks for: their width, ``10``, or where they begin, ``18, 40, 65``."""
    parts = [part.strip() for part in written.split(",") if part.strip()]
    if not parts or not all(WHOLE.fullmatch(part) for part in parts):
        raise InvalidInput(f"discreet_bands={shown(written)} must be a width such as 10, or starts such as 18, 40, 65")
    numbers = [int(float(part)) if "." in part else int(part) for part in parts]
    if len(numbers) == 1:
        return bands_of_width(numbers[0], low, high)
    starts = sorted({low, *numbers})
    if starts[0] < low or starts[-1] > high or sorted(set(numbers)) != numbers:
        raise InvalidInput(f"discreet_bands={shown(written)} must rise, from {low} to {high}")
    return list(zip(starts, [*(start - 1 for start in starts[1:]), high], strict=True))


def bands_of_width(width: int, low: int, high: int) -> list[tuple[int, int]]:
    """Bands of one width, which begin at its multiples; the first and the last may be shorter."""
    if width < 1 or (high - low) // width > 10_000:
        raise InvalidInput(f"discreet_bands={width} must make from 1 to 10000 bands of {low} to {high}")
    first = low - low % width
    return [(max(low, start), min(high, start + width - 1)) for start in range(first, high + 1, width)]


def own_width(low: int, high: int) -> int:
    """The least of 1, 2, 5, 10, ... that makes at most `MAX_BANDS` bands."""
    scale = 1
    while True:
        for width in (scale, 2 * scale, 5 * scale):
            if len(range(low - low % width, high + 1, width)) <= MAX_BANDS:
                return width
        scale *= 10


def band_names(bands: Sequence[tuple[int, int]]) -> list[str]:
    """Bands as answers, ``0-17``."""
    between = "-" if bands[0][0] >= 0 else " to "
    return [str(low) if low == high else f"{low}{between}{high}" for low, high in bands]
