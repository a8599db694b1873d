"""Log-odds near shares of 0 and 1: intervals and tests that hold there, and estimates that stay finite."""

import numpy as np
import pytest
from scipy import stats

import discreet as dc
from discreet.analysis.regression import score_tests
from discreet.analysis.regression.design_matrix import design_of
from discreet.analysis.regression.firth import Penalised
from discreet.analysis.regression.multinomial_likelihood import MultinomialLikelihood, answers_of
from discreet.analysis.regression.regression import quasi_likelihood
from discreet.core.errors import InvalidInput

from .separated import CASES, DRAWN, PLAIN, Case, coverage, rr

FALSE_ALARM = 1e-6
TIMES, SHORT = 500, 40
MUST_FAIL = [
    "hadamard, rare event of four",
    "weights, against the rare, epsilon 4",
    "a dominant cluster, against the rare, epsilon 1",
]
"""Where Wald's rule is far from what it claims."""


def least(times, rate=0.94):
    """The fewest of so many intervals that hold the truth, but for a false alarm."""
    return stats.binom.ppf(FALSE_ALARM, times, rate) / times


@pytest.mark.parametrize("name", CASES)
def test_intervals_of_log_odds_hold_the_truth_where_it_is_hardest(name):
    found = coverage(CASES[name], TIMES, seed=11)
    assert found["score"] >= least(TIMES), found
    if CASES[name].truth == 0:
        assert found["rejected"] <= 1 - least(TIMES), found
    if name == "steep, 100 people, epsilon 1":
        assert found["rejected"] >= least(TIMES, 0.82), (
            "a slope that is there is seen; by Wald's rule in 4 % of surveys"
        )
    if name in MUST_FAIL:
        assert found["wald"] < least(TIMES), "the control"


@pytest.mark.parametrize("name", ["rare, 100 people, epsilon 4", "steep, 100 people, epsilon 2"])
def test_a_few_such_surveys(name):
    assert coverage(CASES[name], SHORT, seed=12)["score"] >= least(SHORT)


def test_wald_is_the_control_that_fails():
    found = coverage(CASES[MUST_FAIL[0]], 3 * SHORT, seed=12)
    assert found["score"] >= least(3 * SHORT) > found["wald"], found


def two_groups(counts, epsilon="20", **columns):
    """A survey of (no, yes) in two groups; at epsilon 20 nearly without noise."""
    held = np.repeat([0, 1, 0, 1], np.ravel(counts))
    group = np.repeat(["a", "a", "b", "b"], np.ravel(counts))
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon))
    return dc.Survey(mechanism, held, labels={"group": group}, **columns)


def fits(sample, **options):
    """The same log-odds of yes, by moments and by likelihood."""
    yield dc.regress(sample, {"yes": 1}, on=["group"], link="logit", **options)
    yield dc.multinomial(sample, on=["group"], against="no", **options)


def test_without_noise_the_score_test_is_that_of_pearson():
    counts = [[40, 12], [25, 19]]
    for found in fits(two_groups(counts)):
        expected = stats.chi2_contingency(counts, correction=False)
        assert found.test("group").statistic == pytest.approx(expected.statistic, rel=1e-5)
        assert found.p[1] == pytest.approx(expected.pvalue, rel=1e-5)
        assert found.test("group").method == "score"


def test_without_noise_the_penalty_adds_half_a_person_to_every_cell():
    for counts in ([[40, 12], [25, 0]], [[40, 0], [0, 25]]):
        (a, b), (c, d) = np.array(counts) + 0.5
        for found in fits(two_groups(counts), penalty="firth"):
            assert found.coefficients == pytest.approx([np.log(b / a), np.log(d * a / c / b)], abs=1e-4)
            assert found.stderr[1] == pytest.approx(np.sqrt((1 / np.array([a, b, c, d])).sum()), rel=0.1)
            assert found.about["penalty"] == "firth"
        for found in fits(two_groups(counts)):  # the control: nothing holds the estimates
            assert np.isnan(found.stderr).all()
            assert abs(found.coefficients[1]) > 5
            assert 'penalty="firth" has finite ones' in str(found)


