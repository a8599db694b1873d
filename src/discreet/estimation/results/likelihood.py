"""The most likely distribution, by accelerated EM over fast transforms, and its covariance.

The expected information about the shares, inverted part by part, is ``I = n sum_y q_y q_y^T / P_y`` with P =
Q^T p. Since ``I p = n 1``, the covariance of the most likely shares on the plane of shares that add up to one is
``I**-1 - p p^T / n``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput, Unavailable
from ..decoders import Decoder, decoder_of
from ..tally import Tally
from .covariance import covariance_of_shares, with_errors
from .projection import Distribution
from .shares import Query, Shares, tally_of
from .weights import weights_of

Array = NDArray[np.float64]


MAX_DENSE_SIZE = 1500
"""The largest part whose information is inverted directly."""
PROBES = 32
"""Random sign vectors that probe the diagonal of an inverse in larger parts."""
UNLIKELY = 1e-100
"""A report with a smaller chance counts as impossible."""
BLIND = 1e-13
"""A smaller fraction of the information counts as none."""
SLIGHT = 1e-6
"""The fraction of a weighted sum that may lie where there is no information: it is rounding error."""
ROUNDING = 1e-12
"""Weights that differ by a smaller fraction of the largest count as equal."""


def variances(decoder: Decoder[Any], n: int, shares: Array) -> Array:
    """The variance of each share; infinite where the likely reports do not tell a value from others."""
    inverse = np.empty(len(shares))
    for part in _parts(decoder, n, shares):
        inverse[part.values] = part.diagonal()
    return np.asarray(np.maximum(inverse - shares**2 / n, 0.0))


def variance(decoder: Decoder[Any], n: int, shares: Array, weights: Array) -> float:
    """The variance of ``weights . shares``: ``v^T I**-1 v`` with v the weights less their mean under the shares."""
    centred = weights - weights @ shares
    centred[np.abs(centred) <= ROUNDING * np.abs(weights).max()] = 0.0
    queried = np.where(centred != 0, weights, 0.0)
    total = 0.0
    for part in _parts(decoder, n, shares):
        if part.blind_to(queried[part.values]):
            return float("inf")
        total += part.form(centred[part.values])
    return max(total, 0.0)


@dataclass(frozen=True, eq=False)
class _Part:
    """Values whose reports reveal nothing about other values: one block, or all values."""

    decoder: Decoder[Any]
    curvature: Array
    values: NDArray[np.int64]

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def empty(self) -> bool:
        """True if none of the likely reports could come from any of the values."""
        return not self.curvature.any()

    @cached_property
    def axes(self) -> tuple[Array, Array, Array, Array]:
        """The information in units that make its diagonal 1: the units, its levels and axes, and its blind axes.

        A report that cannot occur shows that its values have no share, as surely as numbers allow.
        """
        channel = np.stack([np.asarray(self.decoder.expected_counts(unit)) for unit in np.eye(self.size)])
        curvature = np.where(self.curvature > 0, self.curvature, 1 / UNLIKELY)
        information = (channel * curvature) @ channel.T
        known = np.diag(information)
        units = 1 / np.sqrt(np.where(known > 0, known, 1.0))
        levels, axes = np.linalg.eigh(information * units * units[:, None])
        seen = levels > BLIND * self.size
        return units, levels[seen], axes[:, seen], axes[:, ~seen]

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """The values from which none of the likely reports could come."""
        return np.asarray(self.decoder.expected_counts_adjoint(self.curvature)) <= 0

    def blind_to(self, weights: Array) -> bool:
        """True if the likely reports leave the weighted sum undecided."""
        if self.empty or self.size > MAX_DENSE_SIZE:
            return bool((weights * self.unknown).any())
        units, _, _, blind = self.axes
        scaled = weights * units
        return bool(np.linalg.norm(scaled @ blind) > SLIGHT * np.linalg.norm(scaled))

    def diagonal(self) -> Array:
        """The diagonal of the inverse: computed directly, or probed with random signs in large parts."""
        if self.empty:
            return np.full(self.size, np.inf)
        if self.size <= MAX_DENSE_SIZE:
            units, levels, axes, blind = self.axes
            diagonal = (axes**2 / levels).sum(axis=1) * units**2
            return np.where(np.linalg.norm(blind, axis=1) > SLIGHT, np.inf, diagonal)
        signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(PROBES, self.size))
        diagonal = np.mean([row * self.solve(row) for row in signs], axis=0)
        return np.where(self.unknown, np.inf, np.maximum(diagonal, 0.0))

    def inverse(self) -> Array:
        """The inverse, whole; its blind axes, of which nothing is known, are left out."""
        if self.empty:
            return np.zeros((self.size, self.size))
        units, levels, axes, _ = self.axes
        scaled = axes * units[:, None]
        return np.asarray((scaled / levels) @ scaled.T)

    def form(self, vector: Array) -> float:
        """``vector^T I**-1 vector``: computed directly, or by one conjugate-gradient solve in large parts."""
        if self.empty or not vector.any():
            return 0.0
        if self.size <= MAX_DENSE_SIZE:
            units, levels, axes, _ = self.axes
            return float(np.sum((vector * units @ axes) ** 2 / levels))
        return float(vector @ self.solve(vector))

    def solve(self, target: Array) -> Array:
        """The v with ``I v = target``, to a thousandth, by conjugate gradients with a ridge too small to matter."""
        from scipy.sparse.linalg import LinearOperator, cg

        ridge = 1e-9 * float(self.curvature.sum()) / self.size

        def apply(vector: Array) -> Array:
            expected = self.curvature * np.asarray(self.decoder.expected_counts(vector))
            return np.asarray(self.decoder.expected_counts_adjoint(expected)) + ridge * vector

        information = LinearOperator((self.size, self.size), matvec=apply, dtype=np.float64)
        return np.asarray(cg(information, target, rtol=1e-3, maxiter=200)[0])


def _parts(decoder: Decoder[Any], n: int, shares: Array) -> Iterator[_Part]:
    """The parts in turn, so that only one is inverted at a time."""
    law = np.asarray(decoder.expected_counts(shares))
    curvature = np.divide(n, law, out=np.zeros_like(law), where=law > UNLIKELY)
    for part, _, cells, values in decoder.groups():
        for rows, columns in zip(cells, values, strict=True):
            yield _Part(part, curvature[rows], columns)


TOLERANCE = 1e-6
"""In nats per value: a smaller gain from an accelerated step is statistically invisible and ends the search."""
MAX_STEPS = 3000
"""The most EM steps of the search."""
MIN_RATIO = 2.0
"""A share of fewer standard errors is not clearly above 0."""


@dataclass(frozen=True, eq=False, repr=False)
class Likelihood(Distribution):
    """Maximum-likelihood shares: non-negative, adding up to one, biased near zero.

    `log_likelihood` was reached in `steps` EM steps; no distribution exceeds it by more than `gap` nats.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1"))
    >>> likelihood = dc.likelihood(mechanism.tally(mechanism.randomize_many(["bus", "car"] * 100, dc.random.seeded(1))))
    >>> likelihood.biased, round(float(likelihood.shares.sum()), 9), likelihood.gap < 1e-3
    (True, 1.0, True)
    """

    log_likelihood: float
    gap: float
    steps: int

    @property
    def stderr(self) -> Array:
        """The asymptotic standard errors, where they hold: `Unavailable` where some share is not clearly above 0.

        That no share is below 0 then takes part in the estimate, also of the other shares, which spread less.
        """
        self._check_inside()
        return self.asymptotic_stderr

    def _check_inside(self) -> None:
        if (self.shares < MIN_RATIO * self.asymptotic_stderr).any():
            raise Unavailable(
                f"some shares are less than {MIN_RATIO:g} standard errors above 0, where the most likely ones have no "
                "normal error: use interval, dc.estimate(tally).stderr, or asymptotic_stderr"
            )

    @cached_property
    def asymptotic_stderr(self) -> Array:
        """Standard errors by the expected information at these shares, on the plane of shares that add up to one.

        ``I = n sum_y q_y q_y^T / P_y``; the covariance is ``I**-1 - p p^T / n``, as ``I p = n 1``.
        Parts of up to 1,500 values are inverted directly, larger ones probed with 32 random signs
        (within about a fifth of a percent to a few percent). Where cells overlap (sets), the tally
        does not hold the full likelihood and the unbiased estimator's variance at these shares is given.
        Shares at the boundary have no normal error; theirs is the curvature there, and infinite for values
        from which none of the likely reports could come (a block without reports) or that no report tells apart.
        """
        decoder, shares = decoder_of(self.mechanism), self.shares
        if decoder.disjoint:
            return np.asarray(np.sqrt(variances(decoder, self.n, shares)))
        moments = decoder.second_moments(shares)
        return np.asarray(np.sqrt(np.maximum(moments - shares**2, 0.0) / self.n))

    @property
    def covariance_matrix(self) -> Array:
        """The asymptotic covariance of the shares, a row for each value; `Unavailable` where `stderr` is."""
        return with_errors(self.stderr, self._asymptotic_covariance)

    def _asymptotic_covariance(self) -> Array:
        decoder, shares = decoder_of(self.mechanism), self.shares
        if not decoder.disjoint:
            return covariance_of_shares(decoder, self.n, shares, shares)
        inverse = np.zeros((len(shares), len(shares)))
        for part in _parts(decoder, self.n, shares):
            inverse[np.ix_(part.values, part.values)] = part.inverse()
        return inverse - np.outer(shares, shares) / self.n

    def _query_stderr(self, query: Query) -> float:
        self._check_inside()
        return self.asymptotic_query_stderr(query.weights)

    def asymptotic_query_stderr(self, weights: Any) -> float:
        """The standard error of a query by the information: ``v^T I**-1 v`` with v the weights less their mean."""
        decoder, shares, w = decoder_of(self.mechanism), self.shares, weights_of(self.values, weights)
        if decoder.disjoint:
            return math.sqrt(variance(decoder, self.n, shares, w))
        moment = float(np.sum(decoder.cross_moment(shares, w, w)))
        return math.sqrt(max(moment - float(w @ shares) ** 2, 0.0) / self.n)


def likelihood(tally: Tally | Shares) -> Likelihood:
    """The distribution under which the tally, or the tally of a result, is most likely.

    EM: ``p_x <- p_x / n * sum_y c_y Q(y | x) / P_y``, with P = Q^T p and both sums by fast transforms,
    accelerated by squared extrapolation, which a block undoes whenever it does not raise its likelihood,
    so the likelihood never falls. It stops when an accelerated step gains less than 1e-6 nats per value;
    `gap` then bounds what is left: ``max_x sum_y c_y Q(y | x) / P_y - n`` per block, by concavity.

    For sets (subset, unary) the tally holds only how often each value was in a set, so this is the
    composite likelihood of the memberships, each set weighing one report; and where a report shows several
    classes of values (types), that of what it shows of each, all of them together weighing one.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1/2"))
    >>> tally = mechanism.tally(mechanism.randomize_many(["bus", "car", "car"] * 100, dc.random.seeded(1)))
    >>> dc.likelihood(tally).shares.round(2).tolist()
    [0.1, 0.9, 0.0]

    References: Varadhan2008 (squared extrapolation); Kairouz2016 and Ye2018 (likelihood decoding).
    """
    counted = tally_of("tally", tally)
    if not counted.n:
        raise InvalidInput("n=0 reports have no likelihood")
    model = _Model(counted)
    size = counted.mechanism.context.size
    shares, steps = model.step(np.full(size, 1 / size)), 1
    values = model.values(shares)
    while steps < MAX_STEPS:
        shares, new = model.accelerate(shares, values)
        steps += 3
        gain, values = float((new - values) @ model.memberships), new
        if gain < TOLERANCE * size:
            break
    kind = "" if decoder_of(counted.mechanism).disjoint else "composite "
    method = f"{kind}maximum likelihood, biased near zero"
    return Likelihood(counted, shares / shares.sum(), method, float(values.sum()), model.gap(shares), steps)


class _Model:
    """The log-likelihood of a tally as a function of the shares, over expected cell counts.

    Blocks are separate problems: the likelihood, the step length and the choice to undo a step
    are kept per block.
    """

    def __init__(self, tally: Tally) -> None:
        decoder = self.decoder = decoder_of(tally.mechanism)
        self.n = tally.n
        self.counts = tally.counts.astype(float)
        self.block_of = np.zeros(tally.mechanism.context.size, dtype=np.int64)
        self.cell_block = np.zeros(len(self.counts), dtype=np.int64)
        for _, blocks, cells, members in decoder.groups():
            self.block_of[members] = blocks[:, None]
            self.cell_block[cells] = blocks[:, None]
        self.blocks = int(self.block_of.max()) + 1
        self.longest = np.full(self.blocks, 4.0)
        totals = decoder.set_totals()
        self.bits = np.nonzero(totals >= 0)[0]
        self.totals = totals[self.bits]
        self.plain = np.ones(len(self.counts), dtype=bool)
        self.plain[self.bits] = self.plain[self.totals] = False
        self.off = self.counts[self.totals] - self.counts[self.bits]
        overlaps = decoder.overlaps()
        self.counts_weighed = self.counts / overlaps
        self.weight = 1 / np.bincount(self.totals, minlength=len(self.counts))[self.totals] / overlaps[self.bits]

        sets = np.bincount(self.cell_block[self.bits], minlength=self.blocks)
        tallied = np.bincount(self.cell_block[self.totals], minlength=self.blocks) > 0
        self.memberships = np.where(tallied, np.maximum(sets, 1), 1)
        """How many memberships of a set share the weight of one report, per block."""

    def _law(self, shares: Array) -> Array:
        return np.asarray(np.maximum(self.decoder.expected_counts(shares), 1e-300))

    def values(self, shares: Array) -> Array:
        """The log-likelihood of every block."""
        law = self._law(shares)
        terms = np.where(self.plain, self.counts_weighed * np.log(law), 0.0)
        if len(self.bits):
            off = np.maximum(law[self.totals] - law[self.bits], 1e-300)
            terms[self.bits] = self.weight * (self.counts[self.bits] * np.log(law[self.bits]) + self.off * np.log(off))
        return self._by_block(terms, self.cell_block)

    def _by_block(self, terms: Array, block: NDArray[np.int64]) -> Array:
        return np.bincount(block, weights=terms, minlength=self.blocks).astype(np.float64, copy=False)

    def gradient(self, shares: Array) -> Array:
        """dL/dp_x = sum over cells of the expected counts of x times dL/dP."""
        law = self._law(shares)
        slope = np.where(self.plain, self.counts_weighed / law, 0.0)
        if len(self.bits):
            off = self.weight * self.off / np.maximum(law[self.totals] - law[self.bits], 1e-300)
            slope[self.bits] = self.weight * self.counts[self.bits] / law[self.bits] - off
            np.add.at(slope, self.totals, off)
        return np.asarray(self.decoder.expected_counts_adjoint(slope))

    def gap(self, shares: Array) -> float:
        """A bound on the gain still possible: per block, its share times the largest gradient, less its reports."""
        gradient = self.gradient(shares)
        largest = np.zeros(self.blocks)
        np.maximum.at(largest, self.block_of, gradient)
        return max(0.0, float(self._by_block(shares, self.block_of) @ largest - shares @ gradient))

    def step(self, shares: Array) -> Array:
        new = np.maximum(shares * self.gradient(shares) / self.n, 0.0)
        return np.asarray(new / new.sum())

    def accelerate(self, shares: Array, values: Array) -> tuple[Array, Array]:
        """Two EM steps and a third extrapolated from them; blocks that this does not help keep the two.

        A block's longest extrapolation grows fourfold when it is reached and helps, and halves when it does not.
        """
        one = self.step(shares)
        two = self.step(one)
        first, bend = one - shares, (two - one) - (one - shares)
        long, short = (np.sqrt(self._by_block(part**2, self.block_of)) for part in (first, bend))
        wanted = np.clip(np.divide(long, short, out=np.ones_like(long), where=short > 0), 1.0, self.longest)
        reach = wanted[self.block_of]
        far = np.maximum(shares + 2 * reach * first + reach**2 * bend, two * 1e-3)
        totals = self._by_block(two, self.block_of) / np.maximum(self._by_block(far, self.block_of), 1e-300)
        far = self.step(far * totals[self.block_of])
        near_values, far_values = self.values(two), self.values(far)
        better = far_values > near_values
        grown = np.where(wanted == self.longest, 4 * self.longest, self.longest)
        self.longest = np.where(better, grown, wanted / 2 + 1)
        return np.where(better[self.block_of], far, two), np.where(better, far_values, near_values)
