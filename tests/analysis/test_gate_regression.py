"""Error bars of regressions: least squares, the correlation of `regress_on`, and predictions of shares.

A figure fails where fewer surveys cover than a true coverage of .935 gives with a probability of 1e-8; there are some
100 of them, also judged together at the end of a run (`tests/gate.py`). The control is the estimate and 1.96 standard
errors. With groups for labels least squares gives the figures of `compare`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

import discreet as dc
from discreet.analysis.reference_distribution import joint_test
from discreet.analysis.regression import score_tests
from discreet.core.errors import Unavailable

COVERAGE, SIZE, ALARM = 0.935, 0.07, 1e-8
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
def test_correlations_with_an_outcome_cover(mechanism, held, slope, n, gate):
    count = LONG if n < 400 else LARGE
    gate.covers("correlation with an outcome", correlations(mechanism, held, slope, n, count)[0], count, ALARM)


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
def test_predictions_by_log_odds_cover(shares, n, gate):
    gate.covers("prediction, logit", predictions(np.array(shares), n, LONG)[0], LONG, ALARM)


def rows_of(kind, n, rng):
    """A predictor: skewed, bell-shaped, or a group of one in ten."""
    return {"skewed": rng.lognormal(0, 1, n), "bell": rng.normal(size=n), "group": (np.arange(n) % 10 == 0) / 1.0}[kind]


DESIGNS = {
    "none": lambda n, rng: {},
    "weights": lambda n, rng: {"weights": rng.lognormal(0, 1, n)},
    "clusters": lambda n, rng: {"clusters": np.arange(n) // 10},
    "strata": lambda n, rng: {"strata": np.arange(n) % 4},
}
HIGH_LOW = dc.mechanism(dc.Context.high_low(range(6), range(3), "2"))


LEAST_SQUARES = {"rare, few": (YES_NO, 0.01, 100), "common": (YES_NO, 0.3, 100), "high-low": (HIGH_LOW, 0.05, 400)}


def least_squares(mechanism, held, kind, design, n, count):
    """How often intervals by least squares hold the constant, the slope and a share: those of the law and of Wald.

    Nothing depends on the predictor. The last figure is how often the test of the slope rejects.
    """
    rng, value = np.random.default_rng(8), mechanism.context.values[mechanism.context.size - 1]
    truth, covered, rejected = np.array([held, 0.0, held]), np.zeros((2, 3)), 0
    for _ in range(count):
        x, own = rows_of(kind, n, rng), DESIGNS[design](n, rng)
        last = mechanism.context.size - 1
        people = np.where(rng.random(n) < held, last, rng.integers(0, last, n))
        reports = mechanism.randomize_indices(people, dc.random.seeded(int(rng.integers(1 << 60))))
        fit = dc.regress(dc.Survey(mechanism, reports, labels={"x": x}, **own), {value: 1}, on=["x"])
        told = fit.predict({"x": [1.0 if kind == "group" else float(np.quantile(x, 0.9))]})
        low, high = np.concatenate([np.array(fit.interval()), np.array(told.interval())], axis=1)
        estimate, error = np.append(fit.coefficients, told.estimates), np.append(fit.stderr, told.stderr)
        assert ((low <= estimate) & (estimate <= high)).all()
        assert ((fit.p < 0.05) == ((low[:2] > 0) | (high[:2] < 0))).all()
        covered += [(low <= truth) & (truth <= high), np.abs(estimate - truth) <= 1.96 * error]
        rejected += fit.p[1] < 0.05
    return covered[0], covered[1], rejected


def test_least_squares_covers_rare_answers_in_some_surveys_and_standard_errors_would_fail():
    new, old, rejected = least_squares(YES_NO, 0.02, "skewed", "none", 100, 3 * SHORT)
    assert new.min() >= stats.binom.ppf(ALARM, 3 * SHORT, COVERAGE)
    assert rejected <= stats.binom.isf(ALARM, 3 * SHORT, SIZE)
    assert old[2] < 0.85 * 3 * SHORT


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "design"),
    [(kind, "none") for kind in ("skewed", "bell", "group")] + [("skewed", one) for one in DESIGNS if one != "none"],
)
@pytest.mark.parametrize("setting", LEAST_SQUARES)
def test_least_squares_covers(setting, kind, design, gate):
    mechanism, held, n = LEAST_SQUARES[setting]
    covered, _, rejected = least_squares(mechanism, held, kind, design, n, LARGE)
    for name, hits in zip(("constant", "slope", "prediction"), covered, strict=True):
        gate.covers(f"least squares, {name}", hits, LARGE, ALARM)
    gate.rejects("least squares, size", rejected, LARGE, ALARM)


def multinomial_shares(shares, n, count):
    """How many intervals hold the predicted share of every value in two groups, by score tests and by Wald."""
    rng, size = np.random.default_rng(9), shares.shape[1]
    mechanism = dc.mechanism(dc.Context.uniform(range(size), "4"), "randomized_response")
    covered = np.zeros((2, shares.size))
    for _ in range(count):
        group = np.arange(n) % 2
        held = (rng.random(n)[:, None] > np.cumsum(shares, axis=1)[group]).sum(axis=1)
        reports = mechanism.randomize_indices(held, dc.random.seeded(int(rng.integers(1 << 60))))
        survey = dc.Survey(mechanism, reports, labels={"group": np.array(["a", "b"])[group]})
        fit = dc.multinomial(survey, on=["group"])
        found, truth = fit.predict({"group": ["a", "b"]}), shares[:, list(fit.values)].reshape(-1)
        low, high = found.interval()
        assert ((low <= found.estimates) & (found.estimates <= high)).all()
        order = np.argsort([value + size * place for place in (0, 1) for value in fit.values])
        covered[0] += ((low <= truth) & (truth <= high))[order]
        with np.errstate(all="ignore"):
            reach = 1.96 * found.stderr / (found.estimates * (1 - found.estimates))
            covered[1] += (np.abs(logit(found.estimates) - logit(truth)) <= reach)[order]
    return covered


RARE = np.array([[0.96, 0.02, 0.02], [1 / 3, 1 / 3, 1 / 3]])


def test_shares_by_multinomial_cover_in_some_surveys_and_standard_errors_would_fail():
    new, old = multinomial_shares(RARE, 100, SHORT // 2)
    assert new.min() >= stats.binom.ppf(ALARM, SHORT // 2, COVERAGE)
    assert old.min() < 0.85 * SHORT // 2


@pytest.mark.long
@pytest.mark.parametrize(("n", "count"), [(100, LARGE), (400, LARGE)])
def test_shares_by_multinomial_cover(n, count, gate):
    gate.covers("prediction, multinomial", multinomial_shares(RARE, n, count)[0], count, ALARM)


def doors():
    """Mechanisms whose counts tell the squares of the scores, and one whose reports are sets, for a single value."""
    context = dc.Context.uniform(range(5), "2")
    return {
        "randomized response": (dc.mechanism(context, "randomized_response"), ({4: 1}, "mean")),
        "hadamard": (dc.mechanism(context, "hadamard"), ({4: 1}, "mean")),
        "subset": (dc.mechanism(context, "subset"), ({4: 1},)),
        "high-low": (dc.mechanism(dc.Context.high_low(range(5), range(3), "1")), ({4: 1}, "mean")),
        "line": (dc.mechanism(dc.Context.metric(range(5), "line", "1")), ({4: 1}, "mean")),
    }


@pytest.mark.parametrize("design", [*DESIGNS, "all"])
@pytest.mark.parametrize("name", doors())
def test_groups_by_least_squares_are_those_that_are_compared(name, design):
    """Differences, shares by group, their errors, intervals and p-values: the same through both doors."""
    (mechanism, queries), n = doors()[name], 240
    rng = np.random.default_rng(1)
    own = {key: column for one in DESIGNS.values() for key, column in one(n, rng).items()}
    own = own if design == "all" else DESIGNS[design](n, rng)
    group = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
    held = np.where(rng.random(n) < 0.1, 4, rng.integers(0, 4, n))
    survey = dc.Survey(mechanism, mechanism.randomize_indices(held, dc.random.seeded(1)), labels={"g": group}, **own)
    ends = [(level, side) for level in (0.5, 0.99) for side in (0, 1)]
    for query in queries:
        apart, fit = dc.compare(survey, by="g", query=query), dc.regress(survey, query, on=["g"])
        groups, told = survey.by("g", query=query), fit.predict({"g": ["a", "b", "c"]})
        for one, other in (
            (apart.difference[:, 0], fit.coefficients[1:]),
            (apart.stderr[:, 0], fit.stderr[1:]),
            (apart.p[:, 0], fit.p[1:]),
            (groups.stderr[:, 0], told.stderr),
            *((apart.interval(level)[side][:, 0], fit.interval(level)[side][1:]) for level, side in ends),
            *((groups.interval(level)[side][:, 0], told.interval(level)[side]) for level, side in ends),
        ):
            assert other == pytest.approx(one, rel=1e-7, abs=1e-9)


def effects(held, n, count):
    """How often the test of an answer without effect on an outcome rejects, and how often that of Wald does."""
    rng, rejected = np.random.default_rng(10), np.zeros(2)
    for number in range(count):
        answer, outcome = (rng.random(n) < held).astype(int), rng.exponential(size=n)
        reports = YES_NO.randomize_indices(answer, dc.random.seeded(int(rng.integers(1 << 60))))
        try:
            fit = dc.regress_on(dc.Survey(YES_NO, reports, labels={"outcome": outcome}), "outcome", {"yes": 1})
        except Unavailable:
            continue
        rejected += [fit.p[1] < 0.05, abs(fit.z[1]) > 1.96]
        if number < 4:
            (low, high), (inner, outer) = fit.interval(), fit.interval(0.8)
            assert ((low <= inner) & (inner <= fit.coefficients) & (fit.coefficients <= outer) & (outer <= high)).all()
            assert ((fit.p < 0.05) == ((low > 0) | (high < 0))).all()
    return rejected


def test_a_rare_answer_without_effect_is_seldom_said_to_have_one_in_some_surveys():
    assert effects(0.05, 100, SHORT)[0] <= stats.binom.isf(ALARM, SHORT, SIZE)


@pytest.mark.long
def test_a_rare_answer_without_effect_is_seldom_said_to_have_one_and_by_standard_errors_often(gate):
    new, old = effects(0.05, 100, LONG)
    gate.rejects("effect of an answer, size", new, LONG, ALARM)
    assert old > stats.binom.isf(1e-5, LONG, SIZE)


def joint_tests(n, groups, count):
    """How often groups that are alike are said to differ: by `test`, and by Wald's with the residuals of the fit."""
    mechanism = dc.mechanism(dc.Context.uniform(range(5), "2"), "randomized_response")
    rng, rejected, group = np.random.default_rng(11), np.zeros(2), [str(place % groups) for place in range(n)]
    for _ in range(count):
        held = np.where(rng.random(n) < 0.1, 4, rng.integers(0, 4, n))
        reports = mechanism.randomize_indices(held, dc.random.seeded(int(rng.integers(1 << 60))))
        fit = dc.regress(dc.Survey(mechanism, reports, labels={"g": group}), {4: 1}, on=["g"])
        wald = joint_test(fit.coefficients[1:], fit.covariance[1:, 1:])
        rejected += [fit.test("g").p < 0.05, not wald.p >= 0.05]
    return rejected


