"""How well each part of Vienna is hidden from its middle: hexagons of H3, from the context of the gallery."""

import h3
import numpy as np

from discreet import gallery
from discreet.plots.maps import Albers
from discreet.plots.picture import HEAT, INK, PAPER, new_figure, save

STEPS = [0, 0.5, 1, 1.5, 2]
MIDDLE = (48.2085, 16.3731)


def draw(path):
    """Draw the figure."""
    context = gallery.find("hexagons").spec.context
    here = h3.latlng_to_cell(*MIDDLE, 8)
    project = Albers((48.15, 48.27, 16.28, 16.46))
    figure = new_figure(6.6, 5.6)
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_aspect("equal")
    for cell in context.values:
        x, y = project(*np.array([(longitude, latitude) for latitude, longitude in h3.cell_to_boundary(cell)]).T)
        epsilon = float(context.epsilon(here, cell))
        colour = HEAT[np.searchsorted(STEPS, epsilon, side="right") - 1] if cell != here else PAPER
        axes.fill(x, y, facecolor=colour, edgecolor=PAPER, linewidth=1.5)
        label = f"{epsilon:.1f}" if cell != here else "here"
        dark = colour in HEAT[2:]
        axes.text(x.mean(), y.mean(), label, ha="center", va="center", fontsize=8, color=PAPER if dark else INK)
    axes.plot([-4.2, -3.2], [-3.9, -3.9], color=INK, linewidth=1.6)
    axes.text(-4.2, -3.8, "1 km", fontsize=8, color=INK, va="bottom")
    title = "The nearer, the better hidden: epsilon from the middle of Vienna"
    axes.set_title(title, fontsize=12, fontweight="bold", color=INK, loc="left")
    save(figure, path, note="37 hexagons of H3 at resolution 8; E is 0.7 a kilometre between centres. No data.")