@pytest.mark.parametrize("name", ["hadamard, rare of four", "hadamard, rare event of four", "weights, epsilon 1"])
def test_the_gradient_of_the_penalty_is_its_own(name):
    sample = CASES[name].survey(3)
    design, k = design_of(sample, ["c"]), len(sample.values)
    if CASES[name].event:
        likelihood = quasi_likelihood(design, sample.scores({CASES[name].asked: 1}), np.arange(k) == CASES[name].asked)
    else:
        likelihood = MultinomialLikelihood(design, answers_of(design, np.arange(k)), np.arange(k))
    objective, step = Penalised(likelihood), 1e-5
    b = np.random.default_rng(1).normal(0, 0.5, likelihood.size)
    here, units = objective.at(b), np.eye(likelihood.size) * step
    assert here.value == pytest.approx(objective.value(b), rel=1e-12)
    rise = [(objective.value(b + e) - objective.value(b - e)) / (2 * step) for e in units]
    assert here.gradient == pytest.approx(rise, rel=1e-5, abs=1e-5)
    alone = likelihood.at(b).gradient
    assert np.abs(alone - rise).max() > 1e-2, "the control: without the penalty it is another"


def test_the_information_to_expect_is_that_of_the_channel():
    sample = Case(rr(3, "1"), 60, [[0, 0], [0.3, 0.2], [-0.5, 0.4]]).survey(1)
    design = design_of(sample, ["c"])
    likelihood = MultinomialLikelihood(design, answers_of(design, np.arange(3)), np.arange(3))
    b = np.array([0.2, -0.4, 0.1, 0.3])
    x, channel = design.rows(np.arange(60)), np.array(sample.mechanism.channel(), dtype=float)
    expected = np.zeros((4, 4))
    for row in x:
        odds = np.exp(np.concatenate([[0], b.reshape(2, 2) @ row]))
        shares = odds / odds.sum()
        for column in channel.T:
            score = np.kron((shares * column / (shares @ column) - shares)[1:], row)
            expected += (shares @ column) * np.outer(score, score)
    assert likelihood.expected(b, likelihood.cells.weights) == pytest.approx(expected, rel=1e-9)
    g = np.array([0.3, -1, 0.5, 2])
    along = np.concatenate([rows for _, rows in likelihood.expected_along(b, g)])
    assert likelihood.cells.weights @ along == pytest.approx(expected @ g)


def test_reports_that_were_seen_stand_for_all_where_there_are_too_many(monkeypatch):
    mechanism = dc.mechanism(dc.Context.uniform(range(6), "2"), "unary")
    held = np.random.default_rng(1).choice(6, 3000, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05])
    sample = dc.Survey(mechanism, mechanism.randomize_indices(held, dc.random.seeded(1)))
    design, b = design_of(sample, []), np.array([0.0, -0.4, -1, -1.8, -1.8])

    def information():
        likelihood = MultinomialLikelihood(design, answers_of(design, np.arange(6)), np.arange(6))
        return likelihood.expected(b, likelihood.cells.weights)

    exact = information()
    monkeypatch.setattr("discreet.analysis.regression.multinomial_likelihood.MAX_CHANNEL", 63)
    assert np.sqrt(np.diag(information())) == pytest.approx(np.sqrt(np.diag(exact)), rel=0.1)


@pytest.mark.parametrize("name", ["groups, 100 people, epsilon 4", "high-low, rare of four", "20 clusters, epsilon 1"])
def test_p_is_the_confidence_of_the_interval_that_ends_at_the_value(name):
    found, row = CASES[name].fit(5)
    held = found.scored.turn[row]
    for confidence in (0.8, 0.95):
        ends = found.scored.tests.interval(held, confidence)
        assert ends[0] < CASES[name].truth < ends[1]
        for end in filter(np.isfinite, ends):
            where = found.scored.tests.standing(held[None], np.array([end]))
            assert score_tests.two_sided(where.t, where.df[0]) == pytest.approx(1 - confidence, abs=1e-4)
    for confidence, inside in ((1 - 1.001 * found.p[row], False), (1 - 0.999 * found.p[row], True)):
        low, high = found.scored.tests.interval(held, confidence)
        assert (low < 0 < high) == inside


