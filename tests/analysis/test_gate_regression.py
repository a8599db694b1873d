"""Error bars of what regressions give besides coefficients: the correlation of `regress_on`, and predictions of shares.

A figure fails where fewer surveys cover than a true coverage of .935 gives with a probability of 1e-8; there are some
15 of them. The control is the estimate and 1.96 standard errors.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

import discreet as dc
from discreet.core.errors import Unavailable

COVERAGE, ALARM = 0.935, 1e-8
SHORT, LONG, LARGE = 40, 1_000, 250
"""Surveys in the quick tier, in the long one, and there of 400 people and more."""
YES_NO = dc.mechanism(dc.Context.uniform(["no", "yes"], "4"))
SEVERAL = dc.mechanism(dc.Context.uniform(range(5), "3"))


def correlations(mechanism, held, slope, n, count):
    """How many intervals hold the correlation of an outcome with holding the last value, new and old."""
    rng, k = np.random.default_rng(4), mechanism.context.size
    shares = np.append(np.full(k - 1, (1 - held) / (k - 1)), held)
    spread = held * (1 - held)
    truth = slope * spread / math.sqrt(spread * (slope**2 * spread + 1))
    covered = np.zeros(2)
    for _ in range(count):
        people = rng.choice(k, n, p=shares)
        outcome = slope * (people == k - 1) + rng.exponential(size=n)
        reports = mechanism.randomize_indices(people, dc.random.seeded(int(rng.integers(1 << 60))))
        survey = dc.Survey(mechanism, reports, labels={"outcome": 1e5 * outcome})
        try:
            r = dc.regress_on(survey, "outcome", {mechanism.context.values[k - 1]: 1}).correlation
        except Unavailable:  # hardly anybody holds it, by the reports
            covered += 1
            continue
        low, high = r.interval()
        assert math.isnan(r.estimate) or low <= r.estimate <= high
        covered += [low <= truth <= high, abs(r.estimate - truth) <= 1.96 * r.stderr]
    return covered


SETTINGS = [(YES_NO, 0.05, 0.0, 100), (YES_NO, 0.05, 2.0, 400), (SEVERAL, 0.1, 0.5, 400), (SEVERAL, 0.3, 1.0, 2_000)]


def test_a_rare_answer_has_a_correlation_in_some_surveys_and_standard_errors_would_fail():
    new, old = correlations(YES_NO, 0.03, 0.0, 100, SHORT)
    assert new >= stats.binom.ppf(ALARM, SHORT, COVERAGE)
    assert old < new


@pytest.mark.long
@pytest.mark.parametrize(("mechanism", "held", "slope", "n"), SETTINGS)
def test_correlations_with_an_outcome_cover(mechanism, held, slope, n):
    count = LONG if n < 400 else LARGE
    covered = correlations(mechanism, held, slope, n, count)[0]
    assert covered >= stats.binom.ppf(ALARM, count, COVERAGE), covered / count


def predictions(shares, n, count):
    """How many intervals hold the share of each of two groups, by log-odds; and how many of the old do."""
    rng, covered = np.random.default_rng(6), np.zeros((2, 2))
    for _ in range(count):
        group = np.arange(n) % 2
        held = (rng.random(n) < np.array(shares)[group]).astype(int)
        reports = YES_NO.randomize_indices(held, dc.random.seeded(int(rng.integers(1 << 60))))
        survey = dc.Survey(YES_NO, reports, labels={"group": np.array(["a", "b"])[group]})
        found = dc.regress(survey, {"yes": 1}, on=["group"], link="logit").predict({"group": ["a", "b"]})
        low, high = found.interval()
        assert (low <= found.estimates).all()
        assert (found.estimates <= high).all()
        covered[0] += (low <= shares) & (shares <= high)
        with np.errstate(all="ignore"):
            reach = 1.96 * found.stderr / (found.estimates * (1 - found.estimates))
            centre = logit(found.estimates)
            covered[1] += (expit(centre - reach) <= shares) & (shares <= expit(centre + reach))
    return covered


def test_predictions_near_zero_cover_in_some_surveys_and_standard_errors_would_fail():
    new, old = predictions(np.array([0.01, 0.3]), 100, SHORT)
    assert new.min() >= stats.binom.ppf(ALARM, SHORT, COVERAGE)
    assert old[0] < 0.7 * SHORT


@pytest.mark.long
@pytest.mark.parametrize(("shares", "n"), [((0.01, 0.3), 100), ((0.02, 0.5), 400), ((0.1, 0.9), 100)])
def test_predictions_by_log_odds_cover(shares, n):
    covered = predictions(np.array(shares), n, LONG)[0]
    assert covered.min() >= stats.binom.ppf(ALARM, LONG, COVERAGE), covered / LONG