def test_few_people_in_groups_alike_are_seldom_said_to_differ_and_by_wald_often(gate):
    new, old = joint_tests(60, 5, 5 * SHORT)
    gate.rejects("least squares, several at once", new, 5 * SHORT, ALARM)
    assert old > stats.binom.isf(1e-6, 5 * SHORT, SIZE)


@pytest.mark.long
@pytest.mark.parametrize(("n", "groups"), [(100, 4), (400, 4), (400, 12)])
def test_groups_alike_are_seldom_said_to_differ(n, groups, gate):
    gate.rejects("least squares, several at once", joint_tests(n, groups, LONG)[0], LONG, ALARM)


def test_what_all_reports_say_alike_is_not_tested():
    sample = dc.Survey(YES_NO, np.zeros(60, dtype=int), labels={"x": np.arange(60.0), "z": np.arange(60) % 7 / 1.0})
    fit = dc.regress(sample, {"yes": 1}, on=["x", "z"])
    assert math.isnan(fit.test("x", "z").p)
    assert fit.test("x").p > 0.05
    weighted = dc.Survey(YES_NO, np.zeros(60, dtype=int), labels=sample.labels, weights=np.arange(1, 61))
    assert math.isnan(dc.regress(weighted, {"yes": 1}, on=["x", "z"]).test("x", "z").p)


