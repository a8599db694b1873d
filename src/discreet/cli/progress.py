"""Progress of a long command on standard error: rows, and rows per second; or seconds, and what was reached."""

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


@contextmanager
def search_progress(seconds: float, *, quiet: bool) -> Iterator[Callable[[float, str], object]]:
    """A callback that takes the seconds gone and what was reached; shown only on a terminal, and not if `quiet`."""
    if quiet or not sys.stderr.isatty():
        yield lambda gone, reached: None
        return
    from tqdm import tqdm

    shape = "{l_bar}{bar}| {n:.0f} of {total:.0f} s{postfix}"
    with tqdm(total=seconds, bar_format=shape, mininterval=0.2, leave=False, file=sys.stderr) as bar:

        def advance(gone: float, reached: str) -> None:
            bar.set_postfix_str(reached, refresh=False)
            bar.update(max(min(gone, seconds) - bar.n, 0.0))

        yield advance
