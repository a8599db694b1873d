"""Country, region, town: blocks inside blocks."""

from pathlib import Path

from _hidden import picture

import discreet as dc


def draw(path: str | Path) -> None:
    """The closer together two places are, the better they are hidden from each other."""
    lyon, paris, madrid = ["Lyon 1", "Lyon 2"], ["Paris 1", "Paris 2", "Paris 3"], ["Madrid 1", "Madrid 2"]
    countries = {"France": {"Lyon": lyon, "Paris": paris}, "Spain": {"Madrid": madrid}}
    context = dc.Context.nested(countries, epsilon=["0.5", "1", "4"])
    places = dict(zip(paris, [(-1, 1), (0, 1.3), (1, 1)], strict=True))
    places |= dict(zip(lyon, [(-0.6, -1), (0.6, -1)], strict=True))
    places |= dict(zip(madrid, [(3, 0.5), (3, -0.5)], strict=True))
    picture(context, places, path)
