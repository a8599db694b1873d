"""Divergences between two finite distributions.

`hockey_stick`, `total_variation` and `chi_square` are rational in their arguments and stay exact when every
argument is. The rest are in nats. Infinite divergences are `math.inf`, never an error.

References: Asoodeh2021 (Section II), Csiszar1967, Chernoff1952.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .finite import (
    Floats,
    Number,
    Vector,
    at_least,
    distribution,
    floats,
    place_of_least,
    same_length,
)


def _pair(p: Vector, q: Vector) -> tuple[NDArray[Any], NDArray[Any]]:
    first, second = distribution("p", p), distribution("q", q)
    same_length(first, second)
    return first, second


def _float_pair(p: Vector, q: Vector) -> tuple[Floats, Floats]:
    first, second = _pair(p, q)
    return floats(first), floats(second)


def excess(p: NDArray[Any], q: NDArray[Any], gamma: Number) -> Any:
    """``sum_y max(p_y - gamma q_y, 0)`` for checked arrays."""
    return np.maximum(p - gamma * q, 0).sum()


def hockey_stick(p: Vector, q: Vector, gamma: Number) -> Number:
    """The E_gamma divergence, ``sum_y (p_y - gamma q_y)_+ - (1 - gamma)_+``, for any ``gamma >= 0``.

    The last term is zero for ``gamma >= 1``, the only range that privacy uses; below one it makes the
    divergence vanish at ``p == q``, as equation (18) of the paper has it and its equation (1) does not.

    References: Asoodeh2021 (1), (18).
    """
    first, second = _pair(p, q)
    at_least("gamma", float(gamma), 0)
    value: Number = excess(first, second, gamma) - max(1 - gamma, 0)
    return value


def total_variation(p: Vector, q: Vector) -> Number:
    """Half the sum of absolute differences, which is E_gamma at ``gamma = 1``."""
    first, second = _pair(p, q)
    value: Number = np.abs(first - second).sum() / 2
    return value


def chi_square(p: Vector, q: Vector) -> Number:
    """``sum_y (p_y - q_y)^2 / q_y``; infinite if `p` has mass where `q` has none."""
    first, second = _pair(p, q)
    if bool(((second == 0) & (first > 0)).any()):
        return math.inf
    seen = second > 0
    value: Number = ((first[seen] - second[seen]) ** 2 / second[seen]).sum()
    return value


def kl(p: Vector, q: Vector) -> float:
    """The Kullback-Leibler divergence ``sum_y p_y log(p_y / q_y)`` in nats."""
    first, second = _float_pair(p, q)
    if bool(((second == 0) & (first > 0)).any()):
        return math.inf
    seen = first > 0
    return max(float((first[seen] * np.log(first[seen] / second[seen])).sum()), 0.0)


def f_divergence(p: Vector, q: Vector, f: Callable[[float], float], *, slope: float = math.inf) -> float:
    """``sum_y q_y f(p_y / q_y)``, plus `slope` times the mass that `p` has where `q` has none.

    `f` is convex with ``f(1) = 0`` and is called at zero too, where it must give its limit; `slope` is the
    limit of ``f(t) / t`` at infinity, so 1 for ``max(t - gamma, 0)`` and infinity for KL and chi-square.

    References: Csiszar1967, Asoodeh2021 (2).
    """
    first, second = _float_pair(p, q)
    seen = second > 0
    value = math.fsum(b * f(a / b) for a, b in zip(first[seen].tolist(), second[seen].tolist(), strict=True))
    left = float(first[~seen].sum())
    return value + slope * left if left > 0 else value


def bhattacharyya(p: Vector, q: Vector) -> float:
    """The coefficient ``sum_y sqrt(p_y q_y)``: one when equal, zero when disjoint."""
    first, second = _float_pair(p, q)
    return float(np.sqrt(first * second).sum())


def hellinger_squared(p: Vector, q: Vector) -> float:
    """``sum_y (sqrt(p_y) - sqrt(q_y))^2``, between zero and two."""
    first, second = _float_pair(p, q)
    return float(((np.sqrt(first) - np.sqrt(second)) ** 2).sum())


def chernoff_information(p: Vector, q: Vector) -> float:
    """``max_s -log sum_y p_y^s q_y^(1-s)``, the exponent of the best test's error under any prior.

    The sum is convex in the logarithm, so a search finds its smallest value; every point it visits
    gives a true lower bound on the exponent.

    References: Chernoff1952.
    """
    first, second = _float_pair(p, q)
    seen = (first > 0) & (second > 0)
    if not seen.any():
        return math.inf
    if np.array_equal(first, second):
        return 0.0
    log_p, log_q = np.log(first[seen]), np.log(second[seen])

    def log_sum(s: float) -> float:
        return float(np.log(np.exp(s * log_p + (1 - s) * log_q).sum()))

    return max(-log_sum(place_of_least(log_sum, 0.0, 1.0)), 0.0)
