"""Near ages are hard to tell apart: a distance along a line."""

from pathlib import Path

from _hidden import in_row, picture

import discreet as dc


def draw(path: str | Path) -> None:
    """Ages in steps of ten years, hidden the better the nearer they are."""
    context = dc.Context.metric(range(20, 90, 10), "line", epsilon="0.05")
    picture(context, in_row(context.values), path, bend=-0.5)
