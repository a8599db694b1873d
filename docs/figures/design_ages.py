"""The best table for ages on a line, searched for, certified and compared with a bound."""

import discreet as dc
from discreet.plots import plot_design


def draw(path):
    """Draw the figure."""
    context = dc.Context.metric(range(20, 44), "line", "0.2")
    plot_design(dc.design(context, seconds=20), path)
