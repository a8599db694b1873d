"""Progress of a long command on standard error: rows, and rows per second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(total: int | None, *, quiet: bool, unit: str = "rows") -> Iterator[Callable[[int], object]]:
    """A callback that takes how many more are done; shown only on a terminal, and not if `quiet`."""
    if quiet or not sys.stderr.isatty():
        yield lambda rows: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=f" {unit}", unit_scale=True, mininterval=0.5, leave=False, file=sys.stderr) as bar:
        yield bar.update
