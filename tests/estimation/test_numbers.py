"""What is estimated of numbers: means, totals, variances and quantiles."""

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput

N = 20_000
INCOMES = np.random.default_rng(2).lognormal(6.5, 0.7, N).round(2)


@pytest.fixture(scope="module")
def estimate():
    mechanism = dc.mechanism(dc.Context.numbers(0, 4000, "2", clip=True))
    return dc.estimate(mechanism.tally(mechanism.randomize_many(INCOMES, dc.random.seeded(4))))


def test_the_mean_is_that_of_the_numbers_cut_at_the_bounds_and_says_so(estimate):
    cut, mean = np.minimum(INCOMES, 4000), estimate.mean()
    assert abs(mean.value - cut.mean()) < 5 * mean.stderr  # false alarm below 1e-6
    assert "of numbers cut at 0 and 4000" in mean.to_text()
    assert "of numbers cut" in str(estimate)
    plain = dc.mechanism(dc.Context.numbers(0, 4000, "2"))
    assert "cut" not in dc.estimate(plain.tally([plain.randomize(5, dc.random.seeded(1))])).mean().to_text()


def test_numbers_are_asked_by_their_mean_unless_something_else_is(estimate):
    context = estimate.mechanism.context
    others = {query: dc.mechanism(context, query=query) for query in ("shares", "cumulative")}
    assert dc.mechanism(context, query="mean").fingerprint == estimate.mechanism.fingerprint
    assert estimate.mechanism.fingerprint not in {one.fingerprint for one in others.values()}
    assert dc.plan(context, n=1000).explanation.objective.name == "mean"


def test_a_total_is_the_mean_so_many_times(estimate):
    total, mean = estimate.total(1e6), estimate.mean()
    assert total.value == pytest.approx(1e6 * mean.value)
    assert total.stderr == pytest.approx(1e6 * mean.stderr)
    for wrong in (0, True, float("nan"), "many"):
        with pytest.raises(InvalidInput, match=r"people=.* must be a positive number"):
            estimate.total(wrong)


def test_the_variance_is_right_to_an_eighth_of_a_step_squared(estimate):
    variance = estimate.variance()
    assert abs(variance.value - np.minimum(INCOMES, 4000).var()) < 5 * variance.stderr + 125**2 / 8


def test_without_noise_the_variance_of_rounded_numbers_is_within_its_bounds():
    mechanism = dc.mechanism(dc.Context.numbers(0, 8, "30", step=1), "randomized_response")
    held = np.random.default_rng(3).uniform(2, 6, 50_000)
    variance = dc.estimate(mechanism.tally(mechanism.randomize_many(held, dc.random.seeded(4)))).variance()
    assert abs(variance.value - held.var()) < 5 * variance.stderr + 1 / 8
    assert abs(variance.value + 1 / 8 - held.var()) > 5 * variance.stderr  # what rounding adds is taken off


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_quantiles_hold_although_numbers_are_rounded(level):
    mechanism = dc.mechanism(dc.Context.numbers(0, 4000, "30", clip=True), "randomized_response")
    found = dc.estimate(mechanism.tally(mechanism.randomize_many(INCOMES, dc.random.seeded(4)))).quantile(level)
    low, high = found.interval()
    assert low <= np.quantile(INCOMES, level) <= high
    assert high - low <= 3 * 125
