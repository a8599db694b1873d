"""Fano's method under local privacy, with packings of distributions over k values built in.

A packing is a finite set of distributions far from each other. An estimator accurate on all of them would
identify which one the values came from, and the reports carry too little information for that. Mechanisms
are fixed before any report is seen.

References: Asoodeh2021 (Section IV.B, Lemma 4), Fano1961, Yu1997.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ...core.errors import InvalidInput
from ..channels.contraction import kl_contraction, phi_n
from ..channels.finite import (
    Bound,
    Floats,
    Matrix,
    Number,
    at_least,
    channel,
    check_unit,
    epsilon_value,
    floats,
    lower,
    upper,
)
from ..channels.information import information


@dataclass(frozen=True, eq=False)
class Packing:
    """Distributions over the same values, one per row, all different."""

    distributions: Floats

    @property
    def size(self) -> int:
        """The number of distributions."""
        return len(self.distributions)

    @cached_property
    def separation(self) -> float:
        """The smallest total variation between two of them."""
        rows = self.distributions
        return min(float(np.abs(rows[:i] - rows[i]).sum(axis=1).min()) / 2 for i in range(1, len(rows)))

    @cached_property
    def information(self) -> float:
        """I(V; X) of one value X drawn from a uniformly chosen member V, in nats."""
        return information(self.distributions, np.full(self.size, 1 / self.size))

    @cached_property
    def mean_kl(self) -> float:
        """The mean of D(P_v || P_v') over all ordered pairs, equal members included; at least the information."""
        rows = self.distributions
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(rows)
            own = np.where(rows > 0, rows * logs, 0.0).sum()
            cross = np.where(rows.sum(axis=0) > 0, rows.sum(axis=0) * logs.sum(axis=0), 0.0).sum()
        return float(own / self.size - cross / self.size**2)

    @cached_property
    def mean_squared_tv(self) -> float:
        """The mean of TV(P_v, P_v')^2 over all ordered pairs, equal members included."""
        rows = self.distributions
        return float(np.mean([((np.abs(rows - row).sum(axis=1) / 2) ** 2).mean() for row in rows]))


def packing(distributions: Matrix) -> Packing:
    """A packing of the given rows."""
    rows = floats(channel(distributions))
    if len(rows) < 2 or len(np.unique(rows, axis=0)) < len(rows):
        raise InvalidInput(f"a packing of {len(rows)} rows must have at least two, all different")
    return Packing(rows)


def simplex_packing(k: int, *, radius: float) -> Packing:
    """The k mixtures of the uniform law and a point, `radius` on the point: all `radius` apart."""
    at_least("k", k, 2)
    check_unit("radius", radius, zero=False)
    return Packing(np.full((k, k), (1 - radius) / k) + radius * np.eye(k))


def simplex_information(k: int, *, radius: float) -> float:
    """I(V; X) of the simplex packing without building it: ``log k`` less the entropy of a member."""
    at_least("k", k, 2)
    check_unit("radius", radius, zero=False)
    base = (1 - radius) / k
    own = base + radius
    return math.log(k) + own * math.log(own) + ((k - 1) * base * math.log(base) if base > 0 else 0.0)


@lru_cache(maxsize=64)
def _lexicode(pairs: int, distance: int) -> tuple[int, ...]:
    words: list[int] = []
    for word in range(2**pairs):
        if all((word ^ other).bit_count() >= distance for other in words):
            words.append(word)
    return tuple(words)


def cube_packing(k: int, *, radius: float, distance: int) -> Packing:
    """Corners of the cube of `discreet.theory.minimax.assouad` on k values that differ in at least `distance` pairs.

    The corners are visited in order, and each that is far enough from all those taken before is taken (a lexicode,
    at least as many as Gilbert and Varshamov promise). Any two have total variation at least ``radius * distance /
    pairs``. An odd value is left out, with no mass. At most 15 pairs.
    """
    pairs = k // 2
    at_least("k", k, 2)
    check_unit("radius", radius, zero=False)
    if not 1 <= distance <= pairs <= 15:
        raise InvalidInput(f"distance={distance} must be at most the {pairs} pairs, and those at most 15")
    words = _lexicode(pairs, distance)
    signs = 1 - 2 * ((np.array(words)[:, None] >> np.arange(pairs)) & 1)
    rows = np.zeros((len(words), k))
    rows[:, 0 : 2 * pairs : 2] = (1 + radius * signs) / (2 * pairs)
    rows[:, 1 : 2 * pairs : 2] = (1 - radius * signs) / (2 * pairs)
    return Packing(rows)


def fano_inequality(size: int, information: float, *, separation: float) -> float:
    """``(separation/2)(1 - (I + log 2)/log size)``, the least mean loss with information I about the member."""
    at_least("size", size, 2)
    return separation / 2 * (1 - (information + math.log(2)) / math.log(size))


def fano_printed(members: Packing, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The paper's bound in total variation, with Lemma 4: ``I <= n phi_n mean_kl``."""
    at_least("n", n, 0)
    bits = n * phi_n(epsilon, n, delta=delta) * members.mean_kl if n else 0.0
    value = fano_inequality(members.size, bits, separation=members.separation)
    return lower("Fano, as printed", value, "Asoodeh2021 Lemma 4")


@dataclass(frozen=True)
class FanoInformation:
    """Bounds on what n reports say about a member of a packing, in nats.

    `printed` is Lemma 4, ``n phi_n mean_kl``. `duchi_printed` is Duchi's bound as (10) quotes it, ``2 (e-1) n
    mean_kl``; Section III quotes the inequality behind it with a square, and `duchi` has it: ``4 (e-1)^2 n
    mean_squared_tv``, at most ``2 (e-1)^2 n mean_kl`` by Pinsker's inequality. `sharp` is ``n tanh(epsilon/2)^2
    I(V; X)``, never above `printed`.
    """

    printed: Bound
    duchi_printed: Bound
    duchi: Bound
    sharp: Bound


def fano_information(members: Packing, n: int, *, epsilon: Number) -> FanoInformation:
    """Lemma 4 of Asoodeh et al. beside Duchi's bound (10) on the information of n reports, under epsilon-LDP.

    Against (10) as printed Lemma 4 is smaller from epsilon = log(3/2), the paper's 0.4, on for every packing and n;
    with the square in (10) from log(1 + 1/sqrt(2)) = 0.535 on.

    References: Asoodeh2021 (Lemma 4, (10)), Duchi2013 (Theorem 1).
    """
    at_least("n", n, 1)
    value = epsilon_value("epsilon", epsilon)
    excess = math.expm1(value) if value < 300 else math.inf
    trivial = math.log(members.size)

    def bound(name: str, amount: float, source: str) -> Bound:
        return upper(f"information about the member, {name}", amount, source, trivial=trivial)

    return FanoInformation(
        bound("as printed", n * phi_n(value, n) * members.mean_kl, "Asoodeh2021 Lemma 4"),
        bound("Duchi as quoted", 2 * excess * n * members.mean_kl, "Asoodeh2021 (10)"),
        bound("Duchi", 4 * excess**2 * n * members.mean_squared_tv, "Duchi2013, with the square"),
        bound("sharp", n * kl_contraction(value) * members.information, "Asoodeh2021 Lemma 1"),
    )


def fano_distribution(members: Packing, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The bound in total variation with ``I <= n eta I(V; X)``, user by user.

    eta is the contraction of KL: ``tanh(epsilon/2)^2`` for ``delta = 0``, else `tv_contraction`. Neither it
    nor I(V; X) ever exceeds its counterpart in Lemma 4, phi_n and the mean KL.
    """
    at_least("n", n, 0)
    bits = n * kl_contraction(epsilon, delta=delta) * members.information
    value = fano_inequality(members.size, bits, separation=members.separation)
    return lower("Fano", value, "Fano1961, Asoodeh2021 Lemma 1")


def fano_best(k: int, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The best of the built-in packings of k values: the simplex, and for 4 to 16 values the cubes.

    Radii are scanned; every packing gives a true bound on the minimax total variation. It is vacuous below
    three values, where there are too few members for Fano's inequality.
    """
    at_least("k", k, 2)
    at_least("n", n, 0)
    eta = kl_contraction(epsilon, delta=delta)
    best, note = 0.0, ""
    for radius in np.geomspace(1e-3, 1.0, 31).tolist():
        value = fano_inequality(k, n * eta * simplex_information(k, radius=radius), separation=radius)
        if value > best:
            best, note = value, f"simplex of radius {radius:.3g}"
        for d in range(1, k // 4 + 1) if k <= 16 else ():
            members = cube_packing(k, radius=radius, distance=d)
            value = fano_inequality(members.size, n * eta * members.information, separation=radius * d / (k // 2))
            if value > best:
                best, note = value, f"{members.size} corners of a cube of radius {radius:.3g}"
    return lower("Fano", best, "Fano1961, Asoodeh2021 Lemma 1", note=note)
