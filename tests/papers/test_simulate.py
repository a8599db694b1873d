from __future__ import annotations

import math

import numpy as np
import pytest

import discreet as dc
from discreet.estimation.decoders import decoder_of
from discreet.papers.simulate import Mean, drawn_tally, recorded_tally, squared_error, total_variation

SHARES = np.array([0.5, 0.3, 0.15, 0.05])
FALSE_ALARM = 6.0
"""Standard errors: a right sampler is further off with probability 2e-9 a number."""


@pytest.mark.parametrize("name", ["hadamard", "randomized_response", "subset"])
def test_counts_drawn_at_once_have_the_law_of_single_reports(name):
    mechanism = dc.mechanism(dc.Context.uniform(range(4), "1"), name)
    n = 400_000
    tally = drawn_tally(mechanism, SHARES, n, np.random.default_rng(1))
    law = np.asarray(decoder_of(mechanism.sampler).expected_counts(SHARES))
    assert tally.n == n
    spread = np.sqrt(np.maximum(law * (1 - law), 1e-12) * n)
    assert (np.abs(tally.counts - n * law) <= FALSE_ALARM * spread + 1e-6).all()
    wrong = np.asarray(decoder_of(mechanism.sampler).expected_counts(SHARES[::-1].copy()))
    assert (np.abs(tally.counts - n * wrong) > FALSE_ALARM * spread).any()  # the control: another truth is seen


def test_recorded_people_are_randomized_one_by_one():
    mechanism = dc.mechanism(dc.Context.uniform(range(4), "1"), "hadamard")
    counts = np.array([3, 0, 2, 1])
    rng = dc.random.seeded(5)
    single = [mechanism.randomize(x, rng) for x in (0, 0, 0, 2, 2, 3)]
    assert recorded_tally(mechanism, counts, 5) == mechanism.tally(single)


def test_distances():
    assert total_variation(SHARES, SHARES[::-1]) == pytest.approx(0.6)
    assert squared_error(SHARES, SHARES[::-1]) == pytest.approx(2 * 0.45**2 + 2 * 0.15**2)


def test_a_mean_knows_its_noise():
    mean = Mean.of([1.0, 2.0, 3.0, 4.0])
    assert (mean.value, mean.runs) == (2.5, 4)
    assert mean.stderr == pytest.approx(np.std([1, 2, 3, 4], ddof=1) / 2)
    assert mean.stderr_beside(4) == pytest.approx(mean.stderr * math.sqrt(2))
    assert math.isnan(Mean.of([1.0]).stderr)
