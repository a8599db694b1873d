"""A yes is sensitive, a no is not: two values with an epsilon each way."""

from pathlib import Path

from _hidden import picture

import discreet as dc


def draw(path: str | Path) -> None:
    """Who holds yes may be taken for no; who holds no may be shown."""
    context = dc.Context.binary("no", "yes", epsilon=("inf", "1"))
    picture(context, {"yes": (0, 0), "no": (2, 0)}, path)
