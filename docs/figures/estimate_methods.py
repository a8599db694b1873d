"""The same reports read in three ways: unbiased, projected, and shrunken towards what is typical."""

import numpy as np

import discreet as dc
from discreet.plots import plot_shares

VALUES = [f"brand {letter}" for letter in "ABCDEFGHIJKLMNOP"]
TRUTH = 0.75 ** np.arange(16)
TRUTH = TRUTH / TRUTH.sum()


def draw(path):
    """Draw the figure."""
    mechanism = dc.mechanism(dc.Context.uniform(VALUES, epsilon="1"))
    held = np.random.default_rng(4).choice(16, 4_000, p=TRUTH)
    tally = mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(5)))
    ways = [dc.estimate(tally), dc.project(tally), dc.shrink(tally)]
    plot_shares(ways, path, title="4,000 reports at epsilon 1, read in three ways", truth=TRUTH)
