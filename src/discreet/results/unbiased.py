"""Estimates: unbiased shares with their exact variance, intervals and linear queries."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..statistics.numeric import NUMERIC
from ..statistics.simplex import project_blocks
from ..tally import Tally
from .intervals import quantile
from .shares import Shares, tally_of
from .weights import weights_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Shares):
    """Unbiased shares of the values, with their errors.

    Shares are the plain unbiased ones: they may be negative and need not add up to one.
    `discreet.project`, `discreet.likelihood` and `discreet.shrink` trade that for less error, visibly.
    With no reports shares are nan and standard errors infinite.
    """

    biased: ClassVar[bool] = False

    @cached_property
    def blocks(self) -> tuple[NDArray[np.int64], Array]:
        """The block of every value and the exact share of every block; one block if the context has none."""
        groups = self.tally.mechanism.randomizer.groups(NUMERIC)
        block_of = np.zeros(len(self.values), dtype=np.int64)
        totals = np.zeros(sum(len(group.numbers) for group in groups))
        for part, numbers, cells, values in groups:
            block_of[values] = numbers[:, None]
            totals[numbers] = part.total(self.tally.counts[cells], NUMERIC)[:, 0]
        return block_of, totals / max(self.n, 1)

    @cached_property
    def plausible(self) -> Array:
        """The nearest distribution with the exact block totals, at which variances are evaluated."""
        return project_blocks(self.shares, *self.blocks)

    @cached_property
    def stderr(self) -> Array:
        """``sqrt((E[phi_x**2] - p_x**2) / n)``, the exact formula at the estimated distribution."""
        if not self.n:
            return np.full(len(self.values), np.inf)
        moments = self.tally.mechanism.randomizer.second_moments(self.plausible, NUMERIC)
        return np.asarray(np.sqrt(np.maximum(moments - self.plausible**2, 0.0) / self.n))

    def interval(self, confidence: float = 0.95) -> tuple[Array, Array]:
        """Two-sided score intervals, each covering its share with the given confidence.

        The share p solves ``(p_hat - p)**2 = z**2 (alpha + beta p - p**2) / n``, where
        ``alpha + beta p`` is E[phi_x**2] as a function of the share; for one cell this is Wilson's interval.
        """
        return self._score(quantile(confidence))

    def simultaneous_interval(self, confidence: float = 0.95) -> tuple[Array, Array]:
        """Intervals that all hold together with the given confidence (Bonferroni over the values)."""
        return self._score(quantile(confidence, among=len(self.values)))

    def _score(self, z: float) -> tuple[Array, Array]:
        if not self.n:
            return np.full(len(self.values), -np.inf), np.full(len(self.values), np.inf)
        randomizer = self.tally.mechanism.randomizer
        plausible = self.plausible
        beta = randomizer.slopes(plausible, NUMERIC)
        alpha = np.maximum(randomizer.second_moments(plausible, NUMERIC) - beta * plausible, 0.0)
        c = z * z / self.n
        middle = 2 * self.shares + c * beta
        inside = 4 * c * (alpha + beta * self.shares - self.shares**2) + c * c * (beta**2 + 4 * alpha)
        reach = np.sqrt(np.maximum(inside, 0.0))
        return (middle - reach) / (2 * (1 + c)), (middle + reach) / (2 * (1 + c))

    def _query_stderr(self, weights: Array) -> float:
        return math.sqrt(max(0.0, self.covariance(weights, weights)))

    def _query_interval(self, weights: Array, confidence: float) -> tuple[float, float]:
        """A score interval, stretched to hold the normal one.

        The standard error alone is too small where few reports could have told of a value, and zero where none
        did. So the variance is taken along the way from a distribution p that agrees with the estimate of the query
        to everyone holding the value z of the most (least) weight: ``p_t = (1-t) p + t e_z``, whose second moment is
        linear in t. The interval ends where ``(q_hat - q_t)**2 = c (M_t - q_t**2)`` with ``c = z**2 / n``, a
        quadratic equation in t.
        """
        z = quantile(confidence)
        if not self.n:
            return -math.inf, math.inf
        value, reach = float(weights @ self.shares), z * self._query_stderr(weights)
        p = self._agreeing(weights, value)
        least, most = (self._score_end(p, weights, end, z * z / self.n) for end in (weights.min(), weights.max()))
        return min(value - reach, least), max(value + reach, most)

    def _agreeing(self, weights: Array, value: float) -> Array:
        """The plausible distribution, moved towards the heaviest or the lightest value until the query is `value`."""
        start = float(weights @ self.plausible)
        end = float(weights.max() if value > start else weights.min())
        part = min((value - start) / (end - start), 1.0) if end != start else 0.0
        return (1 - part) * self.plausible + part * _everyone(weights, end)

    def _score_end(self, p: Array, weights: Array, end: float, c: float) -> float:
        """The last value of the query on the way to everyone holding a value of weight `end` that is not ruled out."""
        randomizer, corner = self.tally.mechanism.randomizer, _everyone(weights, end)
        here, there = (float(np.sum(randomizer.cross_moment(q, weights, weights, NUMERIC))) for q in (p, corner))
        found, start = float(weights @ self.shares), float(weights @ p)
        step = end - start
        a = (1 + c) * step * step
        b = 2 * step * ((1 + c) * start - found) - c * (there - here)
        inside = b * b - 4 * a * ((1 + c) * start * start - 2 * found * start + found * found - c * here)
        if a <= 0 or inside < 0:
            return found
        return start + step * min(max((math.sqrt(inside) - b) / (2 * a), 0.0), 1.0)

    def covariance(self, first: Any, second: Any) -> float:
        """The covariance of the estimates of two linear queries, at the estimated distribution."""
        w, u = weights_of(self.values, first), weights_of(self.values, second)
        if not self.n:
            return math.inf
        p = self.plausible
        joint = self.tally.mechanism.randomizer.cross_moment(p, w, u, NUMERIC)
        return float((np.sum(joint) - (w @ p) * (u @ p)) / self.n)

    @cached_property
    def block_totals(self) -> dict[Hashable, float]:
        """The share of every block, known exactly from the reports (one block for other contexts)."""
        block_of, totals = self.blocks
        sizes, names = np.bincount(block_of), dict[int, Hashable]()
        for part in self.tally.mechanism.served.parts or ():
            inside = block_of[list(part.members)]
            if (inside == inside[0]).all() and sizes[inside[0]] == len(inside):
                names[int(inside[0])] = part.name
        if len(set(names.values())) < len(totals):  # reports may show blocks that are no parts of the context
            names = dict(enumerate(range(len(totals)) if len(totals) > 1 else ["all"]))
        return {names[block]: float(total) if self.n else math.nan for block, total in enumerate(totals)}


def _everyone(weights: Array, end: float) -> Array:
    """The distribution in which everyone holds one value of weight `end`."""
    found = np.zeros(len(weights))
    found[int(np.argmax(weights == end))] = 1.0
    return found


def estimate(tally: Tally | Shares) -> Estimate:
    """Unbiased shares with standard errors, intervals and covariances, from a tally or any result made from one.

    The share of x is the mean of ``phi_x(Y)``, where ``E[phi_x(Y) | z]`` is 1 if x = z and 0 otherwise.
    """
    if isinstance(tally, Estimate):
        return tally
    counted = tally_of("tally", tally)
    if not counted.n:
        return Estimate(counted, np.full(counted.mechanism.context.size, np.nan), "unbiased")
    shares = np.asarray(counted.mechanism.randomizer.decode(counted.counts, NUMERIC) / counted.n)
    return Estimate(counted, shares, "unbiased")
