"""The closed-form error of tree subsets: the coefficients of their estimator, by where two values part in the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .level_cells import State
    from .levels import Levels

MIN_GAP = 1e-12
"""A level at which own and other nodes differ by less than this is not seen in the reports."""


class Chance(NamedTuple):
    """How a node stands to its parent's sub-report: its chance if it is the own child, another one, a blank one's."""

    own: float
    other: float
    blank: float


UNMARKED = Chance(1.0, 1.0, 1.0), Chance(0.0, 0.0, 0.0)
"""The children of a node that marks none."""


class Path(NamedTuple):
    """A state: rho of every node on the way, the own chance over the blank one, and how likely the way is.

    ``partings[j]`` is its chance to a node that parts from the own one below depth j; the last is that of the own node.
    """

    partings: tuple[float, ...] = (1.0,)
    rho: tuple[float, ...] = (1.0,)

    def then(self, step: Chance) -> Path:
        """The way one level further down."""
        *apart, own = self.partings
        partings = (*(chance * step.blank for chance in apart), own * step.other, own * step.own)
        return Path(partings, (*self.rho, self.rho[-1] * step.own / step.blank))


def coefficients(paths: Sequence[Path]) -> list[float]:
    """The c_l for which ``sum_l c_l rho_l`` has mean 1 at the own leaf and 0 at all others.

    With a_l the mean of rho_l over reports of the node itself and b_l that of rho_{l+1} at another child of its parent
    (below which it stays the same, blank reports having mean rho of 1), the conditions are
    ``sum_{l <= j} c_l a_l + b_j sum_{l > j} c_l = 1{j = L}``, which the leaves solve first. `ZeroDivisionError` if
    some level is not seen.
    """
    depth = len(paths[0].rho) - 1
    own = [sum(path.partings[-1] * path.rho[level] for path in paths) for level in range(depth + 1)]
    other = [sum(path.partings[level] * path.rho[level + 1] for path in paths) for level in range(depth)]
    weights, above = [0.0] * (depth + 1), 0.0
    for level in range(depth, 0, -1):
        gap = own[level] - other[level - 1]
        if gap < MIN_GAP:
            raise ZeroDivisionError
        weights[level] = (1.0 if level == depth else (other[level - 1] - other[level]) * above) / gap
        above += weights[level]
    weights[0] = -other[0] * above
    return weights


def squares(paths: Sequence[Path], weights: Sequence[float]) -> list[float]:
    """E[phi_x**2] of reports of values that part from x below a node of each depth, and last of x itself."""
    values = [sum(c * rho for c, rho in zip(weights, path.rho, strict=True)) for path in paths]
    return [
        sum(path.partings[depth] * value**2 for path, value in zip(paths, values, strict=True))
        for depth in range(len(weights))
    ]


def chances_of(state: State) -> tuple[Chance, Chance]:
    """How an unmarked and a marked child of a node in this state stand."""
    if state.marking is None:
        return UNMARKED
    marked = state.marking.inner.p, state.marking.inner.q, state.marking.inner.r
    return Chance(*(float(1 - chance) for chance in marked)), Chance(*map(float, marked))


def ways_of(levels: Levels) -> list[Path]:
    """The way to each state."""
    ways = [Path()] * len(levels.states)
    for number, state in enumerate(levels.states):
        for child, step in zip((state.unmarked, state.marked), chances_of(state), strict=True):
            if child >= 0:
                ways[child] = ways[number].then(step)
    return ways
