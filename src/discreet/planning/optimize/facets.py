"""The facets of the cone of columns: the entries of E that follow from no others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cone import Array

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Facets:
    """The facets of a cone, ``r_above >= fade r_of`` each."""

    above: Numbers
    of: Numbers
    fade: Array

    def rows(self, size: int) -> Array:
        """The facets as rows of a matrix."""
        each, found = np.arange(len(self.above)), np.zeros((len(self.above), size))
        found[each, self.above] = 1.0
        found[each, self.of] -= self.fade
        return found


def facets_of(E: Array) -> Facets:
    """``r_z >= e^-E[x,z] r_x`` for entries that follow from no others, and r_x >= 0 where these do not say it."""
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
