"""A randomized answer as predictor: corrected moments and equations, against the answers themselves."""

import numpy as np
import pytest
import statsmodels.api as sm

import discreet as dc
from discreet.core.errors import InvalidInput, Unavailable

N = 2000
C = np.random.default_rng(1).normal(size=N)
HELD = np.random.default_rng(2).integers(0, 5, N)
OUTCOME = 1 + 0.5 * C + 0.8 * HELD + np.random.default_rng(3).normal(size=N)
WON = (np.random.default_rng(4).random(N) < 1 / (1 + np.exp(2 - 0.7 * HELD - 0.5 * C))).astype(int)


def survey(epsilon, name="randomized_response", held=HELD, **columns):
    mechanism = dc.mechanism(dc.Context.uniform(range(5), epsilon), name)
    reports = mechanism.randomize_indices(held, dc.random.seeded(5))
    return dc.Survey(mechanism, reports, labels={"c": C, "outcome": OUTCOME, "won": WON}, **columns)


def test_without_noise_it_is_least_squares():
    expected = sm.OLS(OUTCOME, np.stack([np.ones(N), C, HELD], axis=1)).fit(cov_type="HC0")
    found = dc.regress_on(survey("20"), "outcome", "mean", on=["c"])
    assert found.coefficients == pytest.approx(expected.params, rel=1e-6)
    assert found.stderr == pytest.approx(expected.bse * np.sqrt(N / (N - 1)), rel=1e-6)
    assert found.correlation.estimate == pytest.approx(np.corrcoef(HELD, OUTCOME)[0, 1], rel=1e-6)


def test_without_noise_the_logit_is_logistic_regression():
    expected = sm.Logit(WON, np.stack([np.ones(N), C, HELD], axis=1)).fit(disp=0, cov_type="HC0")
    found = dc.regress_on(survey("20"), "won", "mean", on=["c"], link="logit")
    assert found.coefficients == pytest.approx(expected.params, rel=1e-5)
    assert found.stderr == pytest.approx(expected.bse * np.sqrt(N / (N - 1)), rel=1e-5)


@pytest.mark.parametrize("name", ["randomized_response", "hadamard", "subset"])
def test_moments_are_those_of_the_formula_written_out(name):
    weights, clusters = np.random.default_rng(6).uniform(0.5, 2, N), np.arange(N) // 10
    sample = survey("2", name, weights=weights, clusters=clusters)
    features = {"size": np.arange(5.0), "large": (np.arange(5) >= 3).astype(float)}
    found = dc.regress_on(sample, "outcome", features, on=["c"])
    labels = np.stack([np.ones(N), C], axis=1)
    scores = np.stack([sample.scores(f) for f in features.values()], axis=1)
    products = np.array([[sample.scores(f * g) for f in features.values()] for g in features.values()])
    people = np.zeros((N, 4, 4))
    people[:, :2, :2] = labels[:, :, None] * labels[:, None, :]
    people[:, :2, 2:] = labels[:, :, None] * scores[:, None, :]
    people[:, 2:, :2] = people[:, :2, 2:].transpose(0, 2, 1)
    people[:, 2:, 2:] = products.transpose(2, 0, 1)
    right = OUTCOME[:, None] * np.concatenate([labels, scores], axis=1)
    matrix = np.einsum("n,nab->ab", weights, people)
    b = np.linalg.solve(matrix, weights @ right)
    terms = weights[:, None] * (right - people @ b)
    inverse = np.linalg.inv(matrix)
    assert found.names == ("(constant)", "c", "size", "large")
    assert found.coefficients == pytest.approx(b, rel=1e-6)
    assert found.covariance == pytest.approx(inverse @ sample.covariance_of_sum(terms) @ inverse.T, rel=1e-5)
    assert found.correlation is None
    assert found.test().df == 2
    assert found.test("size").p == pytest.approx(found.p[2])
    assert found.test("c", "large").df == 2


