"""Laws of k-ary randomized response."""

import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.checks import check_mechanism
from discreet.mechanisms.uniform import randomized_response
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse


@pytest.mark.parametrize("k", [2, 3, 100])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "10"])
def test_the_truth_is_told_with_the_known_probability(k, epsilon):
    sampler = RandomizedResponse(k, Fraction(epsilon))
    e = math.exp(float(epsilon))
    assert float(sampler.p) == pytest.approx(e / (e + k - 1), rel=1e-12)
    assert float(sampler.q) == pytest.approx(1 / (e + k - 1), rel=1e-12)


def test_two_values_are_warners_response():
    channel = dc.mechanism(Context.uniform(["no", "yes"], "1"), "randomized_response").channel()
    p = math.e / (1 + math.e)
    assert np.allclose(np.array(channel, dtype=float), [[p, 1 - p], [1 - p, p]], atol=1e-15)


def test_one_value_alone_is_reported_as_it_is():
    mechanism = dc.mechanism(Context.uniform(["only"], "1"))
    assert {mechanism.randomize("only", dc.random.seeded(seed)) for seed in range(20)} == {0}
    estimate = dc.estimate(mechanism.tally([0] * 10))
    assert estimate.shares.tolist() == [1.0]
    assert estimate.stderr.tolist() == [0.0]


@pytest.mark.parametrize("form", ["uniform", "high_low"])
@pytest.mark.parametrize("k", [3, 5, 8])
def test_spare_words_keep_every_law(monkeypatch, k, form):
    """The law of very many values, run on few: words that do not divide evenly go to the first reports."""
    monkeypatch.setattr(randomized_response, "WIDE", 2)
    context = Context.uniform(range(k), "1") if form == "uniform" else Context.high_low(range(k + 2), range(k), "1")
    assert {"every word", "unbiased", "pairs"} <= set(check_mechanism(("randomized_response", context)))


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "10"])
@pytest.mark.parametrize("k", [1 << 17, (1 << 17) + 1, 10**6])
def test_many_values_leave_no_visible_gap(k, epsilon):
    assert dc.mechanism(Context.uniform(range(k), epsilon), "randomized_response").certificate.gap < 3e-9
