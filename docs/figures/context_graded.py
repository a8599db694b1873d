"""Each value has a level of its own: a graded context."""

from pathlib import Path

from _hidden import on_circle, picture

import discreet as dc


def draw(path: str | Path) -> None:
    """Every answer is hidden among all others as well as it needs."""
    context = dc.Context.graded({"none": "inf", "cold": "3", "flu": "3", "hiv": "1"})
    picture(context, on_circle(context.values, start=135), path)
