"""A table of one's own: a matrix."""

from pathlib import Path

from _hidden import on_circle, picture

import discreet as dc


def draw(path: str | Path) -> None:
    """What a board agreed on, entry by entry."""
    work = ["employed", "own business", "informal"]
    context = dc.Context.matrix(work, [["0", "3", "3"], ["2", "0", "2"], ["0.5", "1", "0"]])
    picture(context, on_circle(work, start=150), path)
