"""The errors of most likely shares: by the information on the plane of distributions, by any route."""

import numpy as np
import pytest

import discreet as dc
from discreet.checks.statistics import enumerate_channel
from discreet.estimation.results import likelihood

CONTEXTS = {
    "uniform": dc.Context.uniform(range(6), "1"),
    "blocks": dc.Context.blocks({"a": range(3), "b": [3], "c": [4, 5]}, "1"),
    "high_low": dc.Context.high_low(range(6), [1, 2, 4], "1"),
}
TRUTH = np.array([0.3, 0.25, 0.15, 0.12, 0.1, 0.08])


def survey(mechanism, n=20_000, seed=1):
    people = np.random.default_rng(seed).choice(6, p=TRUTH, size=n)
    return mechanism.tally(mechanism.randomize_indices(people, dc.random.seeded(seed)))


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
@pytest.mark.parametrize("name", ["randomized_response", "hadamard"])
def test_a_query_has_the_error_of_the_delta_method(context, name):
    """With B a basis of the changes that add up to 0, the covariance is B (B^T I B)^-1 B^T."""
    found = dc.likelihood(survey(dc.mechanism(context, name)))
    channel, _, _ = enumerate_channel(found.mechanism)
    information = found.n * (channel / (found.shares @ channel)) @ channel.T
    basis = np.linalg.svd(np.ones((1, 6)))[2][1:].T
    covariance = basis @ np.linalg.inv(basis.T @ information @ basis) @ basis.T
    assert np.allclose(found.asymptotic_stderr, np.sqrt(np.diag(covariance)), rtol=1e-6)
    for weights in np.random.default_rng(3).normal(size=(4, 6)):
        expected = np.sqrt(weights @ covariance @ weights)
        assert found.asymptotic_query_stderr(weights) == pytest.approx(expected, rel=1e-6)
        assert found.asymptotic_query_stderr(weights + 5) == pytest.approx(expected, rel=1e-6), "shares add up to one"
        assert found.asymptotic_query_stderr(2 * weights) != pytest.approx(expected, rel=1e-6), "the control"


def test_a_query_of_sets_has_the_error_of_the_unbiased_one_at_these_shares():
    found = dc.likelihood(survey(dc.mechanism(CONTEXTS["uniform"], "subset")))
    channel, phi, _ = enumerate_channel(found.mechanism)
    p = found.shares
    covariance = (phi.T * (p @ channel)) @ phi - np.outer(p, p)
    for weights in np.random.default_rng(3).normal(size=(4, 6)):
        assert found.asymptotic_query_stderr(weights) == pytest.approx(
            np.sqrt(weights @ covariance @ weights / found.n)
        )


@pytest.mark.parametrize("name", ["randomized_response", "subset"])
def test_the_error_of_a_query_is_the_spread_of_many_surveys(name):
    """A sample deviation of 400 surveys lies within 25 % of the truth: false alarm below 1e-10."""
    mechanism = dc.mechanism(dc.Context.uniform(range(6), "2"), name)
    queries = [dc.likelihood(survey(mechanism, 4000, seed)).query({0: 1, 1: 1, 2: -1}) for seed in range(400)]
    ratio = np.std([query.value for query in queries]) / np.mean([query.stderr for query in queries])
    assert ratio == pytest.approx(1, abs=0.25)
    assert ratio / 2 != pytest.approx(1, abs=0.25), "the control: errors off by two are seen"


@pytest.mark.parametrize("form", ["uniform", "blocks"])
def test_conjugate_gradients_agree_with_inverting(form, monkeypatch):
    if form == "uniform":
        context = dc.Context.uniform(range(300), "2")
    else:
        context = dc.Context.blocks({"a": range(100), "b": range(100, 300)}, "2")
    mechanism = dc.mechanism(context, "hadamard")
    shares = np.arange(300, 600) / np.arange(300, 600).sum()
    held = np.random.default_rng(2).choice(300, p=shares, size=400_000)
    found = dc.likelihood(mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(4))))
    several = np.random.default_rng(3).normal(size=(3, 300))
    outright = [found.asymptotic_query_stderr(weights) for weights in several]
    monkeypatch.setattr(likelihood, "MAX_DENSE_SIZE", 50)
    solved = [found.asymptotic_query_stderr(weights) for weights in several]
    assert solved == pytest.approx(outright, rel=0.01)
    assert solved != outright, "the two ways are different computations"


def test_what_no_report_tells_of_has_no_finite_error_and_the_rest_does():
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    tally = mechanism.tally(mechanism.randomize_indices(np.zeros(50, dtype=int), dc.random.seeded(1)))
    found = dc.likelihood(tally)
    assert found.asymptotic_query_stderr({4: 1}) == np.inf
    assert 0 < found.asymptotic_query_stderr({0: 1, 1: -1}) < 1
    assert found.asymptotic_query_stderr(np.ones(6)) == pytest.approx(0, abs=1e-9), "all shares add up to one"


def test_values_that_reports_do_not_tell_apart_are_known_together_only():
    rows = [["3/4", "1/4"], ["3/4", "1/4"], ["1/4", "3/4"]]
    mechanism = dc.mechanism(dc.Context.uniform(range(3), "2"), "table", rows=rows)
    found = dc.likelihood(mechanism.tally([0] * 60 + [1] * 40))
    assert found.asymptotic_stderr[0] == found.asymptotic_stderr[1] == np.inf
    assert found.asymptotic_stderr[2] == pytest.approx(2 * np.sqrt(0.6 * 0.4 / 100))
    assert found.asymptotic_query_stderr({0: 1, 1: 1}) == pytest.approx(found.asymptotic_stderr[2])
    assert found.asymptotic_query_stderr({0: 1, 1: 1.1}) == np.inf
    assert "no interval: table: the reports do not tell" in str(found)
    assert "no interval: table: the reports do not tell" in str(found.query({0: 1}))
    told = found.to_dict()
    assert told["stderr"] is None
    assert told["low"] is None
    assert "do not tell all 3 values apart" in told["notes"]["interval"]
