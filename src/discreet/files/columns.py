"""Find the column that is meant: the one with a given name, or the only one."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InvalidInput

SHOWN = 12
"""How many column names a message lists."""


def place_of(names: Sequence[str], column: str | None, where: str) -> int:
    """The position of the column with this name, or of the only one; `InvalidInput` says `where` it was sought."""
    if column is None and len(names) == 1:
        return 0
    if column is None or names.count(column) != 1:
        raise no_column(names, column, where)
    return names.index(column)


def no_column(names: Sequence[str], column: str | None, where: str) -> InvalidInput:
    """The error for a column that is not chosen, is missing or appears more than once."""
    listed = ", ".join(names[:SHOWN])
    if column is None:
        return InvalidInput(f"{where}: a column must be chosen; there are {listed}")
    there = "appears twice" if column in names else "is missing"
    return InvalidInput(f"{where}: column {column!r} {there}; the columns are {listed}")
