"""The chi-square lower bounds of Acharya et al. and those of Le Cam, with every constant carried through.

Their Lemma 1 bounds the number of users from a family around a centre: few members near any one, and little chi-square
information on average. With V uniform on the corners of a hypercube of distributions and t a distance,

    ``P(d(V', V) > t) >= 1 - (I(V; reports) + log 2) / log(2^K / N_t)``,

N_t the most corners within t of one (Duchi2013b's form of Fano's inequality), and ``I <= sum over users of
mean chi-square`` because KL is at most chi-square and the centre's report law is one choice of reference.
The corner nearest to an estimate is within twice the estimate's own error, so the error in total variation
is at least ``t/2`` whenever ``d(V', V) > t``. The count is bounded by ``log N_t <= min over u >= 0 of u t +
sum_i log(1 + e^(-u w_i))``, w_i the distance that pair i adds.

Le Cam's method takes two distributions. Any estimator that is accurate at both would tell them apart, and `tv_after`
says how well n private reports can. All its bounds are on the worse of the two, hence on the minimax risk of any family
that contains both, and they allow each user to choose a mechanism after seeing earlier reports.

References: Acharya2020 (Lemma 1, Theorems 3 and 4), Acharya2020b (Lemma 13), Duchi2013b, Asoodeh2021 (Lemma 3),
LeCam1973, Yu1997.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..channels.contraction import phi, tv_after
from ..channels.finite import Bound, Number, Vector, at_least, kl, lower
from .assouad import cube_chi_square

_FRACTIONS: tuple[float, ...] = tuple(float(f) for f in np.linspace(0.02, 0.48, 47))
_TILTS = np.geomspace(1e-3, 1e3, 241)


@dataclass(frozen=True)
class Family:
    """A hypercube of distributions: groups of (pairs, distance per pair), and its chi-square, both at radius 1.

    At radius gamma the distances are gamma times these and the chi-square gamma squared times.
    """

    groups: tuple[tuple[int, float], ...]
    information: float


def classical_family(k: int, epsilon: Number) -> Family:
    """The cube on all k values, one left out if k is odd: each pair adds ``2/2K``."""
    at_least("k", k, 2)
    pairs = k // 2
    return Family(((pairs, 1 / pairs),), cube_chi_square(pairs, radius=1.0, epsilon=epsilon))


def blocks_family(sizes: Sequence[int], epsilons: Sequence[Number]) -> Family:
    """A cube inside each block of at least two values, with block masses in proportion to the squared sizes.

    Columns that serve the context are sums of columns on one block, so the information adds up, block by block times
    its mass. The masses make the distances those of Theorem 4's proof, with a base that allows radius 1.
    """
    parts = Counter((size // 2, float(epsilon)) for size, epsilon in zip(sizes, epsilons, strict=True) if size >= 2)
    total = sum(count * pairs**2 for (pairs, _), count in parts.items())
    groups = tuple((count * pairs, pairs / total) for (pairs, _), count in parts.items())
    information = sum(
        count * pairs**2 / total * cube_chi_square(pairs, radius=1.0, epsilon=epsilon)
        for (pairs, epsilon), count in parts.items()
    )
    return Family(groups, information)


def insensitive_family(k: int, sensitive: int, epsilon: Number) -> Family:
    """The cube on the values outside the sensitive set, with all the mass on them: Theorem 3's second term.

    A report that shows an outside value has weight at most ``1 - e^-epsilon``, and no other report tells
    outside values apart, so that is the information at radius 1.
    """
    pairs = (k - sensitive) // 2
    at_least("k - sensitive", k - sensitive, 2)
    return Family(((pairs, 1 / pairs),), -math.expm1(-float(epsilon)))


def _log_ball(family: Family, distance: float) -> float:
    unit = max(w for _, w in family.groups)
    value = _TILTS / unit * distance
    for pairs, w in family.groups:
        value = value + pairs * np.log1p(np.exp(-_TILTS / unit * w))
    return float(value.min())


def chi_square_risk(family: Family, n: float) -> float:
    """The lower bound on the minimax expected total variation with n users; zero if it is vacuous.

    For each t the best radius is explicit: ``gamma (A - B gamma^2)`` is largest at ``sqrt(A/3B)``, at most
    1.
    """
    at_least("n", n, 0)
    if not family.groups:
        return 0.0
    log_corners = sum(pairs for pairs, _ in family.groups) * math.log(2)
    diameter = sum(pairs * w for pairs, w in family.groups)
    best = 0.0
    for fraction in _FRACTIONS:
        room = log_corners - _log_ball(family, fraction * diameter)
        if room <= math.log(2):
            continue
        A, B = 1 - math.log(2) / room, n * family.information / room
        radius = min(1.0, math.sqrt(A / (3 * B))) if B > 0 else 1.0
        best = max(best, fraction * diameter * radius / 2 * (A - B * radius**2))
    return best


def le_cam_printed(p: Vector, q: Vector, *, separation: float, n: int, epsilon: Number, delta: Number = 0) -> Bound:
    """Lemma 3 of the paper: ``(tau/2)(1 - sqrt(n phi D(p||q) / 2))`` for a semi-metric with ``2 tau = separation``.

    As printed; `le_cam_metric` and `le_cam_squared` are never smaller for their losses.

    References: Asoodeh2021 (Lemma 3).
    """
    at_least("separation", separation, 0)
    at_least("n", n, 0)
    information = 0.0 if n == 0 else n * phi(epsilon, delta=delta) * kl(p, q)
    value = separation / 4 * (1 - math.sqrt(information / 2))
    return lower("Le Cam, as printed", value, "Asoodeh2021 Lemma 3")


def le_cam_metric(p: Vector, q: Vector, *, separation: float, n: int, epsilon: Number, delta: Number = 0) -> Bound:
    """``(separation/2)(1 - TV)`` for a loss with the triangle inequality, TV by `tv_after`.

    Averaging over the two, ``l(a, p) dP + l(a, q) dQ >= (l(a, p) + l(a, q)) min(dP, dQ)``, and the sum of
    losses is at least the separation.
    """
    at_least("separation", separation, 0)
    value = separation / 2 * (1 - tv_after(p, q, n, epsilon=epsilon, delta=delta))
    return lower("Le Cam", value, "LeCam1973, Asoodeh2021 Lemma 1")


def le_cam_squared(p: Vector, q: Vector, *, separation: float, n: int, epsilon: Number, delta: Number = 0) -> Bound:
    """``(separation^2/4)(1 - TV)`` for squared distance, TV by `tv_after`.

    As for a metric, with ``|a - p|^2 + |a - q|^2 >= |p - q|^2 / 2``.
    """
    at_least("separation", separation, 0)
    value = separation**2 / 4 * (1 - tv_after(p, q, n, epsilon=epsilon, delta=delta))
    return lower("Le Cam, squared error", value, "LeCam1973, Asoodeh2021 Lemma 1")
