"""Shares as a table: printed, as plain data, and as data frames, which alone need pandas or pyarrow."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...core import tables
from ...core.domain import Domain, Value, plain_value
from ...core.errors import MissingExtra
from ...mechanisms.mechanism import Mechanism
from ..tally import Tally
from .intervals import Level, checked_level

Array = NDArray[np.float64]

CONFIDENCE = 0.95
"""The confidence of printed intervals."""

MAX_ROWS = 20
"""How many rows of a long result are shown: half from the beginning, half from the end."""

NUMBERS = ("shares", "stderr", "low", "high")


class ShareTable(ABC):
    """A share for every value with its errors, which can be printed, written as JSON and taken to a data frame."""

    heading: ClassVar[str] = "value"
    """What the column of the values is called where the table is printed."""
    tally: Tally
    method: str

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.tally.n

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that wrote the reports."""
        return self.tally.mechanism

    @property
    @abstractmethod
    def values(self) -> Domain | Sequence[Value]:
        """The values that the shares belong to, in order."""

    @abstractmethod
    def _interval(self, level: Level) -> tuple[Array, Array]:
        """The ends of the interval of each share."""

    @property
    def _claims(self) -> int:
        """How many intervals there are that can miss."""
        return len(self.values)

    def _together(self, confidence: float) -> Level:
        """The level at which the intervals of all shares hold together (Bonferroni)."""
        return Level(confidence, among=self._claims)

    def interval(self, confidence: float = CONFIDENCE, *, anytime: bool = False) -> tuple[Array, Array]:
        """A low and a high end for each share, which hold with this confidence each, and enclose the share.

        They are not symmetric: where few reports tell of a value, the far end is further than by its standard error.
        With `anytime` each holds at all times at once: look as often as you like while reports come in, and stop when
        you like. Such intervals are about twice as long.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="2"))
        >>> tally = mechanism.tally(mechanism.randomize_many(["bus", "car", "car", "bike"] * 500, dc.random.seeded(1)))
        >>> low, high = dc.estimate(tally).interval(confidence=0.9)
        >>> low.round(2).tolist(), high.round(2).tolist()
        ([0.23, 0.47, 0.23], [0.28, 0.52, 0.28])
        """
        return self._interval(checked_level(confidence, anytime))

    def simultaneous_interval(self, confidence: float = CONFIDENCE, *, anytime: bool = False) -> tuple[Array, Array]:
        """Low and high ends that hold for all shares together with this confidence, at any time if so asked."""
        level = checked_level(confidence, anytime)
        return self._interval(level._replace(among=self._claims) if anytime else self._together(confidence))

    @abstractmethod
    def _columns(self, confidence: float, anytime: bool = False) -> tuple[dict[str, Array | None], dict[str, str]]:
        """Shares, stderr, low and high, perhaps more, with None for those not available, and the reasons by name."""

    def _about(self, confidence: float, anytime: bool = False) -> dict[str, Any]:
        about = {"mechanism": self.mechanism.name, "fingerprint": self.tally.fingerprint, "n": self.n}
        insecure = {"insecure": True} if self.tally.insecure else {}
        return {**about, "method": self.method, "confidence": float(confidence), "anytime": anytime, **insecure}

    def to_dict(self, *, confidence: float = CONFIDENCE, anytime: bool = False) -> dict[str, Any]:
        """The result as plain data that JSON can hold.

        Numbers that JSON cannot express (no reports, nothing known) are None. A column that cannot be given
        honestly is None as a whole, and `notes` says why, under "stderr" or "interval".
        """
        columns, notes = self._columns(confidence, anytime)
        values = [plain_value(value) for value in self.values]
        numbers = {name: finite(column) for name, column in columns.items()}
        return {**self._about(confidence, anytime), "values": values, **numbers, "notes": notes}

    def to_pandas(self, *, confidence: float = CONFIDENCE) -> Any:
        """A pandas DataFrame with the columns value, share, stderr, low and high; needs pandas.

        Its `attrs` hold mechanism, n, method and confidence, and the notes on columns that are missing.
        """
        return pandas_frame(*self._frame(list(self.values), confidence))

    def to_polars(self, *, confidence: float = CONFIDENCE) -> Any:
        """A polars DataFrame with the columns of `to_pandas`; needs polars."""
        return polars_frame(self._frame([plain_value(value) for value in self.values], confidence)[0])

    def __len__(self) -> int:
        """The number of values."""
        return len(self.values)

    def to_arrow(self, *, confidence: float = CONFIDENCE) -> Any:
        """A pyarrow Table with the columns value, share, stderr, low and high; needs pyarrow.

        The metadata of its schema holds what `to_pandas` puts in `attrs`, as JSON under "discreet".
        """
        return arrow_table(*self._frame([plain_value(value) for value in self.values], confidence))

    def _frame(self, values: list[Any], confidence: float) -> tuple[dict[str, Any], dict[str, Any]]:
        columns, notes = self._columns(confidence)
        named = {"share" if name == "shares" else name: column for name, column in columns.items()}
        return {"value": values, **named}, {**self._about(confidence), "notes": notes}

    def __str__(self) -> str:
        columns, rows, at, left_out, remarks = self._printed()
        lines = tables.text(columns, rows).splitlines()
        if left_out:
            lines.insert(1 + at, left_out)
        return "\n".join([*lines, *remarks])

    def _repr_html_(self) -> str:
        columns, rows, at, left_out, remarks = self._printed()
        if left_out:
            rows.insert(at, [left_out, "", "", "", ""])
        return tables.html(columns, rows, caption="; ".join(remarks))

    def _printed(self) -> tuple[list[tables.Column], list[list[Any]], int, str, list[str]]:
        """The columns and rows that are shown, where some are left out and how many, and the remarks below."""
        columns, notes = self._columns(CONFIDENCE)
        first, left_out, last = middle_out(len(self.values))
        rows = rows_of(self.values, columns, [*first, *last])
        remarks = [
            f"{self.n:,} reports of {self.mechanism.name}; {self.method}; each interval at {CONFIDENCE:g} confidence"
        ]
        remarks += [f"no {name}: {reason}" for name, reason in notes.items()]
        return [(self.heading, "s"), *columns_of(columns)[1:]], rows, len(first), left_out, remarks

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.values):,} values, {self.n:,} reports of {self.mechanism.name}>"


