"""Could these be reports of this law? One client in a hundred always sends report 11."""

import numpy as np

import discreet as dc


def draw(path):
    """Draw the figure."""
    mechanism = dc.mechanism(dc.Context.uniform(range(20), epsilon="1"), "hadamard")
    held = np.random.default_rng(6).choice(20, 20_000)
    reports = mechanism.randomize_indices(held, dc.random.seeded(6))
    reports[:200] = 11
    survey = dc.Survey(mechanism, reports)
    dc.goodness_of_fit(survey).plot(path, title="20,000 reports, of which 200 are number 11 whatever people hold")
