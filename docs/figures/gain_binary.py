"""What a yes-or-no question gains when only one of the two answers is protected as well as both were before."""

from pathlib import Path

import discreet as dc
from discreet.plots import plot_curves

EASED = ["1", "1.25", "1.5", "1.75", "2", "2.5", "3", "3.5", "4", "5", "6", "7", "8"]


def error(eased: str, share: float) -> float:
    """n times the expected squared error of both shares: yes is at 1 from no, no at `eased` from yes."""
    context = dc.Context.binary("no", "yes", epsilon=(eased, "1"))
    return dc.explain(context, prior=[1 - share, share]).candidates[0].error


def draw(path: Path) -> None:
    """Save the picture."""
    shares = {"1 in 100 says yes": 0.01, "1 in 10": 0.1, "half": 0.5}
    series = {name: [error("1", share) / error(e, share) for e in EASED] for name, share in shares.items()}
    panel = {"title": "yes is protected at 1", "x": [float(e) for e in EASED], "series": series}
    labels = {"x_label": "epsilon of no against yes", "y_label": "times fewer people than uniform privacy"}
    plot_curves([panel], path, **labels)