def finite(column: Array | None) -> list[float | None] | None:
    """The column as JSON data, with None for numbers that JSON does not have."""
    if column is None:
        return None
    return [number if math.isfinite(number) else None for number in column.tolist()]


def columns_of(columns: Mapping[str, Any]) -> list[tables.Column]:
    """Value, share, stderr, low and high, with enough digits for the smallest error."""
    spec = f".{tables.digits(_smallest_error(columns))}f"
    return [("value", "s"), ("share", spec), ("stderr", spec), ("low", spec), ("high", spec)]


def rows_of(values: Sequence[Any] | Domain, columns: Mapping[str, Any], order: Iterable[int]) -> list[list[Any]]:
    """The rows of these values; a column that is None is missing."""
    numbers = [columns[name] for name in NUMBERS]
    return [[str(values[x]), *(None if column is None else column[x] for column in numbers)] for x in order]


def middle_out(size: int) -> tuple[range, str, range]:
    """Which of `size` rows to show: the first ones, a note on those left out, and the last ones."""
    if size <= MAX_ROWS:
        return range(size), "", range(0)
    return (
        range(MAX_ROWS // 2),
        f"... {size - MAX_ROWS:,} values are left out here ...",
        range(size - MAX_ROWS // 2, size),
    )


def _smallest_error(columns: Mapping[str, Any]) -> float | None:
    """The smallest positive standard error, or a quarter of the narrowest interval where there is none."""
    if columns["stderr"] is not None:
        spread = np.asarray(columns["stderr"], dtype=float)
    elif columns["low"] is not None:
        spread = (np.asarray(columns["high"], dtype=float) - np.asarray(columns["low"], dtype=float)) / 4
    else:
        return None
    return min(spread[np.isfinite(spread) & (spread > 0)].tolist(), default=None)


def pandas_frame(columns: Mapping[str, Sequence[Any] | None], about: Mapping[str, Any]) -> Any:
    """A pandas DataFrame of the columns, with nan for missing ones; its `attrs` describe the result."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("pandas", "frames") from None
    frame = pd.DataFrame({name: float("nan") if cells is None else cells for name, cells in columns.items()})
    frame.attrs.update(about)
    return frame


def polars_frame(columns: Mapping[str, Sequence[Any] | None]) -> Any:
    """A polars DataFrame of the columns, with nulls for missing ones; words of more than one kind are text."""
    try:
        import polars as pl
    except ImportError:
        raise MissingExtra("polars", "frames") from None
    length = max(len(cells) for cells in columns.values() if cells is not None)

    def series(name: str, cells: Sequence[Any] | None) -> Any:
        if cells is None:
            return pl.Series(name, [None] * length, dtype=pl.Float64)
        listed = list(cells)
        mixed = len({type(cell) for cell in listed if cell is not None}) > 1
        return pl.Series(
            name, [str(cell) for cell in listed] if mixed and isinstance(listed[0], str) else listed, strict=False
        )

    return pl.DataFrame([series(name, cells) for name, cells in columns.items()])


def arrow_table(columns: Mapping[str, Sequence[Any] | None], about: Mapping[str, Any]) -> Any:
    """A pyarrow Table of the columns, with nulls for missing ones; the schema's metadata describe the result as JSON.

    Values of more than one kind, or beyond 64 bits, are written as text.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra("pyarrow", "files") from None
    value, *numbers = columns
    rows = list(columns[value] or ())
    if len({type(cell) for cell in rows}) > 1:
        rows = [str(cell) for cell in rows]
    try:
        values = pa.array(rows)
    except (pa.ArrowException, OverflowError):  # whole numbers beyond 64 bits
        values = pa.array([str(cell) for cell in rows])
    nulls = pa.nulls(len(rows), pa.float64())
    arrays = {name: nulls if (cells := columns[name]) is None else pa.array(cells, pa.float64()) for name in numbers}
    return pa.table({value: values, **arrays}).replace_schema_metadata(
        {"discreet": json.dumps(about, ensure_ascii=False)}
    )
