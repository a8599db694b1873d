"""The decoder of tree subsets: one coefficient for each depth of the tree, and moments by where values part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import NotIdentifiable
from ...mechanisms.tree.level_choice import coefficients, paths_of, squares, supports_of
from ...mechanisms.tree.subset_encoding import BitEncoding, ShiftEncoding, SubsetEncoding
from ...mechanisms.tree.tree_subsets import State, TreeSubsets
from ..arrays.layout import Array, as_column, pick, slabs, total_of
from ..arrays.reports import add_cells, bits_at, in_words, set_rows, shift_rows, unless
from .decoder import Decoder, replacing_others
from .pure import PureDecoder
from .registry import decoder_of


class Moments(NamedTuple):
    """What the nodes of one state, one beside the other, add to first . phi (U) and second . phi (V).

    In units of the node's own rho: means of U, V and U V where the sub-reports below are cover reports, and their means
    added up over the shares below, each where the own value is there.
    """

    u: Any
    v: Any
    uv: Any
    own_u: Any
    own_v: Any
    own_uv: Any


def cross_moment(levels: TreeSubsetsDecoder, shares: Array, first: Array, second: Array) -> Array:
    """E[(first . phi)(second . phi)] when values follow `shares`.

    U of a node is ``c_l w + sum_c k_c U_c`` over its children, w the weights below it and k the factor of rho that the
    mark of a child stands for. Given the marks, what lies below different children is independent, and of cover reports
    but under the own one: so the means of U_c enter by the joint moments of the sub-report, the rest child by child.
    """
    on_leaves = [levels.on_leaves(row) for row in (shares, first, second)]
    moments: list[Moments | None] = [None] * len(levels.states)
    for number in reversed(range(len(levels.states))):
        state = levels.states[number]
        held = [row.reshape(*row.shape[:-1], levels.nodes[state.depth], -1).sum(axis=-1) for row in on_leaves]
        c = levels.c[state.depth]
        if state.unmarked < 0:
            p, u, v = held[0], c * held[1], c * held[2]
            moments[number] = Moments(u, v, u * v, p * u, p * v, p * u * v)
        else:
            parts = [row.reshape(*row.shape[:-1], levels.nodes[state.depth + 1], -1).sum(axis=-1) for row in on_leaves]
            branch = levels.branches[state.depth]
            inside = parts[0].reshape(*parts[0].shape[:-1], -1, branch)
            below = [moments[child] if child >= 0 else None for child in (state.unmarked, state.marked)]
            node = _Node(levels, number, state, inside, below)
            moments[number] = node.joined(held[0], c * held[1], c * held[2])
    root = moments[0]
    assert root is not None
    return root.own_uv  # type: ignore[no-any-return]


class _Node:
    """The nodes of one state with the moments of their children, as arrays with an axis for the children."""

    def __init__(
        self, levels: TreeSubsetsDecoder, number: int, state: State, shares: Array, below: list[Moments | None]
    ) -> None:
        self.encoding, self.shares = state.encoding, shares
        self.chances = levels.chances[number]
        self.factors = [chance.p / chance.r if chance.r else 0.0 for chance in self.chances]
        branch = shares.shape[-1]
        nothing = Moments(*[shares * 0.0] * 6)
        self.below = [
            nothing if part is None else Moments(*(row.reshape(*row.shape[:-1], -1, branch) for row in part))
            for part in below
        ]
        low, high = self.below
        self.base_u, self.base_v = self.factors[0] * low.u, self.factors[0] * low.v
        if self.encoding is None:
            self.rise_u, self.rise_v = 0 * low.u, 0 * low.v
        else:
            self.rise_u = self.factors[1] * high.u - self.base_u
            self.rise_v = self.factors[1] * high.v - self.base_v

    @property
    def _inner(self) -> PureDecoder[Any]:
        assert self.encoding is not None
        decoder = decoder_of(self.encoding.inner)
        assert isinstance(decoder, PureDecoder)
        return decoder

    def joined(self, p: Array, u: Array, v: Array) -> Moments:
        """The moments of the nodes themselves, with shares `p` below them and c_l w for both rows of weights."""
        cover = self._means(0 * self.shares, 1.0)
        noise = [part.uv - part.u * part.v for part in self.below]
        spread = self._sum([chance.r for chance in self.chances], noise, square=True)
        uv = u * v + u * cover[1] + v * cover[0] + self._joint(0 * self.shares, 1.0) + spread
        own_u, own_v = (self._own(p, row, own) for row, own in (("u", "own_u"), ("v", "own_v")))
        away = p[..., None] - self.shares
        others = self._sum([chance.q for chance in self.chances], [away * part for part in noise], square=True)
        held = [part.own_uv - self.shares * part.u * part.v for part in self.below]
        mine = self._sum([chance.p for chance in self.chances], held, square=True)
        joint = self._joint(self.shares, 0.0) + others + mine + self._crossed("u") + self._crossed("v")
        own_uv = p * u * v + u * own_v + v * own_u + joint
        return Moments(u + cover[0], v + cover[1], uv, p * u + own_u, p * v + own_v, own_uv)

    def _sum(self, chances: list[float], rows: list[Any], *, square: bool = False) -> Any:
        """Over marks and children, the chance of a mark times its factor, or its square, times a row."""
        factors = [factor**2 if square else factor for factor in self.factors]
        return sum(c * f * row for c, f, row in zip(chances, factors, rows, strict=True)).sum(axis=-1)

    def _own(self, p: Array, name: str, own: str) -> Any:
        """The children's part of U or V, added up over the own values below."""
        away = p[..., None] - self.shares
        mine = self._sum([chance.p for chance in self.chances], [getattr(part, own) for part in self.below])
        rows = [away * getattr(part, name) for part in self.below]
        return mine + self._sum([chance.q for chance in self.chances], rows)

    def _constants(self) -> tuple[float, float, Any, Any]:
        """p - q and q, and what the means of U and V come to at q."""
        if self.encoding is None:
            return 1.0, 0.0, self.base_u.sum(axis=-1), self.base_v.sum(axis=-1)
        inner = self._inner
        fixed = [
            (base + inner.q * rise).sum(axis=-1)
            for base, rise in ((self.base_u, self.rise_u), (self.base_v, self.rise_v))
        ]
        return inner.gap, inner.q, fixed[0], fixed[1]

    def _means(self, shares: Any, cover: float) -> tuple[Any, Any]:
        """The means of the children's part of U and V for `shares` of the children and `cover` cover reports."""
        gap, q, *fixed = self._constants()
        r, mass = self.chances[1].r, shares.sum(axis=-1) + cover
        rows = zip((self.rise_u, self.rise_v), fixed, strict=True)
        one, other = (
            constant * mass + gap * (shares * rise).sum(axis=-1) + cover * (r - q) * rise.sum(axis=-1)
            for rise, constant in rows
        )
        return one, other

    def _joint(self, shares: Any, cover: float) -> Any:
        """E[X Y], with X and Y the sums over children of the mean of U and of V that the mark of each stands for."""
        gap, _, fixed_u, fixed_v = self._constants()
        mean_u, mean_v = self._means(shares, cover)
        mass = shares.sum(axis=-1) + cover
        product = fixed_u * mean_v + fixed_v * mean_u - fixed_u * fixed_v * mass
        if self.encoding is not None:
            joint = self._inner.covered_moment(shares, cover, self.rise_u, self.rise_v)
            product = product + gap**2 * joint[..., 0]
        return product

    def _crossed(self, name: str) -> Any:
        """The own child's U beyond its mean under cover reports, times the V of the other children; or with V and U."""
        base, rise = (self.base_v, self.rise_v) if name == "u" else (self.base_u, self.rise_u)
        rest, lift = (row.sum(axis=-1, keepdims=True) - row for row in (base, rise))
        extra = [getattr(part, f"own_{name}") - self.shares * getattr(part, name) for part in self.below]
        own = [chance.p for chance in self.chances]
        both = 0.0 if self.encoding is None else self.encoding.both
        given = [(self.chances[1].q - both) / own[0], both / own[1] if own[1] else 0.0]
        return self._sum(own, [part * (rest + chance * lift) for part, chance in zip(extra, given, strict=True)])


