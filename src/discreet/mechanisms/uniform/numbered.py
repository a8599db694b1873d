"""Samplers whose reports are the numbers below `outputs`, all of which can occur."""

from __future__ import annotations

from collections.abc import Iterable

from ..sampler import Sampler


class Numbered(Sampler):
    """A sampler that can write every number below `outputs`."""

    @property
    def is_numbered(self) -> bool:
        return True

    def reports(self) -> Iterable[int]:
        return range(self.outputs)

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs
