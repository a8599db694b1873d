"""Randomizers whose reports are the numbers below `outputs`, all of which can occur, counted one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .randomizer import Cells, Randomizer

if TYPE_CHECKING:
    from ..estimation.arrays.numeric import Array, Numeric


class Numbered(Randomizer):
    """A randomizer that can write every number below `outputs`: cell y counts report y."""

    disjoint = True

    @property
    def cells(self) -> int:  # type: ignore[override]
        return self.outputs

    @property
    def counted(self) -> Cells:
        return Cells(self.outputs)

    def reports(self) -> Iterable[int]:
        return range(self.outputs)

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs

    def cells_of(self, y: int) -> Sequence[int]:
        return (self.check_report(y),)

    def count(self, counts: Array, reports: Array, start: Any, ops: Numeric) -> None:
        ops.count_cells(counts, reports, start, self.outputs)

    def gather(self, entries: Array, reports: Array, start: Any, ops: Numeric) -> Array:
        return ops.gather_cells(entries, reports, start, self.outputs)

    def total(self, counts: Array, ops: Numeric) -> Array:
        return ops.sum(counts)
