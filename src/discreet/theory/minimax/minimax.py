"""Lower bounds on the error of the shares at the worst p, for every mechanism and estimator.

For each form of context, two numbers that hold for every n and every epsilon, for mechanisms fixed before
any report is seen: on the expected total variation and on the expected sum of squared errors, both as the
supremum over p. Each is the best of three families, which are also what is hard about the problem: a
Dirichlet prior (`van_trees`, sharp for large n), a hypercube by Assouad's method (sharp for small n), and
the hypercube by Fano's method (`chi_square_method`, the papers' own). The note of a bound names the family it was
reached with: the mean error over that family is at least the bound, so a simulation that draws p from it
can be compared with the bound directly.

Structure: in the block context a column is a sum of columns on single blocks, so given the block masses
each block is the classical problem with ``n P_j`` users, and the errors add. In the high-low context a
column either shows one outside value, with weight at most ``1 - e^-epsilon`` in all, or is low on all of
them; so the outside values are the public problem with ``n P_B (1 - e^-epsilon)`` users, and the sensitive
ones the classical problem diluted by P_B.

References: Acharya2020 (Theorems 3, 4), Duchi2013, and those of `van_trees`, `assouad`, `chi_square_method`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ..channels.contraction import pair_tv_contraction
from ..channels.finite import (
    Bound,
    Floats,
    Number,
    Privacy,
    at_least,
    epsilon_value,
    lower,
    privacy_matrix,
)
from .assouad import assouad_best
from .chi_square_method import (
    blocks_family,
    chi_square_risk,
    classical_family,
    insensitive_family,
)
from .van_trees import dirichlet_best, dirichlet_risk, pair_best

_SOURCE = "Acharya2020, Efroimovich1979, Assouad1983"


@dataclass(frozen=True)
class MinimaxRisk:
    """Lower bounds on the worst expected error: total variation, and the sum of squared errors."""

    total_variation: Bound
    squared_error: Bound


@dataclass(frozen=True)
class _FamilyBound:
    """A lower bound and the family of distributions that it was reached with."""

    value: float
    family: str


_NOTHING = _FamilyBound(0.0, "")


def _larger(*bounds: _FamilyBound) -> _FamilyBound:
    return max(bounds, key=lambda bound: bound.value)


def _risk(context: str, distance: _FamilyBound, squared: _FamilyBound) -> MinimaxRisk:
    return MinimaxRisk(
        lower(f"minimax total variation, {context}", distance.value, _SOURCE, note=distance.family),
        lower(f"minimax squared error, {context}", squared.value, _SOURCE, note=squared.family),
    )


@lru_cache(maxsize=16384)
def _part(k: int, n: float, epsilon: float, mass: float) -> tuple[_FamilyBound, _FamilyBound]:
    """The bounds for k values under epsilon-LDP that carry `mass`, with the rest on values that are always low."""
    if k < 2:
        return _NOTHING, _NOTHING
    dirichlet = dirichlet_best(k, n, epsilon=epsilon, mass=mass)
    cube = assouad_best(k // 2, n, epsilon=epsilon, mass=mass)
    prior = [f"Dirichlet({r.concentration[0]:g}) on {r.k} values" for r in dirichlet]
    corners = [f"cube of radius {r.radius:.3g} on {2 * r.pairs} values" for r in cube]
    return (
        _larger(
            _FamilyBound(dirichlet[0].total_variation, prior[0]),
            _FamilyBound(cube[0].total_variation, corners[0]),
        ),
        _larger(
            _FamilyBound(dirichlet[1].squared_error, prior[1]),
            _FamilyBound(cube[1].squared_error, corners[1]),
        ),
    )


def minimax_classical(k: int, n: float, *, epsilon: Number) -> MinimaxRisk:
    """The bounds for k values all protected from each other by the same epsilon; an infinite one is no privacy."""
    at_least("k", k, 1)
    at_least("n", n, 0)
    e = epsilon_value("epsilon", epsilon)
    distance, squared = _part(k, n, e, 1.0)
    if k >= 2:
        fano = _FamilyBound(chi_square_risk(classical_family(k, e), n), "cube by Fano's method")
        distance = _larger(distance, fano)
    return _risk("classical", distance, squared)


def minimax_binary(n: float, *, epsilon_xz: Number, epsilon_zx: Number) -> MinimaxRisk:
    """The bounds for two values with unequal protection, from the optimal binary mechanism."""
    at_least("n", n, 0)
    first, second = pair_best(n, epsilon_xz=epsilon_xz, epsilon_zx=epsilon_zx)
    notes = [f"Beta({r.concentration[0]:g}, {r.concentration[1]:g}) on two values" for r in (first, second)]
    distance = _FamilyBound(first.total_variation, notes[0])
    squared = _FamilyBound(second.squared_error, notes[1])
    # The larger epsilon for both directions allows more mechanisms.
    wider = _part(2, n, max(epsilon_value("E", epsilon_xz), epsilon_value("E", epsilon_zx)), 1.0)
    return _risk("binary", _larger(distance, wider[0]), _larger(squared, wider[1]))


def _count_blocks(sizes: Sequence[int], epsilons: Sequence[Number]) -> Counter[tuple[int, float]]:
    if not sizes or len(sizes) != len(epsilons):
        raise InvalidInput(f"{len(sizes)} sizes and {len(epsilons)} epsilons must be equally many, and at least one")
    for size in sizes:
        at_least("size", size, 1)
    pairs = zip(sizes, epsilons, strict=True)
    return Counter((int(size), epsilon_value("epsilon", epsilon)) for size, epsilon in pairs)


def _spread(groups: list[tuple[int, float]], counts: Sequence[int], n: float) -> _FamilyBound:
    """The total of block bounds with masses in proportion to the squares of the large-n constants."""
    weights = []
    for size, epsilon in groups:
        risk = dirichlet_risk(size, 1e15, epsilon=epsilon, concentration=64.0)
        weights.append(risk.total_variation**2)
    total = math.fsum(c * w for c, w in zip(counts, weights, strict=True))
    value = 0.0
    for (size, epsilon), c, w in zip(groups, counts, weights, strict=True):
        share = w / total
        value += c * share * _part(size, n * share, epsilon, 1.0)[0].value
    return _FamilyBound(value, f"{sum(counts)} blocks with independent priors")


def minimax_blocks(sizes: Sequence[int], n: float, *, epsilons: Sequence[Number]) -> MinimaxRisk:
    """The bounds for blocks of these sizes, each protected inside by its epsilon and open across.

    With all mass in one block, spread over all blocks of one kind, or spread over all; and, all values of a
    block taken as one, the public problem on the blocks themselves.
    """
    at_least("n", n, 0)
    kinds = _count_blocks(sizes, epsilons)
    groups = [kind for kind in sorted(kinds) if kind[0] >= 2]
    counts = [kinds[kind] for kind in groups]
    whole = [_part(size, n, epsilon, 1.0) for size, epsilon in groups]
    totals = _part(len(sizes), n, math.inf, 1.0)
    names = [f"one block of {size}: " for size, _ in groups]
    distances = [_FamilyBound(w[0].value, name + w[0].family) for w, name in zip(whole, names, strict=True)]
    squares = [_FamilyBound(w[1].value, name + w[1].family) for w, name in zip(whole, names, strict=True)]
    distances.append(_FamilyBound(totals[0].value, "block totals: " + totals[0].family))
    squares.append(_FamilyBound(totals[1].value, "block totals: " + totals[1].family))
    for group, count in zip(groups, counts, strict=True):
        distances.append(_spread([group], [count], n))
    if groups:
        distances.append(_spread(groups, counts, n))
        family = blocks_family([g[0] for g in kinds.elements()], [g[1] for g in kinds.elements()])
        distances.append(_FamilyBound(chi_square_risk(family, n), "cubes in all blocks by Fano's method"))
    return _risk("blocks", _larger(*distances), _larger(*squares))


def minimax_high_low(k: int, sensitive: int, n: float, *, epsilon: Number) -> MinimaxRisk:
    """The bounds for k values of which `sensitive` are protected from all others by epsilon, and the rest are not.

    The mass of the sensitive values is scanned; the two parts of the error add. A sensitive and an outside
    value alone are a binary problem with (epsilon, infinity).
    """
    at_least("n", n, 0)
    at_least("sensitive", sensitive, 1)
    at_least("k", k, sensitive)
    e = epsilon_value("epsilon", epsilon)
    shown = -math.expm1(-e)
    if sensitive == k:
        return minimax_classical(k, n, epsilon=e)
    distances, squares = [], []
    for mass in (0.0, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0):
        inside = _part(sensitive, n, e, mass) if mass > 0 else (_NOTHING, _NOTHING)
        users = n * (1 - mass) * shown
        outside = _part(k - sensitive, users, math.inf, 1.0) if mass < 1 else (_NOTHING, _NOTHING)
        notes = [
            f"sensitive mass {mass:g}; sensitive {a.family or 'fixed'}; other {b.family or 'fixed'}"
            for a, b in zip(inside, outside, strict=True)
        ]
        distances.append(_FamilyBound(inside[0].value + (1 - mass) * outside[0].value, notes[0]))
        squares.append(_FamilyBound(inside[1].value + (1 - mass) ** 2 * outside[1].value, notes[1]))
    pair = minimax_binary(n, epsilon_xz=e, epsilon_zx=math.inf)
    distances.append(_FamilyBound(pair.total_variation.value, pair.total_variation.note))
    squares.append(_FamilyBound(pair.squared_error.value, pair.squared_error.note))
    if k - sensitive >= 2:
        family = insensitive_family(k, sensitive, e)
        distances.append(_FamilyBound(chi_square_risk(family, n), "cube outside by Fano's method"))
    return _risk("high-low", _larger(*distances), _larger(*squares))


def _components(linked: NDArray[np.bool_]) -> list[list[int]]:
    """The values of each connected component, by number."""
    from scipy.sparse.csgraph import connected_components

    count, component_of = connected_components(linked, directed=False)
    return [np.flatnonzero(component_of == component).tolist() for component in range(count)]


def minimax_matrix(E: Privacy, n: float) -> MinimaxRisk:
    """The bounds for any privacy matrix, by forms that allow more: blocks of values, and the closest pair.

    At each of a few levels, values linked by entries up to the level form a block, protected inside by the
    largest entry there in either direction and open across. That is a weaker demand than the closure of E, so its
    bound holds for E.
    """
    epsilons: Floats = privacy_matrix(E)
    at_least("n", n, 0)
    size = len(epsilons)
    if size == 1:
        return minimax_classical(1, n, epsilon=math.inf)
    larger = np.maximum(epsilons, epsilons.T)
    levels = np.unique(larger[np.triu_indices(size, 1)])
    if len(levels) > 12:
        levels = levels[np.linspace(0, len(levels) - 1, 12).astype(int)]
    distances, squares = [], []
    for level in levels:
        parts = _components(larger <= level)
        risk = minimax_blocks([len(p) for p in parts], n, epsilons=[float(larger[np.ix_(p, p)].max()) for p in parts])
        distances.append(_FamilyBound(risk.total_variation.value, risk.total_variation.note))
        squares.append(_FamilyBound(risk.squared_error.value, risk.squared_error.note))
    closest = min(
        ((x, z) for x in range(size) for z in range(x)),
        key=lambda xz: pair_tv_contraction(float(epsilons[xz]), float(epsilons[xz[::-1]])),
    )
    pair = minimax_binary(n, epsilon_xz=float(epsilons[closest]), epsilon_zx=float(epsilons[closest[::-1]]))
    distances.append(_FamilyBound(pair.total_variation.value, pair.total_variation.note))
    squares.append(_FamilyBound(pair.squared_error.value, pair.squared_error.note))
    return _risk("matrix", _larger(*distances), _larger(*squares))
