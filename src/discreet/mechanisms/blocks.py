"""A randomizer inside every block; the block itself shows."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

from ..arithmetic import Arithmetic
from ..domain import Alike
from ..errors import InvalidInput
from .randomizer import Pair, Randomizer


class Blocks(Randomizer):
    """Write the block and, inside it, what its own randomizer writes for the position in the block.

    Report = offset of the block + inner report; when the offsets pass 64 bits, the block number
    stands in a 64-bit word of its own above the inner report. A block of one value says only the block.

    *Why private.* Inside a block the ratio is the inner randomizer's; across blocks E is infinite.
    *Why unbiased.* The estimator of a block is the inner one on the reports of that block, and the
    block's own total is known exactly.

    References: Acharya2020, Section 6 (with Hadamard inside, (19) simplified: c * mean(H[i+1, Y2] 1{Y1 = j})).
    """

    name = "blocks"

    def __init__(self, block_of: Sequence[int], inner: Sequence[Randomizer]) -> None:
        self.size = len(block_of)
        self.inner = tuple(inner)
        self.block_of = array("l", block_of)
        sizes = [0] * len(self.inner)
        self._place = array("l", bytes(self.block_of.itemsize * self.size))
        for x, block in enumerate(self.block_of):
            self._place[x] = sizes[block]
            sizes[block] += 1
        if sizes != [part.size for part in self.inner]:
            raise InvalidInput("inner: each block needs a randomizer of the block's size")
        self.kinds = list({id(part): part for part in self.inner}.values())
        numbers = {id(part): number for number, part in enumerate(self.kinds)}
        self.kind_of = tuple(numbers[id(part)] for part in self.inner)
        self.word_bits = self.kinds[0].word_bits
        self.words = max(part.words for part in self.kinds)
        self.disjoint = all(part.disjoint for part in self.kinds)
        self._lay_out()

    def _lay_out(self) -> None:
        bounds = [0, *accumulate(part.outputs for part in self.inner)]
        if bounds[-1] > 1 << 64:
            stride = 1 << 64 * max(-(-part.bits // 64) for part in self.kinds)
            bounds = [stride * block for block in range(max(len(self.inner), 2) + 1)]
        self.offsets = tuple(bounds[: len(self.inner)])
        self.outputs = bounds[-1]
        starts = [0, *accumulate(part.cells for part in self.inner)]
        self.starts = tuple(starts[:-1])
        self.cells = starts[-1]

    @cached_property
    def members(self) -> list[list[int]]:
        """The values of each block by number, in order of their place."""
        found: list[list[int]] = [[] for _ in self.inner]
        for x, block in enumerate(self.block_of):
            found[block].append(x)
        return found

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        block = ops.look_up(self.block_of, x)
        kind = ops.look_up(self.kind_of, block)
        inside = ops.dispatch(kind, self.kinds, ops.look_up(self._place, x), words, self.bits)
        return ops.place(inside, self.offsets, block)

    def _inside(self, y: int) -> tuple[int, int]:
        block = bisect_right(self.offsets, y) - 1
        return block, y - self.offsets[block]

    def probability(self, x: int, y: int) -> Fraction:
        if not 0 <= y < self.outputs:
            return Fraction(0)
        block, inside = self._inside(y)
        if block != self.block_of[x]:
            return Fraction(0)
        return self.inner[block].probability(self._place[x], inside)

    def reports(self) -> Iterable[int]:
        for offset, part in zip(self.offsets, self.inner, strict=True):
            yield from (offset + y for y in part.reports())

    def is_report(self, y: int) -> bool:
        if not 0 <= y < self.outputs:
            return False
        block, inside = self._inside(y)
        return self.inner[block].is_report(inside)

    @cached_property
    def labels(self) -> Sequence[int]:
        if all(isinstance(part.labels, Alike) for part in self.kinds):
            return self.block_of
        numbers: dict[tuple[int, int], int] = {}
        inside = [part.labels for part in self.inner]
        return [
            numbers.setdefault((block, inside[block][self._place[x]]), len(numbers))
            for x, block in enumerate(self.block_of)
        ]

    def pairs(self) -> Iterator[Pair]:
        known = [list(part.pairs()) for part in self.kinds]
        for of, kind in zip(self.members, self.kind_of, strict=True):
            yield from (Pair(of[p.x], of[p.z], p.ratio) for p in known[kind])

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        block, inside = self._inside(y)
        return [self.starts[block] + cell for cell in self.inner[block].cells_of(inside)]

    def count(self, counts: Any, reports: Any, start: Any, ops: Any) -> None:
        if self.disjoint and self.offsets == self.starts:
            ops.count_cells(counts, reports, start, self.outputs)
            return
        if ops.count_blocks(counts, reports, start, self):
            return
        block, inside = ops.locate(reports, self.offsets, self.outputs)
        kind = ops.look_up(self.kind_of, block)
        added = ops.zeros_like(counts)
        for number, part in enumerate(self.kinds):
            mine = ops.where(kind == number)
            begin = ops.look_up(self.starts, block[mine]) + ops.pick(start, mine)
            part.count(added, ops.narrow(inside[mine], part.bits), begin, ops)
        counts += added

    def total(self, counts: Any, ops: Any) -> Any:
        return ops.sum(self.block_totals(counts, ops))

    def totals_of(self, ops: Any) -> Any:
        out = ops.integers([-1] * self.cells)
        for part, _, cells, _ in self.groups(ops):
            inside = part.totals_of(ops)
            bits = ops.where(inside >= 0)
            out[cells[:, bits]] = cells[:, inside[bits]]
        return out

    def block_totals(self, counts: Any, ops: Any) -> Any:
        """The exact number of reports of each block."""
        totals = ops.zeros(len(self.inner))
        for part, blocks, cells, _ in self.groups(ops):
            totals[blocks] = part.total(counts[cells], ops)[:, 0]
        return totals

    def groups(self, ops: Any) -> Any:
        """For each kind: its randomizer, its blocks, their cells and their values, as index arrays."""
        if not hasattr(self, "_cached_groups"):
            groups = []
            for number, part in enumerate(self.kinds):
                blocks = [block for block, kind in enumerate(self.kind_of) if kind == number]
                starts = ops.integers([self.starts[block] for block in blocks])
                cells = starts[:, None] + ops.integers(range(part.cells))
                values = ops.integers([self.members[block] for block in blocks])
                groups.append((part, ops.integers(blocks), cells, values))
            self._cached_groups = groups
        return self._cached_groups

    def decode(self, counts: Any, ops: Any) -> Any:
        return self._each(ops, lambda part, cells, values: part.decode(counts[cells], ops))

    def second_moments(self, shares: Any, ops: Any) -> Any:
        return self._each(ops, lambda part, cells, values: part.second_moments(shares[values], ops))

    def slopes(self, shares: Any, ops: Any) -> Any:
        return self._each(ops, lambda part, cells, values: part.slopes(shares[values], ops))

    def pull(self, weights: Any, ops: Any) -> Any:
        return self._each(ops, lambda part, cells, values: part.pull(weights[cells], ops))

    def push(self, shares: Any, ops: Any) -> Any:
        out = ops.zeros(self.cells)
        for part, _, cells, values in self.groups(ops):
            out[cells] = part.push(shares[values], ops)
        return out

    def _each(self, ops: Any, compute: Any) -> Any:
        out = ops.zeros(self.size)
        for part, _, cells, values in self.groups(ops):
            out[values] = compute(part, cells, values)
        return out

    def cross_moment(self, shares: Any, first: Any, second: Any, ops: Any) -> Any:
        total = ops.zeros(1)
        for part, _, _, values in self.groups(ops):
            total += part.cross_moment(shares[values], first[values], second[values], ops).sum()
        return total

    def influence(self, ops: Any) -> float:
        return max(part.influence(ops) for part in self.kinds)

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        return tuple(epsilon for part in self.inner for epsilon in part.epsilons)

    @property
    def decode_cost(self) -> float:
        return sum(self.kinds[kind].decode_cost for kind in self.kind_of)

    def describe(self) -> dict[str, Any]:
        told = [part.describe() for part in self.kinds]
        several = [one for one, part in zip(told, self.kinds, strict=True) if part.size > 1] or told
        if all(one == several[0] for one in several):
            return several[0]
        names = {one["name"] for one in several}
        return {"name": names.pop() if len(names) == 1 else "mixed", "inner": [told[kind] for kind in self.kind_of]}
