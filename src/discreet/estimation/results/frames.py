"""Columns as data frames, which alone need pandas, polars or pyarrow; and as plain data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.domain import plain_value
from ...core.errors import MissingExtra

Columns = Mapping[str, Sequence[Any] | None]
"""Columns by name, all of one length; None for one that is missing."""


def pandas_frame(columns: Columns, about: Mapping[str, Any]) -> Any:
    """A pandas DataFrame of the columns, with nan for missing ones; its `attrs` describe the result."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("pandas", "frames") from None
    frame = pd.DataFrame({name: float("nan") if cells is None else cells for name, cells in columns.items()})
    frame.attrs.update(about)
    return frame


def polars_frame(columns: Columns) -> Any:
    """A polars DataFrame of the columns, with nulls for missing ones; words of more than one kind are text."""
    try:
        import polars as pl
    except ImportError:
        raise MissingExtra("polars", "frames") from None
    length = max(len(cells) for cells in columns.values() if cells is not None)

    def series(name: str, cells: Sequence[Any] | None) -> Any:
        if cells is None:
            return pl.Series(name, [None] * length, dtype=pl.Float64)
        listed = _plain_cells(cells)
        mixed = len({type(cell) for cell in listed if cell is not None}) > 1
        return pl.Series(
            name, [str(cell) for cell in listed] if mixed and isinstance(listed[0], str) else listed, strict=False
        )

    return pl.DataFrame([series(name, cells) for name, cells in columns.items()])


def arrow_table(columns: Columns, about: Mapping[str, Any]) -> Any:
    """A pyarrow Table of the columns, with nulls for missing ones; the schema's metadata describe the result as JSON.

    Values of more than one kind, or beyond 64 bits, are written as text.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra("pyarrow", "files") from None
    length = max(len(cells) for cells in columns.values() if cells is not None)

    def array(cells: Sequence[Any] | None) -> Any:
        if cells is None:
            return pa.nulls(length, pa.float64())
        listed = _plain_cells(cells)
        texts = [None if cell is None else str(cell) for cell in listed]
        if len({type(cell) for cell in listed if cell is not None}) > 1:
            return pa.array(texts)
        try:
            return pa.array(listed)
        except (pa.ArrowException, OverflowError):  # whole numbers beyond 64 bits
            return pa.array(texts)

    arrays = {name: array(cells) for name, cells in columns.items()}
    return pa.table(arrays).replace_schema_metadata({"discreet": json.dumps(plain_data(about), ensure_ascii=False)})


def _plain_cells(cells: Sequence[Any]) -> list[Any]:
    listed = cells.tolist() if isinstance(cells, np.ndarray) else list(cells)
    return [cell if cell is None else plain_value(cell) for cell in listed]


def plain_data(entry: Any) -> Any:
    """The entry as JSON can hold it, whatever it is made of; None for numbers that JSON does not have."""
    if isinstance(entry, Mapping):
        return {str(key): plain_data(inside) for key, inside in entry.items()}
    if isinstance(entry, (np.ndarray, np.generic)):
        entry = entry.tolist()
    if isinstance(entry, (list, tuple)):
        return [plain_data(inside) for inside in entry]
    if isinstance(entry, float):
        return entry if math.isfinite(entry) else None
    return plain_value(entry) if entry is not None else None
