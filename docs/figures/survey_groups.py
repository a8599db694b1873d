"""Differences between regions in a share that people would rather hide."""

from _drinking import survey

import discreet as dc


def draw(path):
    """Draw the figure."""
    found = dc.compare(survey(), by="region", query={"every day": 1}, pairs="all")
    found.plot(path, title="Drinking every day, between regions")
