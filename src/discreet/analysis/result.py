"""What all results of the analysis share: a table that can be read, printed, and taken further."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core import tables
from ..core.domain import plain_value
from ..estimation.results.layout import middle_out, pandas_frame

CONFIDENCE = 0.95
"""The confidence of printed intervals."""


class Result(ABC):
    """A frozen result: a table of estimates with their errors, and remarks on how to read it."""

    @abstractmethod
    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        """The columns of the table by name, words first, all of one length."""

    @abstractmethod
    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        """How the numbers were made and what to mind, a sentence each."""

    @property
    def words(self) -> Sequence[str]:
        """The columns of labels and values, which are shown as they were given, though they be numbers."""
        return ()

    @property
    @abstractmethod
    def about(self) -> dict[str, Any]:
        """What is said once, beside the table, as plain data: the method, n, and tests of the whole."""

    @abstractmethod
    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the result and save the picture as .png, .svg or .pdf."""

    def to_dict(self, *, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """The result as plain data that JSON can hold; numbers that it cannot express are None."""
        rows = {name: [_plain(cell) for cell in column] for name, column in self.table(confidence).items()}
        return {**_plain(self.about), "confidence": float(confidence), **rows, "notes": self.remarks(confidence)}

    def to_pandas(self, *, confidence: float = CONFIDENCE) -> Any:
        """The table as a pandas DataFrame, with what is said beside it in its `attrs`; needs pandas."""
        about = {**self.about, "confidence": float(confidence), "notes": self.remarks(confidence)}
        return pandas_frame(self.table(confidence), about)

    def shown(self, confidence: float = CONFIDENCE) -> str:
        """The table and the remarks as text, with intervals at this confidence."""
        columns, rows, left_out = self._shown(confidence)
        lines = tables.text(columns, rows).splitlines()
        if left_out is not None:
            lines.insert(1 + left_out[0], left_out[1])
        return "\n".join([*lines, *(f"- {remark}" for remark in self.remarks(confidence))])

    def __str__(self) -> str:
        return self.shown()

    def _repr_html_(self) -> str:
        columns, rows, left_out = self._shown(CONFIDENCE)
        if left_out is not None:
            rows.insert(left_out[0], [left_out[1], *[""] * (len(columns) - 1)])
        return tables.html(columns, rows, caption="; ".join(self.remarks()))

    def _shown(self, confidence: float) -> tuple[list[tables.Column], list[list[Any]], tuple[int, str] | None]:
        table = self.table(confidence)
        size = len(next(iter(table.values())))
        first, left_out, last = middle_out(size)
        words = set(self.words)
        columns = [(n, ".15g" if n in words and _floats(c) else _format(n, c, table)) for n, c in table.items()]
        rows = [[column[i] for column in table.values()] for i in (*first, *last)]
        shown = [
            [
                str(cell) if spec == "s" and cell is not None else cell
                for cell, (_, spec) in zip(row, columns, strict=True)
            ]
            for row in rows
        ]
        return columns, shown, (len(first), left_out.replace("values", "rows")) if left_out else None


def _format(name: str, column: Sequence[Any], table: Mapping[str, Sequence[Any]]) -> str:
    """Words as they are, counts without decimals, p-values to four, and estimates by the smallest error."""
    if not all(_is_number(cell) or cell is None for cell in column):
        return "s"
    if all(isinstance(cell, (int, np.integer)) for cell in column):
        return ",d" if name == "n" else "d"
    if name == "p" or name.endswith("_p"):
        return ".4f"
    errors = [float(cell) for cell in table.get("stderr", ()) if cell is not None and 0 < cell < math.inf]
    return f".{tables.digits(min(errors, default=None))}f"


def _floats(column: Sequence[Any]) -> bool:
    return all(_is_number(cell) for cell in column) and any(isinstance(cell, float) for cell in column)


def label_text(cell: Any) -> str:
    """A label as text: a number as it was given, 1 and not 1.0."""
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, (int, float, np.number)) and not isinstance(cell, bool)


def _plain(cell: Any) -> Any:
    if isinstance(cell, Mapping):
        return {str(key): _plain(entry) for key, entry in cell.items()}
    if isinstance(cell, np.ndarray):
        return _plain(cell.tolist())
    if isinstance(cell, (list, tuple)) and not isinstance(cell, str):
        return [_plain(entry) for entry in cell]
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else None
    return plain_value(cell) if cell is not None else None