def several_answers(n, count):
    """How often two answers without effect on an outcome are said to have one together, and with a label."""
    mechanism, rng, rejected = dc.mechanism(dc.Context.uniform(range(4), "3")), np.random.default_rng(12), np.zeros(2)
    for _ in range(count):
        reports = mechanism.randomize_indices(rng.integers(0, 4, n), dc.random.seeded(int(rng.integers(1 << 60))))
        labels = {"outcome": rng.exponential(size=n), "z": rng.normal(size=n)}
        sample = dc.Survey(mechanism, reports, labels=labels)
        fit = dc.regress_on(sample, "outcome", {"a": {3: 1}, "b": {2: 1}}, on=["z"])
        assert fit.test("a").p == pytest.approx(fit.p[2])
        rejected += [fit.test().p < 0.05, fit.test("a", "b", "z").p < 0.05]
    return rejected


def test_tests_of_several_answers_keep_their_size_in_some_surveys():
    assert several_answers(200, SHORT).max() <= stats.binom.isf(ALARM / 2, SHORT, SIZE)


@pytest.mark.long
@pytest.mark.parametrize("n", [200, 800])
def test_tests_of_several_answers_keep_their_size(n, gate):
    for times in several_answers(n, LARGE):
        gate.rejects("several answers, size", times, LARGE, ALARM)


