"""An arbitrary privacy matrix E."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...core.domain import Domain, listed_values
from ...core.errors import InvalidContext
from ...core.exact import Epsilon, epsilon_of, text_of
from ...core.fields import Fields, as_list
from ...core.limits import spend
from ..context import Context, check_writable
from ..reading import level, require_domain


class Matrix(Context):
    """E given entry by entry; it may be asymmetric and hold 0 and "inf" (Acharya2020, Definition 2)."""

    form = "matrix"

    def __init__(self, domain: Domain, entries: Sequence[Sequence[object]]) -> None:
        self.domain, self.class_of = domain, range(len(domain))
        rows = [listed_values(row, f"E[{x}]") for x, row in enumerate(listed_values(entries, "E"))]
        if len(rows) != len(domain) or any(len(row) != len(domain) for row in rows):
            raise InvalidContext(f"E must be {len(domain)} x {len(domain)}, one row and one column per value")
        self.entries: tuple[tuple[Epsilon, ...], ...] = tuple(
            tuple(epsilon_of(entry, name=f"E[{x}][{z}]") for z, entry in enumerate(row)) for x, row in enumerate(rows)
        )
        for x, row in enumerate(self.entries):
            if row[x] != 0:
                raise InvalidContext(f"E[{x}][{x}]={text_of(row[x])} must be 0: a value cannot be told from itself")

    @property
    def is_entrywise(self) -> bool:
        return True

    def between(self, c: int, d: int) -> Epsilon:
        return self.entries[c][d]

    def finite(self) -> Iterator[tuple[int, int]]:
        for x, row in enumerate(self.entries):
            for z, entry in enumerate(row):
                if x != z and isinstance(entry, Fraction):
                    yield x, z

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Matrix:
        name = fields.name("E")
        entries = [
            [level(entry, f"{name}[{x}][{z}]") for z, entry in enumerate(as_list(row, f"{name}[{x}]"))]
            for x, row in enumerate(as_list(fields.required("E"), name))
        ]
        spend(128 * len(entries) ** 2, name)
        return cls(require_domain(domain), entries)

    def describe(self) -> dict[str, Any]:
        return {"form": self.form, "E": [[text_of(entry) for entry in row] for row in self.entries]}

    def __repr__(self) -> str:
        return f"Context.matrix({self.size} values)"


class Derived(Context):
    """The base of contexts that are worked out from others, and are written as a matrix in files."""

    @property
    def is_entrywise(self) -> bool:
        return True

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Context:
        return Matrix.read(fields, domain)

    @cached_property
    def _entries(self) -> list[list[str]]:
        """E as text, written once for each two classes of values."""
        check_writable(self.size)
        classes, labels = range(len(self.members)), self.class_of
        known: dict[Epsilon, str] = {}
        rows = []
        for c in classes:
            entries = [self.between(c, d) for d in classes]
            row = [known.get(entry) or known.setdefault(entry, text_of(entry)) for entry in entries]
            rows.append([row[d] for d in labels])
        return [[*rows[c][:x], "0", *rows[c][x + 1 :]] for x, c in enumerate(labels)]

    def describe(self) -> dict[str, Any]:
        return {"form": Matrix.form, "E": self._entries}
