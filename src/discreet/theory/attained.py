"""Errors of known mechanisms, as upper bounds on the best possible error, and how many users a target error takes.

Each error holds at every n for values drawn from p, at the worst p, for the unbiased estimate itself;
projecting it onto the simplex lowers the squared error further. ``c = (e^epsilon + 1)/(e^epsilon - 1)``.

For the number of users Theorems 3 and 4 of Acharya et al. give orders; here both sides are numbers. The lower side is
the largest n at which a lower bound on the minimax error is still above the target: `necessary` by the best of
`minimax`, `chi_square` by the papers' method alone. The upper side is the smallest n at which an upper bound is at
most the target: `sufficient` with sharp constants, `printed` with the paper's.

References: Acharya2020 (Theorems 3, 4, Propositions 4, 5), Wang2016 (Theorem 3.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .channels.finite import Bound, Number, at_least, check_lengths, check_unit, epsilon_value, lower, upper
from .minimax.chi_square_method import Family, blocks_family, chi_square_risk, classical_family, insensitive_family
from .minimax.minimax import minimax_blocks, minimax_classical, minimax_high_low
from .unbiased import subset_trace


@dataclass(frozen=True)
class AttainedRisk:
    """Upper bounds on the worst expected error of one scheme: total variation, and the sum of squared errors."""

    total_variation: Bound
    squared_error: Bound


def _scale(epsilon: Number) -> float:
    value = epsilon_value("epsilon", epsilon)
    return 1 / math.tanh(value / 2) if value else math.inf


def _risk(scheme: str, source: str, distance: float, squared: float) -> AttainedRisk:
    return AttainedRisk(
        upper(f"total variation, {scheme}", distance, source, trivial=1.0),
        upper(f"squared error, {scheme}", squared, source, trivial=2.0),
    )


def attained_subset(k: int, n: float, *, epsilon: Number) -> AttainedRisk:
    """The error of the subset mechanism with its best subset size: squared error ``(k-1)^2/(n F)``.

    F is `subset_trace`. At any p the squared error times n is ``1/k + (k-1)^2/F - |p|^2``, largest at the
    uniform p, and the total variation is at most half the root of k times it.

    References: Wang2016 (Theorem 3.1, with the variance of values drawn from p added).
    """
    at_least("k", k, 2)
    at_least("n", n, 1)
    trace = subset_trace(k, epsilon)
    squared = (k - 1) ** 2 / trace / n if trace > 0 else math.inf
    return _risk("subset mechanism", "Wang2016", math.sqrt(k * squared) / 2, squared)


def attained_blocks(sizes: Sequence[int], n: float, *, epsilons: Sequence[Number]) -> AttainedRisk:
    """The error of Hadamard response in blocks: ``sqrt(sum_j c_j^2 k_j^2 / n) / 2`` and ``max_j c_j^2 k_j / n``.

    A share x of block j has ``n Var = c^2 p(X_j) - p_x^2``, so the squared error times n is ``sum_j c_j^2
    k_j p(X_j) - |p|^2``; for total variation, the sum over x of the deviations is at most ``sum_j k_j c_j
    sqrt(p(X_j))``, then Cauchy-Schwarz. With one epsilon it is a twelfth of the squared error of
    Proposition 5, and a square root of 48 below its total variation.

    References: Acharya2020 (Proposition 5).
    """
    at_least("n", n, 1)
    check_lengths(sizes=sizes, epsilons=epsilons)
    at_least("size", min(sizes), 1)
    scales = [(_scale(epsilon), size) for size, epsilon in zip(sizes, epsilons, strict=True)]
    distance = math.sqrt(math.fsum((c * size) ** 2 for c, size in scales) / n) / 2
    squared = max(c * c * size for c, size in scales) / n
    return _risk("Hadamard in blocks", "Acharya2020 Proposition 5, sharpened", distance, squared)


def attained_blocks_printed(sizes: Sequence[int], n: float, *, epsilons: Sequence[Number]) -> AttainedRisk:
    """Proposition 5 as printed: ``2c sqrt(3 sum_j k_j^2 / n)`` and ``12 c^2 max_j k_j / n``."""
    sharp = attained_blocks(sizes, n, epsilons=epsilons)
    return _risk(
        "Hadamard in blocks, as printed",
        "Acharya2020 Proposition 5",
        math.sqrt(48) * sharp.total_variation.value,
        12 * sharp.squared_error.value,
    )


def attained_high_low(k: int, sensitive: int, n: float, *, epsilon: Number) -> AttainedRisk:
    """The error of the high-low Hadamard scheme: squared error ``s c^2 / n``, and total variation at the worst mass P.

    The latter is ``(s sqrt(v_P) + sqrt(t c P_B)) / 2 sqrt(n)``. Proof: n Var is ``v_P - p_i^2``, ``v_P =
    2c^2/(e^epsilon + 1) + cP``, for each of the s sensitive values and ``c p_b - p_b^2`` for each of the t
    others. ``v_1 = c^2``, so the squared error times n, at most ``s v_P + c P_B``, is at most ``s c^2``.
    For total variation use Cauchy-Schwarz on each kind; the worst P is found by scanning intervals of P and
    taking the larger end of each of the two terms, which never understates it.

    References: Acharya2020 (Proposition 4; its variance of the mass is a misprint).
    """
    c, s, t = _high_low_scale(k, sensitive, n, epsilon), sensitive, k - sensitive
    worst = math.inf
    if math.isfinite(c):
        fixed, steps = c * (c - 1), np.arange(1000)  # 2c^2/(e^epsilon + 1), since c - 1 = 2/(e^epsilon - 1)
        worst = float((s * np.sqrt(fixed + c * (steps + 1) / 1000) + np.sqrt(t * c * (1 - steps / 1000))).max())
    return _risk("Hadamard high-low", "Acharya2020 Proposition 4, sharpened", worst / 2 / math.sqrt(n), s * c * c / n)


def _high_low_scale(k: int, sensitive: int, n: float, epsilon: Number) -> float:
    at_least("sensitive", sensitive, 1)
    at_least("k", k, sensitive)
    at_least("n", n, 1)
    return _scale(epsilon)


def attained_high_low_printed(k: int, sensitive: int, n: float, *, epsilon: Number) -> AttainedRisk:
    """Proposition 4 as printed: ``sqrt(3 s^2 c^2 / n) + sqrt(c k / n)``, and ``(3 s c^2 + c) / n`` from its proof."""
    c = _high_low_scale(k, sensitive, n, epsilon)
    distance = (math.sqrt(3) * sensitive * c + math.sqrt(c * k)) / math.sqrt(n)
    squared = (3 * sensitive * c * c + c) / n
    return _risk("Hadamard high-low, as printed", "Acharya2020 Proposition 4", distance, squared)


MAX_USERS = 1e18
"""The most users that a bound is computed for."""


@dataclass(frozen=True)
class SampleSize:
    """The users needed for an expected total variation of `accuracy` at the worst p."""

    accuracy: float
    necessary: Bound
    chi_square: Bound
    sufficient: Bound
    printed: Bound


def _last_above(risk: Callable[[float], float], accuracy: float) -> float:
    """The largest n found, to one part in a thousand, with ``risk(n) > accuracy``; 0 if there is none.

    `risk` need not be monotone: whatever n is returned has been tried.
    """
    if not risk(1) > accuracy:
        return 0.0
    low, high = 1.0, 2.0
    while high < MAX_USERS and risk(high) > accuracy:
        low, high = high, high * 4
    while high / low > 1.001 and math.floor(high) > math.floor(low):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if risk(middle) > accuracy else (low, middle)
    return math.floor(low)


def _users(
    accuracy: float,
    least: Callable[[float], float],
    families: Sequence[Family],
    sharp: AttainedRisk,
    printed: AttainedRisk,
) -> SampleSize:
    check_unit("accuracy", accuracy, zero=False, one=False)

    def enough(at_one: AttainedRisk) -> float:
        # Every upper bound is its value at one user over the root of n.
        value = (at_one.total_variation.value / accuracy) ** 2
        return float(math.ceil(value)) if math.isfinite(value) else math.inf

    by_fano = max((_last_above(partial(chi_square_risk, f), accuracy) for f in families), default=0.0)
    return SampleSize(
        accuracy,
        lower("users needed", _last_above(least, accuracy), "Acharya2020, Efroimovich1979, Assouad1983"),
        lower("users needed, chi-square", by_fano, "Acharya2020 Lemma 1"),
        upper("users enough", enough(sharp), sharp.total_variation.reference, trivial=math.inf),
        upper("users enough, as printed", enough(printed), printed.total_variation.reference, trivial=math.inf),
    )


def classical_users(k: int, accuracy: float, *, epsilon: Number) -> SampleSize:
    """The users needed for k equally protected values; of the order ``k^2 / (accuracy^2 epsilon^2)`` for small epsilon.

    `sufficient` is by the subset mechanism, `printed` by Hadamard response as one block.
    """
    return _users(
        accuracy,
        lambda n: minimax_classical(k, n, epsilon=epsilon).total_variation.value,
        [classical_family(k, epsilon)],
        attained_subset(k, 1, epsilon=epsilon),
        attained_blocks_printed([k], 1, epsilons=[epsilon]),
    )


def blocks_users(sizes: Sequence[int], accuracy: float, *, epsilons: Sequence[Number]) -> SampleSize:
    """The users needed for a context of blocks; of the order ``sum_j k_j^2 / (accuracy^2 epsilon^2)``: Theorem 4."""
    return _users(
        accuracy,
        lambda n: minimax_blocks(sizes, n, epsilons=epsilons).total_variation.value,
        [blocks_family(sizes, epsilons)],
        attained_blocks(sizes, 1, epsilons=epsilons),
        attained_blocks_printed(sizes, 1, epsilons=epsilons),
    )


def high_low_users(k: int, sensitive: int, accuracy: float, *, epsilon: Number) -> SampleSize:
    """Users for a high-low context; of the order ``s^2/(accuracy^2 epsilon^2) + k/(accuracy^2 epsilon)``: Theorem 3.

    `chi_square` is the larger of the two terms' bounds: all mass on the sensitive values, or all outside.
    """
    families = [classical_family(sensitive, epsilon)] if sensitive >= 2 else []
    families += [insensitive_family(k, sensitive, epsilon)] if k - sensitive >= 2 else []
    return _users(
        accuracy,
        lambda n: minimax_high_low(k, sensitive, n, epsilon=epsilon).total_variation.value,
        families,
        attained_high_low(k, sensitive, 1, epsilon=epsilon),
        attained_high_low_printed(k, sensitive, 1, epsilon=epsilon),
    )
