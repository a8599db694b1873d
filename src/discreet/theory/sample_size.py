"""How many users a target total variation takes: enough for a known scheme, and too few for any scheme.

Theorems 3 and 4 of Acharya et al. give orders; here both sides are numbers. The lower side is the largest n
at which a lower bound on the minimax error is still above the target: `necessary` by the best of `minimax`,
`chi_square` by the papers' method alone. The upper side is the smallest n at which an upper bound is at
most the target: `sufficient` with sharp constants, `printed` with the paper's.

References: Acharya2020 (Theorems 3, 4, Propositions 4, 5), Wang2016.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ..core.errors import InvalidInput
from .attained import (
    AttainedRisk,
    attained_blocks,
    attained_blocks_printed,
    attained_high_low,
    attained_high_low_printed,
    attained_subset,
)
from .channels.finite import Bound, Number, lower, upper
from .minimax.chi_square_method import (
    Family,
    blocks_family,
    chi_square_risk,
    classical_family,
    insensitive_family,
)
from .minimax.minimax import minimax_blocks, minimax_classical, minimax_high_low

MAX_USERS = 1e18


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
    if not 0 < accuracy < 1:
        raise InvalidInput(f"accuracy={accuracy} must lie strictly between 0 and 1")

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
    families = []
    if sensitive >= 2:
        families.append(classical_family(sensitive, epsilon))
    if k - sensitive >= 2:
        families.append(insensitive_family(k, sensitive, epsilon))
    return _users(
        accuracy,
        lambda n: minimax_high_low(k, sensitive, n, epsilon=epsilon).total_variation.value,
        families,
        attained_high_low(k, sensitive, 1, epsilon=epsilon),
        attained_high_low_printed(k, sensitive, 1, epsilon=epsilon),
    )
