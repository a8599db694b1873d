"""A pair of laws that tells as much as a shuffled batch: its certified deltas at some points, connected.

At gamma = e**epsilon the divergence h(gamma) = sup_S P(S) - gamma R(S) is convex, so the lines between certified points
lie above it. A jump of slope at gamma_i is the probability under R of a report whose ratio is gamma_i, and gamma_i
times that the probability under P. Below gamma = 1 the other direction of the pair gives
``h(gamma) = 1 - gamma + gamma h'(1/gamma)``.

References: Doroshenko2022 (connect the dots).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from .contour import ULP, Reals
from .loss_sum import Losses

POINTS = 64
"""Certified points on each side of gamma = 1."""

REACH = 1e-14
"""The points reach as far as where delta is this small."""


def connected(
    forward: Callable[[float], float],
    backward: Callable[[float], float],
    ends: tuple[float, float],
    claimed: float,
) -> Losses:
    """The losses of a pair of laws with at least the divergence of the curves, at every gamma.

    `ends` are the epsilons up to which points are taken in both directions, `claimed` the entry of E for the
    backward one, beyond which no ratio goes. What is left at the last point forward is told outright.
    """
    right, left = (_points(end) for end in ends)
    places = [(math.exp(e), forward(e)) for e in right]
    places += [(math.exp(-e), -math.expm1(-e) + math.exp(-e) * backward(e)) for e in left[1:]]
    start = math.exp(-claimed) if claimed < math.inf else 0.0
    gammas, heights = _hull(sorted([*places, (start, 1 - start)]))
    slopes = np.diff(heights) / np.diff(gammas)
    jumps = np.maximum(np.diff(np.concatenate([[-1.0], slopes, [0.0]])), 0.0)
    own = jumps * gammas
    rounding = 8 * ULP * len(gammas) * (1 + float(np.max(heights[:-1] / np.diff(gammas)) * gammas[-1]))
    told = float(heights[-1]) + rounding + max(0.0, 1 - float(heights[-1]) - float(own.sum()))
    kept = own > 0
    return Losses(own[kept], np.log(gammas[kept]) + 2 * ULP, told)


def _points(end: float) -> list[float]:
    return [float(step) for step in end * np.linspace(0.0, 1.0, POINTS + 1)]


def _hull(places: list[tuple[float, float]]) -> tuple[Reals, Reals]:
    """The greatest convex function below some points, by its corners."""
    kept: list[tuple[Fraction, Fraction]] = []
    for gamma, height in places:
        point = Fraction(gamma), Fraction(height)
        if kept and kept[-1][0] == point[0]:
            if kept[-1][1] <= point[1]:
                continue
            kept.pop()
        while len(kept) > 1 and _turns(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return np.array([float(g) for g, _ in kept]), np.array([float(h) for _, h in kept])


def _turns(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction], c: tuple[Fraction, Fraction]) -> bool:
    """True if b is on or above the line from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])
