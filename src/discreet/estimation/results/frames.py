"""Results as data frames: the only module of results that needs pandas or pyarrow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...core.errors import MissingExtra


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
