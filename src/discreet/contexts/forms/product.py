"""Two questions asked at once: E is the sum of what either answer may give away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...core.domain import Alike, Domain, Singles, Value
from ...core.errors import InvalidContext, InvalidSpec
from ...core.exact import Epsilon
from ...core.fields import Fields
from ...core.limits import check, spend
from ...core.numbers import NumberDomain
from ..context import Context
from ..reading import context_in, domain_in

MAX_SIMPLIFIED_SIZE = 128
"""The most values of a product that is looked at for a simpler form."""

VALUE_STEPS = 40
"""Steps that it takes to make one value of a product and to publish it."""


class ProductContext(Context):
    """E[(x1, x2), (z1, z2)] = E1[x1, z1] + E2[x2, z2] over pairs of values, the second running faster.

    With three questions ``(a * b) * c`` and ``a * (b * c)`` are one context over triples. Its closure is the product
    of the closures: any path is one in each question. Pairs that differ in one answer imply all others.
    """

    form = "product"

    def __init__(self, first: Context, second: Context, *, domain: Domain | None = None) -> None:
        if any(isinstance(part.domain, NumberDomain) for part in (first, second)):
            raise InvalidContext("numbers on a grid must be asked by themselves, not together with another answer")
        self.first, self.second = first, second
        self.is_closed = first.is_closed and second.is_closed
        self.domain = Domain(_pairs(first, second)) if domain is None else domain
        self.class_of, self.members = range(len(self.domain)), Singles(len(self.domain))

    @cached_property
    def _closure(self) -> Context:
        return self._of(self.first.closure(), self.second.closure())

    def closure_if_cheap(self) -> Context:
        return self._of(self.first.closure_if_cheap(), self.second.closure_if_cheap())

    def _of(self, first: Context, second: Context) -> Context:
        if first is self.first and second is self.second:
            return self
        return ProductContext(first, second, domain=self.domain)

    # -- the matrix ------------------------------------------------------------------------------
    def between(self, c: int, d: int) -> Epsilon:
        count = self.second.size
        return self.first.at(c // count, d // count) + self.second.at(c % count, d % count)

    def finite(self) -> Iterator[tuple[int, int]]:
        for x in range(self.size):
            yield from ((x, z) for z in range(self.size) if x != z and isinstance(self.between(x, z), Fraction))

    @cached_property
    def largest(self) -> Fraction:
        return self.first.largest + self.second.largest

    @cached_property
    def shows(self) -> bool:
        return self.first.shows or self.second.shows

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        """Pairs that differ in one answer, as its own context generates them, at every answer to the other."""
        one, two = self.first.size, self.second.size
        some = isinstance(labels, Alike)
        for x, z, asked in self.first.generators(Alike(one) if some else range(one)):
            yield from ((x * two + at, z * two + at, asked) for at in range(1 if some else two))
        for x, z, asked in self.second.generators(Alike(two) if some else range(two)):
            yield from ((at * two + x, at * two + z, asked) for at in range(1 if some else one))

    # -- structure -------------------------------------------------------------------------------
    @property
    def factors(self) -> tuple[Context, Context]:
        return self.first.closure_if_cheap(), self.second.closure_if_cheap()

    @cached_property
    def hidden(self) -> frozenset[int]:
        sides = [[label in part.hidden for label in part.class_of] for part in (self.first, self.second)]
        return frozenset(x for x, (a, b) in enumerate((a, b) for a in sides[0] for b in sides[1]) if a or b)

    @cached_property
    def protected_pairs(self) -> int:
        one, two = (part.protected_pairs + part.size for part in (self.first, self.second))
        return one * two - self.size

    def components(self) -> list[list[int]]:
        sides = self.first.components(), self.second.components()
        return [[x * self.second.size + z for x in one for z in two] for one in sides[0] for two in sides[1]]

    def canonical_form(self) -> Context:
        return super().canonical_form() if self.size <= MAX_SIMPLIFIED_SIZE else self.closure_if_cheap()

    # -- in a spec -------------------------------------------------------------------------------
    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> ProductContext:
        first, second = (_read_factor(Fields(fields.required(key), fields.name(key))) for key in ("first", "second"))
        check("values", first.size * second.size, fields.path)
        spend(VALUE_STEPS * first.size * second.size, fields.path)
        context = cls(first, second)
        if domain is not None and domain != context.domain:
            raise InvalidSpec(f"domain must be left out, or hold all {context.size} pairs of values of {fields.path}")
        return context

    def describe(self) -> dict[str, Any]:
        return {"form": self.form, "first": _described(self.first), "second": _described(self.second)}

    def __repr__(self) -> str:
        return f"({self.first!r} * {self.second!r})"


def _pairs(first: Context, second: Context) -> list[Value]:
    """All pairs of values as flat tuples, the second running faster."""
    one, two = (
        [value if isinstance(part, ProductContext) and isinstance(value, tuple) else (value,) for value in part.values]
        for part in (first, second)
    )
    return [(*a, *b) for a in one for b in two]


def _described(factor: Context) -> dict[str, Any]:
    entries = {"context": factor.describe()}
    return entries if isinstance(factor, ProductContext) else {"domain": factor.domain.describe(), **entries}


def _read_factor(fields: Fields) -> Context:
    """One question of a product: a context and, unless that lists its values, a domain."""
    domain = None
    if fields.has("domain"):
        table = Fields(fields.required("domain"), fields.name("domain"))
        domain = domain_in(table)
        table.close()
    context = context_in(Fields(fields.required("context"), fields.name("context")), domain)
    fields.close()
    return context
