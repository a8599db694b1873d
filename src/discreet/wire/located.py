"""Errors that say which file they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import DiscreetError, MissingExtra


@contextmanager
def located(source: str) -> Iterator[None]:
    """Put the name of the file before the message of any error about what it says."""
    try:
        yield
    except MissingExtra:
        raise
    except DiscreetError as problem:
        raise type(problem)(f"{source}: {problem}" if source else str(problem)) from None
