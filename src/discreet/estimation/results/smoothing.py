"""Smooth shares of values that have neighbours: penalised likelihood, its strength chosen by the reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...contexts import Context, TreeStructure
from ...core.errors import InvalidInput, Unavailable
from ..decoders import decoder_of
from ..tally import Tally
from .covariance import covariance_of_shares
from .intervals import checked_level
from .projection import Distribution
from .shares import Query, Shares, tally_of
from .table import CONFIDENCE
from .weights import numbers_of

Array = NDArray[np.float64]

MAX_VALUES = 1500
"""The most values that are smoothed."""
MAX_BASIS = 300
"""How many of the smoothest shapes of log-shares are fitted at most."""
ORDERS = (2, 3)
"""The orders of differences that are tried along a line, round a ring and over a grid."""
TYPICAL = 5.0
"""The standard deviation of shapes that are not penalised, such as slopes, in log-shares."""
STRENGTHS = 10.0 ** np.arange(8.0, -4.1, -0.5)
"""The strengths that are tried, from the smoothest on."""
MAX_STEPS = 80
"""The most Newton steps for one strength."""
ENOUGH = 1e-6
"""A smaller gain, in nats, ends the search."""


class _Fit(NamedTuple):
    """The most likely log-shares at one strength: coefficients of the shapes, their precision and the evidence."""

    at: Array
    shares: Array
    precision: Array
    evidence: float


@dataclass(frozen=True, eq=False, repr=False)
class Smoothed(Distribution):
    """Smooth shares: biased towards neighbours, with much less error where neighbours have similar shares.

    Intervals are those of the unbiased shares, as for any other distribution, and cover at least as often. `stderr`
    and `band` are those of the *posterior*, given the strength: a band holds about its share of the values of a smooth
    curve, taken together, and less at sharp peaks, which are smoothed away (Nychka1988).

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.metric(range(30), "line", "1/2"))
    >>> people = [14, 15, 15, 16, 16, 17] * 500
    >>> smoothed = dc.smooth(mechanism.tally(mechanism.randomize_many(people, dc.random.seeded(1))))
    >>> smoothed.biased, round(float(smoothed.shares.sum()), 9), bool(smoothed.shares[14:18].sum() > 0.9)
    (True, 1.0, True)
    """

    strength: float
    """How much the likelihood is asked to give up for smoothness."""
    order: int
    """The order of the differences of log-shares that are kept small."""
    covariance_of_logs: Array
    """The posterior covariance of the log-shares."""

    @property
    def stderr(self) -> Array:
        """Not available: smooth shares are biased, by more than their posterior deviation shows."""
        raise Unavailable(NO_STDERR.format("stderr"))

    def _query_stderr(self, query: Query) -> float:
        raise Unavailable(NO_STDERR.format("query(weights).stderr"))

    @cached_property
    def _spread_of_logs(self) -> Array:
        """The posterior standard deviations of the logarithms of shares that add up to one."""
        covariance, p = self.covariance_of_logs, self.shares
        with_mean = covariance @ p
        return np.sqrt(np.maximum(np.diag(covariance) - 2 * with_mean + p @ with_mean, 0.0))

    @property
    def posterior_stderr(self) -> Array:
        """The posterior standard deviation of each share, given the strength."""
        return np.asarray(self.shares * self._spread_of_logs)

    def band(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """Posterior intervals, given the strength: they hold about that share of the values of a smooth curve."""
        z = checked_level(confidence, False).quantile(self.n)
        spread = np.exp(np.minimum(z * self._spread_of_logs, 700.0))
        return self.shares / spread, np.minimum(self.shares * spread, 1.0)


NO_STDERR = "smooth shares are biased and have no standard error: use dc.estimate(tally).{}, interval, or band"


def smooth(tally: Tally | Shares) -> Smoothed:
    """The shares with the largest penalised likelihood, ``log L(p) - strength / 2 |D log p|**2``, for neighbours.

    Neighbours are those of the context: along a line, round a ring, on a grid, in a tree, and of values that are
    numbers those next to each other. D are differences of order 2 or 3 (powers of the graph's Laplacian); order and
    strength are those of the largest evidence, ``p(reports | strength)`` by Laplace's approximation. `Unavailable` for
    values without neighbours.

    Where log-shares are smooth it has a fraction of the error of likelihood. Narrow spikes become hills, and a pattern
    that changes from each value to the next is lost, without a warning from the reports if they cannot tell. Where a
    report is a set of values the likelihood is that of the unbiased shares, taken as normal.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.numbers(0, 100, "1"))
    >>> people = [20, 30, 35, 40, 40, 50, 60, 70] * 500
    >>> smoothed = dc.smooth(mechanism.tally(mechanism.randomize_many(people, dc.random.seeded(1))))
    >>> abs(smoothed.mean().value - 43) < 4
    True

    References: Whittaker1922, Eilers1996 (penalised differences); MacKay1992 (evidence); Nychka1988 (bands).
    """
    counted = tally_of("tally", tally)
    if not counted.n:
        raise InvalidInput("n=0 reports give nothing to smooth")
    context = counted.mechanism.context
    if context.size > MAX_VALUES:
        raise Unavailable(f"{context.size} values are too many to smooth; {MAX_VALUES} are not")
    model = _Model(counted)
    best: tuple[_Fit, float, int, Array] | None = None
    for order, penalty in _penalties(context):
        shapes, levels = _shapes(penalty, order)
        start = np.zeros(len(levels))
        for strength in STRENGTHS:
            fit = model.fit(shapes, strength * levels + (levels == 0) / (TYPICAL**2 * context.size), start)
            if best is None or fit.evidence > best[0].evidence:
                best = fit, float(strength), order, shapes
            start = fit.at
    assert best is not None
    fit, strength, order, shapes = best
    covariance = shapes @ np.linalg.solve(fit.precision, shapes.T)
    method = f"penalised likelihood, differences of order {order}, biased towards neighbours"
    return Smoothed(counted, fit.shares, method, strength, order, covariance)


class _Model:
    """The log-likelihood of log-shares, its gradient and its expected information."""

    def __init__(self, tally: Tally) -> None:
        self.decoder, self.n = decoder_of(tally.mechanism), tally.n
        size = tally.mechanism.context.size
        if self.decoder.disjoint:
            self.counts = tally.counts.astype(float)
            self.channel = np.stack([np.asarray(self.decoder.expected_counts(unit)) for unit in np.eye(size)])
        else:
            self.target = np.asarray(self.decoder.decode(tally.counts) / tally.n)
            even = np.full(size, 1 / size)
            covariance = covariance_of_shares(self.decoder, tally.n, even, even)
            levels, axes = np.linalg.eigh(covariance)
            told = levels > 1e-10 * levels.max()
            self.root = axes[:, told] / np.sqrt(levels[told])  # of the weight, the inverse of the covariance

    def value(self, shares: Array) -> float:
        if self.decoder.disjoint:
            law = np.maximum(shares @ self.channel, 1e-300)
            return float(self.counts @ np.log(law))
        return -0.5 * float(np.sum(((shares - self.target) @ self.root) ** 2))

    def slopes(self, shares: Array) -> tuple[Array, Array]:
        """The gradient in the log-shares, and a root A of the information, ``A A^T``."""
        if self.decoder.disjoint:
            law = np.maximum(shares @ self.channel, 1e-300)
            gradient = shares * (self.channel @ (self.counts / law) - self.n)
            return gradient, shares[:, None] * (self.channel - law) * np.sqrt(self.n / law)
        root = shares[:, None] * (self.root - shares @ self.root)
        return root @ ((self.target - shares) @ self.root), root

    def fit(self, shapes: Array, penalties: Array, start: Array) -> _Fit:
        """The best coefficients of the shapes by Newton's method, and the evidence for the penalties."""

        def objective(at: Array) -> tuple[float, Array]:
            logs = shapes @ at
            shares = np.exp(logs - logs.max())
            shares /= shares.sum()
            return self.value(shares) - 0.5 * float(penalties @ at**2), shares

        at = start
        value, shares = objective(at)
        for _ in range(MAX_STEPS):
            gradient, root = self.slopes(shares)
            part = shapes.T @ root
            precision = part @ part.T + np.diag(penalties)
            step = np.linalg.solve(precision, shapes.T @ gradient - penalties * at)
            length = 1.0
            while (new := objective(at + length * step))[0] < value and length > 1e-6:
                length /= 2
            if new[0] <= value:
                break
            gain, at, (value, shares) = new[0] - value, at + length * step, new
            if gain < ENOUGH:
                break
        determinant = np.linalg.slogdet(precision)[1]
        return _Fit(at, shares, precision, value + 0.5 * float(np.log(penalties).sum()) - 0.5 * float(determinant))


