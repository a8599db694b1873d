"""The decoder of tree subsets: one coefficient for each depth of the tree, and moments by where values part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from ...core.errors import NotIdentifiable
from ...mechanisms.tree.level_errors import chances_of, coefficients, squares, ways_of
from ...mechanisms.tree.levels import Levels
from ...mechanisms.tree.marking import Marking, SetMarking, ShiftMarking
from ..arrays.layout import Array, as_column, pick, slabs, total_of
from ..arrays.reports import add_cells, bits_at, in_words, set_rows, shift_rows, unless
from .decoder import Decoder, replacing_others
from .level_moments import cross_moment

SLAB = 1 << 22
"""How many places of sub-reports are looked at together when reports are counted."""


class LevelsDecoder(Decoder[Levels]):
    """phi_x(y) = sum_l c_l rho_l, with rho_l the product of own over cover chances on the way to x, down to depth l.

    For each state of a node there is a cell for every child of every node of its depth; the last cell counts the
    reports. rho_l is how much likelier the report is from the values below the node above x at depth l than from
    anyone, taken evenly: on a tree without empty places, phi is the unbiased estimator of least variance at even
    shares.

    *Why unbiased.* The mean of rho_l depends on where the own value parts from x alone: there are as many conditions
    as coefficients, which `coefficients` solves for the chances of the law itself.
    """

    disjoint = False

    def __init__(self, sampler: Levels) -> None:
        super().__init__(sampler)
        self.states, self.branches, self.nodes = sampler.states, sampler.branches, sampler.nodes
        self.depth = len(sampler.branches)
        widths = [self.nodes[state.depth + 1] if state.marking is not None else 0 for state in self.states]
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
            marked = [] if state.marking is None else state.marking.marked(inside[number])
            places = branch if state.marking is None else state.marking.places
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
        slab = max(1, SLAB // max(64, sum(marking.places for _, _, marking in self.sampler.parts)))
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
            if state.marking is not None:
                part = bits_at(words, slot.at, state.marking.inner.bits)
                marked = places_of(state.marking, part, marked=True)
                others = places_of(state.marking, part, marked=False) if slot.rest else None
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
                if state.marking is not None:
                    start = self.starts[number]
                    marked = known[state.marked] = counts[..., start : start + above.shape[-1]]
                    above = above - marked
                known[state.unmarked] = above
        return known

    def inconsistency(self, counts: Array) -> str | None:
        known = self.state_counts(counts)
        for state, own in zip(self.states, known, strict=True):
            if state.marking is None:
                continue
            if (known[state.unmarked] < 0).any():
                return "no child may be marked more often than its node is there"
            branch, members = self.branches[state.depth], state.marking.members
            marked = known[state.marked].reshape(*own.shape, branch).sum(axis=-1)
            least = max(0, members - (state.marking.places - branch))
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
        return [chances_of(state) for state in self.states]

    @cached_property
    def ways(self) -> list[Any]:
        """The way to each state."""
        return ways_of(self.sampler)

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
                if state.marking is not None:
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
            if state.marking is not None:
                held = self._under(leaves, state.depth + 1)
                mixed = self._mixed(held, self.ways[state.marked].partings)
                out[..., start : start + self.nodes[state.depth + 1]] = mixed
        return out

    def expected_counts_adjoint(self, weights: Array) -> Array:
        out = weights[..., -1:]
        for state, start in zip(self.states, self.starts, strict=False):
            if state.marking is not None:
                own = weights[..., start : start + self.nodes[state.depth + 1]]
                mixed = self._mixed(own, self.ways[state.marked].partings)
                out = out + mixed[..., self.node_of(state.depth + 1)]
        return out

    def influence(self) -> float:
        return float(max(np.dot(self.c, path.rho) for path in self._paths))

    @property
    def decode_cost(self) -> float:
        return float(self.cells + len(self.states) * self.size)


def places_of(marking: Marking, reports: Array, *, marked: bool) -> Array:
    """For each sub-report the places that it marks, or those that it does not, in increasing order."""
    if isinstance(marking, SetMarking):
        return set_rows(reports, marking.places, marking.members, marked)
    assert isinstance(marking, ShiftMarking)
    return shift_rows(reports, marking.modulus, marking.sets, marked)
