"""What is left of E when reports are seen as a batch, without who sent which."""

import discreet as dc
from discreet.plots import plot_shuffled


def draw(path):
    """Draw the figure."""
    mechanism = dc.mechanism(dc.Context.binary("no", "yes", epsilon=("1", "2")))
    plot_shuffled(dc.shuffled(mechanism, 1000), "no", "yes", path, title="1,000 reports of yes or no, shuffled")
