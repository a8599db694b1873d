"""How far each way from a tally to shares is off on average, by the true share, where shares follow Zipf's law."""

from pathlib import Path

from _surveys import estimated, shares_of

from discreet.plots.picture import COLOURS, MARKERS, new_figure, plain, save

SURVEYS = 2000


def draw(path: Path) -> None:
    """Save the picture: the mean of many surveys less the truth, in points."""
    truth = shares_of("Zipf")
    figure = new_figure(6.4, 3.6)
    axes = figure.subplots()
    made = estimated("Zipf", SURVEYS, ("unbiased", "projected", "shrunk"))
    for number, (way, rows) in enumerate(made.items()):
        style = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 3.2, "linewidth": 1.0}
        axes.plot(100 * truth, 100 * (rows.mean(axis=0) - truth), label=way, **style)
    axes.set_xscale("log")
    axes.set_xticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
    axes.minorticks_off()
    plain(axes, x_label="true share, %", y_label="mean error, points")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    save(figure, path)
