"""Errors that name the file they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..core.errors import DiscreetError, MissingExtra


@contextmanager
def located(source: str) -> Iterator[None]:
    """Put the name of the file in front of the message of any error about its contents."""
    try:
        yield
    except MissingExtra:
        raise
    except DiscreetError as problem:
        raise type(problem)(f"{source}: {problem}" if source else str(problem)) from None
