"""Contexts with one or two entries: classical local differential privacy, and two values with an epsilon each way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...core.domain import Alike, Domain
from ...core.errors import InvalidContext
from ...core.exact import Epsilon, epsilon_of, positive_finite, text_of
from ...core.fields import Fields, as_list
from ..context import Context
from ..reading import epsilon_in, level, require_domain
from ..structure.recognition import LineStructure, Part, RingStructure, TreeStructure


class Uniform(Context):
    """E[x, z] = epsilon for all x != z (Acharya2020, Definition 1)."""

    form = "uniform"
    is_canonical = is_closed = True

    def __init__(self, domain: Domain, epsilon: object) -> None:
        self.domain = domain
        self.level = positive_finite(epsilon)
        self.class_of, self.members = Alike(len(domain)), [range(len(domain))]

    def between(self, c: int, d: int) -> Epsilon:
        return self.level

    def finite(self) -> Iterator[tuple[int, int]]:
        yield 0, 0

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part("all", range(self.size), range(self.size), self.level),)

    @property
    def line(self) -> LineStructure | None:
        return LineStructure((0, 1), (self.level,)) if self.size == 2 else None

    @property
    def ring(self) -> RingStructure | None:
        return RingStructure((0, 1, 2), (self.level,) * 3) if self.size == 3 else None

    @cached_property
    def tree(self) -> TreeStructure | None:
        return TreeStructure(self.level, tuple(range(self.size))) if self.size > 1 else None

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Uniform:
        return cls(require_domain(domain), epsilon_in(fields))

    def describe(self) -> dict[str, Any]:
        return {"form": self.form, "epsilon": text_of(self.level)}

    def __repr__(self) -> str:
        return f"Context.uniform({self.size} values, epsilon={text_of(self.level)})"


class Binary(Context):
    """E = [[0, e12], [e21, 0]], each from 0 to infinity (Acharya2020, Section 4)."""

    form = "binary"
    is_canonical = is_closed = True

    def __init__(self, domain: Domain, epsilon: Sequence[object]) -> None:
        self.domain = domain
        if len(domain) != 2:
            raise InvalidContext(f"values: {len(domain)} given; the binary form must have exactly two")
        if isinstance(epsilon, (str, bytes)) or not isinstance(epsilon, Sequence) or len(epsilon) != 2:
            raise InvalidContext(f"epsilon={epsilon!r} must be a pair (E[first, second], E[second, first])")
        self.class_of = (0, 1)
        self.levels = (epsilon_of(epsilon[0], name="epsilon[0]"), epsilon_of(epsilon[1], name="epsilon[1]"))

    def between(self, c: int, d: int) -> Epsilon:
        return self.levels[c]

    def finite(self) -> Iterator[tuple[int, int]]:
        return ((c, 1 - c) for c in (0, 1) if isinstance(self.levels[c], Fraction))

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Binary:
        name = fields.name("epsilon")
        pair = as_list(fields.required("epsilon"), name)
        return cls(require_domain(domain), [level(entry, f"{name}[{i}]") for i, entry in enumerate(pair)])

    def describe(self) -> dict[str, Any]:
        return {"form": self.form, "epsilon": [text_of(level) for level in self.levels]}

    def __repr__(self) -> str:
        first, second = self.domain
        return f"Context.binary({first!r}, {second!r}, epsilon=({', '.join(map(text_of, self.levels))}))"
