"""The matrix of a regression, made a few rows at a time from the labels of a survey."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import check_aligned, codes_of, column_of, missing_in, narrow_type
from ...core.errors import InvalidInput, shown
from ..reference_distribution import Array, Codes
from ..survey.survey import Survey
from .formula import MAX_COLUMNS, Formula, finite, terms_of

DEPENDENT = 1e-10
"""The ratio of singular values of the scaled matrix below which columns combine to nothing."""

# Products of long thin matrices are made in pieces so small that the linear algebra library wakes no other thread for
# them: threads bring little there, and where the cores are busy with other work they cost far more than they bring.
MATRIX_ENTRIES = 8000
"""The entries of a matrix that is multiplied with a vector by one thread."""
MULTIPLICATIONS = 1 << 18
"""The multiplications in a product of two matrices that one thread makes."""
MIN_ROWS = 128
"""Fewer rows at a time would cost more than other threads."""


@dataclass(frozen=True, eq=False, repr=False)
class DesignMatrix:
    """The people of a regression and the columns that it is on.

    Rows are scaled for solving: but for the constant, every column has mean 0 and deviation 1.
    """

    survey: Survey
    formula: Formula
    values: dict[str, NDArray[Any]]

    @property
    def n(self) -> int:
        """The number of people."""
        return self.survey.n

    @property
    def weights(self) -> Array:
        """The weight of every person; 1 where there are none."""
        given = self.survey.weights
        return np.broadcast_to(np.float64(1), self.n) if given is None else given

    def chunks(self, terms: int = 1) -> Iterator[tuple[slice, Array]]:
        """Iterate over the scaled matrix some rows at a time: their place, and the rows."""
        centre, scale = self.scaling
        for place, rows in self._raw(rows_at_a_time(len(scale), terms)):
            rows -= centre
            rows /= scale
            yield place, rows

    def rows(self, places: Codes) -> Array:
        """The scaled rows of the people at these places."""
        centre, scale = self.scaling
        some = {name: column[places] for name, column in self.values.items()}
        return np.asarray((self.formula.rows(some, len(places)) - centre) / scale)

    def _raw(self, size: int) -> Iterator[tuple[slice, Array]]:
        for begin in range(0, self.n, size):
            place = slice(begin, min(begin + size, self.n))
            some = {name: column[place] for name, column in self.values.items()}
            yield place, self.formula.rows(some, place.stop - begin)

    @cached_property
    def scaling(self) -> tuple[Array, Array]:
        """The mean and the deviation by which every column is scaled; `InvalidInput` where one is constant."""
        p = len(self.formula.names)
        count, mean, squares = 0, np.zeros(p), np.zeros(p)
        for _, rows in self._raw(rows_at_a_time(p)):
            own = rows.mean(axis=0)
            away, m = own - mean, len(rows)
            squares += ((rows - own) ** 2).sum(axis=0) + away**2 * (count * m / (count + m))
            mean += away * (m / (count + m))
            count += m
        scale = np.sqrt(squares / max(count, 1))
        flat = scale <= DEPENDENT * np.maximum(np.abs(mean), np.finfo(float).tiny)
        flat[0] = False
        if flat.any():
            raise InvalidInput(f"on: {self.formula.names[int(np.argmax(flat))]!r} is the same for everyone")
        mean[0], scale[0] = 0.0, 1.0
        return mean, scale

    @property
    def units(self) -> dict[str, float]:
        """The standard deviation of every column that is a label, or a product of labels, which are numbers."""
        levels, scale = self.formula.levels, dict(zip(self.formula.names, self.scaling[1].tolist(), strict=True))
        plain = [term for term, labels in self.formula.terms.items() if all(levels[label] is None for label in labels)]
        return {term: scale[term] for term in plain}

    @cached_property
    def unscaling(self) -> Array:
        """The matrix that turns coefficients of the scaled columns into those of the columns."""
        centre, scale = self.scaling
        matrix = np.diag(1 / scale)
        matrix[0, 1:] = -centre[1:] / scale[1:]
        return matrix

    @cached_property
    def triangle(self) -> Array:
        """R with ``R'R = X'WX`` for the scaled X, by the QR decomposition of some rows after the other.

        `InvalidInput` that names the columns where some combine to nothing.
        """
        p = len(self.formula.names)
        if self.n <= p:
            raise InvalidInput(f"on: {self.n} people are too few for {p} coefficients")
        triangle = np.zeros((0, p))
        for place, rows in self.chunks():
            rows *= np.sqrt(self.weights[place, None])
            triangle = np.asarray(np.linalg.qr(np.concatenate([triangle, rows]), mode="r"))
        _check_rank(triangle, self.formula.names)
        return triangle

    @cached_property
    def inverse(self) -> Array:
        """``(X'WX)^-1`` for the scaled X."""
        half = np.linalg.inv(self.triangle)
        return np.asarray(half @ half.T)

    def without(self, *terms: str) -> DesignMatrix:
        """The same people, without these terms."""
        formula = self.formula.without(*terms)
        return DesignMatrix(self.survey, formula, {name: self.values[name] for name in formula.levels})


def _check_rank(triangle: Array, names: Sequence[str]) -> None:
    def combine(count: int) -> bool:
        sizes = np.linalg.svd(triangle[:count, :count], compute_uv=False)
        return bool(sizes[-1] <= DEPENDENT * sizes[0])

    if not combine(len(names)):
        return
    last = bisect_left(range(len(names) + 1), True, lo=2, key=combine) - 1
    parts = np.linalg.lstsq(triangle[:last, :last], triangle[:last, last], rcond=None)[0]
    joined = [repr(name) for name, part in zip(names, parts, strict=False) if abs(part) > 1e-7]
    raise InvalidInput(
        f"on: {names[last]!r} follows from {', '.join(joined)}, so that their coefficients cannot be told apart: "
        "leave one out"
    )


def design_of(survey: Survey, on: Sequence[Any], factors: Sequence[str] = ()) -> DesignMatrix:
    """The design matrix of a regression on these labels.

    An entry of `on` is the name of a label, a product of labels such as ``"age*age"`` or ``"age*region"``, or a pair
    (name, column) of a label that the survey does not hold. Numbers are taken as they are; text and truth values are
    factors, and so are the labels named in `factors`.
    """
    names, columns = _entries(survey, on)
    terms = terms_of(names, columns)
    used = dict.fromkeys(label for labels in terms.values() for label in labels)
    if isinstance(factors, str) or not isinstance(factors, Sequence):
        raise InvalidInput(f"factors={shown(factors)} must be a list of labels")
    for name in factors:
        if not isinstance(name, str) or name not in used:
            raise InvalidInput(f"factors: {shown(name)} must be one of the labels in `on`")
    levels: dict[str, tuple[Hashable, ...] | None] = {}
    values: dict[str, NDArray[Any]] = {}
    for name in used:
        column = columns[name]
        if column.dtype.kind in "bO" or name in factors:
            known, values[name] = codes_of(column)
            levels[name] = tuple(known)
        else:
            values[name], levels[name] = finite(name, column), None
    for name, own in levels.items():
        if own is not None and len(own) < 2:
            raise InvalidInput(f"on: {name!r} is the same for everyone")
    formula = Formula(terms, levels)
    if len(formula.names) > MAX_COLUMNS:
        raise InvalidInput(f"on: {len(formula.names):,} columns are too many; at most {MAX_COLUMNS:,}")
    return DesignMatrix(survey, formula, values)


def _entries(survey: Survey, on: Sequence[Any]) -> tuple[list[str], dict[str, NDArray[Any]]]:
    """The names in `on`, and all labels that they may be made of."""
    if isinstance(on, str) or not isinstance(on, Sequence):
        raise InvalidInput(f"on={shown(on)} must be a list of labels")
    names, columns = list[str](), dict(survey.labels)
    for entry in on:
        if isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str):
            name, column = entry
            if name in columns:
                raise InvalidInput(f"on: {name!r} is a label of the survey; give the column another name")
            columns[name] = complete_column(f"on: {name!r}", column, survey)
            names.append(name)
        elif isinstance(entry, str):
            names.append(entry)
        else:
            raise InvalidInput(f"on: {shown(entry)} must be the name of a label or a pair (name, column)")
    return names, columns


def complete_column(name: str, column: Any, survey: Survey) -> NDArray[Any]:
    """A column of labels that the survey does not hold, one a person, of which none may be missing."""
    check_aligned({"the survey": survey, name: column})
    entries = column_of(name, column, survey.n)
    if missing_in(name, entries).any():
        raise InvalidInput(f"{name}: entries are missing; as a label of the survey it may lack some")
    return narrow_type(entries)


def rows_at_a_time(columns: int, terms: int = 1) -> int:
    """How many rows of so many columns, each turned into so many terms, are taken at a time."""
    return max(MIN_ROWS, min(MATRIX_ENTRIES // columns, MULTIPLICATIONS // (columns * terms)))


def gram(terms: Array) -> Array:
    """The product ``terms' terms``."""
    n, width = terms.shape
    rows = MULTIPLICATIONS // (width * width)
    if rows < 16 or n <= rows:
        return np.asarray(terms.T @ terms)
    whole = n // rows * rows
    pieces = terms[:whole].reshape(-1, rows, width)
    return np.asarray(np.matmul(pieces.transpose(0, 2, 1), pieces).sum(axis=0) + terms[whole:].T @ terms[whole:])
