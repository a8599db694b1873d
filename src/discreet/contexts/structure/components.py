"""Which values a context links, and the simplest context with parts that asks at least as much."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ...core.domain import Alike
from ...core.errors import NotIdentifiable
from ..context import Context
from ..forms.blocks import Blocks
from ..forms.high_low import HighLow
from ..forms.uniform import Uniform


def linked(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The component of each of 0 .. count-1, numbered in order of first appearance (union-find)."""
    parent = list(range(count))

    def root(x: int) -> int:
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for a, b in pairs:
        parent[root(a)] = root(b)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(root(x), len(numbers)) for x in range(count)]


def components(context: Context) -> list[list[int]]:
    """The values linked by finite entries; in a class without finite entries each value is its own component."""
    members = context.members
    pairs = [(c, d) for c, d in context.finite() if c != d or len(members[c]) > 1]
    of_class = linked(len(members), pairs)
    touched = {c for pair in pairs for c in pair}
    labels, groups = context.class_of, dict[tuple[int, int], list[int]]()
    for x in range(context.size):
        c = labels[x]
        groups.setdefault((0, of_class[c]) if c in touched else (1, x), []).append(x)
    return list(groups.values())


def coarsest_served(context: Context) -> Context:
    """A context with parts that implies `context`: its own simplest form, or its smallest entry in each component."""
    form = context.canonical_form()
    if form.parts is not None:
        return form
    groups = form.components()
    block_of = [0] * form.size
    for number, group in enumerate(groups):
        for x in group:
            block_of[x] = number
    smallest: dict[int, Fraction] = {}
    for x, z, asked in form.generators(block_of if len(groups) > 1 else Alike(form.size)):
        if asked == 0:  # one way is enough: rows that add up to one, and are nowhere larger, are equal
            raise NotIdentifiable(
                f"E=0 makes {form.values[x]!r} and {form.values[z]!r} indistinguishable; give them one value"
            )
        if isinstance(asked, Fraction):
            smallest[block_of[x]] = min(asked, smallest.get(block_of[x], asked))
    if len(groups) == 1 and smallest:
        if len(form.hidden) < len(form.members):
            sensitive = [form.values[x] for c in sorted(form.hidden) for x in form.members[c]]
            return HighLow(form.domain, sensitive, smallest[0])
        return Uniform(form.domain, smallest[0])
    anything = next(iter(smallest.values()), Fraction(1))
    levels = [smallest.get(number, anything) for number in range(len(groups))]
    return Blocks(form.domain, block_of, range(len(groups)), levels)
