"""Contexts joined entry by entry: sums, conjunctions and alternatives, and what releases leave of a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from ...core.domain import Domain
from ...core.errors import InvalidContext
from ...core.exact import Epsilon
from ..context import Context
from ..forms.matrix import Derived
from ..forms.uniform import Uniform
from .recognition import numbered

Rule: TypeAlias = Callable[[Sequence[Epsilon]], Epsilon]
"""From the entries of several contexts for a pair to one entry."""

SIGNS: dict[str, Rule] = {"+": sum, "&": min, "|": max}
"""The rule of each operator of contexts."""


class EntryWise(Derived):
    """Contexts over the same values joined pair by pair, over the classes that all respect, without writing E out.

    Unless the rule is `min`, the result must be infinite wherever the first context is.
    """

    form = "combined"

    def __init__(self, joined: Sequence[Context], rule: Rule, *, closed: bool, sign: str = "") -> None:
        self.domain, self.joined, self.rule, self.sign = joined[0].domain, tuple(joined), rule, sign
        self.is_closed = closed
        classes = list(zip(*(context.class_of for context in joined), strict=True))
        self.class_of = numbered(classes)
        self._classes = list(dict.fromkeys(classes))

    def between(self, c: int, d: int) -> Epsilon:
        classes = zip(self.joined, self._classes[c], self._classes[d], strict=True)
        return self.rule([context.between(a, b) for context, a, b in classes])

    def finite(self) -> Iterator[tuple[int, int]]:
        seen: set[tuple[int, int]] = set()
        for side, context in enumerate(self.joined if self.rule is min else self.joined[:1]):
            groups: dict[int, list[int]] = {}
            for number, classes in enumerate(self._classes):
                groups.setdefault(classes[side], []).append(number)
            for a, b in context.finite():
                for c in groups.get(a, ()):
                    for d in groups.get(b, ()):
                        if (c, d) not in seen and isinstance(self.between(c, d), Fraction):
                            seen.add((c, d))
                            yield c, d

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        if self.rule is not min:
            yield from super().generators(labels)
            return
        for context in self.joined:  # the smaller of two entries follows from what one of the contexts follows from
            for x, z, _ in context.generators(labels):
                yield x, z, self.at(x, z)

    def __repr__(self) -> str:
        return (
            f"({f' {self.sign} '.join(map(repr, self.joined))})" if self.sign else f"<context over {self.size} values>"
        )


def combine(first: Context, second: Context, sign: str) -> Context:
    """The sum, the conjunction or the alternative of two contexts, in the simplest form that expresses it exactly."""
    if first.domain != second.domain:
        raise InvalidContext("contexts can be combined only over the same values in the same order")
    both = (first, second) if sign == "&" else (first.closure_if_cheap(), second.closure_if_cheap())
    closed = sign != "&" and all(context.is_closed for context in both)
    return EntryWise(both, SIGNS[sign], closed=closed, sign=sign).canonical_form()


class Restricted(Derived):
    """A context among some of its values, in any order."""

    form = "restricted"

    def __init__(self, of: Context, domain: Domain) -> None:
        numbers: dict[int, int] = {}
        self.of, self.domain, self.is_closed = of, domain, of.is_closed
        self.class_of = [numbers.setdefault(of.class_of[of.domain.number_of(value)], len(numbers)) for value in domain]
        self._classes, self._numbers = list(numbers), numbers

    def between(self, c: int, d: int) -> Epsilon:
        return self.of.between(self._classes[c], self._classes[d])

    def finite(self) -> Iterator[tuple[int, int]]:
        for c, d in self.of.finite():
            if c in self._numbers and d in self._numbers:
                yield self._numbers[c], self._numbers[d]

    def __repr__(self) -> str:
        return f"({self.of!r} among {self.size} values)"


def among(context: Context, domain: Domain) -> Context | None:
    """What a context allows among the values of `domain`, its closure in their order; None if it lacks one of them."""
    if len(domain) > context.size or (
        domain != context.domain and not all(value in context.domain for value in domain)
    ):
        return None
    closed = context.closure_if_cheap()
    return closed if domain == context.domain else Restricted(closed, domain)


def total(domain: Domain, releases: Sequence[tuple[Context, int]]) -> Context:
    """The context of adaptive releases, ``(context, how many)`` each, over `domain`: the sum of their entries.

    It is what ``+`` gives, one by one (Acharya2020, Proposition 2); nothing at all without a release.
    """
    for context, _ in releases:
        if context.domain != domain:
            raise InvalidContext("contexts can be combined only over the same values in the same order")
    if not releases:
        return EntryWise([Uniform(domain, 1)], lambda _: Fraction(0), closed=True)
    parts, times = [context.closure_if_cheap() for context, _ in releases], [often for _, often in releases]

    def added(entries: Sequence[Epsilon]) -> Epsilon:
        return sum((entry * often for entry, often in zip(entries, times, strict=True)), Fraction(0))

    return EntryWise(parts, added, closed=all(part.is_closed for part in parts))


def unprotected(domain: Domain) -> Context:
    """The context that asks for nothing between any two values."""
    return EntryWise([Uniform(domain, 1)], lambda _: math.inf, closed=True)


def rest(budget: Context, spent: Context) -> Context:
    """The context of what may still be released: where E implies it, and only there, ``spent + E`` implies `budget`.

    Its entries are those of the budget, closed, less what was spent; 0 where more was.
    """

    def left(entries: Sequence[Epsilon]) -> Epsilon:
        allowed, gone = entries
        if allowed == math.inf:
            return math.inf
        return Fraction(0) if gone == math.inf else max(allowed - gone, Fraction(0))

    return EntryWise([budget.closure_if_cheap(), spent], left, closed=False)


def worst_pair(budget: Context, spent: Context) -> tuple[int, int, Epsilon]:
    """The pair of values, by their numbers, that is furthest above a budget, or nearest to it, and by how much."""
    pairs = ((x, z, spent.at(x, z) - allowed) for x, z, allowed in budget.generators(spent.class_of))
    return max(pairs, key=lambda pair: pair[2], default=(0, 0, Fraction(0)))
