"""The errors that any test between two values must make, for four sizes of the promise."""

from pathlib import Path

import discreet as dc
from discreet.plots.picture import COLOURS, INK, MARKERS, new_figure, plain, save


def draw(path: Path) -> None:
    """Save the picture: the best tests that E allows, each kind of error at the price of the other."""
    figure = new_figure(5.2, 4.8)
    axes = figure.subplots()
    axes.plot([0, 1], [1, 0], "--", color=INK, linewidth=1, label="guessing blindly")
    for number, epsilon in enumerate(("0.5", "1", "2", "4"), start=1):
        region = dc.Context.uniform(["x", "z"], epsilon=epsilon).error_region("x", "z")
        style = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 4, "linewidth": 1.4}
        axes.plot(*zip(*region.corners, strict=True), label=f"epsilon {epsilon}", **style)
    axes.set_aspect("equal")
    plain(axes, x_label="of holders of z, taken for x", y_label="of holders of x, taken for z")
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    save(figure, path)
