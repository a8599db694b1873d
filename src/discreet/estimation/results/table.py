"""What every result offers: a table that is printed, drawn, written as plain data and taken to data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from ...core import tables
from ...core.registry import Registry
from .frames import Columns, arrow_table, pandas_frame, polars_frame

CONFIDENCE = 0.95
"""The confidence of printed intervals."""

MAX_ROWS = 60
"""The most rows that are printed; of more, the first and the last `ENDS`."""
ENDS = 10

PICTURES: Registry[Callable[..., None]] = Registry(
    {"curves": "plots:plot_curves", "estimates": "plots:plot_estimates", "shares": "plots:plot_shares"}
)
"""How results are drawn."""


class Printed(NamedTuple):
    """What is printed of a result: columns, rows, where a note stands on rows left out, and the remarks below."""

    columns: list[tables.Column]
    rows: list[list[Any]]
    left_out: tuple[int, str] | None
    remarks: list[str]


class Tabular(ABC):
    """A result that is read as a table; each kind says what is in it, and the rest is the same for all."""

    BULLET: ClassVar[str] = "- "
    """What stands before a remark where the table is printed."""

    @abstractmethod
    def _printed(self, confidence: float) -> Printed:
        """What is printed, with intervals at this confidence."""

    @abstractmethod
    def _frame(self, confidence: float) -> tuple[Columns, dict[str, Any]]:
        """The columns of a data frame, and what is said beside it."""

    @abstractmethod
    def to_dict(self, *, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """The result as plain data that JSON can hold; numbers that it cannot express are None."""

    @abstractmethod
    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the result and save the picture as .png, .svg or .pdf; needs matplotlib."""

    def to_pandas(self, *, confidence: float = CONFIDENCE) -> Any:
        """The table as a pandas DataFrame, with what is said beside it in its `attrs`; needs pandas."""
        return pandas_frame(*self._frame(confidence))

    def to_polars(self, *, confidence: float = CONFIDENCE) -> Any:
        """The table as a polars DataFrame; needs polars."""
        return polars_frame(self._frame(confidence)[0])

    def to_arrow(self, *, confidence: float = CONFIDENCE) -> Any:
        """The table as a pyarrow Table; needs pyarrow.

        The metadata of its schema holds what `to_pandas` puts in `attrs`, as JSON under "discreet".
        """
        return arrow_table(*self._frame(confidence))

    def __len__(self) -> int:
        """The number of rows of the table."""
        columns = self._frame(CONFIDENCE)[0].values()
        return next(len(cells) for cells in columns if cells is not None)

    def to_text(self, confidence: float = CONFIDENCE) -> str:
        """The table and the remarks as text, with intervals at this confidence."""
        columns, rows, left_out, remarks = self._printed(confidence)
        lines = tables.text(columns, rows).splitlines()
        if left_out is not None:
            lines.insert(1 + left_out[0], left_out[1])
        return "\n".join([*lines, *(f"{self.BULLET}{remark}" for remark in remarks)])

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        columns, rows, left_out, remarks = self._printed(CONFIDENCE)
        if left_out is not None:
            rows.insert(left_out[0], [left_out[1], *[""] * (len(columns) - 1)])
        return tables.html(columns, rows, caption="; ".join(remarks))


def middle_out(size: int, what: str = "rows") -> tuple[list[int], tuple[int, str] | None]:
    """Which of `size` rows to print, and where a note stands on those left out, which says how to see them."""
    if size <= MAX_ROWS:
        return list(range(size)), None
    note = f"... {size - 2 * ENDS:,} {what} are left out here; to_pandas() has them all ..."
    return [*range(ENDS), *range(size - ENDS, size)], (ENDS, note)
