"""A basis in which every matrix that a group keeps falls into small blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cone import Array
from .symmetry import PermutationGroup

MIN_EIGENVALUE_GAP = 1e-7
"""Eigenvalues of a random matrix that are nearer than this, in units of its size, are one."""


@dataclass(frozen=True, eq=False)
class BasisBlock:
    """Columns of a basis, orthonormal; the block of M is ``basis^T M basis``, and it occurs `times` times."""

    basis: Array
    times: int


def blocks_of(group: PermutationGroup, *, seed: int = 0) -> list[BasisBlock]:
    """The blocks of all symmetric matrices that the group keeps: M is positive exactly if all its blocks are.

    The eigenspaces of one random matrix of the kind are joined where another one links them, and one vector of each
    is carried from space to space; where that does not split every further matrix, the joined spaces stay whole.

    References: Murota2010.
    """
    size = group.elements.shape[1]
    if group.order == 1:
        return [BasisBlock(np.eye(size), 1)]
    rng = np.random.default_rng(seed)
    first, second, third = (_random(group, rng) for _ in range(3))
    values, vectors = np.linalg.eigh(first)
    breaks = np.flatnonzero(np.diff(values) > MIN_EIGENVALUE_GAP * np.abs(values).max()) + 1
    spaces = np.split(vectors, breaks, axis=1)
    blocks = []
    left = list(range(len(spaces)))
    while left:
        joined = [left.pop(0)]
        for i in list(left):
            if np.abs(spaces[joined[0]].T @ second @ spaces[i]).max() > MIN_EIGENVALUE_GAP * np.abs(second).max():
                joined.append(i)
                left.remove(i)
        blocks += _split([spaces[i] for i in joined], second, third)
    return blocks


def _random(group: PermutationGroup, rng: np.random.Generator) -> Array:
    size = group.elements.shape[1]
    drawn = group.average(rng.normal(size=(size, size)))
    return drawn + drawn.T


def _split(spaces: list[Array], second: Array, third: Array) -> list[BasisBlock]:
    """One block for a set of linked eigenspaces: one vector of each, or all of them."""
    whole = np.concatenate(spaces, axis=1)
    dimensions = {space.shape[1] for space in spaces}
    if dimensions == {1}:
        return [BasisBlock(whole, 1)]
    if len(dimensions) == 1:
        start = spaces[0]
        carried = [start]
        for space in spaces[1:]:
            moved = space @ (space.T @ second @ start)
            carried.append(moved / np.sqrt((moved**2).sum(axis=0).mean()))
        slices = [np.column_stack([basis[:, i] for basis in carried]) for i in range(start.shape[1])]
        found = [slice_.T @ third @ slice_ for slice_ in slices]
        close = MIN_EIGENVALUE_GAP * np.abs(third).max()
        alike = all(np.abs(one - found[0]).max() < close for one in found)
        across = max(np.abs(slices[0].T @ third @ other).max(initial=0.0) for other in [*slices[1:], slices[0][:, :0]])
        if alike and across < close:
            return [BasisBlock(slices[0], start.shape[1])]
    return [BasisBlock(whole, 1)]
