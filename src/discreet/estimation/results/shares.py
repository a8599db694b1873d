"""The common interface of results: what unbiased, projected, most likely and shrunken shares all offer."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...core import tables
from ...core.domain import Domain, Value, plain_value
from ...core.errors import InvalidInput, NotIdentifiable, Unavailable, shown
from ..tally import Tally
from .frames import Columns
from .intervals import Level, checked_level
from .layout import ShareTable, finite
from .table import CONFIDENCE, PICTURES, Printed, Tabular
from .weights import MEAN, cut_at, spread_weights, weights_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Shares(ShareTable):
    """The share of every value, made from one tally, with its errors where they can be given honestly.

    `tally` is what the shares were made from, `shares` has one number per value in the order of `values`, `method`
    says how they were made, and `biased` whether they are pulled away from the truth. ``result["value"]`` is the
    share of one value. What cannot be given honestly raises `Unavailable`, which says why and what to use.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="2"))
    >>> tally = mechanism.tally(mechanism.randomize_many(["bus", "car", "car", "bike"] * 500, dc.random.seeded(1)))
    >>> for result in (dc.estimate(tally), dc.project(tally)):
    ...     print(result.method, result.biased, round(float(result["car"]), 2))
    unbiased False 0.5
    projection (blocks), biased True 0.5
    """

    tally: Tally
    shares: Array
    method: str

    biased: ClassVar[bool] = True

    @property
    def values(self) -> Domain:
        """The values that the shares belong to, in order."""
        return self.mechanism.context.values

    @property
    @abstractmethod
    def stderr(self) -> Array:
        """The standard error of each share; `Unavailable` where there is no honest one."""

    def _query_value(self, query: Query) -> float:
        """The value of a query: ``weights . shares``, unless exact totals are used as well."""
        return float(query.weights @ self.shares)

    @abstractmethod
    def _query_stderr(self, query: Query) -> float:
        """The standard error of a query; `Unavailable` where there is no honest one."""

    @abstractmethod
    def _query_interval(self, query: Query, level: Level) -> tuple[float, float]:
        """The ends of the interval of a query."""

    def __getitem__(self, value: Value) -> float:
        """The share of one value; `UnknownValue` if it is not in the domain."""
        return float(self.shares[self.values.number_of(value)])

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    def items(self) -> Iterator[tuple[Value, float]]:
        """Each value with its share, by which they can serve as a prior or as weights."""
        return zip(self.values, self.shares.tolist(), strict=True)

    def query(self, weights: Any) -> Query:
        """The sum ``weights . shares``: weights in order, ``{value: weight}`` with 0 for the others, or "mean".

        A pandas Series is matched by its index.
        """
        w = weights_of(self.values, weights)
        return Query(self, w, np.zeros_like(w))

    def mean(self, scores: Any = MEAN) -> Query:
        """The mean score of the people: of the values themselves, or of `scores` given as the weights of a query."""
        return self.query(weights_of(self.values, scores, name="scores"))

    def total(self, people: float, scores: Any = MEAN) -> Query:
        """The sum of the scores of so many people, of whom those who reported are a sample: that many times the mean.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.numbers(0, 8, "4"))
        >>> tally = mechanism.tally(mechanism.randomize_many([1.5, 2.5] * 5000, dc.random.seeded(1)))
        >>> total = dc.estimate(tally).total(1_000_000)
        >>> abs(total.value - 2_000_000) < 3 * total.stderr
        True
        """
        if isinstance(people, bool) or not isinstance(people, Real) or not 0 < people < math.inf:
            raise InvalidInput(f"people={shown(people)} must be a positive number")
        return self.query(float(people) * weights_of(self.values, scores, name="scores"))

    def variance(self) -> Query:
        """The variance of values that are numbers, ``sum_x (x - mean)**2 p_x`` with the squared error of the mean.

        Of numbers on a grid it is right to an eighth of a step squared, either way. Its interval is that of the mean
        squared distance from the mean as estimated.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.numbers(0, 8, "4", step="0.25"))
        >>> tally = mechanism.tally(mechanism.randomize_many([1.5, 2.5] * 5000, dc.random.seeded(1)))
        >>> variance = dc.estimate(tally).variance()
        >>> abs(variance.value - 0.25) < 3 * variance.stderr
        True
        """
        mean = self.mean()
        return self.query(spread_weights(self.values, mean.value, mean.stderr**2))

    def _remarks(self) -> list[str]:
        return [said] if (said := cut_at(self.values)) else []

    def _about(self, confidence: float, anytime: bool = False) -> dict[str, Any]:
        return {**super()._about(confidence, anytime), "biased": self.biased}

    def _columns(self, confidence: float, anytime: bool = False) -> tuple[dict[str, Array | None], dict[str, str]]:
        columns: dict[str, Array | None] = {"shares": self.shares, "stderr": None, "low": None, "high": None}
        notes: dict[str, str] = {}
        try:
            columns["stderr"] = self.stderr
        except (Unavailable, NotIdentifiable) as reason:
            notes["stderr"] = str(reason)
        try:
            columns["low"], columns["high"] = self.interval(confidence, anytime=anytime)
        except (Unavailable, NotIdentifiable) as reason:
            notes["interval"] = str(reason)
        return columns, notes

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}: {self.method}>"


@dataclass(frozen=True, eq=False, repr=False)
class Query(Tabular):
    """A weighted sum of the shares of a result, with its error.

    `constants` has one number for each value, the same in a block, that calibrates an unbiased query: the exact totals
    of the blocks, that many times, take the place of what their shares add up to. Zero for a plain sum.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(range(1, 6), epsilon="2"))
    >>> tally = mechanism.tally(mechanism.randomize_many([3, 4, 4, 5] * 500, dc.random.seeded(1)))
    >>> query = dc.estimate(tally).query({4: 1, 5: 1})
    >>> round(query.value, 2), round(query.stderr, 2), [round(end, 2) for end in query.interval()]
    (0.78, 0.02, [0.74, 0.82])
    """

    result: Shares
    weights: Array
    constants: Array

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.result.n

    @cached_property
    def value(self) -> float:
        """The sum: ``weights . shares``, or with constants c ``(weights - c) . shares + sum_b c_b total_b``."""
        return self.result._query_value(self)

    @cached_property
    def stderr(self) -> float:
        """The standard error, with all covariances; `Unavailable` where there is no honest one."""
        return self.result._query_stderr(self)

    def interval(self, confidence: float = CONFIDENCE, *, anytime: bool = False) -> tuple[float, float]:
        """A low and a high end; those of a biased result cover at least as often as the unbiased ones.

        With `anytime` they hold at all times at once, while reports come in.
        """
        return self.result._query_interval(self, checked_level(confidence, anytime))

    def _numbers(self, confidence: float, anytime: bool = False) -> tuple[dict[str, Array | None], dict[str, str]]:
        """The value, its standard error and the ends of its interval, a row of each, as `Shares._columns` has them."""
        columns: dict[str, Array | None] = {"value": np.array([self.value]), "stderr": None, "low": None, "high": None}
        notes: dict[str, str] = {}
        try:
            columns["stderr"] = np.array([self.stderr])
        except (Unavailable, NotIdentifiable) as reason:
            notes["stderr"] = str(reason)
        try:
            low, high = self.interval(confidence, anytime=anytime)
            columns |= {"low": np.array([low]), "high": np.array([high])}
        except (Unavailable, NotIdentifiable) as reason:
            notes["interval"] = str(reason)
        return columns, notes

    def to_dict(self, *, confidence: float = CONFIDENCE, anytime: bool = False) -> dict[str, Any]:
        """The value, standard error and ends as plain data, with `weights`, a number for each of `values`, and the
        squared error as `covariance`, as other results have theirs.

        What cannot be given honestly is None, and `notes` says why.
        """
        columns, notes = self._numbers(confidence, anytime)
        numbers = {name: None if (cells := finite(column)) is None else cells[0] for name, column in columns.items()}
        about = self.result._about(confidence, anytime)
        asked = {"values": [plain_value(value) for value in self.result.values], "weights": self.weights.tolist()}
        error = numbers["stderr"]
        return {**about, **asked, **numbers, "covariance": None if error is None else [[error**2]], "notes": notes}

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the value with its interval and save the picture as .png, .svg or .pdf; needs matplotlib."""
        columns, _ = self._numbers(confidence)
        low, high = ([None] if columns[end] is None else columns[end] for end in ("low", "high"))
        row = {"names": ["query"], "estimate": columns["value"], "low": low, "high": high}
        PICTURES["estimates"](row, path, title=title, x_label=f"{self.result.method}, with its {confidence:g} interval")

    def _frame(self, confidence: float) -> tuple[Columns, dict[str, Any]]:
        columns, notes = self._numbers(confidence)
        named: dict[str, Any] = {"estimate" if name == "value" else name: column for name, column in columns.items()}
        return named, {**self.result._about(confidence), "notes": notes}

    def _printed(self, confidence: float) -> Printed:
        columns, about = self._frame(confidence)
        spec = f".{tables.digits(None if (error := columns['stderr']) is None else error[0])}f"
        row = [None if cells is None else cells[0] for cells in columns.values()]
        said = (
            f"{about['n']:,} reports of {about['mechanism']}; {about['method']}; interval at {confidence:g} confidence"
        )
        notes = [*self._kind[1:], *(f"no {name}: {reason}" for name, reason in about["notes"].items())]
        return Printed([(name, spec) for name in columns], [row], None, [said, *notes])

    def to_text(self, confidence: float = CONFIDENCE) -> str:
        """The value, its standard error and its interval in one line."""
        try:
            low, high = self.interval(confidence)
        except NotIdentifiable as reason:
            return f"{self.value:.4f} ({', '.join(self._kind)}); no interval: {reason}"
        try:
            places = tables.digits(self.stderr)
            error = f" ± {self.stderr:.{places}f}"
        except Unavailable:
            places, error = tables.digits((high - low) / 4), ""
        ends = f"from {low:.{places}f} to {high:.{places}f} at {confidence:g} confidence"
        return f"{self.value:.{places}f}{error}, {ends} ({', '.join(self._kind)})"

    @property
    def _kind(self) -> list[str]:
        """What kind of figure it is: its method, and what of numbers was cut."""
        return [self.result.method, *filter(None, [cut_at(self.result.values)])]

    def __repr__(self) -> str:
        return f"<Query: {self.value:.6g} from {self.n:,} reports, {self.result.method}>"


def tally_of(name: str, given: Tally | Shares) -> Tally:
    """The tally itself, or the one that a result was made from; `InvalidInput` for anything else."""
    if isinstance(given, Tally):
        return given
    if isinstance(given, Shares):
        return given.tally
    survey = "; survey.shares() has those of a survey, with its weights and its design"
    hint = survey if callable(getattr(given, "shares", None)) else ""
    raise InvalidInput(f"{name}={repr(given)[:60]} must be a tally or a result, such as that of dc.estimate{hint}")
