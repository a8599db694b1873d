"""How far a long command is, on standard error: rows and rows a second, for people who watch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(total: int | None, *, quiet: bool) -> Iterator[Callable[[int], object]]:
    """Something to be told how many more rows are done; shown only where a terminal is, and not when `quiet`."""
    if quiet or not sys.stderr.isatty():
        yield lambda rows: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=" rows", unit_scale=True, mininterval=0.5, leave=False, file=sys.stderr) as bar:
        yield bar.update
