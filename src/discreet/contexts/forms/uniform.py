"""Classical local differential privacy: every pair of values at one epsilon."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from ...core.domain import Alike, Domain
from ...core.exact import Epsilon, positive_finite, text_of
from ...core.fields import Fields
from ..context import Context
from ..part import Part
from ..reading import epsilon_in, given
from ..structure.recognition import Line, Ring, Tree


class Uniform(Context):
    """E[x, z] = epsilon for all x != z (Acharya2020, Definition 1)."""

    form = "uniform"
    is_canonical = True

    def __init__(self, domain: Domain, epsilon: object) -> None:
        self.domain = domain
        self.level = positive_finite(epsilon)

    @property
    def class_of(self) -> Sequence[int]:
        return Alike(self.size)

    def between(self, c: int, d: int) -> Epsilon:
        return self.level

    def finite(self) -> Iterator[tuple[int, int]]:
        yield 0, 0

    @property
    def members(self) -> Sequence[Sequence[int]]:
        return [range(self.size)]

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part("all", range(self.size), range(self.size), self.level),)

    @property
    def line(self) -> Line | None:
        return Line((0, 1), (self.level,)) if self.size == 2 else None

    @property
    def ring(self) -> Ring | None:
        return Ring((0, 1, 2), (self.level,) * 3) if self.size == 3 else None

    @cached_property
    def tree(self) -> Tree | None:
        return Tree(self.level, tuple(range(self.size))) if self.size > 1 else None

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Uniform:
        return cls(given(domain), epsilon_in(fields))

    def describe(self) -> dict[str, Any]:
        return {"form": self.form, "epsilon": text_of(self.level)}

    def __repr__(self) -> str:
        return f"Context.uniform({self.size} values, epsilon={text_of(self.level)})"
