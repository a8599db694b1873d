"""Public labels beside reports: a column as the different labels and the number of each row's."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Labels:
    """A column of labels: `levels` are the different ones, None or nan where a label is missing, `codes` each row's."""

    levels: NDArray[Any]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, entries: Sequence[Hashable]) -> Labels:
        """The labels in a list of plain data."""
        numbers: dict[tuple[type, Hashable], int] = {}
        keyed = ((type(entry), entry) for entry in entries)  # True is not 1
        codes = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keyed), np.int64, len(entries))
        return cls(objects([level for _, level in numbers]), codes)

    def column(self) -> NDArray[Any]:
        """The label of every row."""
        found: NDArray[Any] = self.levels[self.codes]
        return found


def objects(entries: Sequence[Any]) -> NDArray[Any]:
    """A list as an array of objects, whatever they are."""
    found = np.empty(len(entries), dtype=object)
    found[:] = entries
    return found
