"""Whole numbers given by their ends, ``{from = 18, to = 99}``, wherever a spec lists values or points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .canonical import EXACT
from .domain import Value
from .errors import InvalidSpec
from .fields import Fields, values, whole
from .limits import check


def range_of(data: object, name: str) -> range:
    """The numbers from `from` to `to`, both included, `step` apart (1 unless given); refused before it is expanded."""
    fields = Fields(data, name)
    first, last, step = (
        _end(fields.required(key) if key != "step" else fields.optional(key, default=1), fields.name(key))
        for key in ("from", "to", "step")
    )
    fields.close()
    if step < 1:
        raise InvalidSpec(f"{fields.name('step')}={step} must be at least 1")
    if last < first:
        raise InvalidSpec(f"{fields.name('to')}={last} must be at least {fields.name('from')}={first}")
    if (last - first) % step:
        raise InvalidSpec(f"{fields.name('to')}={last} must be {first} plus a multiple of the step, {step}")
    numbers = range(first, last + 1, step)
    check("values", len(numbers), name)
    return numbers


def values_in(data: object, name: str) -> Sequence[Value]:
    """Values that are listed, or numbers given by their ends."""
    return range_of(data, name) if isinstance(data, Mapping) else values(data, name)


def _end(data: object, name: str) -> int:
    number = whole(data, name)
    if not -EXACT < number < EXACT:
        raise InvalidSpec(f"{name} must be between -2**53 and 2**53, which every reader of JSON keeps exactly")
    return number
