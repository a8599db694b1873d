"""The layout of a result as a table: its columns, their digits, and which of many rows are shown.

Results as data frames: the only module of results that needs pandas or pyarrow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...core import tables
from ...core.errors import MissingExtra

MOST = 20
"""How many rows of a long result are shown: half from the beginning, half from the end."""

NUMBERS = ("shares", "stderr", "low", "high")


def columns_of(found: Mapping[str, Any]) -> list[tables.Column]:
    """Value, share, stderr, low and high, with enough digits for the smallest error."""
    spec = f".{tables.digits(_smallest(found))}f"
    return [("value", "s"), ("share", spec), ("stderr", spec), ("low", spec), ("high", spec)]


def rows_of(values: Sequence[Any], found: Mapping[str, Any], order: Iterable[int]) -> list[list[Any]]:
    """The rows of these values; a column that is None is missing."""
    columns = [found[name] for name in NUMBERS]
    return [[str(values[x]), *(None if column is None else column[x] for column in columns)] for x in order]


def middle_out(size: int) -> tuple[range, str, range]:
    """Which of `size` rows to show: the first ones, a note on those left out, and the last ones."""
    if size <= MOST:
        return range(size), "", range(0)
    return range(MOST // 2), f"... {size - MOST:,} values are left out here ...", range(size - MOST // 2, size)


def _smallest(found: Mapping[str, Any]) -> float | None:
    """The smallest positive standard error, or a quarter of the narrowest interval where there is none."""
    if found["stderr"] is not None:
        spread = np.asarray(found["stderr"], dtype=float)
    elif found["low"] is not None and found["high"] is not None:
        spread = (np.asarray(found["high"], dtype=float) - np.asarray(found["low"], dtype=float)) / 4
    else:
        return None
    known = spread[np.isfinite(spread) & (spread > 0)]
    return float(known.min()) if len(known) else None


def pandas_frame(columns: Mapping[str, Sequence[Any] | None], about: Mapping[str, Any]) -> Any:
    """A pandas DataFrame of the columns, with nan for missing ones; its `attrs` describe the result."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("pandas", "frames") from None
    frame = pd.DataFrame({name: float("nan") if cells is None else cells for name, cells in columns.items()})
    frame.attrs.update(about)
    return frame


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
        told = pa.array(rows)
    except (pa.ArrowException, OverflowError):  # whole numbers beyond 64 bits
        told = pa.array([str(cell) for cell in rows])
    nothing = pa.nulls(len(rows), pa.float64())
    arrays = {name: nothing if (cells := columns[name]) is None else pa.array(cells, pa.float64()) for name in numbers}
    return pa.table({value: told, **arrays}).replace_schema_metadata(
        {"discreet": json.dumps(about, ensure_ascii=False)}
    )
