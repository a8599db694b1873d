"""Lower bounds on the error of the shares at the worst p, for every mechanism and estimator.

For each form of context, two numbers that hold for every n and every epsilon, for mechanisms fixed before any report is
seen: on the expected total variation and on the expected sum of squared errors, both as the supremum over p. Each is
the best of three families, which are also what is hard about the problem: a Dirichlet prior (`van_trees`, sharp for
large n), a hypercube by Assouad's method (sharp for small n), and the hypercube by Fano's method (`chi_square_method`,
the papers' own). The note of a bound names the family it was reached with: the mean error over that family is at least
the bound, so a simulation that draws p from it can be compared with the bound directly.

Structure: in the block context a column is a sum of columns on single blocks, so given the block masses each block is
the classical problem with ``n P_j`` users, and the errors add. In the high-low context a column either shows one
outside value, with weight at most ``1 - e^-epsilon`` in all, or is low on all of them; so the outside values are the
public problem with ``n P_B (1 - e^-epsilon)`` users, and the sensitive ones the classical problem diluted by P_B.

References: Acharya2020 (Theorems 3, 4), Duchi2013, and those of `van_trees`, `assouad`, `chi_square_method`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from ..channels.contraction import pair_tv_contraction
from ..channels.finite import Bound, Number, Privacy, at_least, check_lengths, epsilon_value, lower, privacy_matrix
from .assouad import assouad_best
from .chi_square_method import Family, blocks_family, chi_square_risk, classical_family, insensitive_family
from .van_trees import dirichlet_best, dirichlet_risk, pair_best

_SOURCE = "Acharya2020, Efroimovich1979, Assouad1983"


@dataclass(frozen=True)
class MinimaxRisk:
    """Lower bounds on the worst expected error: total variation, and the sum of squared errors."""

    total_variation: Bound
    squared_error: Bound


FamilyBound: TypeAlias = tuple[float, str]
"""A lower bound and the family of distributions that it was reached with."""

_NOTHING = (0.0, ""), (0.0, "")


def _risk(context: str, *families: tuple[FamilyBound, FamilyBound]) -> MinimaxRisk:
    """The largest bounds, on total variation and on squared error, that any of these families gives."""
    best = [max(bounds, key=itemgetter(0)) for bounds in zip(*families, strict=True)]
    (distance, by_distance), (squared, by_squared) = best
    return MinimaxRisk(
        lower(f"minimax total variation, {context}", distance, _SOURCE, note=by_distance),
        lower(f"minimax squared error, {context}", squared, _SOURCE, note=by_squared),
    )


def _bounds_of(risk: MinimaxRisk) -> tuple[FamilyBound, FamilyBound]:
    """The bounds of a problem that is part of another."""
    return (risk.total_variation.value, risk.total_variation.note), (risk.squared_error.value, risk.squared_error.note)


def _fano(family: Family, n: float, name: str) -> tuple[FamilyBound, FamilyBound]:
    return (chi_square_risk(family, n), f"{name} by Fano's method"), _NOTHING[1]


@lru_cache(maxsize=16384)
def _part(k: int, n: float, epsilon: float, mass: float) -> tuple[FamilyBound, FamilyBound]:
    """The bounds for k values under epsilon-LDP that carry `mass`, with the rest on values that are always low."""
    if k < 2:
        return _NOTHING
    priors = dirichlet_best(k, n, epsilon=epsilon, mass=mass)
    cubes = assouad_best(k // 2, n, epsilon=epsilon, mass=mass)
    by_prior = [f"Dirichlet({r.concentration[0]:g}) on {r.k} values" for r in priors]
    by_cube = [f"cube of radius {r.radius:.3g} on {2 * r.pairs} values" for r in cubes]
    distances = (priors[0].total_variation, by_prior[0]), (cubes[0].total_variation, by_cube[0])
    squares = (priors[1].squared_error, by_prior[1]), (cubes[1].squared_error, by_cube[1])
    return max(distances, key=itemgetter(0)), max(squares, key=itemgetter(0))


def minimax_classical(k: int, n: float, *, epsilon: Number) -> MinimaxRisk:
    """The bounds for k values all protected from each other by the same epsilon; an infinite one is no privacy."""
    at_least("k", k, 1)
    at_least("n", n, 0)
    e = epsilon_value("epsilon", epsilon)
    cube = _fano(classical_family(k, e), n, "cube") if k >= 2 else _NOTHING
    return _risk("classical", _part(k, n, e, 1.0), cube)


def minimax_binary(n: float, *, epsilon_xz: Number, epsilon_zx: Number) -> MinimaxRisk:
    """The bounds for two values with unequal protection, from the optimal binary mechanism."""
    at_least("n", n, 0)
    first, second = pair_best(n, epsilon_xz=epsilon_xz, epsilon_zx=epsilon_zx)
    notes = [f"Beta({r.concentration[0]:g}, {r.concentration[1]:g}) on two values" for r in (first, second)]
    # The larger epsilon for both directions allows more mechanisms.
    wider = _part(2, n, max(epsilon_value("E", epsilon_xz), epsilon_value("E", epsilon_zx)), 1.0)
    return _risk("binary", ((first.total_variation, notes[0]), (second.squared_error, notes[1])), wider)


def _spread(kinds: Mapping[tuple[int, float], int], n: float) -> tuple[FamilyBound, FamilyBound]:
    """The total of block bounds with masses in proportion to the squares of the large-n constants."""
    weights = {
        (size, e): dirichlet_risk(size, 1e15, epsilon=e, concentration=64.0).total_variation ** 2 for size, e in kinds
    }
    total = math.fsum(count * weights[kind] for kind, count in kinds.items())
    value = 0.0
    for (size, epsilon), count in kinds.items():
        share = weights[size, epsilon] / total
        value += count * share * _part(size, n * share, epsilon, 1.0)[0][0]
    return (value, f"{sum(kinds.values())} blocks with independent priors"), _NOTHING[1]


def minimax_blocks(sizes: Sequence[int], n: float, *, epsilons: Sequence[Number]) -> MinimaxRisk:
    """The bounds for blocks of these sizes, each protected inside by its epsilon and open across.

    With all mass in one block, spread over all blocks of one kind, or spread over all; and, all values of a
    block taken as one, the public problem on the blocks themselves.
    """
    at_least("n", n, 0)
    check_lengths(sizes=sizes, epsilons=epsilons)
    at_least("size", min(sizes), 1)
    levels = [epsilon_value("epsilon", epsilon) for epsilon in epsilons]
    kinds = Counter(kind for kind in sorted(zip(map(int, sizes), levels, strict=True)) if kind[0] >= 2)
    families = [_named(f"one block of {size}", _part(size, n, epsilon, 1.0)) for size, epsilon in kinds]
    families.append(_named("block totals", _part(len(sizes), n, math.inf, 1.0)))
    families += [_spread({kind: count}, n) for kind, count in kinds.items()]
    if kinds:
        families += [_spread(kinds, n), _fano(blocks_family(sizes, levels), n, "cubes in all blocks")]
    return _risk("blocks", *families)


def _named(name: str, bounds: tuple[FamilyBound, FamilyBound], mark: str = ": ") -> tuple[FamilyBound, FamilyBound]:
    (distance, by_distance), (squared, by_squared) = bounds
    return (distance, name + mark + by_distance), (squared, name + mark + by_squared)


def minimax_high_low(k: int, sensitive: int, n: float, *, epsilon: Number) -> MinimaxRisk:
    """The bounds for k values of which `sensitive` are protected from all others by epsilon, and the rest are not.

    The mass of the sensitive values is scanned; the two parts of the error add. A sensitive and an outside
    value alone are a binary problem with (epsilon, infinity).
    """
    at_least("n", n, 0)
    at_least("sensitive", sensitive, 1)
    at_least("k", k, sensitive)
    e = epsilon_value("epsilon", epsilon)
    if sensitive == k:
        return minimax_classical(k, n, epsilon=e)
    families = []
    for mass in (0.0, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0):
        users = n * (1 - mass) * -math.expm1(-e)
        inside = _part(sensitive, n, e, mass) if mass > 0 else _NOTHING
        outside = _part(k - sensitive, users, math.inf, 1.0) if mass < 1 else _NOTHING
        distance, squared = (
            (a + (1 - mass) ** power * b, f"sensitive {by_a or 'fixed'}; other {by_b or 'fixed'}")
            for power, ((a, by_a), (b, by_b)) in enumerate(zip(inside, outside, strict=True), 1)
        )
        families.append(_named(f"sensitive mass {mass:g}", (distance, squared), "; "))
    families.append(_bounds_of(minimax_binary(n, epsilon_xz=e, epsilon_zx=math.inf)))
    if k - sensitive >= 2:
        families.append(_fano(insensitive_family(k, sensitive, e), n, "cube outside"))
    return _risk("high-low", *families)


def minimax_matrix(E: Privacy, n: float) -> MinimaxRisk:
    """The bounds for any privacy matrix, by forms that allow more: blocks of values, and the closest pair.

    At each of a few levels, values linked by entries up to the level form a block, protected inside by the
    largest entry there in either direction and open across. That is a weaker demand than the closure of E, so its
    bound holds for E.
    """
    from scipy.sparse.csgraph import connected_components

    epsilons = privacy_matrix(E)
    at_least("n", n, 0)
    size = len(epsilons)
    if size == 1:
        return minimax_classical(1, n, epsilon=math.inf)
    larger = np.maximum(epsilons, epsilons.T)
    levels = np.unique(larger[np.triu_indices(size, 1)])
    if len(levels) > 12:
        levels = levels[np.linspace(0, len(levels) - 1, 12).astype(int)]
    families = []
    for level in levels:
        count, component_of = connected_components(larger <= level, directed=False)
        parts = [np.flatnonzero(component_of == component) for component in range(count)]
        widest = [float(larger[np.ix_(part, part)].max()) for part in parts]
        families.append(_bounds_of(minimax_blocks([len(part) for part in parts], n, epsilons=widest)))
    x, z = min(
        ((x, z) for x in range(size) for z in range(x)),
        key=lambda pair: pair_tv_contraction(float(epsilons[pair]), float(epsilons[pair[::-1]])),
    )
    pair = minimax_binary(n, epsilon_xz=float(epsilons[x, z]), epsilon_zx=float(epsilons[z, x]))
    return _risk("matrix", *families, _bounds_of(pair))
