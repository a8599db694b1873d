"""The best channel for one linear query where all entries of E are alike: a linear program, with exact pricing.

A report with the score a and the likelihoods w r adds ``w a r`` to the expected scores and ``w a^2 r . p`` to their
second moment, so the least moment of unbiased scores is a linear program over all scores and extreme rays. The rays are
e^epsilon on a set and 1 elsewhere, and for given multipliers the best sets are found by a sweep.

References: Kairouz2016 (extreme rays).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import numpy as np

from .generation import TOLERANCE, ColumnSolution
from .master import ColumnProblem, WeightState, normalize, quadratic
from .symmetry import SAME_ENTRY, Array, Numbers

MAX_ROUNDS = 500
"""The most programs solved."""
MAX_NEW_COLUMNS = 60
"""Columns that are taken up in a round, at most."""
MAX_COLUMNS_PER_VALUE = 30
"""Columns kept for each value, at most."""


def swept_rays(epsilon: float, prior: Array, c: Array, lam: Array, value: float) -> Array:
    """The rays, at most two for each value and one, among which is the best for every a at this value.

    For a given a the best ray is e^epsilon where ``2 a c_x - (a^2 + value) p_x - lam_x`` is positive, 1 elsewhere. It
    changes at the roots only, between which it is taken here.
    """
    low = lam + value * prior
    room = np.sqrt(np.maximum(c**2 - prior * low, 0.0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # the roots in the form that loses no digits; a prior of zero has one of them only
        far = c + np.where(c < 0, -room, room)
        roots = np.concatenate([far / prior, low / far])
    roots = np.unique(roots[np.isfinite(roots)])
    if not len(roots):
        roots = np.zeros(1)
    between = (roots[1:] + roots[:-1]) / 2
    a = np.concatenate([[roots[0] - 1], between, [roots[-1] + 1]])[:, None]
    high = 2 * a * c - a**2 * prior - low > 0
    return np.asarray(np.where(np.unique(high, axis=0), np.exp(epsilon), 1.0))


def best_for_one_query(
    epsilon: float, problem: ColumnProblem, *, until: float, progress: Callable[[float, int], object]
) -> ColumnSolution:
    """The best columns and weights for a W of rank one where all entries are `epsilon`, found before `until`."""
    size, prior = len(problem.prior), problem.prior
    values, vectors = np.linalg.eigh(problem.W)
    query = vectors[:, -1] * np.sqrt(values[-1])
    mirror = _mirror(query, prior)
    folded, scale = _Folded(query, prior, mirror, *_folds(mirror, size)), min(1.0, math.expm1(epsilon))
    columns, scores, weights = _dithered(epsilon, query, prior)
    known = columns, weights, float(weights @ scores**2)
    rounds, converged, stopped = 0, False, False
    best = 0.0, np.zeros(size), np.zeros(size)
    try:
        while True:
            solved = _solve(folded, columns, scores, scale, until)
            if solved is None:
                break
            weights, value, c, lam = solved
            known, rounds = (columns, weights, value), rounds + 1
            progress(value, int((weights > 0).sum()))
            found = []
            for one, other in [(c, lam), ((c + best[1]) / 2, (lam + best[2]) / 2)][: min(rounds, 2)]:
                rays = normalize(swept_rays(epsilon, prior, one, other, 0.0), prior)
                excess = float(((rays @ one) ** 2 - rays @ other).max())
                total = float(other.sum()) + max(excess, 0.0)
                if total > 0:
                    best = max(best, (float(one @ query) ** 2 / total, one, other), key=lambda dual: dual[0])
                found.append(rays)
            converged = best[0] >= value * (1 - TOLERANCE / 10)
            if converged or rounds >= MAX_ROUNDS or monotonic() >= until:
                break
            fresh = np.concatenate(found)
            gain = (fresh @ c) ** 2 - fresh @ lam
            fresh = fresh[np.argsort(-gain, kind="stable")[:MAX_NEW_COLUMNS]]
            idle = columns @ lam - 2 * scores * (columns @ c) + scores**2  # what its score costs too much
            left = np.sort(np.argsort(idle, kind="stable")[: MAX_COLUMNS_PER_VALUE * size])
            columns, scores = np.concatenate([columns[left], fresh]), np.concatenate([scores[left], fresh @ c])
    except KeyboardInterrupt:
        stopped = True
    columns, weights, value = known
    if mirror is not None:
        flipped = columns[:, mirror]
        if (problem.group.elements == mirror).all(axis=1).any():  # one of each two stands for both
            apart = columns - flipped
            first = apart[np.arange(len(apart)), (apart != 0).argmax(axis=1)]
            columns = np.where((first < 0)[:, None], flipped, columns)
        else:
            columns, weights = np.concatenate([columns, flipped]), np.concatenate([weights, weights]) / 2
    return ColumnSolution(*_as_state(problem, columns, weights, value, best), rounds, converged, stopped)


@dataclass(frozen=True, eq=False)
class _Folded:
    """A query at a prior, and what takes columns to the rows of its program."""

    query: Array
    prior: Array
    mirror: Numbers | None
    even: Array
    odd: Array


def _mirror(query: Array, prior: Array) -> Numbers | None:
    """The permutation that takes the query to its opposite and keeps the prior; None if there is none."""
    order = np.argsort(query, kind="stable")
    mirror = np.empty_like(order)
    mirror[order] = order[::-1]
    opposite = np.abs(query[mirror] + query).max() <= SAME_ENTRY * np.abs(query).max()
    return mirror if opposite and np.abs(prior[mirror] - prior).max() <= SAME_ENTRY * prior.max() else None


def _folds(mirror: Numbers | None, size: int) -> tuple[Array, Array]:
    """Matrices that take likelihoods and scored ones to the rows of the program: half as many with a mirror."""
    one, number = np.eye(size), np.arange(size)
    if mirror is None:
        return one, one
    other = one[mirror]
    return ((one + other) / 2)[number <= mirror], ((one - other) / 2)[number < mirror]


def _dithered(epsilon: float, query: Array, prior: Array) -> tuple[Array, Array, Array]:
    """Columns, scores and weights to begin with: whether a value is above a random one, by randomized response."""
    order = np.argsort(query)
    above = (np.arange(len(query)) >= np.arange(1, len(query))[:, None])[:, np.argsort(order)]
    sets = np.concatenate([above, ~above])
    middle, reach = (query.max() + query.min()) / 2, np.ptp(query) / 2 / np.tanh(epsilon / 2)
    scores = np.repeat([middle + reach, middle - reach], len(above))
    likely = np.where(sets, np.exp(epsilon), 1.0) / (1 + np.exp(epsilon))
    gaps = np.diff(query[order]) / np.ptp(query)
    return normalize(likely, prior), scores, np.tile(gaps, 2) * (likely @ prior)


def _solve(
    problem: _Folded, columns: Array, scores: Array, scale: float, until: float
) -> tuple[Array, float, Array, Array] | None:
    """The best weights, their value, and multipliers with ``2 a c . r - lam . r <= a^2`` for every column of score a.

    The program is in (r - 1) / scale and in scores times scale, which are of the size 1 however small epsilon is. None
    if the solver fails, or does not end in time.
    """
    from scipy.optimize import linprog  # which takes a while, and few designs need it

    even, odd, query, prior = problem.even, problem.odd, problem.query, problem.prior
    apart, scaled = (columns.T - 1) / scale, scores * scale
    one, constant = np.ones((1, len(scores))), np.ones((int(problem.mirror is None), 1))
    rows = np.concatenate([one, even @ apart, constant * scaled, odd @ (apart * scaled)])
    aims = np.concatenate([[1.0], np.zeros(len(even) + len(constant)), odd @ query])
    options = {"time_limit": max(until - monotonic(), 0.1)}
    solved = linprog(scaled**2, A_eq=rows, b_eq=aims, method="highs", options=options)
    if solved.status != 0:
        return None
    ends = np.cumsum([1, len(even), len(constant)])
    total, likely, middle, scored = np.split(solved.eqlin.marginals, ends)
    likely, scored = likely @ even, scored @ odd
    lam = -(total * prior + (likely - likely.sum() * prior) / scale)
    c = (middle.sum() * prior + (scored - scored.sum() * prior) / scale) / 2
    return solved.x, float(solved.fun) / scale**2, c / scale, lam / scale**2


def _as_state(
    problem: ColumnProblem, columns: Array, weights: Array, value: float, best: tuple[float, Array, Array]
) -> tuple[Array, WeightState]:
    """The columns in use, once each, and their state, with the multipliers of the best bound."""
    used = weights > 0
    _, first, number = np.unique(np.round(columns[used], 12), axis=0, return_index=True, return_inverse=True)
    columns = columns[used][first]
    weights = np.asarray(np.bincount(number.reshape(-1), weights=weights[used]), dtype=float)
    bound, c, lam = best
    K = problem.group.average(np.outer(c, c))
    by_orbit = np.bincount(problem.group.of_value, weights=lam) / problem.group.sizes
    rates = np.clip(1 + (quadratic(columns, K) - columns @ lam) / value, 0.0, None)
    return columns, WeightState(weights, value, K, by_orbit, 1 - bound / value, rates)