def test_an_end_that_the_reports_do_not_know_is_infinite():
    for found in fits(two_groups([[40, 12], [60, 0]])):
        low, high = found.interval()
        assert low[1] == -np.inf
        assert high[1] < 0
        assert found.p[1] < 0.01
        assert np.isnan(found.stderr[1])
        shown = found.to_dict()
        assert shown["low"][1] is None
        assert shown["covariance"][1][1] is None
    for found in fits(two_groups([[40, 12], [25, 19]])):
        shown = found.to_dict()
        assert np.array(shown["covariance"]) == pytest.approx(found.covariance)
        assert np.sqrt(np.diag(shown["covariance"])) == pytest.approx(shown["stderr"])


def test_intervals_of_log_odds_hold_the_estimate_and_grow_with_confidence():
    small = Case(rr(4, "3"), 20, [[0, 0], [-1.0, 1.0], [-2.0, 0.5], [-4.0, 0.0]])
    for seed in range(3):
        sample = small.survey(seed)
        for penalty in (None, "firth"):
            logit = dc.regress(sample, {1: 1}, on=["c"], link="logit", penalty=penalty)
            for found in (logit, dc.multinomial(sample, on=["c"], penalty=penalty)):
                before = found.coefficients, found.coefficients
                for confidence in (0.01, 0.3, 0.68, 0.95):
                    low, high = found.interval(confidence)
                    assert ((low <= before[0] + 1e-6) & (before[1] - 1e-6 <= high)).all()
                    before = low, high


def test_where_score_tests_take_too_long_wald_is_said_to_be_used(monkeypatch):
    sample = two_groups([[400, 120], [250, 190]], weights=np.ones(960))
    scored = [found.interval() for found in fits(sample)]
    monkeypatch.setattr(score_tests, "MAX_WORK", 1)
    for found, ends in zip(fits(sample), scored, strict=True):
        assert any("by standard errors (Wald)" in remark for remark in found.remarks())
        reach = stats.t.isf(0.025, found.reference.df) * found.stderr
        assert found.interval()[1] == pytest.approx(found.coefficients + reach)
        assert np.array(found.interval()) == pytest.approx(np.array(ends), rel=0.05)
        assert found.test("group").method == "Wald"


def test_the_largest_value_is_the_one_compared_with():
    sample = PLAIN["hadamard, against the rare"].survey(2)
    found = dc.multinomial(sample, on=["c"])
    assert found.values == (1, 0, 2)
    assert sample.shares().estimate.argmax() == 1
    assert found.remarks()[0].startswith("log-odds against 1, which has the largest share")
    named = dc.multinomial(sample, on=["c"], against=0)
    assert "largest share" not in named.remarks()[0]
    assert named.coefficients[:2] == pytest.approx(-found.coefficients[:2])
    heavy = np.where(sample.waves[0].reports % 2, 1.0, 50.0)
    weighted = dc.multinomial(dc.Survey(sample.mechanism, sample.waves[0].reports, weights=heavy), on=[])
    largest = dc.Survey(sample.mechanism, sample.waves[0].reports, weights=heavy).shares().estimate.argmax()
    assert weighted.values[0] == largest


def test_a_penalty_that_there_is_not_is_refused():
    sample = two_groups([[40, 12], [25, 19]])
    for fit in (
        lambda penalty: dc.multinomial(sample, on=["group"], penalty=penalty),
        lambda penalty: dc.regress(sample, {"yes": 1}, on=["group"], link="logit", penalty=penalty),
    ):
        with pytest.raises(InvalidInput, match="penalty='ridge' must be None or one of firth"):
            fit("ridge")
    with pytest.raises(InvalidInput, match="penalty='firth' is for link=\"logit\""):
        dc.regress(sample, {"yes": 1}, on=["group"], penalty="firth")


def test_the_cases_are_what_they_are_said_to_be():
    assert {case.drawn for case in DRAWN.values()} == {
        "weights",
        "clusters",
        "dominant clusters",
        "weights dominant clusters",
    }
    sample = DRAWN["weights and a dominant cluster"].survey(1)
    assert 0.25 < (sample.clusters == 0).mean() < 0.35
    many = np.random.default_rng(1).lognormal(0, np.sqrt(np.log(1 + 1.5**2)), 10**6)
    assert many.std() / many.mean() == pytest.approx(1.5, abs=0.05)
