"""Which values a context links, and the simplest context with parts that asks at least as much.

Sums and conjunctions of contexts, brought back to a named form where they have one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from ...core.domain import Alike
from ...core.errors import InvalidContext, NotIdentifiable
from ...core.exact import Epsilon
from ..context import Context
from ..forms.blocks import Blocks
from ..forms.high_low import HighLow
from ..forms.matrix import Derived
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


Join: TypeAlias = Literal["sum", "both", "either"]
JOINS: dict[Join, Callable[[Epsilon, Epsilon], Epsilon]] = {"sum": operator.add, "both": min, "either": max}
SIGNS: dict[Join, str] = {"sum": "+", "both": "&", "either": "|"}


class Combined(Derived):
    """Two contexts joined entry by entry over the classes that both respect, without writing E out."""

    form = "combined"

    def __init__(self, first: Context, second: Context, join: Join) -> None:
        self.domain = first.domain
        self.both = (first, second)
        self.join = join
        numbers: dict[tuple[int, int], int] = {}
        self._class_of = [
            numbers.setdefault(pair, len(numbers)) for pair in zip(first.class_of, second.class_of, strict=True)
        ]
        self._classes = list(numbers)

    @property
    def is_closed(self) -> bool:
        return self.join != "both" and all(part.is_closed for part in self.both)

    @property
    def class_of(self) -> Sequence[int]:
        return self._class_of

    def between(self, c: int, d: int) -> Epsilon:
        (a, b), (p, q) = self._classes[c], self._classes[d]
        one, two = self.both[0].between(a, p), self.both[1].between(b, q)
        return JOINS[self.join](one, two)

    def finite(self) -> Iterator[tuple[int, int]]:
        groups: list[dict[int, list[int]]] = [{}, {}]
        for number, pair in enumerate(self._classes):
            for side in (0, 1):
                groups[side].setdefault(pair[side], []).append(number)
        seen: set[tuple[int, int]] = set()
        for side in (0, 1) if self.join == "both" else (0,):
            for a, p in self.both[side].finite():
                for c in groups[side].get(a, ()):
                    for d in groups[side].get(p, ()):
                        if (c, d) not in seen and isinstance(self.between(c, d), Fraction):
                            seen.add((c, d))
                            yield c, d

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        if self.join != "both":
            yield from super().generators(labels)
            return
        for part in self.both:  # the smaller of two entries follows from what one of the two contexts follows from
            for x, z, _ in part.generators(labels):
                yield x, z, self.at(x, z)

    def __repr__(self) -> str:
        return f"({self.both[0]!r} {SIGNS[self.join]} {self.both[1]!r})"


def combined(first: Context, second: Context, join: Join) -> Context:
    """The sum, the conjunction or the alternative of two contexts, in the simplest form that expresses it exactly."""
    if first.domain != second.domain:
        raise InvalidContext("contexts can be combined only over the same values in the same order")
    return Combined(first, second, join).canonical_form()
