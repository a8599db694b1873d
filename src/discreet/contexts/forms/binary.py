"""Two values with one epsilon each way: Warner, Mangat and everything in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from ...core.domain import Domain
from ...core.errors import InvalidContext
from ...core.exact import Epsilon, epsilon_of, text_of
from ...core.fields import Fields, listed
from ..context import Context
from ..reading import given, level


class Binary(Context):
    """E = [[0, e12], [e21, 0]], each from 0 to infinity (Acharya2020, Section 4)."""

    form = "binary"
    is_canonical = True

    def __init__(self, domain: Domain, epsilon: Sequence[object]) -> None:
        self.domain = domain
        if len(domain) != 2:
            raise InvalidContext(f"values: {len(domain)} given; the binary form must have exactly two")
        if isinstance(epsilon, (str, bytes)) or not isinstance(epsilon, Sequence) or len(epsilon) != 2:
            raise InvalidContext(f"epsilon={epsilon!r} must be a pair (E[first, second], E[second, first])")
        self.levels = (epsilon_of(epsilon[0], name="epsilon[0]"), epsilon_of(epsilon[1], name="epsilon[1]"))

    @property
    def class_of(self) -> Sequence[int]:
        return (0, 1)

    def between(self, c: int, d: int) -> Epsilon:
        return self.levels[c]

    def finite(self) -> Iterator[tuple[int, int]]:
        return ((c, 1 - c) for c in (0, 1) if isinstance(self.levels[c], Fraction))

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Binary:
        name = fields.name("epsilon")
        pair = listed(fields.required("epsilon"), name)
        return cls(given(domain), [level(entry, f"{name}[{i}]") for i, entry in enumerate(pair)])

    def describe(self) -> dict[str, Any]:
        return {"form": self.form, "epsilon": [text_of(level) for level in self.levels]}

    def __repr__(self) -> str:
        first, second = self.domain
        return f"Context.binary({first!r}, {second!r}, epsilon=({', '.join(map(text_of, self.levels))}))"