SLAB = 1 << 22
"""How many places of sub-reports are looked at together when reports are counted."""


class TreeSubsetsDecoder(Decoder[TreeSubsets]):
    """phi_x(y) = sum_l c_l rho_l, with rho_l the product of own over cover chances on the way to x, down to depth l.

    For each state of a node there is a cell for every child of every node of its depth; the last cell counts the
    reports. rho_l is how much likelier the report is from the values below the node above x at depth l than from
    anyone, taken evenly: on a tree without empty places, phi is the unbiased estimator of least variance at even
    shares.

    *Why unbiased.* The mean of rho_l depends on where the own value parts from x alone: there are as many conditions
    as coefficients, which `coefficients` solves for the chances of the law itself.
    """

    disjoint = False

    def __init__(self, sampler: TreeSubsets) -> None:
        super().__init__(sampler)
        self.states, self.branches, self.nodes = sampler.states, sampler.branches, sampler.nodes
        self.depth = len(sampler.branches)
        widths = [self.nodes[state.depth + 1] if state.encoding is not None else 0 for state in self.states]
        self.starts = [0, *accumulate(widths)]
        """The first cell of each state."""
        self.cells = self.starts[-1] + 1

    @cached_property
    def exchangeable(self) -> Sequence[int]:
        return [leaf // self.branches[-1] for leaf in self.sampler.leaves]

    # -- counting -------------------------------------------------------------------------------------
    def cells_of(self, y: int) -> Sequence[int]:
        inside, cells = self.sampler.inside(self.sampler.check_report(y)), list[int]()
        at: list[tuple[int, list[int], list[int]]] = []
        for number, slot in enumerate(self.sampler.slots):
            state = self.states[slot.state]
            branch, node = self.branches[state.depth], 0
            if slot.parent >= 0:
                above, *sides = at[slot.parent]
                child, wide = sides[1 - slot.marked][slot.rank], self.branches[state.depth - 1]
                node = above * wide + child if above >= 0 and child < wide else -1
            marked = [] if state.encoding is None else state.encoding.marked(inside[number])
            places = branch if state.encoding is None else state.encoding.places
            known = set(marked)
            at.append((node, marked, [c for c in range(places) if c not in known]))
            if node >= 0:
                cells += [self.starts[slot.state] + node * branch + c for c in marked if c < branch]
        return [*cells, self.cells - 1]

    def count(self, counts: Array, reports: Array, start: Any) -> None:
        words = in_words(reports, self.bits)
        added = np.zeros_like(counts)
        for rows in self._slabs(len(words)):
            for cells in self._cells_of_each(words[rows]):
                add_cells(added, cells, pick(start, rows))
        counts += added

    def gather(self, entries: Array, reports: Array, start: Any) -> Array:
        words, sums = in_words(reports, self.bits), np.zeros(len(reports))
        padded = np.append(entries, 0.0)
        for rows in self._slabs(len(words)):
            first = as_column(pick(start, rows))
            for cells in self._cells_of_each(words[rows]):
                sums[rows] += padded[unless(cells < 0, cells + first)].sum(axis=-1)
        return sums

    def _slabs(self, reports: int) -> Iterator[slice]:
        """Rows of reports that are looked at together."""
        slab = max(1, SLAB // max(64, sum(encoding.places for _, _, encoding in self.sampler.parts)))
        return (slice(begin, begin + slab) for begin in range(0, reports, slab))

    def _cells_of_each(self, words: Array) -> Iterator[Array]:
        """The cells of each report, a row of them at a time; -1 where a place is nobody's."""
        at: list[tuple[Any, Any, Any]] = []
        here = np.zeros(len(words), dtype=np.int64)
        for slot in self.sampler.slots:
            state = self.states[slot.state]
            branch, node = self.branches[state.depth], here
            if slot.parent >= 0:
                above, *sides = at[slot.parent]
                side, wide = sides[1 - slot.marked], self.branches[state.depth - 1]
                child = slot.rank if side is None else side[:, slot.rank]
                node = unless((above < 0) | (child >= wide), above * wide + child)
            marked = others = None
            if state.encoding is not None:
                part = bits_at(words, slot.at, state.encoding.inner.bits)
                marked = places_of(state.encoding, part, marked=True)
                others = places_of(state.encoding, part, marked=False) if slot.rest else None
                nobody = (node < 0)[:, None] | (marked >= branch)
                yield unless(nobody, self.starts[slot.state] + node[:, None] * branch + marked)
            at.append((node, marked, others))
        yield here[:, None] + self.cells - 1

    def state_counts(self, counts: Array) -> list[Array]:
        """For every state, how many reports have each node of its depth in that state."""
        known: list[Any] = [None] * len(self.states)
        known[0] = counts[..., -1:]
        for number, state in enumerate(self.states):
            if state.unmarked >= 0:
                above = known[number].repeat(self.branches[state.depth], axis=-1)
                if state.encoding is not None:
                    start = self.starts[number]
                    marked = known[state.marked] = counts[..., start : start + above.shape[-1]]
                    above = above - marked
                known[state.unmarked] = above
        return known

    def inconsistency(self, counts: Array) -> str | None:
        known = self.state_counts(counts)
        for state, own in zip(self.states, known, strict=True):
            if state.encoding is None:
                continue
            if (known[state.unmarked] < 0).any():
                return "no child may be marked more often than its node is there"
            branch, members = self.branches[state.depth], state.encoding.members
            marked = known[state.marked].reshape(*own.shape, branch).sum(axis=-1)
            least = max(0, members - (state.encoding.places - branch))
            if (marked < least * own).any() or (marked > min(members, branch) * own).any():
                return f"a node has {members} marked children whenever it shows any"
        return None

    def total(self, counts: Array) -> Array:
        return counts[..., -1:]

    def set_totals(self) -> Array:
        return np.array([self.cells - 1] * (self.cells - 1) + [-1])

    # -- by leaves and levels ---------------------------------------------------------------------------
    @cached_property
    def _leaves(self) -> Array:
        return np.array(self.sampler.leaves, dtype=np.int64)

    def on_leaves(self, values: Array) -> Array:
        """What belongs to values, in the order of the leaves; 0 where nobody is."""
        leaves = np.zeros((*values.shape[:-1], self.nodes[-1]))
        leaves[..., self._leaves] = values
        return leaves

    def node_of(self, depth: int) -> Array:
        """The node of this depth above each value."""
        return np.asarray(self._leaves // (self.nodes[-1] // self.nodes[depth]))

    def _under(self, leaves: Array, depth: int) -> Array:
        """The sums of what belongs to the leaves under each node of a depth."""
        return np.asarray(leaves.reshape(*leaves.shape[:-1], self.nodes[depth], -1).sum(axis=-1))

    def _mixed(self, numbers: Array, weights: Sequence[float]) -> Array:
        """For nodes of one depth, ``sum_z weights[j] numbers[z]`` with j the depth at which z parts from the node.

        The last weight is for the node itself.
        """
        sums, before, count = np.zeros(1), 0.0, numbers.shape[-1]
        for nodes, weight in zip(self.nodes, weights, strict=False):
            held = numbers.reshape(*numbers.shape[:-1], nodes, -1).sum(axis=-1)
            sums = sums + (weight - before) * held.repeat(count // nodes, axis=-1)
            before = weight
        return sums

    # -- the estimator ------------------------------------------------------------------------------------
    @cached_property
    def chances(self) -> list[Any]:
        """How an unmarked and a marked child of a node in each state stand."""
        return [supports_of(state) for state in self.states]

    @cached_property
    def ways(self) -> list[Any]:
        """The way to each state."""
        return paths_of(self.sampler)

    @cached_property
    def _paths(self) -> list[Any]:
        """The ways to the states of leaves."""
        return [way for way, state in zip(self.ways, self.states, strict=True) if state.depth == self.depth]

    @cached_property
    def c(self) -> list[float]:
        """The coefficients c_l."""
        try:
            return coefficients(self._paths)
        except ZeroDivisionError:
            raise NotIdentifiable("levels: the reports show nothing of some level of the tree") from None

    @cached_property
    def _squares(self) -> list[float]:
        return squares(self._paths, self.c)

    def decode(self, counts: Array) -> Array:
        out = np.zeros(1)
        for state, way, seen in zip(self.states, self.ways, self.state_counts(counts), strict=True):
            out = out + self.c[state.depth] * way.rho[-1] * seen[..., self.node_of(state.depth)]
        return out

    def decode_adjoint(self, weights: Array) -> Array:
        """What falls to states of nodes is handed up to the cells that tell of them."""
        leaves, out = self.on_leaves(weights), np.zeros((*weights.shape[:-1], self.cells))
        due = [
            self.c[state.depth] * way.rho[-1] * self._under(leaves, state.depth)
            for state, way in zip(self.states, self.ways, strict=True)
        ]
        for number in reversed(range(len(self.states))):
            state = self.states[number]
            if state.unmarked >= 0:
                rest = due[state.unmarked]
                due[number] = due[number] + rest.reshape(*due[number].shape, -1).sum(axis=-1)
                if state.encoding is not None:
                    start = self.starts[number]
                    out[..., start : start + rest.shape[-1]] = due[state.marked] - rest
        out[..., -1:] = due[0]
        return out

    def likelihoods(self, reports: Array) -> Array:
        """rho of each value's leaf: how much likelier the report is from the value than from anyone, taken evenly."""
        rows = np.zeros((len(reports), self.size))
        for some in slabs(len(reports), len(self.states) * self.nodes[-1]):
            own = reports[some]
            counts = np.zeros(len(own) * self.cells)
            self.count(counts, own, np.arange(len(own)) * self.cells)
            seen = self.state_counts(counts.reshape(len(own), self.cells))
            for state, way, here in zip(self.states, self.ways, seen, strict=True):
                if state.depth == self.depth:
                    rows[some] += way.rho[-1] * here[..., self.node_of(self.depth)]
        return rows

    def second_moments(self, shares: Array) -> Array:
        return self._mixed(self.on_leaves(shares), self._squares)[..., self.node_of(self.depth)]

    def second_moment_derivative(self, shares: Array) -> Array:
        return replacing_others(self._squares[-1], self.second_moments(shares), shares)

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        return cross_moment(self, shares, first, second)

    def expected_counts(self, shares: Array) -> Array:
        leaves, out = self.on_leaves(shares), np.zeros((*shares.shape[:-1], self.cells))
        out[..., -1:] = total_of(shares)
        for state, start in zip(self.states, self.starts, strict=False):
            if state.encoding is not None:
                held = self._under(leaves, state.depth + 1)
                mixed = self._mixed(held, self.ways[state.marked].partings)
                out[..., start : start + self.nodes[state.depth + 1]] = mixed
        return out

    def expected_counts_adjoint(self, weights: Array) -> Array:
        out = weights[..., -1:]
        for state, start in zip(self.states, self.starts, strict=False):
            if state.encoding is not None:
                own = weights[..., start : start + self.nodes[state.depth + 1]]
                mixed = self._mixed(own, self.ways[state.marked].partings)
                out = out + mixed[..., self.node_of(state.depth + 1)]
        return out

    def reach(self) -> tuple[Array, Array]:
        ends = [float(np.dot(self.c, path.rho)) for path in self._paths]
        return np.full(self.size, min(ends)), np.full(self.size, max(ends))

    @property
    def decode_cost(self) -> float:
        return float(self.cells + len(self.states) * self.size)


def places_of(encoding: SubsetEncoding, reports: Array, *, marked: bool) -> Array:
    """For each sub-report the places that it marks, or those that it does not, in increasing order."""
    if isinstance(encoding, BitEncoding):
        return set_rows(reports, encoding.places, encoding.members, marked)
    assert isinstance(encoding, ShiftEncoding)
    return shift_rows(reports, encoding.modulus, encoding.sets, marked)
