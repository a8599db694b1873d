"""The objective by which mechanisms are compared: the error of all shares, of the mean, or of any linear queries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context
from ..core.domain import Domain
from ..core.errors import InvalidInput, NotIdentifiable, check_type, shown
from ..core.limits import spend
from ..core.numbers import NumberDomain
from ..core.per_value import has_names
from ..estimation.decoders import Decoder, decoder_of
from ..estimation.results.weights import MEAN, calibrated_weights, constants, numbers_of, second_moment, weights_of
from ..estimation.simplex import peak_of_squares, peak_on_simplex
from ..mechanisms.mechanism import Mechanism

Array = NDArray[np.float64]

SHARES, CUMULATIVE = "shares", "cumulative"

_TITLES = {SHARES: "all shares", MEAN: "the mean", CUMULATIVE: "the cumulative shares"}

MAX_ROWS = 4096
"""The largest domain for which one query for every value is written out."""
MAX_WORST_STEPS = 1 << 31
"""The most steps, rows of queries times values squared, that the worst case of a query may take."""
STEPS_PER_MOMENT = 512
"""What computing one moment costs, beside what depends on the number of weights."""
MIN_DIFFERENCE = 1e-50
"""The least difference of weights whose squares, and those of their sums, are far from the ends of doubles."""
MAX_BATCH = 1 << 20
"""Weights that are handled at once."""


@dataclass(frozen=True, eq=False)
class Objective:
    """n times the variance of one or several linear queries, at given shares or at the worst ones.

    A target is a name and rows of weights q_j: its error is ``sum_j E[(q_j . phi)**2] - (q_j . p)**2``, n times the
    summed variances of the estimates ``q_j . shares``. `worst` takes its largest value over all distributions p of the
    values instead, the estimator being the mechanism's own. Several targets are added up, each divided by its scale.
    """

    size: int
    targets: tuple[tuple[str, Array | None], ...]
    """The targets: a name and rows of weights, None for the share of every value."""
    worst: bool = False
    scales: tuple[float, ...] = ()
    """What the error of each target is divided by; empty for none."""

    @property
    def weights(self) -> tuple[tuple[str, Array], ...]:
        """The name of each target and its weights, one row per query and one column per value."""
        return tuple((name, np.eye(self.size) if rows is None else rows) for name, rows in self.targets)

    @property
    def name(self) -> str:
        """The objective in words: "shares", "mean", "mean and cumulative", "shares in the worst case"."""
        return " and ".join(name for name, _ in self.targets) + (" in the worst case" if self.worst else "")

    @property
    def title(self) -> str:
        """What the error is of, as readers see it; empty for all shares at the assumed ones."""
        if self.is_plain:
            return ""
        several = ", balanced" if len(self.targets) > 1 else ""
        return " and ".join(self.titles) + several + (" in the worst case" if self.worst else "")

    @property
    def titles(self) -> tuple[str, ...]:
        """What each target is about, as readers see it."""
        return tuple(_TITLES.get(name, "the query") for name, _ in self.targets)

    @property
    def is_plain(self) -> bool:
        """True for the total squared error of all shares at the assumed ones."""
        return not self.worst and len(self.targets) == 1 and self.targets[0][1] is None

    def balance(self, best: Sequence[float]) -> Objective:
        """The objective with each of several targets divided by its best value; unchanged for a single target."""
        if len(self.targets) == 1:
            return self
        scales = tuple(float(one) if 0 < one < math.inf else 1.0 for one in best)
        return replace(self, scales=tuple(len(self.targets) * scale for scale in scales))

    def error(self, mechanism: Mechanism, shares: Array) -> float:
        """The error of a mechanism, times n, where values follow `shares`; infinite where no estimate exists."""
        return self.combine(self.errors_of(mechanism, shares))

    def errors_of(self, mechanism: Mechanism, shares: Array) -> tuple[float, ...]:
        """The error of each target under a mechanism; infinite where no estimate exists."""
        try:
            return self.errors(decoder_of(mechanism), shares)
        except NotIdentifiable:
            return (math.inf,) * len(self.targets)

    def unhidden(self, shares: Array) -> float:
        """n times the variance without privacy, ``q**2 . p - (q . p)**2``, which no mechanism is below."""
        return self.combine(
            [
                float(1 - shares @ shares if rows is None else (rows**2 @ shares - (rows @ shares) ** 2).sum())
                for _, rows in self.targets
            ]
        )

    def combine(self, errors: Sequence[float]) -> float:
        """The sum of the errors of the targets, each divided by its scale."""
        if not self.scales:
            return sum(errors)
        return sum(error / scale for error, scale in zip(errors, self.scales, strict=True))

    def errors(self, decoder: Decoder[Any], shares: Array) -> tuple[float, ...]:
        """The error of each target, times n; with `worst` its largest value over all shares."""
        if self.worst:
            return tuple(_worst(decoder, rows) for _, rows in self.targets)
        return tuple(_at(decoder, shares, rows) for _, rows in self.targets)

    def deviations(self, decoder: Decoder[Any] | None, shares: Array) -> tuple[float, ...]:
        """The largest standard error of each target, times the root of n; without privacy if `decoder` is None."""
        return tuple(_deviation(decoder, shares, rows) for _, rows in self.targets)

    def moments(self, decoder: Decoder[Any], shares: Array, members: Array) -> tuple[float, ...]:
        """The second moments of each target in parts of one kind, the rows of `members`, all served by `decoder`."""
        return tuple(_moment(decoder, shares[members], rows, members) for _, rows in self.targets)

    def restrict(self, members: Sequence[int]) -> Objective:
        """The same targets for some of the values only."""
        of = np.asarray(members)
        parts = tuple((name, None if rows is None else rows[:, of]) for name, rows in self.targets)
        return replace(self, size=len(members), targets=parts)


def objective_of(context: Context, query: Any = None, worst: bool = False) -> Objective:
    """The objective that `query` and `worst` ask for.

    `query` is None or "shares" (the total squared error of all shares), "mean" (of values that are numbers),
    "cumulative" (the share of the values up to each, in their order), ``{value: weight}``, one weight per value in
    order, or a list of several of these, which are balanced: each counts by how far it is above the best possible.
    `worst` asks for the largest error over all distributions of the values.
    """
    check_type("context", context, Context, "a context")
    if not isinstance(worst, bool):
        raise InvalidInput(f"worst={shown(worst)} must be True or False")
    several = _several(query)
    names = ["query"] if several is None else [f"query[{number}]" for number in range(len(several))]
    if not names:
        raise InvalidInput("query=[] must name at least one target")
    spend(context.size * len(names), "queries")
    queries = [query] if several is None else several
    targets = [_target(context.domain, one, name) for one, name in zip(queries, names, strict=True)]
    size, most = context.size, 1 / MIN_DIFFERENCE
    for name, rows in targets:
        if rows is None:
            continue
        if not MIN_DIFFERENCE <= np.ptp(rows, axis=1).max() <= most:
            raise InvalidInput(f"{name}: its weights must differ by {MIN_DIFFERENCE:g} to {most:g}, in other units")
        if worst and len(rows) * size**2 > MAX_WORST_STEPS:
            raise InvalidInput(f"worst=True is too much work for {name} of {size} values; it must be left out")
        if worst:
            spend(size * (STEPS_PER_MOMENT + len(rows) * size // 8), "worst case of a query")
    return Objective(size, tuple(targets), worst)


def usual_query(context: Context, query: Any) -> Any:
    """What is asked where nothing says so: the mean of numbers on a grid, the shares of any other values.

    Beside numbers there may be values outside the scale: then it is the mean of those who gave a number, which has the
    error of a sum of numbers less the middle of their range.
    """
    domain = context.domain
    if query is not None or not isinstance(domain, NumberDomain):
        return query
    if not domain.outside:
        return MEAN
    beside, middle = [0.0] * len(domain.outside), (domain.low + domain.high) / 2
    centred = [float((Fraction(x) - middle) / (domain.high - domain.low)) for x in domain.grid]
    return [*centred, *beside]


def _several(query: Any) -> list[Any] | None:
    """The list of several targets; None for a single one: a word, numbers by name, or a sequence of numbers."""
    if query is None or isinstance(query, str) or has_names(query):
        return None
    try:
        items = list(query)
    except TypeError:
        raise InvalidInput(f"query={shown(query)} must be {_KNOWN}") from None
    return None if items and all(isinstance(item, (Real, np.generic)) for item in items) else items


_KNOWN = f'"{SHARES}", "{MEAN}", "{CUMULATIVE}", {{value: weight}}, one weight per value, or a list of these'


def _target(domain: Domain, query: Any, name: str) -> tuple[str, Array | None]:
    if query is None or (isinstance(query, str) and query == SHARES):
        return SHARES, None
    if isinstance(query, str):
        if query == MEAN:
            return query, numbers_of(domain, name)[None, :]
        if query != CUMULATIVE:
            raise InvalidInput(f"{name}={shown(query)} must be {_KNOWN}")
        if not 2 <= len(domain) <= MAX_ROWS:
            raise InvalidInput(f'{name}="{CUMULATIVE}" needs from 2 to {MAX_ROWS} values; there are {len(domain)}')
        spend(len(domain) ** 2, "cumulative shares")
        return query, np.tri(len(domain))[:-1]  # the share of all values is 1 and left out
    weights = weights_of(domain, query, name=name)
    if np.ptp(weights) == 0:
        raise InvalidInput(f"{name} weighs all values alike, so its answer is known; its weights must differ")
    return "query", weights[None, :]


def _batches(rows: Array) -> Iterator[Array]:
    """The rows in batches."""
    step = max(1, MAX_BATCH // rows.shape[1])
    return (rows[begin : begin + step] for begin in range(0, len(rows), step))


def _at(decoder: Decoder[Any], shares: Array, rows: Array | None) -> float:
    """n times the summed variances of the queries at these shares."""
    return _moment(decoder, shares, rows) - float(np.sum((shares if rows is None else rows @ shares) ** 2))


def _moment(decoder: Decoder[Any], shares: Array, rows: Array | None, members: Any = slice(None)) -> float:
    """``sum_j E[(q_j . phi)**2]`` over the rows q_j, None for one row per value, with weights for these members."""
    if rows is None:
        return float(np.sum(decoder.second_moments(shares)))
    return sum(float(np.sum(second_moment(decoder, some[:, members], shares))) for some in _batches(rows))


def _deviation(decoder: Decoder[Any] | None, shares: Array, rows: Array | None) -> float:
    if rows is None:
        moments = shares if decoder is None else decoder.second_moments(shares)
        return math.sqrt(max(0.0, float(np.max(moments - shares**2))))
    most = 0.0
    for some in _batches(rows):
        moments = some**2 @ shares if decoder is None else second_moment(decoder, some, shares)
        most = max(most, float(np.max(moments - (some @ shares) ** 2)))
    return math.sqrt(most)


def _worst(decoder: Decoder[Any], rows: Array | None) -> float:
    """The largest ``c . p - |rows p|**2`` over all distributions p, with ``c_x = sum_j E[(q_j . phi(Y))**2 | x]``."""
    given = moments_given(decoder, rows)
    return (peak_of_squares(given) if rows is None else peak_on_simplex(given, rows))[1]


def moments_given(decoder: Decoder[Any], rows: Array | None = None) -> Array:
    """``sum_j E[(q_j . phi(Y))**2 | x]`` for every value x, computed once for exchangeable values."""
    given = np.zeros(decoder.size)
    for part, _, _, values in decoder.groups():
        if rows is None:
            given[values] = _summed_moments(part)
            continue
        for members in values:
            if part.disjoint:  # a report has one score, so all values are served at once
                own = rows[:, members]
                scores = calibrated_weights(part, own, constants(part, own))
                given[members] = part.expected_counts_adjoint((scores**2).sum(axis=0))
                continue
            for x, unit in zip(members, np.eye(part.size), strict=True):
                given[x] = _moment(part, unit, rows, members)
    return given


def _summed_moments(decoder: Decoder[Any]) -> Array:
    """``E[sum_a phi_a(Y)**2 | x]`` for every value x."""
    size = decoder.size
    class_of = np.arange(size) if decoder.exchangeable is None else np.asarray(decoder.exchangeable)
    _, first, number = np.unique(class_of, return_index=True, return_inverse=True)
    moments = []
    for some in np.split(first, range(MAX_BATCH // size or 1, len(first), MAX_BATCH // size or 1)):
        units = np.zeros((len(some), size))
        units[np.arange(len(some)), some] = 1.0
        moments.append(decoder.second_moments(units).sum(axis=-1))
    return np.concatenate(moments)[number]
