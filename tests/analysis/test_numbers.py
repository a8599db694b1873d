"""Numbers as outcomes: differences of groups and slopes."""

import numpy as np

import discreet as dc


def test_differences_and_slopes_of_numbers_are_those_of_their_means():
    mechanism = dc.mechanism(dc.Context.numbers(0, 100, "4", clip=True))
    rng = np.random.default_rng(5)
    group = rng.integers(0, 2, 20_000)
    held = 30 + 10 * group + rng.normal(0, 5, 20_000)
    survey = dc.Survey(mechanism, mechanism.randomize_many(held, dc.random.seeded(6)), labels={"group": group})
    fit = dc.regress(survey, "mean", on=["group"])
    compared = dc.compare(survey, by="group", query="mean")
    assert abs(fit.coefficients[-1] - 10) < 5 * fit.stderr[-1]
    assert abs(compared.difference[0] - fit.coefficients[-1]) < 1e-9
