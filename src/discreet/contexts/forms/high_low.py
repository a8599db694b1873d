"""High-low privacy: only some values are sensitive."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.domain import Domain, Value, listed_values
from ...core.errors import InvalidContext
from ...core.exact import Epsilon, positive_finite, text_of
from ...core.fields import Fields, values_in
from ..context import Context
from ..reading import epsilon_in, require_domain
from ..structure.recognition import Part

SENSITIVE, OTHER = 0, 1


class HighLow(Context):
    """E[x, z] = epsilon when x is sensitive, infinite otherwise (Acharya2020, Definition 3)."""

    form = "high_low"
    is_canonical = is_closed = True

    def __init__(self, domain: Domain, sensitive: Iterable[Value], epsilon: object) -> None:
        self.domain = domain
        self.level = positive_finite(epsilon)
        chosen = listed_values(sensitive, "sensitive")
        for absent in (value for value in chosen if value not in domain):
            raise InvalidContext(f"sensitive: {absent!r} must be one of the {len(domain)} values of the domain")
        self.sensitive = tuple(sorted({domain.number_of(value) for value in chosen}))
        if len(self.sensitive) != len(chosen):
            raise InvalidContext("sensitive: values must be distinct")
        if not self.sensitive:
            raise InvalidContext("sensitive=() must hold at least one value")
        self.class_of = array("b", [OTHER]) * len(domain)
        for number in self.sensitive:
            self.class_of[number] = SENSITIVE

    def between(self, c: int, d: int) -> Epsilon:
        return self.level if c == SENSITIVE else math.inf

    def finite(self) -> Iterator[tuple[int, int]]:
        yield SENSITIVE, SENSITIVE
        if len(self.sensitive) < self.size:
            yield SENSITIVE, OTHER

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part("all", range(self.size), self.sensitive, self.level),)

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> HighLow:
        sensitive = values_in(fields.required("sensitive"), fields.name("sensitive"))
        return cls(require_domain(domain), sensitive, epsilon_in(fields))

    def describe(self) -> dict[str, Any]:
        names = [self.domain[number] for number in self.sensitive]
        return {"form": self.form, "sensitive": names, "epsilon": text_of(self.level)}

    def __repr__(self) -> str:
        return f"Context.high_low({self.size} values, {len(self.sensitive)} sensitive, epsilon={text_of(self.level)})"
