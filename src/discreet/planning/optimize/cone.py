"""The cone of columns that E allows: r_x <= e^E[x,z] r_z."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

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


def scaled(columns: Array, prior: Array) -> Array:
    """The columns times what makes their mean under the prior one."""
    found: Array = columns / (columns @ prior)[:, None]
    return found
