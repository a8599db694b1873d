"""Only some answers are sensitive: high and low."""

from pathlib import Path

from _hidden import on_circle, picture

import discreet as dc


def draw(path: str | Path) -> None:
    """Two illnesses are hidden among all answers; the others may be shown."""
    answers = ["none", "cold", "flu", "hiv", "cancer"]
    context = dc.Context.high_low(answers, sensitive=["hiv", "cancer"], epsilon="1")
    picture(context, on_circle(context.values, start=126), path)
