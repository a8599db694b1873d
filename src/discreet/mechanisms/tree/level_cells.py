"""Reports that mark the nodes of a tree: their states, where their parts lie, and how they are counted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from ...core.limits import check, spend
from ..sampler import Sampler
from ..units import check_law
from .marking import Marking

SLOTS = 1 << 16
"""The most sub-reports of a report."""

STATES = 1 << 12
"""The most states that a node may be in."""

SLAB = 1 << 22
"""How many places of sub-reports are looked at together when reports are counted."""


class State(NamedTuple):
    """Nodes of one depth with the same marks above them and on them.

    `marking` says how their children are marked, or is None where none is; `unmarked` and `marked` are the states of
    the children, by number (-1 for none).
    """

    depth: int
    marking: Marking | None
    unmarked: int
    marked: int


class Slot(NamedTuple):
    """A node in the layout of a report: child number `rank` among the marked or unmarked children of `parent`.

    Its sub-report begins at bit `at` and takes words from `word` on; `leads` says whether slots of children follow, and
    `rest` whether slots of unmarked ones do.
    """

    state: int
    parent: int
    marked: int
    rank: int
    at: int
    word: int
    leads: bool
    rest: bool


class Leveled(Sampler):
    """A sampler whose report marks children of the root of a tree, of nodes below it, and so on.

    A node's sub-report lies in the lowest bits of what is reported under it; then follow its marked children in
    increasing order, then the others, each with all that is reported under it and only where anything is. How many
    children are marked depends on the state of a node alone, so all reports are laid out alike, and any choice of
    sub-reports is a report.
    """

    branches: tuple[int, ...]

    def lay_out(self, shown: Sequence[Sequence[int]], markings: Sequence[Marking], kind: str) -> None:
        """Make states and slots: ``shown[l][s]`` is 0, or i if state s of depth l shows ``markings[i - 1]``."""
        self.nodes = [math.prod(self.branches[:depth]) for depth in range(len(self.branches) + 1)]
        self.states: list[State] = []
        expected, work = 1, 0
        for depth, row in enumerate((*shown, (0,) * sum(2 if entry else 1 for entry in shown[-1]))):
            check_law(len(row) == expected <= STATES, kind, "it must show something or nothing for every state")
            last = depth == len(shown)
            following = first = len(self.states) + len(row)
            for entry in row:
                marking = markings[entry - 1] if entry else None
                marked = following + 1 if entry else -1
                self.states.append(State(depth, marking, -1 if last else following, marked))
                following += 2 if entry else 1
                work += self.nodes[depth + 1] if entry else 0
            expected = following - first
        spend(2 * (work + 1), f"{self.name} of {len(self.states)} states")
        count = self._counted_slots(kind)
        self._make_slots(count)

    def _counted_slots(self, kind: str) -> list[int]:
        """How many slots there are under a node in each state, before any is made."""
        count, width = ([0] * len(self.states) for _ in range(2))
        for number in reversed(range(len(self.states))):
            state = self.states[number]
            for child, times in self._children(state):
                count[number] += times * count[child]
                width[number] += times * width[child]
            count[number] += state.marking is not None or count[number] > 0
            width[number] += 0 if state.marking is None else state.marking.inner.bits
        check_law(count[0] <= SLOTS, kind, f"a report must have at most {SLOTS} parts")
        check("report_bits", width[0], self.name)
        spend(64 * count[0], f"{self.name} of {count[0]} parts")
        return count

    def _make_slots(self, count: Sequence[int]) -> None:
        """Lay the slots out, those under a node one after the other, the marked children first."""
        self.slots: list[Slot] = []
        at, word = 0, 0
        left = [(0, -1, 0, 0)]
        while left:
            number, parent, mark, rank = left.pop()
            state = self.states[number]
            below = [
                (child, times, int(child == state.marked)) for child, times in self._children(state) if count[child]
            ]
            own = len(self.slots)
            rest = any(not mark for _, _, mark in below)
            self.slots.append(Slot(number, parent, mark, rank, at, word, bool(below), rest))
            if state.marking is not None:
                at += state.marking.inner.bits
                word += state.marking.inner.words + (parent >= 0)
            left += [(child, own, mark, j) for child, times, mark in reversed(below) for j in reversed(range(times))]
        self.words = word
        self.parts = [
            (number, slot, marking)
            for number, slot in enumerate(self.slots)
            if (marking := self.states[slot.state].marking)
        ]
        _, last, marking = self.parts[-1]
        self.outputs = marking.inner.outputs << last.at

    def _children(self, state: State) -> Iterator[tuple[int, int]]:
        """The states of children and how many of a node's children are in each, the marked ones first."""
        if state.marking is not None:
            yield state.marked, state.marking.members
            yield state.unmarked, state.marking.places - state.marking.members
        elif state.unmarked >= 0:
            yield state.unmarked, self.branches[state.depth]

    # -- one report -----------------------------------------------------------------------------------
    def inside(self, y: int) -> dict[int, int]:
        """The sub-report of each slot that has one; the highest may be any number."""
        found = {}
        for number, slot, marking in self.parts:
            top = number == self.parts[-1][0]
            found[number] = y >> slot.at if top else y >> slot.at & (1 << marking.inner.bits) - 1
        return found

    def reports(self) -> Iterable[int]:
        parts = ([part << slot.at for part in marking.inner.reports()] for _, slot, marking in reversed(self.parts))
        yield from map(sum, product(*parts))

    def is_report(self, y: int) -> bool:
        if not 0 <= y < self.outputs:
            return False
        inside = self.inside(y)
        return all(marking.inner.is_report(inside[number]) for number, _, marking in self.parts)
