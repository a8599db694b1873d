"""Shares of a survey in a city, with their intervals and the truth that made-up people allow to see."""

import numpy as np

import discreet as dc
from discreet.plots import plot_shares

DISTRICTS = {"harbour": ["docks", "old town", "fish market"], "hills": ["vineyard", "castle", "forest", "quarry"]}
TRUTH = np.array([0.24, 0.17, 0.06, 0.11, 0.19, 0.15, 0.08])
PEOPLE = 20_000


def draw(path):
    """Draw the figure."""
    mechanism = dc.mechanism(dc.Context.blocks(DISTRICTS, epsilon="1"))
    held = np.random.default_rng(1).choice(len(TRUTH), PEOPLE, p=TRUTH)
    reports = mechanism.randomize_indices(held, dc.random.seeded(2))
    found = dc.estimate(mechanism.tally(reports))
    low, high = found.interval()
    panel = {
        "values": list(found.values),
        "shares": found.shares,
        "low": low,
        "high": high,
        "groups": [name for name, members in DISTRICTS.items() for _ in members],
    }
    plot_shares(panel, path, title=f"{PEOPLE:,} people, epsilon 1 inside each part of the city", truth=TRUTH)
