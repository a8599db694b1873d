"""What a test between two answers can reach from one report: allowed by the context, and attained."""

import discreet as dc
from discreet.plots import plot_error_region
from discreet.theory.channels.testing import attained_region


def draw(path):
    """Draw the figure."""
    context = dc.Context.metric(range(12), "line", "0.4")
    region = attained_region(dc.mechanism(context), 3, 7)
    plot_error_region(region, path, title="Tell 3 from 7 on a line of 12 values, E = 0.4 a step")