def test_log_odds_without_a_solution_are_said_to_have_none():
    outcome = np.arange(100) % 2
    sample = dc.Survey(YES_NO, np.zeros(100, dtype=int), labels={"outcome": outcome})
    fit = dc.regress_on(sample, "outcome", {"yes": 1}, link="logit")
    assert np.isnan(fit.stderr).all()
    assert any("did not settle" in remark for remark in fit.remarks())


def weighted_predictions(count):
    """How many intervals hold a rare share that log-odds predict, where a few people count for many others."""
    rng, covered = np.random.default_rng(13), 0
    for _ in range(count):
        held = (rng.random(300) < 0.02).astype(int)
        reports = YES_NO.randomize_indices(held, dc.random.seeded(int(rng.integers(1 << 60))))
        labels, weights = {"x": rng.normal(size=300)}, rng.lognormal(0, math.sqrt(math.log(1 + 1.5**2)), 300)
        fit = dc.regress(dc.Survey(YES_NO, reports, labels=labels, weights=weights), {"yes": 1}, on=["x"], link="logit")
        low, high = fit.predict({"x": [0.5]}).interval()
        covered += low[0] <= 0.02 <= high[0]
    return covered


def test_weighted_predictions_near_zero_cover_in_some_surveys():
    assert weighted_predictions(SHORT) >= stats.binom.ppf(ALARM, SHORT, COVERAGE)


@pytest.mark.long
def test_weighted_predictions_near_zero_cover_and_the_spread_of_reports_would_fail(gate, monkeypatch):
    gate.covers("prediction, weighted", weighted_predictions(LARGE), LARGE, ALARM)
    monkeypatch.setattr(score_tests, "at_least", lambda covariance, other: covariance)
    assert weighted_predictions(LARGE) < stats.binom.ppf(1e-2, LARGE, COVERAGE)
