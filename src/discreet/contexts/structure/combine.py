"""Sums and conjunctions of contexts, brought back to a named form where they have one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from ...core.errors import InvalidContext
from ...core.exact import Epsilon
from ..context import Context
from ..forms.matrix import Derived

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
