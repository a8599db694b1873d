"""Tree subsets: of blocks inside blocks mark some, some of those inside them, and so on down to the values."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from typing import Any, NamedTuple

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.domain import EvenLeaves, Leaves
from ...core.limits import check, spend
from ..law import Law, Row
from ..laws import sampler_of
from ..sampler import LawExample, RatioBound, Sampler
from ..units import check_law, check_size
from .subset_encoding import SubsetEncoding, subset_encoding_of

MAX_PARTS = 1 << 16
"""The most sub-reports of a report."""

MAX_STATES = 1 << 12
"""The most states that a node may be in."""

MAX_DEPTH = 64
"""The most levels of a tree."""

MAX_LEAVES_PER_VALUE = 16
"""The most leaves of a tree for each value."""


@dataclass(frozen=True)
class TreeSubsetsLaw(Law):
    """Value x is leaf ``leaves[x]`` of a tree whose nodes of depth l have ``branches[l]`` children each.

    ``shown[l][s]`` is 0 if nodes of depth l in state s mark none of their children, and else i if they mark them by
    the law ``inners[i - 1]``. The root is in state 0; states of the next depth are numbered in order of those above
    them, first that of the unmarked children, then, where there are any, that of the marked ones.
    """

    kind = "levels"

    branches: tuple[int, ...]
    shown: tuple[tuple[int, ...], ...]
    inners: tuple[Law, ...]
    leaves: Row
    word_bits: int


class State(NamedTuple):
    """Nodes of one depth with the same marks above them and on them.

    `encoding` says how their children are marked, or is None where none is; `unmarked` and `marked` are the states of
    the children, by number (-1 for none).
    """

    depth: int
    encoding: SubsetEncoding | None
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


class TreeSubsets(Sampler):
    """A set of children for the root of a tree, for its children, and so on, by laws that depend on the marks above.

    On the path from the root to the own leaf each set is drawn for the own child; all other sets are *cover reports*,
    drawn for a place taken evenly, by the same lines from as many words. With mean levels T of what is below marked and
    unmarked children, and a = e**(epsilon - epsilon below), own children are marked with odds a T(marked) / T(unmarked)
    times those of others: the channel whose columns are, at each leaf, the product of a over the marked nodes above.

    *Why private.* Two values share all sets down to the node where they part. There the ratio is that of the set, as
    it marks the one, the other, both or none; below, sets that are drawn for the one are cover reports for the other,
    and the largest ratios of an own set to a cover report and back, as it marks the own child or not, are multiplied
    down to the leaves, at every state the larger of its two sides: with the parts of words as they are.

    A node's sub-report lies in the lowest bits of what is reported under it; then follow its marked children in
    increasing order, then the others, each with all that is reported under it and only where anything is. How many
    children are marked depends on the state of a node alone, so all reports are laid out alike, and any choice of
    sub-reports is a report.

    References: Acharya2020 (Definition 2); Kairouz2016 (extremal channels); Wang2016 and Feldman2022 (the sets inside).
    """

    name = "levels"
    law: TreeSubsetsLaw
    follows = TreeSubsetsLaw

    def follow(self, law: TreeSubsetsLaw) -> None:
        encodings = [subset_encoding_of(sampler_of(inner), law.kind) for inner in law.inners]
        leaves, depth = law.leaves.numbers(), len(law.branches)
        check_size(len(leaves), law.word_bits)
        tree = 1 <= depth == len(law.shown) <= MAX_DEPTH and min(law.branches) > 1
        check_law(tree, law.kind, f"it must have 1 to {MAX_DEPTH} levels, each of several children, and a row for each")
        total = math.prod(law.branches)
        placed = total <= MAX_LEAVES_PER_VALUE * len(leaves) and len(set(leaves)) == len(leaves) and max(leaves) < total
        check_law(placed, law.kind, f"its values must be different leaves, at least one in {MAX_LEAVES_PER_VALUE}")
        used = {entry for row in law.shown for entry in row} - {0} == set(range(1, len(encodings) + 1))
        check_law(used and bool(encodings), law.kind, "it must show each of its inner laws, and at least one")
        sizes = ((branch, entry) for branch, row in zip(law.branches, law.shown, strict=True) for entry in row if entry)
        fit = all(encodings[entry - 1].inner.size == branch for branch, entry in sizes)
        check_law(fit, law.kind, "its inner laws must be for as many values as a node has children")
        same = all(encoding.inner.word_bits == law.word_bits for encoding in encodings)
        check_law(same, law.kind, "its inner laws must have its width of words")
        self.law, self.size, self.word_bits = law, len(leaves), law.word_bits
        self.branches, self.leaves = law.branches, leaves
        self._lay_out(encodings)

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> TreeSubsets:
        inners = tuple(sampler_of(inner).with_word_bits(word_bits, epsilon).law for inner in self.law.inners)
        return TreeSubsets.from_law(TreeSubsetsLaw(self.branches, self.law.shown, inners, self.law.leaves, word_bits))

    # -- the layout of a report -------------------------------------------------------------------------
    def _lay_out(self, encodings: Sequence[SubsetEncoding]) -> None:
        """Make states and slots."""
        shown, kind = self.law.shown, self.law.kind
        self.nodes = [math.prod(self.branches[:depth]) for depth in range(len(self.branches) + 1)]
        self.states: list[State] = []
        expected, work = 1, 0
        for depth, row in enumerate((*shown, (0,) * sum(2 if entry else 1 for entry in shown[-1]))):
            check_law(len(row) == expected <= MAX_STATES, kind, "it must show something or nothing for every state")
            last = depth == len(shown)
            following = first = len(self.states) + len(row)
            for entry in row:
                encoding = encodings[entry - 1] if entry else None
                marked = following + 1 if entry else -1
                self.states.append(State(depth, encoding, -1 if last else following, marked))
                following += 2 if entry else 1
                work += self.nodes[depth + 1] if entry else 0
            expected = following - first
        spend(2 * (work + 1), f"{self.name} of {len(self.states)} states")
        self._make_slots(self._count_slots())

    def _count_slots(self) -> list[int]:
        """How many slots there are under a node in each state, before any is made."""
        count, width = ([0] * len(self.states) for _ in range(2))
        for number in reversed(range(len(self.states))):
            state = self.states[number]
            for child, times in self._children(state):
                count[number] += times * count[child]
                width[number] += times * width[child]
            count[number] += state.encoding is not None or count[number] > 0
            width[number] += 0 if state.encoding is None else state.encoding.inner.bits
        check_law(count[0] <= MAX_PARTS, self.law.kind, f"a report must have at most {MAX_PARTS} parts")
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
            if state.encoding is not None:
                at += state.encoding.inner.bits
                word += state.encoding.inner.words + (parent >= 0)
            left += [(child, own, mark, j) for child, times, mark in reversed(below) for j in reversed(range(times))]
        self.words = word
        self.parts = [
            (number, slot, encoding)
            for number, slot in enumerate(self.slots)
            if (encoding := self.states[slot.state].encoding)
        ]
        _, last, encoding = self.parts[-1]
        self.outputs = encoding.inner.outputs << last.at

    def _children(self, state: State) -> Iterator[tuple[int, int]]:
        """The states of children and how many of a node's children are in each, the marked ones first."""
        if state.encoding is not None:
            yield state.marked, state.encoding.members
            yield state.unmarked, state.encoding.places - state.encoding.members
        elif state.unmarked >= 0:
            yield state.unmarked, self.branches[state.depth]

    # -- one report -----------------------------------------------------------------------------------
    def inside(self, y: int) -> dict[int, int]:
        """The sub-report of each slot that has one; the highest may be any number."""
        inside = {number: y >> slot.at & (1 << encoding.inner.bits) - 1 for number, slot, encoding in self.parts[:-1]}
        number, slot, _ = self.parts[-1]
        return inside | {number: y >> slot.at}

    def reports(self) -> Iterable[int]:
        parts = ([part << slot.at for part in encoding.inner.reports()] for _, slot, encoding in reversed(self.parts))
        yield from map(sum, product(*parts))

    def is_report(self, y: int) -> bool:
        if not 0 <= y < self.outputs:
            return False
        inside = self.inside(y)
        return all(encoding.inner.is_report(inside[number]) for number, _, encoding in self.parts)

    # -- the draw -------------------------------------------------------------------------------------
    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        digits = self._digits(ops.look_up(self.leaves, x), ops)
        report, standing = x - x, list[tuple[Any, Any, Any]]()
        for slot in self.slots:
            state = self.states[slot.state]
            place, mark, rank = digits[state.depth], x - x, digits[state.depth]
            if slot.parent < 0:
                own = ops.equal(x, x)
            else:
                held, side, at = standing[slot.parent]
                own = held * ops.equal(side, slot.marked) * ops.equal(at, slot.rank)
            if state.encoding is not None:
                inner, begin = state.encoding.inner, slot.word
                if slot.parent >= 0:
                    place = ops.select(own, place, ops.position(words[begin], state.encoding.places))
                    begin += 1
                part = inner.draw(place, words[begin : begin + inner.words], ops)
                report = ops.beside(report, part, slot.at, self.bits)
                if slot.leads:
                    mark, before = state.encoding.standing(part, place, ops)
                    rank = ops.select(mark, before, place - before)
            standing.append((own, mark, rank))
        return report

    def _digits(self, leaf: Any, ops: Arithmetic) -> list[Any]:
        """Which child of the node above each node on the way to a leaf is, from the root on."""
        digits = []
        for depth, branch in enumerate(self.branches):
            node = ops.divide(leaf, self.nodes[-1] // self.nodes[depth + 1])
            digits.append(node - ops.divide(node, branch) * branch)
        return digits

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        inside, chance = self.inside(y), Fraction(1)
        leaf, own = self.leaves[x], list[bool]()
        marks: list[set[int]] = []
        for number, slot in enumerate(self.slots):
            state = self.states[slot.state]
            mine = slot.parent < 0
            if slot.parent >= 0 and own[slot.parent]:
                node = leaf // (self.nodes[-1] // self.nodes[state.depth]) % self.branches[state.depth - 1]
                before = sum((c in marks[slot.parent]) == slot.marked for c in range(node))
                mine = (node in marks[slot.parent]) == slot.marked and before == slot.rank
            own.append(mine)
            marks.append(set())
            if state.encoding is not None:
                inner, part = state.encoding.inner, inside[number]
                place = leaf // (self.nodes[-1] // self.nodes[state.depth + 1]) % self.branches[state.depth]
                chance *= inner.probability(place, part) if mine else state.encoding.cover.probability(part)
                marks[-1].update(state.encoding.marked(part))
        return chance

    # -- the certificate: one ratio for each depth at which two values part -------------------------------
    @cached_property
    def class_of(self) -> Leaves:
        return EvenLeaves(self.leaves, self.branches)

    @cached_property
    def ratios(self) -> list[Fraction]:
        """The certified largest Q(y | x) / Q(y | z) of values that part below a node of each depth, or deeper."""
        above, below = ([Fraction(1)] * len(self.states) for _ in range(2))
        ratios = [Fraction(1)] * len(self.branches)
        for number in reversed(range(len(self.states))):
            state = self.states[number]
            if state.unmarked < 0:
                continue
            sides = [state.unmarked] if state.encoding is None else [state.unmarked, state.marked]
            for mark, child in enumerate(sides):
                up, down = above[child], below[child]
                if state.encoding is not None:
                    bounds = state.encoding.bounds
                    up, down = up * bounds.above[mark], down * bounds.below[mark]
                above[number] = up if not mark else max(above[number], up)
                below[number] = down if not mark else max(below[number], down)
                for other, sibling in enumerate(sides):
                    apart = Fraction(1) if state.encoding is None else state.encoding.bounds.between(mark, other)
                    ratios[state.depth] = max(ratios[state.depth], apart * above[child] * below[sibling])
        for depth in range(len(ratios) - 1, 0, -1):
            ratios[depth - 1] = max(ratios[depth - 1 : depth + 1])
        return ratios

    def ratio(self, x: int, z: int) -> Fraction:
        """The certified largest Q(y | x) / Q(y | z)."""
        return self.ratios[self.class_of.parting(x, z)]

    def ratio_bounds(self) -> Iterator[RatioBound]:
        spend(self.size**2, f"{self.name} of {self.size} values")
        yield from (RatioBound(x, z, self.ratio(x, z)) for x, z in permutations(range(self.size), 2))

    def max_ratios(self) -> Callable[[int, int], Fraction]:
        return self.ratio

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        pairs: dict[Hashable, Any] = {0: {0: [0, 1], 1: [2, 3]}, 1: {0: [4, 5], 1: [6, 7]}}
        yield LawExample(cls.name, Context.nested(pairs, ["1", "2", "4"]))
        yield LawExample(cls.name, Context.nested({"p": [0, 1, 2], "q": [3, 4], "r": [5, 6]}, ["1", "3"]))
