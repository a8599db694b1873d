"""The estimator of `Levels`: one coefficient for each depth of the tree, and its moments by where values part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.errors import NotIdentifiable

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric
    from .level_cells import State
    from .levels import Levels

LEAST = 1e-12
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
    found, above = [0.0] * (depth + 1), 0.0
    for level in range(depth, 0, -1):
        gap = own[level] - other[level - 1]
        if gap < LEAST:
            raise ZeroDivisionError
        found[level] = (1.0 if level == depth else (other[level - 1] - other[level]) * above) / gap
        above += found[level]
    found[0] = -other[0] * above
    return found


def squares(paths: Sequence[Path], found: Sequence[float]) -> list[float]:
    """E[phi_x**2] of reports of values that part from x below a node of each depth, and last of x itself."""
    values = [sum(c * rho for c, rho in zip(found, path.rho, strict=True)) for path in paths]
    return [
        sum(path.partings[depth] * value**2 for path, value in zip(paths, values, strict=True))
        for depth in range(len(found))
    ]


def chances_of(state: State) -> tuple[Chance, Chance]:
    """How an unmarked and a marked child of a node in this state stand."""
    if state.marking is None:
        return UNMARKED
    marked = state.marking.inner.g, state.marking.inner.h, state.marking.inner.nu
    return Chance(*(float(1 - chance) for chance in marked)), Chance(*map(float, marked))


def ways_of(levels: Levels) -> list[Path]:
    """The way to each state."""
    ways = [Path()] * len(levels.states)
    for number, state in enumerate(levels.states):
        for child, step in zip((state.unmarked, state.marked), chances_of(state), strict=True):
            if child >= 0:
                ways[child] = ways[number].then(step)
    return ways


def likelihoods(levels: Levels, reports: Array, ops: Numeric) -> Array:
    """rho of each value's leaf: how much likelier the report is from the value than from anyone, taken evenly."""
    found, depth, ways = ops.zeros((len(reports), levels.size)), len(levels.branches), ways_of(levels)
    for rows in ops.slabs(len(reports), len(levels.states) * levels.nodes[-1]):
        some = reports[rows]
        counts = ops.zeros(len(some) * levels.cells)
        levels.count(counts, some, ops.row(len(some))[0] * levels.cells, ops)
        seen = levels.state_counts(counts.reshape(len(some), levels.cells))
        for state, way, here in zip(levels.states, ways, seen, strict=True):
            if state.depth == depth:
                found[rows] += way.rho[-1] * here[..., levels.node_of(depth, ops)]
    return found


class LevelEstimates:
    """phi_x(y) = sum_l c_l rho_l, with rho_l the product of own over blank chances on the way to x, down to depth l.

    rho_l is how much likelier the report is from the values below the node above x at depth l than from anyone, taken
    evenly: on a tree without empty places, phi is the unbiased estimator of least variance at even shares.

    *Why unbiased.* The mean of rho_l depends on where the own value parts from x alone: there are as many conditions
    as coefficients, which `coefficients` solves for the chances of the law itself.
    """

    def __init__(self, levels: Levels, ops: Numeric) -> None:
        self.levels, self.ops, self.depth = levels, ops, len(levels.branches)
        self.chances = [chances_of(state) for state in levels.states]
        self.ways = ways_of(levels)
        self.paths = [way for way, state in zip(self.ways, levels.states, strict=True) if state.depth == self.depth]
        try:
            self.c = coefficients(self.paths)
        except ZeroDivisionError:
            raise NotIdentifiable("levels: the reports show nothing of some level of the tree") from None
        self.squares = squares(self.paths, self.c)

    # -- by levels --------------------------------------------------------------------------------------
    def mixed(self, numbers: Array, weights: Sequence[float]) -> Array:
        """For nodes of one depth, ``sum_z weights[j] numbers[z]`` with j the depth at which z parts from the node.

        The last weight is for the node itself.
        """
        found: Any = 0.0
        before, count = 0.0, numbers.shape[-1]
        for nodes, weight in zip(self.levels.nodes, weights, strict=False):
            held = numbers.reshape(*numbers.shape[:-1], nodes, -1).sum(axis=-1)
            found = found + (weight - before) * held.repeat(count // nodes, axis=-1)
            before = weight
        return found  # type: ignore[no-any-return]

    # -- statistics -------------------------------------------------------------------------------------
    def decode(self, counts: Array) -> Array:
        """Unbiased counts of the values."""
        out: Any = 0.0
        levels = self.levels
        for number, (state, seen) in enumerate(zip(levels.states, levels.state_counts(counts), strict=True)):
            value = self.c[state.depth] * self.ways[number].rho[-1]
            out = out + value * seen[..., levels.node_of(state.depth, self.ops)]
        return out  # type: ignore[no-any-return]

    def weigh(self, weights: Array) -> Array:
        """The adjoint of `decode`: what falls to states of nodes is handed up to the cells that tell of them."""
        levels, ops = self.levels, self.ops
        leaves, out = levels.on_leaves(weights, ops), ops.zeros((*weights.shape[:-1], levels.cells))
        due = []
        for number, state in enumerate(levels.states):
            held = leaves.reshape(*leaves.shape[:-1], levels.nodes[state.depth], -1).sum(axis=-1)
            due.append(self.c[state.depth] * self.ways[number].rho[-1] * held)
        for number in reversed(range(len(levels.states))):
            state = levels.states[number]
            if state.unmarked >= 0:
                rest = due[state.unmarked]
                due[number] = due[number] + rest.reshape(*due[number].shape, -1).sum(axis=-1)
                if state.marking is not None:
                    out[..., state.cell : state.cell + rest.shape[-1]] = due[state.marked] - rest
        out[..., -1:] = due[0]
        return out

    def second_moments(self, shares: Array) -> Array:
        """E[phi_x**2], from the shares under each node above x."""
        leaves = self.levels.on_leaves(shares, self.ops)
        return self.mixed(leaves, self.squares)[..., self.levels.node_of(self.depth, self.ops)]

    def slopes(self, shares: Array) -> Array:
        """What holding x adds to E[phi_x**2] over what holding one of the others, as they are shared, does."""
        others = self.second_moments(shares) - self.squares[-1] * shares
        found: Array = self.squares[-1] - others / self.ops.maximum(1 - shares, 1e-9)
        return found

    def push(self, shares: Array) -> Array:
        """The expected counts."""
        levels, ops = self.levels, self.ops
        leaves = levels.on_leaves(shares, ops)
        out = ops.zeros((*shares.shape[:-1], levels.cells))
        out[..., -1:] = ops.sum(shares)
        for state in levels.states:
            if state.marking is not None:
                nodes = levels.nodes[state.depth + 1]
                held = leaves.reshape(*leaves.shape[:-1], nodes, -1).sum(axis=-1)
                out[..., state.cell : state.cell + nodes] = self.mixed(held, self.ways[state.marked].partings)
        return out

    def pull(self, weights: Array) -> Array:
        """The adjoint of `push`."""
        levels, out = self.levels, weights[..., -1:]
        for state in levels.states:
            if state.marking is not None:
                own = weights[..., state.cell : state.cell + levels.nodes[state.depth + 1]]
                found = self.mixed(own, self.ways[state.marked].partings)
                out = out + found[..., levels.node_of(state.depth + 1, self.ops)]
        return out

    def influence(self) -> float:
        """The largest coefficient of any report."""
        return max(sum(c * rho for c, rho in zip(self.c, path.rho, strict=True)) for path in self.paths)

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        """E[(first . phi)(second . phi)], from the leaves upwards."""
        from .level_moments import cross_moment

        return cross_moment(self, shares, first, second)
