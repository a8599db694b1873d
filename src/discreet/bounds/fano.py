"""Fano's method under local privacy, with packings of distributions over k values built in.

A packing is a finite set of distributions far from each other. An estimator accurate on all of them would
identify which one the values came from, and the reports carry too little information for that. Mechanisms are fixed
before any report is seen.

References: Asoodeh2021 (Section IV.B, Lemma 4), Fano1961, Yu1997.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.bounds.bound import Bound, lower
from discreet.bounds.contraction import kl_contraction, phi, phi_n, tv_contraction
from discreet.bounds.finite import Floats, Matrix, Number, at_least, channel, floats
from discreet.bounds.mutual_information import information
from discreet.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Packing:
    """Distributions over the same values, one a row, any two different."""

    distributions: Floats

    @property
    def size(self) -> int:
        """How many there are."""
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


def packing(distributions: Matrix) -> Packing:
    """A packing of the given rows."""
    rows = floats(channel(distributions))
    if len(rows) < 2 or len(np.unique(rows, axis=0)) < len(rows):
        raise InvalidInput(f"a packing of {len(rows)} rows must have at least two, all different")
    return Packing(rows)


def simplex_packing(k: int, *, radius: float) -> Packing:
    """k distributions, each the uniform one with `radius` of its mass moved to one value: at total variation `radius`."""
    at_least("k", k, 2)
    _check_radius(radius)
    return Packing(np.full((k, k), (1 - radius) / k) + radius * np.eye(k))


def cube_packing(k: int, *, radius: float, distance: int) -> Packing:
    """Corners of the cube of `discreet.bounds.cube` on k values that differ in `distance` pairs or more.

    The corners are taken in order, each that is far enough from all before (a lexicode, at least as many as
    Gilbert and Varshamov promise). Two are at total variation ``radius * distance / pairs`` at least. An odd value
    is left out, with no mass. At most 15 pairs.
    """
    pairs = k // 2
    at_least("k", k, 2)
    _check_radius(radius)
    if not 1 <= distance <= pairs <= 15:
        raise InvalidInput(f"distance={distance} must be at most the {pairs} pairs, and those at most 15")
    words: list[int] = []
    for word in range(2**pairs):
        if all((word ^ other).bit_count() >= distance for other in words):
            words.append(word)
    signs = 1 - 2 * ((np.array(words)[:, None] >> np.arange(pairs)) & 1)
    rows = np.zeros((len(words), k))
    rows[:, 0 : 2 * pairs : 2] = (1 + radius * signs) / (2 * pairs)
    rows[:, 1 : 2 * pairs : 2] = (1 - radius * signs) / (2 * pairs)
    return Packing(rows)


def _check_radius(radius: float) -> None:
    if not 0 < radius <= 1:
        raise InvalidInput(f"radius={radius} must be positive and at most 1")


def fano(size: int, information: float, *, separation: float) -> float:
    """``(separation/2)(1 - (I + log 2)/log size)``, the least mean loss when I is the information about the member."""
    at_least("size", size, 2)
    return separation / 2 * (1 - (information + math.log(2)) / math.log(size))


def fano_printed(members: Packing, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The paper's bound in total variation, with Lemma 4: ``I <= n phi_n mean_kl``."""
    at_least("n", n, 0)
    bits = n * phi_n(epsilon, n, delta=delta) * members.mean_kl if n else 0.0
    value = fano(members.size, bits, separation=members.separation)
    return lower("Fano, as printed", value, "Asoodeh2021 Lemma 4")


def fano_distribution(members: Packing, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The bound in total variation with the least of the bounds on what n reports tell about the member.

    ``n eta I(V; X)``, user by user, with eta the contraction of KL: ``tanh(epsilon/2)^2`` for ``delta = 0``, else
    `tv_contraction`. This is never more than Lemma 4's ``phi_n n mean_kl``.
    """
    at_least("n", n, 0)
    eta = min(phi(epsilon, delta=delta), tv_contraction(epsilon, delta=delta))
    if delta == 0:
        eta = min(eta, kl_contraction(epsilon))
    value = fano(members.size, n * eta * members.information, separation=members.separation)
    return lower("Fano", value, "Fano1961, Asoodeh2021 Lemma 1")


def fano_best(k: int, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The best of the built-in packings of k values: the simplex, and for up to 24 values the cubes.

    Radii are scanned; every packing gives a true bound on the minimax total variation.
    """
    at_least("k", k, 2)
    best = lower("Fano", 0.0, "Fano1961, Asoodeh2021 Lemma 1")
    for radius in np.geomspace(1e-3, 1.0, 31).tolist():
        tried = [(f"simplex of radius {radius:.3g}", simplex_packing(k, radius=radius))]
        if 4 <= k <= 24:
            tried += [
                (f"cube of radius {radius:.3g}, distance {d}", cube_packing(k, radius=radius, distance=d))
                for d in range(1, k // 4 + 1)
            ]
        for name, members in tried:
            found = fano_distribution(members, n, epsilon=epsilon, delta=delta)
            if found.value > best.value:
                best = Bound(found.name, found.value, found.kind, found.reference, found.vacuous, name)
    return best
