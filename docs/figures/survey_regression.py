"""What goes with drinking every day: a regression on age, region and year."""

from _drinking import survey

import discreet as dc


def draw(path):
    """Draw the figure."""
    found = dc.regress(survey(), {"every day": 1}, on=["age", "region", "year"])
    found.plot(path, title="Drinking every day: what goes with it")
