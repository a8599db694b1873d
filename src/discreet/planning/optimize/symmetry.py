"""Permutations of the values that leave a problem as it is, and averages over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

MAX_PERMUTATIONS = 512
"""The most permutations of a group that is used: each column of a table stands for all its images."""
SAME_ENTRY = 1e-9
"""Entries that differ by less than this part of the largest are the same."""


@dataclass(frozen=True, eq=False)
class PermutationGroup:
    """A group of permutations, written out: row g sends value x to ``elements[g, x]``."""

    elements: Numbers

    @property
    def order(self) -> int:
        """The number of permutations."""
        return len(self.elements)

    @cached_property
    def of_value(self) -> Numbers:
        """The orbit of every value, numbered from 0."""
        return _number(self.elements.min(axis=0))

    @cached_property
    def of_pair(self) -> Numbers:
        """The orbit of every ordered pair of values, flat: pairs that a permutation sends to each other."""
        size = self.elements.shape[1]
        least = np.full(size * size, size * size)
        for g in self.elements:
            np.minimum(least, (g[:, None] * size + g).ravel(), out=least)
        return _number(least)

    @cached_property
    def of_unordered_pair(self) -> Numbers:
        """The orbit of every pair of values, flat, where (x, z) and (z, x) are one."""
        orbits = self.of_pair.reshape(self.elements.shape[1], -1)
        return _number(np.minimum(orbits, orbits.T))

    @cached_property
    def sizes(self) -> Array:
        """The number of values in each orbit."""
        return np.bincount(self.of_value).astype(float)

    @cached_property
    def totals(self) -> Array:
        """The matrix that adds up the values of every orbit."""
        return np.equal.outer(np.arange(len(self.sizes)), self.of_value).astype(float)

    @cached_property
    def _pair_sizes(self) -> Array:
        return np.bincount(self.of_pair).astype(float)

    def average(self, matrix: Array) -> Array:
        """The mean of a matrix over the group: over every orbit of pairs."""
        if self.order == 1:
            return matrix
        means = np.bincount(self.of_pair, weights=matrix.ravel()) / self._pair_sizes
        return means[self.of_pair].reshape(matrix.shape)

    def images(self, column: Array) -> Array:
        """The different images of a column, as rows."""
        moved = column[self.elements]
        _, first = np.unique(np.round(moved / moved.max(), 12), axis=0, return_index=True)
        return moved[np.sort(first)]


def _number(representatives: Numbers) -> Numbers:
    """The representatives numbered from 0, flat."""
    return np.asarray(np.unique(representatives, return_inverse=True)[1].reshape(-1))


def trivial(size: int) -> PermutationGroup:
    """The group of the identity alone."""
    return PermutationGroup(np.arange(size)[None])


def symmetries(
    matrices: Sequence[Array], vectors: Sequence[Array], *, largest: int = MAX_PERMUTATIONS
) -> PermutationGroup:
    """A group of at most `largest` permutations under which these matrices and vectors do not change.

    Generators are guessed, not searched for: reversals, rotations and flips along every way to write the numbers
    of the values in digits, exchanges of such digits, the same along a line or ring that the entries of the first
    matrix show, and rotations of exchangeable values.
    """
    generators: list[Numbers] = []
    group = trivial(len(matrices[0]))
    for permutation in _candidates(matrices[0]):
        if 2 * group.order > largest:  # a larger group is at least twice as large
            break
        known = (group.elements == permutation).all(axis=1).any()
        if not known and _keeps(permutation, matrices, vectors):
            joined = _join(group, [*generators, permutation], largest)
            if joined is not None:
                group, generators = joined, [*generators, permutation]
    return group


def _keeps(permutation: Numbers, matrices: Sequence[Array], vectors: Sequence[Array]) -> bool:
    pairs = np.ix_(permutation, permutation)
    return all(_same(v[permutation], v) for v in vectors) and all(_same(M[pairs], M) for M in matrices)


def _same(one: Array, other: Array) -> bool:
    finite = np.isfinite(one)
    if not np.array_equal(finite, np.isfinite(other)):
        return False
    largest = np.abs(one[finite]).max(initial=0.0)
    return bool((np.abs(one[finite] - other[finite]) <= SAME_ENTRY * largest).all())


def _join(group: PermutationGroup, generators: Sequence[Numbers], largest: int) -> PermutationGroup | None:
    """The group of all these generators, of which the last is new; None if it is too large.

    It is made of cosets of the group before, each found by a generator from one that is known (Dimino's algorithm).
    """
    known = {element.tobytes() for element in group.elements}
    cosets, leaders = [group.elements], [group.elements[0]]
    for leader in leaders:  # which grows
        for generator in generators:
            reached = leader[generator]
            if reached.tobytes() not in known:
                if (len(cosets) + 1) * group.order > largest:
                    return None
                cosets.append(group.elements[:, reached])
                leaders.append(reached)
                known.update(element.tobytes() for element in cosets[-1])
    return PermutationGroup(np.concatenate(cosets))


def _candidates(E: Array) -> Iterator[Numbers]:
    for order in _orders(E):
        place = np.argsort(order)
        yield from (order[move[place]] for move in _moves(len(E)))
    yield from _rotations(E)


def _orders(E: Array) -> Iterator[Numbers]:
    """Orders of the values: as numbered, from one end of a line to the other, and around a ring."""
    size = len(E)
    yield np.arange(size)
    finite = np.where(np.isfinite(E), E, 0.0)
    start = int(np.unravel_index(np.argmax(finite), finite.shape)[0])
    yield np.argsort(E[start], kind="stable")
    walk, left = [start], np.ones(size, dtype=bool)
    left[start] = False
    while len(walk) < size:
        nearest = int(np.argmin(np.where(left, E[walk[-1]], np.inf)))
        if not left[nearest]:
            nearest = int(np.argmax(left))
        walk.append(nearest)
        left[nearest] = False
    yield np.array(walk)


def _moves(size: int) -> Iterator[Numbers]:
    """Rotations, flips and exchanges of the digits that numbers below `size` can be written in."""
    numbers = np.arange(size)
    digits = [
        (step, count)
        for step in range(1, size)
        if size % step == 0
        for count in range(2, size // step + 1)
        if size // step % count == 0
    ]
    for step, count in sorted(digits, key=lambda digit: -digit[1]):
        digit = numbers // step % count
        yield numbers + ((digit + 1) % count - digit) * step
    for step, count in digits:
        digit = numbers // step % count
        yield numbers + (count - 1 - 2 * digit) * step
        yield numbers + (-digit % count - digit) * step
    for step, count in digits:
        for other in (step * count, step * count * count):
            if (other, count) in digits:
                low, high = numbers // step % count, numbers // other % count
                yield numbers + (high - low) * step + (low - high) * other


def _rotations(E: Array) -> Iterator[Numbers]:
    """One rotation for every set of values that can be exchanged without changing E."""
    size = len(E)
    left = list(range(size))
    while left:
        x = left[0]
        exchangeable = [z for z in left if z == x or _exchangeable(E, x, z)]
        left = [z for z in left if z not in exchangeable]
        if len(exchangeable) > 1:
            rotation = np.arange(size)
            rotation[exchangeable] = np.roll(exchangeable, -1)
            yield rotation


def _exchangeable(E: Array, x: int, z: int) -> bool:
    swapped = np.arange(len(E))
    swapped[[x, z]] = z, x
    return E[x, z] == E[z, x] and np.array_equal(E[x], E[z][swapped]) and np.array_equal(E[:, x], E[swapped, z])
