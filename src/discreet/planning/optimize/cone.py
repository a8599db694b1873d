"""The cone of columns that E allows, r_x <= e^E[x,z] r_z, and its facets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

CAP = 30.0
"""An entry above this is treated as this: a report that is e^-30 as likely hides nothing and costs nothing."""


@dataclass(frozen=True, eq=False)
class Cone:
    """Columns r >= 0 with ``r_x <= e^E[x,z] r_z``, for a closed E given as floats with ``inf`` where nothing is asked.

    Its extreme rays are exp(u), u a vertex of ``{u_x - u_z <= E[x,z]}``. Columns are kept as rows of an array
    ``(count, k)``.
    """

    E: Array

    @property
    def size(self) -> int:
        """k, the number of values."""
        return len(self.E)

    @cached_property
    def most(self) -> Array:
        """``e^E`` with entries capped; at most this often is x likelier than z."""
        return np.exp(np.minimum(self.E, CAP))

    @cached_property
    def least(self) -> Array:
        """``e^-E[z,x]`` at [x, z]: x is at least this often as likely as z."""
        return np.ascontiguousarray(1.0 / self.most.T)

    @cached_property
    def near(self) -> float:
        """How far the nearest other value is, in the mean over the values: the size of a step."""
        apart = np.where(np.eye(self.size, dtype=bool), CAP, np.minimum(self.E, CAP))
        return float(apart.min(axis=1).mean())

    def below(self, columns: Array) -> Array:
        """The largest columns of the cone that are nowhere above these: ``min_z r_z e^E[x,z]``."""
        return np.stack([(columns * row).min(axis=1) for row in self.most], axis=1)

    def above(self, columns: Array) -> Array:
        """The smallest columns of the cone that are nowhere below these: ``max_z r_z e^-E[z,x]``."""
        return np.stack([(columns * row).max(axis=1) for row in self.least], axis=1)


def normalize(columns: Array, prior: Array) -> Array:
    """The columns scaled to mean one under the prior."""
    return np.asarray(columns / (columns @ prior)[:, None])


@dataclass(frozen=True, eq=False)
class Facets:
    """The facets of a cone, ``r_above >= fade r_of`` each."""

    above: Numbers
    of: Numbers
    fade: Array

    def rows(self, size: int) -> Array:
        """The facets as rows of a matrix."""
        each, matrix = np.arange(len(self.above)), np.zeros((len(self.above), size))
        matrix[each, self.above] = 1.0
        matrix[each, self.of] -= self.fade
        return matrix


def facets_of(E: Array) -> Facets:
    """The facets: ``r_z >= e^-E[x,z] r_x`` for entries that follow from no others, and r_x >= 0 if not implied."""
    size = len(E)
    finite = np.isfinite(E) & ~np.eye(size, dtype=bool)
    implied = np.zeros_like(finite)
    for via in range(size):
        through = E[:, [via]] + E[via]
        through[via], through[:, via] = np.inf, np.inf
        implied |= through <= E * (1 + 1e-12)
    x, z = np.nonzero(finite & ~implied)
    alone = np.flatnonzero(~(finite & finite.T).any(axis=1))
    above, of = np.concatenate([z, alone]), np.concatenate([x, alone])
    fade = np.concatenate([np.exp(-E[x, z]), np.zeros(len(alone))])
    return Facets(above, of, fade)
