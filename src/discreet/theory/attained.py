"""Errors of known mechanisms, as explicit upper bounds on the best possible error.

Each holds at every n for values drawn from p, at the worst p, for the unbiased estimate itself;
projecting it onto the simplex lowers the squared error further. ``c = (e^epsilon + 1)/(e^epsilon - 1)``.

References: Acharya2020 (Propositions 4, 5), Wang2016 (Theorem 3.1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.errors import InvalidInput
from .channels.finite import Bound, Number, at_least, epsilon_value, upper
from .unbiased import subset_trace


@dataclass(frozen=True)
class AttainedRisk:
    """Upper bounds on the worst expected error of one scheme: total variation, and the sum of squared errors."""

    total_variation: Bound
    squared_error: Bound


def _scale(epsilon: Number) -> float:
    value = epsilon_value("epsilon", epsilon)
    if value == 0:
        return math.inf
    return 1 / math.tanh(value / 2)


def _risk(scheme: str, source: str, distance: float, squared: float) -> AttainedRisk:
    return AttainedRisk(
        upper(f"total variation, {scheme}", distance, source, trivial=1.0),
        upper(f"squared error, {scheme}", squared, source, trivial=2.0),
    )


def attained_subset(k: int, n: float, *, epsilon: Number) -> AttainedRisk:
    """The subset mechanism with its best subset size, possibly one: squared error ``(k-1)^2/(n F)``.

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
    """Hadamard response inside each block: ``sqrt(sum_j c_j^2 k_j^2 / n) / 2`` and ``max_j c_j^2 k_j / n``.

    A share x of block j has ``n Var = c^2 p(X_j) - p_x^2``, so the squared error times n is ``sum_j c_j^2
    k_j p(X_j) - |p|^2``; for total variation, the sum over x of the deviations is at most ``sum_j k_j c_j
    sqrt(p(X_j))``, then Cauchy-Schwarz. With one epsilon it is a twelfth of the squared error of
    Proposition 5, and a square root of 48 below its total variation.

    References: Acharya2020 (Proposition 5).
    """
    at_least("n", n, 1)
    scales = _scales_of(sizes, epsilons)
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


def _scales_of(sizes: Sequence[int], epsilons: Sequence[Number]) -> list[tuple[float, int]]:
    if not sizes or len(sizes) != len(epsilons):
        raise InvalidInput(f"{len(sizes)} sizes and {len(epsilons)} epsilons must be equally many, and at least one")
    for size in sizes:
        at_least("size", size, 1)
    return [(_scale(epsilon), size) for size, epsilon in zip(sizes, epsilons, strict=True)]


def attained_high_low(k: int, sensitive: int, n: float, *, epsilon: Number) -> AttainedRisk:
    """The high-low Hadamard scheme: squared error ``s c^2 / n``, and total variation at the worst mass P.

    The latter is ``(s sqrt(v_P) + sqrt(t c P_B)) / 2 sqrt(n)``. Proof: n Var is ``v_P - p_i^2``, ``v_P =
    2c^2/(e^epsilon + 1) + cP``, for each of the s sensitive values and ``c p_b - p_b^2`` for each of the t
    others. ``v_1 = c^2``, so the squared error times n, at most ``s v_P + c P_B``, is at most ``s c^2``.
    For total variation use Cauchy-Schwarz on each kind; the worst P is found by scanning intervals of P and
    taking the larger end of each of the two terms, which never understates it.

    References: Acharya2020 (Proposition 4; its variance of the mass is a misprint).
    """
    c = _scale(epsilon)
    at_least("sensitive", sensitive, 1)
    at_least("k", k, sensitive)
    at_least("n", n, 1)
    s, t = sensitive, k - sensitive
    if math.isinf(c):
        return _risk("Hadamard high-low", "Acharya2020 Proposition 4, sharpened", math.inf, math.inf)
    fixed = c * (c - 1)  # 2c^2/(e^epsilon + 1), since c - 1 = 2/(e^epsilon - 1)
    steps = 1000
    worst = max(s * math.sqrt(fixed + c * (i + 1) / steps) + math.sqrt(t * c * (1 - i / steps)) for i in range(steps))
    return _risk("Hadamard high-low", "Acharya2020 Proposition 4, sharpened", worst / 2 / math.sqrt(n), s * c * c / n)


def attained_high_low_printed(k: int, sensitive: int, n: float, *, epsilon: Number) -> AttainedRisk:
    """Proposition 4 as printed: ``sqrt(3 s^2 c^2 / n) + sqrt(c k / n)``, and ``(3 s c^2 + c) / n`` from its proof."""
    c = _scale(epsilon)
    at_least("sensitive", sensitive, 1)
    at_least("k", k, sensitive)
    at_least("n", n, 1)
    distance = (math.sqrt(3) * sensitive * c + math.sqrt(c * k)) / math.sqrt(n)
    return _risk(
        "Hadamard high-low, as printed", "Acharya2020 Proposition 4", distance, (3 * sensitive * c * c + c) / n
    )
