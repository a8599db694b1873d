"""What a regression is on: labels, factors and products of labels, and the columns that they become."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import by_name, check_aligned
from ...core.errors import InvalidInput, shown
from ..reference_distribution import Array

Values = Mapping[str, NDArray[Any]]
"""The labels of some people by name: numbers, or the places of levels."""

CONSTANT = "(constant)"
TIMES = "*"
MAX_COLUMNS = 1000
"""The largest number of columns."""


@dataclass(frozen=True)
class Formula:
    """The terms of a regression in order, each a product of labels, and the levels of the labels that are factors.

    A factor has a column for each level but the first, with which the others are compared.
    """

    terms: Mapping[str, tuple[str, ...]]
    levels: Mapping[str, tuple[Hashable, ...] | None]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns: ``(constant)``, ``label``, ``factor[level]``, ``label*factor[level]``."""
        return (CONSTANT, *(name for term in self.terms for name in self.columns_of(term)))

    def columns_of(self, term: str) -> list[str]:
        """The names of the columns of one term."""
        own = []
        for label in self.terms[term]:
            levels = self.levels[label]
            own.append([label] if levels is None else [f"{label}[{level}]" for level in levels[1:]])
        return [TIMES.join(parts) for parts in product(*own)]

    def places(self, names: Iterable[str]) -> list[int]:
        """The numbers of the columns that these names stand for: a column's own name, or that of its term."""
        columns = {term: self.columns_of(term) for term in self.terms} | {name: [name] for name in self.names}
        places: dict[int, None] = {}
        for name in names:
            if not isinstance(name, str) or name not in columns:
                known = dict.fromkeys([*self.names, *self.terms])
                raise InvalidInput(f"name={shown(name)} must be one of {', '.join(map(repr, known))}")
            places |= dict.fromkeys(map(self.names.index, columns[name]))
        return list(places)

    def without(self, *names: str) -> Formula:
        """The formula without these terms."""
        for name in names:
            if not isinstance(name, str) or name not in self.terms:
                raise InvalidInput(f"name={shown(name)} must be a term: {', '.join(map(repr, self.terms)) or 'none'}")
        terms = {term: labels for term, labels in self.terms.items() if term not in names}
        needed = {label for labels in terms.values() for label in labels}
        return Formula(terms, {label: levels for label, levels in self.levels.items() if label in needed})

    def rows(self, values: Values, size: int) -> Array:
        """The matrix of `size` people with these labels, a row each, the constant first."""
        blocks = [np.ones((size, 1))]
        for labels in self.terms.values():
            block = self._block(labels[0], values)
            for label in labels[1:]:
                block = (block[:, :, None] * self._block(label, values)[:, None, :]).reshape(size, -1)
            blocks.append(block)
        return np.concatenate(blocks, axis=1)

    def _block(self, label: str, values: Values) -> Array:
        levels, column = self.levels[label], values[label]
        if levels is None:
            return np.asarray(column, dtype=float)[:, None]
        return np.asarray(column[:, None] == np.arange(1, len(levels)), dtype=float)

    def encode(self, labels: Any) -> tuple[dict[str, NDArray[Any]], int]:
        """The labels of new people as numbers or numbers of levels, and how many people there are."""
        labels = by_name("labels", labels)
        if absent := [name for name in self.levels if name not in labels]:
            raise InvalidInput(f"labels must also give {', '.join(map(repr, absent))}")
        if strange := [name for name in labels if name not in self.levels]:
            raise InvalidInput(f"labels: {', '.join(map(shown, strange))} is not in the regression")
        check_aligned({f"labels[{name!r}]": labels[name] for name in self.levels})
        columns = {name: _as_column(labels[name]) for name in self.levels}
        sizes = {len(column) for column in columns.values()}
        size = max(sizes, default=1)
        if sizes - {1, size}:
            raise InvalidInput(f"labels: columns of {sorted(sizes)} entries must be of one length")
        return {name: self._encode(name, np.resize(column, size)) for name, column in columns.items()}, size

    def decode(self, values: Values) -> dict[str, list[Any]]:
        """The labels that encoded ones stand for, with whole numbers as integers."""
        labels = {}
        for name, column in values.items():
            if (levels := self.levels[name]) is not None:
                labels[name] = [levels[place] for place in column]
            else:
                labels[name] = (column.astype(np.int64) if (column == np.trunc(column)).all() else column).tolist()
        return labels

    def remarks(self) -> list[str]:
        """For each factor the level that the others are compared with, a sentence each."""
        return [f"{name} is compared with {levels[0]}" for name, levels in self.levels.items() if levels is not None]

    def _encode(self, name: str, column: NDArray[Any]) -> NDArray[Any]:
        levels = self.levels[name]
        if levels is None:
            return finite(name, column)
        places = {level: place for place, level in enumerate(levels)}
        unknown = [cell for cell in column.tolist() if not isinstance(cell, Hashable) or cell not in places]
        if unknown:
            known = ", ".join(map(repr, levels[:10])) + (", ..." if len(levels) > 10 else "")
            raise InvalidInput(f"labels: {name}={shown(unknown[0])} must be one of the levels {known}")
        return np.array([places[cell] for cell in column.tolist()], dtype=np.int64)


def finite(name: str, column: NDArray[Any]) -> Array:
    """A column of finite numbers."""
    try:
        numbers = np.asarray(column, dtype=float) if column.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None:
        raise InvalidInput(f"labels: {name} must be numbers")
    if not np.isfinite(numbers).all():
        raise InvalidInput(f"labels: {name} must be finite numbers")
    return numbers


def _as_column(given: Any) -> NDArray[Any]:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        given = [given]
    column = np.asarray(given)
    return column.astype(object) if column.dtype.kind in "US" else column.reshape(-1)


def terms_of(names: Sequence[str], labels: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The labels that each term multiplies: a label's own name, or several joined by ``*``."""
    known = set(labels)
    terms: dict[str, tuple[str, ...]] = {}
    for name in names:
        parts = (name,) if name in known else tuple(part.strip() for part in name.split(TIMES))
        for part in parts:
            if part not in known:
                there = ", ".join(map(repr, sorted(known))) or "none"
                raise InvalidInput(f"on: {shown(part)} must be one of the survey's labels: {there}")
        term = TIMES.join(parts)
        if term in terms:
            raise InvalidInput(f"on: {term!r} is given twice")
        terms[term] = parts
    return terms