def _shapes(laplacian: Array, order: int) -> tuple[Array, Array]:
    """The smoothest shapes but the constant one, a column each, and what one of length 1 costs."""
    if laplacian.shape[0] != laplacian.shape[1]:  # differences along a line, whose polynomials cost nothing
        penalty = laplacian.T @ laplacian
    else:
        penalty = np.linalg.matrix_power(laplacian, order)
    size = len(penalty)
    centred = np.eye(size) - 1 / size
    levels, axes = np.linalg.eigh(centred @ penalty @ centred + np.full((size, size), 1.0) * np.abs(penalty).sum())
    levels = np.where(levels > 1e-9 * np.abs(penalty).max() / size**2, levels, 0.0)
    kept = slice(0, min(size - 1, MAX_BASIS))
    return axes[:, kept], levels[kept]


def _penalties(context: Context) -> Iterator[tuple[int, Array]]:
    """The orders and the differences, or the Laplacian, of the neighbours that the values of a context have."""
    closed, size = context.closure_if_cheap(), context.size
    if size < 3:
        raise Unavailable(f"{size} values are too few to be smoothed")
    if closed.ring is not None:
        around = closed.ring.order
        yield 2, _laplacian(size, [*zip(around, (*around[1:], around[0]), strict=True)])
        return
    line = _line(context)
    if line is not None:
        for order in ORDERS:
            if order < size:
                rows = np.diff(np.eye(size), n=order, axis=0)
                placed = np.zeros_like(rows)
                placed[:, line] = rows
                yield order, placed
        return
    if context.grid is not None:
        at = {cell: x for x, cell in enumerate(context.grid.cells)}
        sides = np.eye(len(context.grid.shape), dtype=int)
        beside = ((x, at.get(tuple(np.add(cell, side)))) for cell, x in at.items() for side in sides)
        yield 2, _laplacian(size, [(x, z) for x, z in beside if z is not None])
        return
    if closed.tree is not None and any(isinstance(child, TreeStructure) for child in closed.tree.children):
        yield 1, _tree_penalty(size, closed.tree)
        return
    raise Unavailable("these values have no neighbours: a line, a ring, a grid, a tree or numbers have")


def _line(context: Context) -> Any:
    """The values from one end to the other: along the context's line, or by their size if they are numbers."""
    line = context.closure_if_cheap().line
    if line is not None:
        return list(line.order)
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in context.values):
        return np.argsort(numbers_of(context.domain, "order"), kind="stable").tolist()
    return None


def _laplacian(size: int, pairs: list[tuple[int, int]]) -> Array:
    laplacian = np.zeros((size, size))
    for x, z in pairs:
        laplacian[x, x] += 1
        laplacian[z, z] += 1
        laplacian[x, z] -= 1
        laplacian[z, x] -= 1
    return laplacian


def _tree_penalty(size: int, tree: TreeStructure) -> Array:
    """How far the log-shares below every node are from their mean, summed over the nodes."""
    penalty = np.zeros((size, size))

    def leaves(node: TreeStructure | int) -> list[int]:
        if not isinstance(node, TreeStructure):
            return [node]
        below = [x for child in node.children for x in leaves(child)]
        penalty[np.ix_(below, below)] += np.eye(len(below)) - 1 / len(below)
        return below

    leaves(tree)
    return penalty
