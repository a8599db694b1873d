"""Two questions in one report: a product of contexts."""

from pathlib import Path

from _hidden import picture

import discreet as dc


def draw(path: str | Path) -> None:
    """Who differs in both answers is hidden at the sum of both."""
    illness = dc.Context.high_low(["well", "hiv"], sensitive=["hiv"], epsilon="1")
    context = illness * dc.Context.uniform(["young", "old"], epsilon="2")
    places = {(ill, age): (1.4 * (age == "old"), 1.2 * (ill == "well")) for ill, age in context.values}
    picture(context, places, path, names=", ".join)
