"""Estimates: unbiased shares with their exact variance, intervals and linear queries."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...core.domain import plain_value
from ...core.errors import InvalidInput, shown
from ..decoders import decoder_of
from ..simplex import project_blocks
from ..tally import Tally
from .anytime import anytime_ends, anytime_of_cells
from .covariance import covariance_of_shares, with_errors
from .cumulative import Cumulative, Quantile, places_of
from .intervals import Level, check_confidence, quantile
from .layout import finite
from .score_law import ScoreLaw, law_of_levels, remark_on_few
from .shares import Query, Shares, tally_of
from .table import CONFIDENCE
from .together import MAX_TOGETHER, sup_t
from .weights import calibrated_moment, calibrated_value, calibrated_weights, constants, query_law, weights_of

if TYPE_CHECKING:
    from .smoothing import Smoothed

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Shares):
    """Unbiased shares of the values, with their errors.

    Shares are the plain unbiased ones: they may be negative and need not add up to one.
    `discreet.project`, `discreet.likelihood` and `discreet.shrink` trade that for less error, visibly.
    With no reports shares are nan and standard errors infinite.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["bus", "car", "car", "bike"] * 500, dc.random.seeded(1))
    >>> estimate = dc.estimate(mechanism.tally(reports))
    >>> round(float(estimate["car"]), 2), estimate.stderr.round(2).tolist()
    (0.5, [0.01, 0.02, 0.01])
    >>> [ends.round(2).tolist() for ends in estimate.interval(confidence=0.95)]
    [[0.22, 0.46, 0.22], [0.28, 0.53, 0.28]]
    """

    biased: ClassVar[bool] = False

    @cached_property
    def blocks(self) -> tuple[NDArray[np.int64], Array]:
        """The block of every value and the exact share of every block; one block if the context has none."""
        groups = decoder_of(self.mechanism).groups()
        block_of = np.zeros(len(self.values), dtype=np.int64)
        totals = np.zeros(sum(len(group.numbers) for group in groups))
        for part, numbers, cells, values in groups:
            block_of[values] = numbers[:, None]
            totals[numbers] = part.total(self.tally.counts[cells])[:, 0]
        return block_of, totals / max(self.n, 1)

    @cached_property
    def norm_shares(self) -> Array:
        """The shares moved evenly inside every block to its exact total (Norm in Wang2020), not projected.

        Moments are linear in the shares, so that at these they are unbiased.
        """
        block_of, totals = self.blocks
        lacking = totals - np.bincount(block_of, self.shares, len(totals))
        return np.asarray(
            self.shares + (lacking / np.maximum(np.bincount(block_of, minlength=len(totals)), 1))[block_of]
        )

    @cached_property
    def plug_in(self) -> Array:
        """The nearest distribution with the exact block totals: what the shares may be, though not where variances are.

        Rare values have none of it, and neither have the variances that depend on them.
        """
        return project_blocks(self.shares, *self.blocks)

    @cached_property
    def moment_line(self) -> tuple[Array, Array]:
        """The alpha and beta of every value with ``E[phi_x**2] = alpha + beta p_x`` as a function of its share."""
        decoder, p = decoder_of(self.mechanism), self.plug_in
        beta = np.asarray(decoder.second_moment_derivative(p))
        return np.maximum(decoder.second_moments(p) - beta * p, 0.0), beta

    @cached_property
    def law(self) -> ScoreLaw:
        """The confidence distribution of the shares, from the unbiased second moment of phi_x and its two extremes.

        The moment is that of the reports where counts tell it, else the formula at the unbiased shares. A report's
        phi_x is taken to be one of the two extremes, or 0, as it is for most mechanisms.
        """
        decoder = decoder_of(self.mechanism)
        squares = decoder.square_sums(self.tally.counts)
        moments = decoder.second_moments(self.norm_shares) if squares is None else squares / self.n
        return law_of_levels(self.n, self.shares, np.asarray(moments), *decoder.reach())

    @cached_property
    def stderr(self) -> Array:
        """``sqrt((E[phi_x**2] - p_x**2) / n)`` with the unbiased second moment.

        An interval is not the share and so many standard errors: where few reports tell, it is skewed and longer.
        """
        return self.law.stderr if self.n else np.full(len(self.values), np.inf)

    @property
    def covariance_matrix(self) -> Array:
        """The covariance of the shares, ``(E[phi_x phi_z] - p_x p_z) / n`` with unbiased moments, a row for each value.

        Its diagonal is the square of `stderr`. `covariance` gives that of any two queries, of however many values.
        """
        decoder = decoder_of(self.mechanism)
        return with_errors(self.stderr, lambda: covariance_of_shares(decoder, self.n, self.shares, self.norm_shares))

    def _remarks(self) -> list[str]:
        return [*super()._remarks(), *(remark_on_few([self.law], "shares") if self.n else [])]

    def _interval(self, level: Level) -> tuple[Array, Array]:
        """The ends of `law`; at any time exact ones where the counts tell the sum of the squared scores."""
        if not self.n:
            return np.full(len(self.values), -np.inf), np.full(len(self.values), np.inf)
        if level.anytime:
            decoder = decoder_of(self.mechanism)
            squares = decoder.square_sums(self.tally.counts)
            if squares is not None:
                spread = np.maximum(squares / self.n - self.shares**2, 0.0)
                return anytime_ends(self.n, self.shares, spread, *decoder.reach(), level.confidence, among=level.among)
        return self.law.ends(level.quantile(self.n))

    def _together(self, confidence: float) -> Level:
        level = super()._together(confidence)
        decoder, k = decoder_of(self.mechanism), len(self.values)
        if not self.n or not decoder.disjoint or k * decoder.cells > MAX_TOGETHER:
            return level
        scores = np.asarray(decoder.decode_adjoint(np.eye(k)))
        return level._replace(z=sup_t(confidence, scores, self.tally.counts / self.n))

    # -- linear queries, calibrated by the exact totals of the blocks -----------------------------------
    def query(self, weights: Any, *, calibrated: bool = True) -> Query:
        """The sum ``weights . shares``: weights in order, ``{value: weight}`` with 0 for the others, or "mean".

        The part of the weights that is constant in a block is taken from the block's total, which reports show exactly
        (that of all values is one): ``(w - c_b) . shares + sum_b c_b total_b``, unbiased whatever the constants c are,
        and with those of least variance at even shares. `calibrated=False` gives the plain sum of the shares.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="2"))
        >>> tally = mechanism.tally(mechanism.randomize_many(["bus", "car", "car", "bike"] * 500, dc.random.seeded(1)))
        >>> query = dc.estimate(tally).query({"bus": 1, "bike": 1})
        >>> round(query.value, 2), round(query.stderr, 2)
        (0.5, 0.02)
        """
        w = weights_of(self.values, weights)
        return Query(self, w, self._constants(w, calibrated))

    def _constants(self, weights: Array, calibrated: bool) -> Array:
        if not isinstance(calibrated, bool):
            raise InvalidInput(f"calibrated={shown(calibrated)} must be True or False")
        if not calibrated or not self.n:
            return np.zeros_like(weights)
        return constants(decoder_of(self.mechanism), weights)

    def _query_value(self, query: Query) -> float:
        return float(calibrated_value(self, query.weights, query.constants)) if self.n else math.nan

    def _query_law(self, query: Query) -> ScoreLaw:
        return query_law(self, query.weights[None, :], query.constants[None, :])

    def _query_stderr(self, query: Query) -> float:
        return float(self._query_law(query).stderr[0]) if self.n else math.inf

    def _query_interval(self, query: Query, level: Level) -> tuple[float, float]:
        if not self.n:
            return -math.inf, math.inf
        decoder = decoder_of(self.mechanism)
        if level.anytime and decoder.disjoint:
            scores = calibrated_weights(decoder, query.weights, query.constants)
            low, high = anytime_of_cells(self.tally.counts, scores[None, :], level.confidence)
        else:
            low, high = self._query_law(query).ends(level.quantile(self.n))
        return float(low[0]), float(high[0])

    def covariance(self, first: Any, second: Any, *, calibrated: bool = True) -> float:
        """The covariance of two linear queries, calibrated or plain as in `query`, from unbiased moments."""
        w, u = weights_of(self.values, first), weights_of(self.values, second)
        c, d = (self._constants(weights, calibrated) for weights in (w, u))
        if not self.n:
            return math.inf
        joint = calibrated_moment(decoder_of(self.mechanism), self.norm_shares, (w, c), (u, d))
        means = calibrated_value(self, np.stack([w, u]), np.stack([c, d]))
        return float((joint - means[0] * means[1]) / self.n)

    # -- values in order ----------------------------------------------------------------------------------
    def cumulative(self, order: Any = None) -> Cumulative:
        """The share of the values up to each: of numbers in their order, of any others in the `order` given.

        `order` lists all values, from the lowest to the highest.
        """
        return Cumulative(self, places_of(self.values, order))

    def quantile(self, level: float, order: Any = None) -> Quantile:
        """The lowest value with at least the share `level` of the people at it or below, 0.5 for the median.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(range(1, 6), epsilon="2"))
        >>> tally = mechanism.tally(mechanism.randomize_many([3, 4, 4, 5] * 500, dc.random.seeded(1)))
        >>> dc.estimate(tally).quantile(0.9).value
        5
        """
        return self.cumulative(order).quantile(level)

    def density(self) -> Smoothed:
        """The smooth shares of the same reports, `discreet.smooth`: of numbers the share of people near each node.

        Divided by the step between nodes they are a density.
        """
        from .smoothing import smooth

        return smooth(self)

    @cached_property
    def block_totals(self) -> dict[Hashable, float]:
        """The share of every block, known exactly from the reports (one block for other contexts)."""
        block_of, totals = self.blocks
        sizes, names = np.bincount(block_of), dict[int, Hashable]()
        for part in self.mechanism.served.parts or ():
            inside = block_of[list(part.members)]
            if (inside == inside[0]).all() and sizes[inside[0]] == len(inside):
                names[int(inside[0])] = part.name
        if len(set(names.values())) < len(totals):  # reports may show blocks that are no parts of the context
            names = dict(enumerate(range(len(totals)) if len(totals) > 1 else ["all"]))
        return {names[block]: float(total) if self.n else math.nan for block, total in enumerate(totals)}


def estimate(tally: Tally | Shares) -> Estimate:
    """Unbiased shares with standard errors, intervals and covariances, from a tally or any result made from one.

    The share of x is the mean of ``phi_x(Y)``, where ``E[phi_x(Y) | z]`` is 1 if x = z and 0 otherwise.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["bus", "car", "car", "bike"] * 500, dc.random.seeded(1))
    >>> estimate = dc.estimate(mechanism.tally(reports))
    >>> estimate.shares.round(2).tolist(), estimate.stderr.round(2).tolist()
    ([0.25, 0.5, 0.25], [0.01, 0.02, 0.01])
    """
    if isinstance(tally, Estimate):
        return tally
    counted = tally_of("tally", tally)
    if not counted.n:
        return Estimate(counted, np.full(counted.mechanism.context.size, np.nan), "unbiased")
    shares = np.asarray(decoder_of(counted.mechanism).decode(counted.counts) / counted.n)
    return Estimate(counted, shares, "unbiased")


def block_columns(
    tally: Tally, *, confidence: float = CONFIDENCE, simultaneous: bool = False, anytime: bool = False
) -> dict[str, Any] | None:
    """The share of every block with its stderr, low and high as JSON data; None if reports show no blocks.

    Every report shows its block, so a total is a plain frequency t of n, whatever the method for the shares: its
    standard error is ``sqrt(t (1-t) / n)``, its scores are 0 and 1, and its interval is between those of Jeffreys and
    of Clopper and Pearson; for all blocks together if `simultaneous`.
    """
    check_confidence(confidence)
    totals = estimate(tally).block_totals
    if len(totals) < 2:
        return None
    shares = np.array(list(totals.values()))
    among, zero, one = len(totals) if simultaneous else 1, np.zeros(len(totals)), np.ones(len(totals))
    if not tally.n:
        low = high = stderr = np.full(len(totals), np.nan)
    else:
        law = law_of_levels(tally.n, shares, shares, zero, one)
        low, high = law.ends(quantile(confidence, among=among))
        if anytime:
            low, high = anytime_ends(tally.n, shares, shares * (1 - shares), zero, one, confidence, among=among)
        stderr = law.stderr
    columns = {"shares": shares, "stderr": stderr, "low": low, "high": high}
    return {"names": [plain_value(name) for name in totals], **{key: finite(column) for key, column in columns.items()}}
