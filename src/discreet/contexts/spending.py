"""What several releases add up to pair by pair, and what that leaves of a context that is a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from ..core.domain import Domain
from ..core.errors import InvalidContext
from ..core.exact import Epsilon
from .context import Context
from .forms.matrix import Derived

Rule: TypeAlias = Callable[[Sequence[Epsilon]], Epsilon]
"""From the entries of several contexts for a pair to one entry."""


class Restricted(Derived):
    """A context among some of its values, in any order."""

    form = "restricted"

    def __init__(self, of: Context, domain: Domain) -> None:
        numbers: dict[int, int] = {}
        self.of, self.domain = of, domain
        self._class_of = [numbers.setdefault(of.class_of[of.domain.asked(value)], len(numbers)) for value in domain]
        self._classes, self._numbers = list(numbers), numbers

    @property
    def is_closed(self) -> bool:
        return self.of.is_closed

    @property
    def class_of(self) -> Sequence[int]:
        return self._class_of

    def between(self, c: int, d: int) -> Epsilon:
        return self.of.between(self._classes[c], self._classes[d])

    def finite(self) -> Iterator[tuple[int, int]]:
        for c, d in self.of.finite():
            if c in self._numbers and d in self._numbers:
                yield self._numbers[c], self._numbers[d]

    def __repr__(self) -> str:
        return f"({self.of!r} among {self.size} values)"


class EntryWise(Derived):
    """Contexts over the same values joined pair by pair; where the first has an infinite entry, so must the result."""

    form = "entry-wise"

    def __init__(self, parts: Sequence[Context], rule: Rule, *, closed: bool) -> None:
        self.domain, self.joined, self.rule, self._closed_by_rule = parts[0].domain, tuple(parts), rule, closed
        numbers: dict[tuple[int, ...], int] = {}
        self._class_of = [
            numbers.setdefault(of, len(numbers)) for of in zip(*(part.class_of for part in parts), strict=True)
        ]
        self._classes = list(numbers)

    @property
    def is_closed(self) -> bool:
        return self._closed_by_rule

    @property
    def class_of(self) -> Sequence[int]:
        return self._class_of

    def between(self, c: int, d: int) -> Epsilon:
        classes = zip(self.joined, self._classes[c], self._classes[d], strict=True)
        return self.rule([part.between(a, b) for part, a, b in classes])

    def finite(self) -> Iterator[tuple[int, int]]:
        groups: dict[int, list[int]] = {}
        for number, classes in enumerate(self._classes):
            groups.setdefault(classes[0], []).append(number)
        for a, b in self.joined[0].finite():
            for c in groups.get(a, ()):
                for d in groups.get(b, ()):
                    if isinstance(self.between(c, d), Fraction):
                        yield c, d

    def __repr__(self) -> str:
        return f"<context over {self.size} values>"


def among(context: Context, domain: Domain) -> Context | None:
    """What a context allows among the values of `domain`, its closure in their order; None if it lacks one of them."""
    if len(domain) > context.size or (
        domain != context.domain and not all(value in context.domain for value in domain)
    ):
        return None
    strict = context.closure_if_cheap()
    return strict if domain == context.domain else Restricted(strict, domain)


def total(domain: Domain, releases: Sequence[tuple[Context, int]]) -> Context:
    """The context of adaptive releases, ``(context, how many)`` each, over `domain`: the sum of their entries.

    It is what ``+`` gives, one by one (Acharya2020, Proposition 2); nothing at all without a release.
    """
    from .forms.uniform import Uniform

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
    from .forms.uniform import Uniform

    return EntryWise([Uniform(domain, 1)], lambda _: math.inf, closed=True)


def rest(budget: Context, spent: Context) -> Context:
    """The context of what may still be released: where E implies it, and only there, ``spent + E`` implies `budget`.

    Its entries are those of the budget, closed, less what was spent; 0 where more was.
    """

    def left(entries: Sequence[Epsilon]) -> Epsilon:
        allowed, gone = entries
        return (
            math.inf if allowed == math.inf else max(allowed - gone, Fraction(0)) if gone != math.inf else Fraction(0)
        )

    return EntryWise([budget.closure_if_cheap(), spent], left, closed=False)


def worst_pair(budget: Context, spent: Context) -> tuple[int, int, Epsilon]:
    """The pair of values, by their numbers, that is furthest above a budget, or nearest to it, and by how much."""
    found = ((x, z, spent.at(x, z) - allowed) for x, z, allowed in budget.generators(spent.class_of))
    return max(found, key=lambda pair: pair[2], default=(0, 0, Fraction(0)))
