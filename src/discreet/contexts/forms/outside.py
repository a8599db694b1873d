"""Answers outside a scale: "prefer not to say" or "other", beside a context whose neighbours they are not."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from ...core.domain import Alike, Domain, Leaves, Value, listed_values
from ...core.errors import InvalidContext, InvalidSpec
from ...core.exact import Epsilon, epsilon_of, text_of
from ...core.fields import Fields
from ...core.fields import values as values_of
from ...core.limits import check
from ...core.numbers import NumberDomain
from ..context import Context
from ..reading import context_in, epsilon_in
from .matrix import Derived


class Outside(Derived):
    """E as in `scale` among its values; `epsilon` between each value outside it and every other value, both ways.

    The values outside come last. A detour over one of them takes two steps of `epsilon`, so the closure has
    ``min(E[x, z], 2 epsilon)`` between two values of the scale, E closed, and `epsilon` everywhere else. A spec names
    the form; published laws and resolved specs have its entries, as a matrix.
    """

    form = "outside"

    def __init__(self, scale: Context, values: Iterable[Value], epsilon: object) -> None:
        added = listed_values(values, "values")
        if not added:
            raise InvalidContext("values=() must hold at least one value outside the scale")
        for twice in (value for value in added if value in scale.domain):
            raise InvalidContext(f"values: {twice!r} must not be one of the {scale.size} values of the scale")
        level = epsilon_of(epsilon)
        if level == 0:
            raise InvalidContext("epsilon=0 must be positive: nothing could be told apart from a value outside")
        self._set(scale, scale.domain.extended(added), level)

    def _set(self, scale: Context, domain: Domain, level: Epsilon) -> None:
        self.scale, self.domain, self.level = scale, domain, level
        self.is_finite = scale.is_finite and level != math.inf
        own, count = len(scale.members), len(domain) - scale.size
        self.class_of = array("I", [*scale.class_of, *[own] * count])
        self._own = own
        self.is_closed = scale.is_closed and (level == math.inf or (not scale.shows and scale.largest <= 2 * level))

    @property
    def count(self) -> int:
        """How many values are outside the scale."""
        return self.size - self.scale.size

    @property
    def outside(self) -> tuple[Context, Fraction] | None:
        return (self.scale, self.level) if isinstance(self.level, Fraction) else None

    # -- the matrix ------------------------------------------------------------------------------
    def between(self, c: int, d: int) -> Epsilon:
        return self.scale.between(c, d) if c < self._own and d < self._own else self.level

    @cached_property
    def members(self) -> Sequence[Sequence[int]]:
        return [*self.scale.members, range(self.scale.size, self.size)]

    def finite(self) -> Iterator[tuple[int, int]]:
        yield from self.scale.finite()
        if self.level != math.inf:
            for c in range(self._own):
                yield from ((c, self._own), (self._own, c))
            if self.count > 1:
                yield self._own, self._own

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        """Those of the scale, and for every two labels a pair with a value outside it."""
        if isinstance(labels, Leaves):
            yield from super().generators(labels)
            return
        inside = self.scale.size
        if isinstance(labels, Alike):
            yield from self.scale.generators(Alike(inside))
        elif isinstance(labels, range):
            yield from self.scale.generators(range(inside))
        else:
            yield from self.scale.generators(labels[:inside])
        if self.level == math.inf:
            return
        ends = [0] if isinstance(labels, Alike) else list({labels[x]: x for x in range(inside)}.values())
        beyond: dict[int, list[int]] = {}
        for x in range(inside, self.size):
            beyond.setdefault(labels[x], []).append(x)
        for label, own in beyond.items():
            for z in ends:
                yield from ((own[0], z, self.level), (z, own[0], self.level))
            for other, held in beyond.items():
                if other != label:
                    yield own[0], held[0], self.level
                elif len(own) > 1:
                    yield from ((own[0], own[1], self.level), (own[1], own[0], self.level))

    @cached_property
    def _closure(self) -> Context:
        from ..structure.entrywise import combine
        from .uniform import Uniform

        if self.is_closed:
            return self
        scale = self.scale.closure()
        if self.level != math.inf and (scale.shows or scale.largest > 2 * self.level):
            scale = combine(scale, Uniform(scale.domain, 2 * self.level), "&").closure()
        return self._around(scale)

    def closure_if_cheap(self) -> Context:
        cheap = self.is_closed or self.scale.closure_if_cheap().is_closed
        return self.closure() if cheap else super().closure_if_cheap()

    def _around(self, scale: Context) -> Outside:
        """This context around another scale over the same values, which is closed with what is outside."""
        closed = Outside.__new__(Outside)
        closed._set(scale, self.domain, self.level)
        closed.is_closed = True
        return closed

    # -- what follows from the scale -------------------------------------------------------------
    @cached_property
    def largest(self) -> Fraction:
        beside = self.level if isinstance(self.level, Fraction) else Fraction(0)
        return max(self.scale.largest, beside)

    @cached_property
    def shows(self) -> bool:
        return self.level == math.inf or self.scale.shows

    @cached_property
    def protected_pairs(self) -> int:
        beside = self.count * (2 * self.scale.size + self.count - 1) if self.level != math.inf else 0
        return self.scale.protected_pairs + beside

    @cached_property
    def hidden(self) -> frozenset[int]:
        return frozenset(range(self._own + 1)) if self.level != math.inf else self.scale.hidden

    def components(self) -> list[list[int]]:
        if self.level != math.inf:
            return [list(range(self.size))]
        return [*self.scale.components(), *([x] for x in range(self.scale.size, self.size))]

    # -- in a spec -------------------------------------------------------------------------------
    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Outside:
        """The domain is that of the scale, or has the values outside it as its last ones."""
        beside = values_of(fields.required("outside"), fields.name("outside"))
        inside = domain
        if domain is not None and any(value in domain for value in beside):
            if list(domain)[-len(beside) :] != beside or len(domain) == len(beside):
                raise InvalidSpec(
                    f"{fields.name('outside')} must be the last values of the domain, in its order and after at least "
                    "one other, or not be in it at all"
                )
            inside = domain.shortened(len(beside))
        context = context_in(Fields(fields.required("scale"), fields.name("scale")), inside)
        check("values", context.size + len(beside), fields.path)
        made = cls(context, beside, epsilon_in(fields))
        if not isinstance(made.domain, NumberDomain):
            values_of(list(made.domain), "domain.values")
        return made

    def __repr__(self) -> str:
        return f"{self.scale!r}.with_outside({self.count} values, epsilon={text_of(self.level)})"
