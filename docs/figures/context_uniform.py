"""Everything is equally sensitive: a uniform context."""

from pathlib import Path

from _hidden import on_circle, picture

import discreet as dc


def draw(path: str | Path) -> None:
    """Every answer is hidden from every other one."""
    context = dc.Context.uniform(["never", "monthly", "weekly", "daily"], epsilon="1")
    picture(context, on_circle(context.values, start=135), path)
