"""Reports that show a type and sub-reports of some classes: where they lie, and how they are counted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, product
from typing import NamedTuple

from ...core.limits import spend
from ..composed.even_cover import EvenCover
from ..sampler import Sampler
from ..uniform.pure import PureSampler


class Mark(NamedTuple):
    """What a type shows of one class, and where that begins among the bits of the report."""

    group: int
    cover: EvenCover
    at: int

    @property
    def inner(self) -> PureSampler:
        """The sampler of the class."""
        return self.cover.base


class Typed(Sampler):
    """A sampler whose report is a type and, for each class that the type marks, a report of that class's own.

    The sub-reports lie side by side in bits of their own, the class with the smallest number lowest, and the types one
    after the other; from 2**64 reports on the number of the type stands in a word of its own above them.
    """

    def lay_out(self, marks: Sequence[Sequence[int]], inners: Sequence[PureSampler]) -> None:
        """Give each type its reports: ``marks[y][c]`` is 0, or i if y shows class c by ``inners[i - 1]``."""
        covers = [EvenCover(inner) for inner in inners]
        self.marked: list[list[Mark]] = []
        outputs, words, work = [], [0], 0
        for row in marks:
            at, taken, shown = 0, 0, list[Mark]()
            for group, mark in enumerate(row):
                if mark:
                    inner = inners[mark - 1]
                    shown.append(Mark(group, covers[mark - 1], at))
                    at, taken = at + inner.bits, taken + 1 + inner.words
                    work += inner.outputs if inner.is_numbered else inner.size
            self.marked.append(shown)
            outputs.append(shown[-1].inner.outputs << shown[-1].at if shown else 1)
            words.append(taken)
        self.words = 1 + max(words)
        spend(work + len(marks), f"{self.name} of {len(marks)} types")
        bounds = [0, *accumulate(outputs)]
        if bounds[-1] > 1 << 64:
            stride = 1 << 64 * -(-(max(outputs) - 1).bit_length() // 64)
            bounds = [stride * kind for kind in range(max(len(marks), 2) + 1)]
        self.offsets, self.outputs = tuple(bounds[: len(marks)]), bounds[-1]
        self.types = len(marks)

    def inside(self, y: int) -> tuple[int, list[int]]:
        """The type of a report below `outputs` and its sub-reports; the highest may be any number."""
        kind = bisect_right(self.offsets, y) - 1
        inside = y - self.offsets[kind]
        shown = self.marked[kind]
        if not shown:
            return kind, [inside]
        return kind, [
            inside >> mark.at & (1 << mark.inner.bits) - 1 if mark is not shown[-1] else inside >> mark.at
            for mark in shown
        ]

    @property
    def is_numbered(self) -> bool:
        single = all(len(shown) < 2 and all(mark.inner.is_numbered for mark in shown) for shown in self.marked)
        return single and self.outputs < 1 << 64

    def reports(self) -> Iterable[int]:
        for offset, shown in zip(self.offsets, self.marked, strict=True):
            parts = ([part << mark.at for part in mark.inner.reports()] for mark in reversed(shown))
            yield from (offset + sum(joint) for joint in product(*parts))

    def is_report(self, y: int) -> bool:
        if not 0 <= y < self.outputs:
            return False
        kind, parts = self.inside(y)
        shown = self.marked[kind]
        if not shown:
            return parts == [0]
        return all(mark.inner.is_report(part) for mark, part in zip(shown, parts, strict=True))
