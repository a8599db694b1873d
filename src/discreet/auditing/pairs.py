"""The pairs that are audited: all protected pairs of a small context, some of a large one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from ..contexts import Context
from ..core.domain import Value, listed_values
from ..core.errors import InvalidInput
from ..core.random import Source

MAX_VALUES = 16
"""The most values that an audit samples unless pairs are given."""

MAX_CLASSES = 2048
"""The most classes of values that are all compared to find partners."""


def choose_pairs(context: Context, rng: Source) -> list[tuple[int, int]]:
    """All ordered pairs with a finite entry among the values of a context, or among some values of a large one.

    From a context with more than `MAX_VALUES` values: the tightest pair, then the first and last of the domain with
    one partner each, then random values, each with a random partner from which it is protected, while there is room.
    """
    if context.size <= MAX_VALUES:
        values = list(range(context.size))
    else:
        values = _choose_values(context, rng)
    return [(x, z) for x in values for z in values if x != z and isinstance(context.at(x, z), Fraction)]


def check_pairs(context: Context, pairs: Iterable[tuple[Value, Value]]) -> list[tuple[int, int]]:
    """Pairs of values by number, each checked to be protected."""
    checked = []
    for given in listed_values(pairs, "pairs"):
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise InvalidInput(f"pairs: {given!r} must be a pair of values")
        x, z = given
        pair = context.domain.asked(x), context.domain.asked(z)
        if pair[0] == pair[1] or not isinstance(context.at(*pair), Fraction):
            raise InvalidInput(f"pairs: {x!r} is not protected from {z!r}; E must be finite there")
        checked.append(pair)
    return list(dict.fromkeys(checked))


def _choose_values(context: Context, rng: Source) -> list[int]:
    if context.tightest is None:
        return []
    partners = _partners(context)
    values = list(dict.fromkeys(context.tightest))
    tried = [0, context.size - 1]
    for _ in range(100 * MAX_VALUES):
        if len(values) >= MAX_VALUES:
            break
        x = tried.pop(0) if tried else _below(context.size, rng)
        label = context.class_of[x]
        if classes := partners(label, rng):
            members = context.members[classes[_below(len(classes), rng)]]
            z = members[_below(len(members), rng)]
            values = list(dict.fromkeys([*values, x, z])) if x != z else values
    return sorted(values[:MAX_VALUES])


def _partners(context: Context) -> Callable[[int, Source], Sequence[int]]:
    """For a class, the classes that it is protected from or that are protected from it; of many, a random one."""
    count = len(context.members)
    if count > MAX_CLASSES:

        def random(c: int, rng: Source) -> Sequence[int]:
            d = _below(count, rng)
            either = (context.between(c, d), context.between(d, c))
            return [d] if c != d and any(isinstance(entry, Fraction) for entry in either) else []

        return random
    partners: dict[int, list[int]] = {}
    for c, d in context.finite():
        partners.setdefault(c, []).append(d)
        partners.setdefault(d, []).append(c)
    return lambda c, rng: partners.get(c, [])


def _below(bound: int, rng: Source) -> int:
    """A whole number below the bound, uniform enough for a choice of test cases."""
    return rng.take(1)[0] * bound >> 64
