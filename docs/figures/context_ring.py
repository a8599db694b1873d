"""Hours come round again: a distance around a ring."""

from pathlib import Path

from _hidden import on_circle, picture

import discreet as dc


def draw(path: str | Path) -> None:
    """Hours in steps of three, where midnight is as near to 21 as to 3."""
    context = dc.Context.metric(range(0, 24, 3), "ring", epsilon="0.2", around=24)
    picture(context, on_circle(context.values), path)
