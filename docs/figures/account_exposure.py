"""What one report makes of what others think of a person, for every answer."""

import discreet as dc
from discreet.plots import plot_exposure

SHARES = {"well": 0.55, "a cold": 0.25, "asthma": 0.12, "depression": 0.06, "hiv": 0.02}


def draw(path):
    """Draw the figure."""
    context = dc.Context.high_low(list(SHARES), sensitive=["depression", "hiv"], epsilon="1")
    plot_exposure(dc.exposure(dc.mechanism(context), prior=SHARES), path)