def test_scores_taken_for_answers_would_miss_what_is_found():
    sample = survey("1", held=np.minimum(HELD, 1) * 4)
    truth = sm.OLS(OUTCOME, np.stack([np.ones(N), C, np.minimum(HELD, 1)], axis=1)).fit().params[2]
    found = dc.regress_on(sample, "outcome", {4: 1}, on=["c"])
    assert abs(found.coefficients[2] - truth) < 4 * found.stderr[2]
    wrong = sm.OLS(OUTCOME, np.stack([np.ones(N), C, sample.scores({4: 1})], axis=1)).fit(cov_type="HC1")
    assert abs(wrong.params[2] - truth) > 10 * wrong.bse[2]


def test_the_equations_of_log_odds_are_unbiased_under_noise():
    found = dc.regress_on(survey("3"), "won", "mean", on=["c"], link="logit")
    expected = sm.Logit(WON, np.stack([np.ones(N), C, HELD], axis=1)).fit(disp=0)
    assert (np.abs(found.coefficients - expected.params) < 4 * found.stderr).all()
    assert expected.bse[2] < found.stderr[2] < 3 * expected.bse[2]


def test_a_correlation_may_pass_one_and_may_be_unknown():
    sample = survey("1", held=(C > 0) * 4)
    found = dc.regress_on(sample, ("sign", (C > 0) * 1.0), {4: 1})
    assert found.correlation.estimate == pytest.approx(1, abs=4 * found.correlation.stderr)
    assert found.correlation.stderr > 0.01
    low, high = found.correlation.interval()
    assert low < 1 <= high
    assert found.about["correlation"]["estimate"] == found.correlation.estimate


def test_too_few_reports_are_refused_or_warned_of():
    few = survey("0.3").only(np.arange(N) < 60)
    with pytest.raises(Unavailable, match="the reports are too few to show how far the answer varies"):
        dc.regress_on(few, "outcome", {1: 1}, on=["c"])
    unsteady = dc.regress_on(few, "outcome", {0: 1}, on=["c"])
    assert any("WARNING: how far the answer varies" in remark for remark in unsteady.remarks())
    assert not any("WARNING" in remark for remark in dc.regress_on(survey("2"), "outcome", "mean").remarks())


def test_log_odds_that_do_not_settle_are_said_not_to():
    few = survey("0.3").only(np.arange(N) < 60)
    found = dc.regress_on(few, "won", "mean", on=["c"], link="logit")
    assert np.isnan(found.stderr).all()
    assert any("did not settle" in remark for remark in found.remarks())


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("outcomes", "mean"), {}, "label='outcomes' must be one of the survey's labels"),
        (("outcome", np.ones(5)), {}, "query: the weights must differ"),
        (("outcome", {"a": np.arange(5.0), "b": 2 * np.arange(5.0)}), {}, "query: one of the queries follows"),
        (("outcome", {str(i): np.eye(5)[i % 5] for i in range(11)}), {}, "11 queries are too many"),
        (("outcome", {1: np.arange(5.0)}), {}, "query: the name 1 must be text"),
        (("outcome", {"c": np.arange(5.0)}), {"on": ["c"]}, "query: 'c' is also a label"),
        (("outcome", "mean"), {"on": ["outcome"]}, "on: 'outcome' is the outcome"),
        (("outcome", "mean"), {"link": "logit"}, "needs an outcome of 0 and 1"),
        (("outcome", "mean"), {"link": "log"}, "link='log' must be one of"),
        ((("o", C[:3]), "mean"), {}, "outcome of shape"),
        ((("o", [None] * N), "mean"), {}, "outcome: entries are missing"),
        ((("o", ["x"] * N), "mean"), {}, "outcome='o' must be numbers"),
        ((("o", np.ones(N)), "mean"), {}, "outcome='o' is the same for everyone"),
    ],
)
def test_what_cannot_be_related_is_refused(arguments, options, message):
    with pytest.raises(InvalidInput, match=message):
        dc.regress_on(survey("1"), *arguments, **options)


def test_too_many_different_answers_for_log_odds():
    mechanism = dc.mechanism(dc.Context.uniform(range(100), "1"), "hadamard")
    sample = dc.Survey(mechanism, np.arange(1, 101), labels={"won": WON[:100]})
    with pytest.raises(InvalidInput, match="100 different weights are too many"):
        dc.regress_on(sample, "won", "mean", link="logit")
