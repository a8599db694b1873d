"""Reports that show a type and sub-reports of some classes: where they lie, and how they are counted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, product
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.limits import spend
from ..randomizer import Cells, Randomizer
from ..uniform.support import Supporting

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric


class Mark(NamedTuple):
    """What a type shows of one class: where it begins among the bits of the report and the cells of the type."""

    group: int
    inner: Supporting
    at: int
    cell: int


class Typed(Randomizer):
    """A randomizer whose report is a type and, for each class that the type marks, a report of that class's own.

    The sub-reports lie side by side in bits of their own, the class with the smallest number lowest, and the types one
    after the other; from 2**64 reports on the number of the type stands in a word of its own above them. A type has
    the cells of every class that it marks, one class after the other, or one cell if it marks none.
    """

    def lay_out(self, marks: Sequence[Sequence[int]], inners: Sequence[Supporting]) -> None:
        """Give each type its reports and cells: ``marks[y][c]`` is 0, or i if y shows class c by ``inners[i - 1]``."""
        self.marked: list[list[Mark]] = []
        outputs, cells, words = [], [], [0]
        for row in marks:
            at, cell, taken, shown = 0, 0, 0, list[Mark]()
            for group, mark in enumerate(row):
                if mark:
                    inner = inners[mark - 1]
                    shown.append(Mark(group, inner, at, cell))
                    at, cell, taken = at + inner.bits, cell + inner.cells, taken + 1 + inner.words
            self.marked.append(shown)
            outputs.append(shown[-1].inner.outputs << shown[-1].at if shown else 1)
            cells.append(max(1, cell))
            words.append(taken)
        self.words = 1 + max(words)
        spend(sum(cells), f"{self.name} of {len(marks)} types")
        bounds = [0, *accumulate(outputs)]
        if bounds[-1] > 1 << 64:
            stride = 1 << 64 * -(-(max(outputs) - 1).bit_length() // 64)
            bounds = [stride * kind for kind in range(max(len(marks), 2) + 1)]
        starts = [0, *accumulate(cells)]
        self.offsets, self.outputs = tuple(bounds[: len(marks)]), bounds[-1]
        self.starts, self.cells = tuple(starts[:-1]), starts[-1]
        self.types = len(marks)
        self.disjoint = all(len(shown) < 2 and all(mark.inner.disjoint for mark in shown) for shown in self.marked)

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

    # -- counting: the cells of every class that a type marks, or one for a type that marks none ----------
    @property
    def counted(self) -> Cells | None:
        plain = self.disjoint and self.offsets == self.starts and self.outputs == self.cells
        return Cells(self.outputs) if plain else None

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        kind, parts = self.inside(y)
        start, shown = self.starts[kind], self.marked[kind]
        inside = zip(shown, parts, strict=False)
        return [start + mark.cell + cell for mark, part in inside for cell in mark.inner.cells_of(part)] or [start]

    def count(self, counts: Array, reports: Array, start: Any, ops: Numeric) -> None:
        if self.counted is not None:
            ops.count_cells(counts, reports, start, self.outputs)
            return
        added = ops.zeros_like(counts)
        for kind, mine, parts in self.shared_out(reports, ops):
            begin = self.starts[kind] + ops.pick(start, mine)
            for mark, part in zip(self.marked[kind], parts, strict=False):
                mark.inner.count(added, part, begin + mark.cell, ops)
            if not self.marked[kind]:
                ops.count_cells(added, parts[0], begin, 1)
        counts += added

    def gather(self, entries: Array, reports: Array, start: Any, ops: Numeric) -> Array:
        if self.counted is not None:
            return ops.gather_cells(entries, reports, start, self.outputs)
        found = ops.zeros(len(reports))
        for kind, mine, parts in self.shared_out(reports, ops):
            begin = self.starts[kind] + ops.pick(start, mine)
            for mark, part in zip(self.marked[kind], parts, strict=False):
                found[mine] += mark.inner.gather(entries, part, begin + mark.cell, ops)
            if not self.marked[kind]:
                found[mine] = ops.gather_cells(entries, parts[0], begin, 1)
        return found

    def shared_out(self, reports: Array, ops: Numeric) -> Iterator[tuple[int, Array, list[Array]]]:
        """Each type, the rows of its reports, and their sub-reports; one that is 0 where it marks no class."""
        chosen, inside = ops.locate(reports, self.offsets, self.outputs)
        for kind, shown in enumerate(self.marked):
            mine = ops.where(chosen == kind)
            left, parts = inside[mine], []
            for mark in shown[:-1]:
                part, left = ops.cut(left, mark.inner.bits)
                parts.append(part)
            yield kind, mine, [*parts, ops.narrow(left, shown[-1].inner.bits if shown else 1)]

    def shown_cells(self, counts: Array, kind: int, mark: Mark) -> Array:
        """The counts of what one type shows of one class."""
        start = self.starts[kind] + mark.cell
        return counts[..., start : start + mark.inner.cells]

    def type_counts(self, counts: Array, ops: Numeric) -> Array:
        """How many reports have each type."""
        found = ops.zeros((*counts.shape[:-1], self.types))
        for kind, shown in enumerate(self.marked):
            if shown:
                own = shown[0].inner.total(self.shown_cells(counts, kind, shown[0]), ops)
            else:
                own = counts[..., self.starts[kind] : self.starts[kind] + 1]
            found[..., kind : kind + 1] = own
        return found

    def total(self, counts: Array, ops: Numeric) -> Array:
        return ops.sum(self.type_counts(counts, ops))

    def broken_rule(self, counts: Array, ops: Numeric) -> str | None:
        for kind, shown in enumerate(self.marked):
            inside = [(mark.inner, self.shown_cells(counts, kind, mark)) for mark in shown]
            for inner, own in inside:
                if (rule := inner.broken_rule(own, ops)) is not None:
                    return f"in what a type shows of a class, {rule}"
            totals = [inner.total(own, ops) for inner, own in inside]
            if any((one != totals[0]).any() for one in totals[1:]):
                return "reports of one type show as many reports of each class that it marks"
        return None

    def totals_of(self, ops: Numeric) -> Array:
        out = ops.integers([-1] * self.cells)
        for start, shown in zip(self.starts, self.marked, strict=True):
            for mark in shown:
                inside = mark.inner.totals_of(ops)
                bits = ops.where(inside >= 0)
                out[start + mark.cell + bits] = start + mark.cell + inside[bits]
        return out

    def overlaps(self, ops: Numeric) -> Array:
        out = ops.integers([1] * self.cells)
        for start, shown in zip(self.starts, self.marked, strict=True):
            for mark in shown:
                out[start + mark.cell : start + mark.cell + mark.inner.cells] = len(shown)
        return out
