"""What fresh reports of one unchanged answer add up to."""

import discreet as dc
from discreet.plots import plot_repeated


def draw(path):
    """Draw the figure."""
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="0.25"))
    plot_repeated(dc.repeated(mechanism, 60), "no", "yes", path, delta=1e-6)
