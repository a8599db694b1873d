"""The town may be known, not where in it: blocks."""

from pathlib import Path

from _hidden import on_circle, picture

import discreet as dc


def draw(path: str | Path) -> None:
    """Districts are hidden inside their town, which a report shows."""
    towns = {"aldermoor": ["harbour", "old town", "mill lane"], "dunmere": ["lakeside", "quarry"]}
    context = dc.Context.blocks(towns, epsilon="1")
    places = on_circle(towns["aldermoor"]) | on_circle(towns["dunmere"], radius=0.75, centre=(3.7, 0.25))
    picture(context, places, path)
