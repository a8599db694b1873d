"""Graded privacy: every value is hidden among all the others, each at an epsilon of its own."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...core.domain import Alike, Domain, Value
from ...core.errors import InvalidContext, InvalidEpsilon, InvalidSpec
from ...core.exact import Epsilon, epsilon_of, text_of
from ...core.fields import Fields, as_list
from ...core.limits import spend
from ..context import Context, first_two
from ..reading import level, require_domain
from ..structure.recognition import numbered
from .high_low import HighLow
from .uniform import Uniform

VALUE_STEPS, GRADE_STEPS = 16, 256
"""Steps that a value takes, and an epsilon that is different from others."""


class Graded(Context):
    """E[x, z] = epsilon_x for every z != x; infinite for values that need no protection.

    It is its own closure: no path from x is shorter than its first step. Two values of the same epsilon are alike.
    """

    form = "graded"
    is_closed = True

    def __init__(self, domain: Domain, epsilons: Sequence[object]) -> None:
        self.domain = domain
        if len(epsilons) != len(domain):
            raise InvalidContext(f"epsilons={len(epsilons)} entries must be one per value, {len(domain)}")
        known: dict[tuple[type, object], Epsilon] = {}
        exact = [_known(entry, known, domain, x) for x, entry in enumerate(epsilons)]
        self.levels = tuple(sorted(set(exact)))
        """The different epsilons, in increasing order: one for each class of values."""
        numbers = {epsilon: number for number, epsilon in enumerate(self.levels)}
        self.class_of = array("l", (numbers[epsilon] for epsilon in exact))
        if self.levels[0] == 0:
            raise InvalidContext(
                f"epsilon[{domain[self.class_of.index(0)]!r}]=0 must be positive: a value that nothing tells from "
                "the others makes all values alike"
            )
        if self.levels == (math.inf,):
            raise InvalidContext("epsilon: at least one value must have a finite one")

    @classmethod
    def from_mapping(cls, epsilons: Mapping[Value, object]) -> Graded:
        """Values with their epsilons, ``{value: epsilon}``."""
        if not isinstance(epsilons, Mapping) or not epsilons:
            raise InvalidContext("epsilons must map each value to its epsilon")
        return cls(Domain(list(epsilons)), list(epsilons.values()))

    def between(self, c: int, d: int) -> Epsilon:
        return self.levels[c]

    def finite(self) -> Iterator[tuple[int, int]]:
        for c, epsilon in enumerate(self.levels):
            if isinstance(epsilon, Fraction):
                yield from ((c, d) for d in range(len(self.levels)) if c != d or len(self.members[c]) > 1)

    @cached_property
    def largest(self) -> Fraction:
        return max(level for level in self.levels if isinstance(level, Fraction)) if self.size > 1 else Fraction(0)

    @cached_property
    def shows(self) -> bool:
        return self.levels[-1] == math.inf

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        """For every two labels a pair with the smallest epsilon of the first."""
        if isinstance(labels, Alike):
            x = self.members[0][0]
            others = [int(x == 0)] if self.size > 1 else []
            yield from ((x, z, self.levels[0]) for z in others)
            return
        tightest: dict[int, int] = {}
        ordered = [x for members in self.members for x in members]
        for x in ordered:
            tightest.setdefault(labels[x], x)
        some = first_two((labels[x], x) for x in ordered)
        for x in tightest.values():
            if isinstance(epsilon := self.levels[self.class_of[x]], Fraction):
                yield from ((x, of[-1] if of[0] == x else of[0], epsilon) for of in some.values() if of != [x])

    @cached_property
    def hidden(self) -> frozenset[int]:
        some = self.size > 1
        return frozenset(c for c, epsilon in enumerate(self.levels) if some and isinstance(epsilon, Fraction))

    @cached_property
    def protected_pairs(self) -> int:
        hidden = self.hidden
        return sum(c in hidden for c in self.class_of) * (self.size - 1)

    def components(self) -> list[list[int]]:
        return [list(range(self.size))]

    def canonical_form(self) -> Context:
        finite = [epsilon for epsilon in self.levels if isinstance(epsilon, Fraction)]
        if self.size <= 2 or len(finite) > 1:
            return self if self.size > 2 else super().canonical_form()
        if len(self.levels) == 1:
            return Uniform(self.domain, finite[0])
        return HighLow(self.domain, [self.domain[x] for x in self.members[self.levels.index(finite[0])]], finite[0])

    @cached_property
    def grades(self) -> tuple[Fraction, ...] | None:
        finite = [epsilon for epsilon in self.levels if isinstance(epsilon, Fraction)]
        if len(finite) < len(self.levels) or self.size == 1:
            return None
        return tuple([finite[c] for c in self.class_of])

    @cached_property
    def exchangeable(self) -> tuple[int, ...]:
        return numbered(self.class_of)

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Graded:
        data, name = fields.required("epsilons"), fields.name("epsilons")
        if not isinstance(data, Mapping):
            entries = [level(entry, f"{name}[{i}]") for i, entry in enumerate(as_list(data, name))]
            spend(VALUE_STEPS * len(entries) + GRADE_STEPS * len(set(entries)), name)
            return cls(require_domain(domain), entries)
        spend((VALUE_STEPS + GRADE_STEPS) * len(data), name)
        epsilons = {value: level(entry, f"{name}.{value}") for value, entry in data.items()}
        if domain is None:
            return cls.from_mapping(epsilons)
        placed: list[object] = [None] * len(domain)
        for value, entry in epsilons.items():
            placed[domain.index_of_text(str(value))] = entry
        if None in placed:
            raise InvalidSpec(f"{name}: the value {domain[placed.index(None)]!r} must have an epsilon")
        return cls(domain, placed)

    def describe(self) -> dict[str, Any]:
        written = [text_of(epsilon) for epsilon in self.levels]
        return {"form": self.form, "epsilons": [written[c] for c in self.class_of]}

    def __repr__(self) -> str:
        low, high = self.levels[0], self.levels[-1]
        shown = text_of(low) if low == high else f"{text_of(low)}..{text_of(high)}"
        return f"Context.graded({self.size} values, epsilon={shown})"


def _known(entry: object, known: dict[tuple[type, object], Epsilon], domain: Domain, x: int) -> Epsilon:
    """The exact epsilon of the value numbered `x`, worked out once for all that are given alike."""
    try:
        if (earlier := known.get((type(entry), entry))) is not None:
            return earlier
        exact = known[type(entry), entry] = epsilon_of(entry)
    except (InvalidEpsilon, TypeError):
        return epsilon_of(entry, name=f"epsilon[{domain[x]!r}]")
    return exact
