"""The maximum of a likelihood, with or without some combinations of its coefficients held fixed."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np

from ..reference_distribution import Array

MAX_STEPS = 200
MAX_HALVINGS = 40
MIN_GAIN = 1e-10
"""The gain that a step promises below which the maximum is reached."""
NEARLY = 1e-6
"""The same where no step is seen to gain, for rounding."""
MIN_GAIN_PART = 0.25
"""The part of the promised gain that a step must bring; one of the right length brings half."""
RIDGE = 1e-12
"""The part of the largest entry that is added to a matrix which tells nothing of some direction."""
MAX_MOVE = 5.0
"""The farthest that a step takes a coefficient."""
FARTHEST = 50.0
"""No coefficient of a scaled column is sought beyond this."""


class Point(NamedTuple):
    """The logarithm of a likelihood at coefficients b, its gradient, and its information in two parts.

    The observed information is `complete`, which is positive definite, less `left`.
    """

    b: Array
    value: float
    gradient: Array
    complete: Array
    left: Array


class Objective(Protocol):
    """What is made as large as possible."""

    def at(self, b: Array) -> Point:
        """The value and its derivatives at these coefficients of scaled columns, in one row."""

    def value(self, b: Array) -> float:
        """The value alone, -inf where it is not finite."""


class Maximum(NamedTuple):
    """The point where the search ended, and whether it settled."""

    point: Point
    converged: bool


def solver(here: Point) -> Array:
    """The inverse of ``H + mu C`` with the smallest mu from 0, .01, .02, .04, .. for which it is positive definite."""
    mu, ridge = 0.0, RIDGE * np.eye(len(here.complete)) * here.complete.max(initial=1.0)
    while mu < 1:
        try:
            half = np.linalg.inv(np.linalg.cholesky(here.complete * (1 + mu) - here.left + ridge))
            return np.asarray(half.T @ half)
        except np.linalg.LinAlgError:
            mu = 2 * mu or 0.01
    return np.asarray(np.linalg.pinv(here.complete, hermitian=True))


def maximise(objective: Objective, start: Point, held: Array | None = None) -> Maximum:
    """The maximum from `start` on: Newton's steps, damped towards those of EM; ``held @ b`` stays as it is if given."""
    here, converged = start, False
    free = np.eye(len(start.b)) if held is None else np.linalg.qr(held.T, mode="complete")[0][:, len(held) :]
    for _ in range(MAX_STEPS):
        own = here._replace(complete=free.T @ here.complete @ free, left=free.T @ here.left @ free)
        move = free @ (solver(own) @ (free.T @ here.gradient))
        move *= min(1.0, MAX_MOVE / max(float(np.abs(move).max(initial=0.0)), MIN_GAIN))
        promised = float(move @ here.gradient)
        converged = promised < MIN_GAIN  # then the step is too small to be seen in the likelihood, and the last one
        if not math.isfinite(promised) or np.abs(here.b + move).max() > FARTHEST:
            break
        there = _uphill(objective, here, move, -math.inf if converged else promised)
        if converged or there is here:
            return Maximum(there, promised < NEARLY)
        here = there
    return Maximum(here, converged)


def across(inverse: Array, held: Array, gap: Array) -> Array:
    """The shortest move that changes ``held @ b`` by `gap`, where lengths are by this inverse of the information."""
    along = inverse @ held.T
    return np.asarray(along @ np.linalg.lstsq(held @ along, gap, rcond=None)[0])


def _uphill(objective: Objective, here: Point, move: Array, promised: float) -> Point:
    """The point after this step, or after so small a part of it that it brings enough of the gain it promises."""
    there = objective.at(here.b + move)
    if there.value >= here.value + MIN_GAIN_PART * promised:
        return there
    part = 1.0
    for _ in range(MAX_HALVINGS):
        part /= 2
        if objective.value(here.b + part * move) >= here.value + MIN_GAIN_PART * part * promised:
            return objective.at(here.b + part * move)
    return here
