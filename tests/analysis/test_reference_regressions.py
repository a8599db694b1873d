"""Regressions of the reference surveys, to the figures that were computed for them elsewhere."""

import numpy as np
import pytest

import discreet as dc
from discreet.analysis.regression.design_matrix import design_of
from discreet.analysis.regression.quasi_likelihood import QuasiLikelihood
from discreet.analysis.regression.regression import fit_logit
from discreet.analysis.regression.score_fits import score_variances

from .reference import B2, B5, COVARIATE, ROWS, N, answers, figures, survey

BC = [[0, 0], [0.2, -0.3], [0.4, 0.2], [0.1, 0.5], [0, 0.1], [-0.5, 0.8]]
SIX = 1e-6


def yes_or_no(**columns):
    return survey(dc.mechanism(dc.Context.uniform(["no", "yes"], "1")), B2, 1, **columns)


def weighted():
    return yes_or_no(weights=1 + (ROWS % 4) / 4, clusters=ROWS // 20)


def six_values():
    return survey(dc.mechanism(dc.Context.uniform(range(6), "1"), "subset"), BC, 3)


def test_the_share_of_yes_by_least_squares():
    expected, found = figures(), dc.regress(yes_or_no(), {"yes": 1}, on=["c"], errors="HC1")
    assert found.errors == "HC1"
    assert found.coefficients == pytest.approx(expected["A identity coef"], abs=1e-9)
    assert found.stderr == pytest.approx(expected["A identity HC1"], abs=1e-9)


def test_the_log_odds_of_yes_by_moments_and_by_likelihood():
    expected = figures()
    moments = dc.regress(yes_or_no(), {"yes": 1}, on=["c"], link="logit")
    likely = dc.multinomial(yes_or_no(), on=["c"])
    assert moments.coefficients == pytest.approx(expected["A logit moment coef (= ML)"], abs=1e-8)
    assert moments.stderr == pytest.approx(expected["A logit moment sandwich"], abs=1e-8)
    assert likely.coefficients == pytest.approx(moments.coefficients, abs=1e-8)
    assert likely.coefficients == pytest.approx(expected["A logit ML coef"], abs=SIX)
    assert likely.stderr == pytest.approx(expected["A logit ML stderr"], abs=SIX)
    log_likelihood, ratio = expected["A log-likelihood, LR of slope"]
    assert likely.log_likelihood == pytest.approx(log_likelihood, abs=SIX)
    less = likely.without("c").log_likelihood
    assert 2 * (likely.log_likelihood - less) == pytest.approx(ratio, abs=SIX)
    assert likely.test("c").statistic == pytest.approx(ratio, rel=0.02)
    assert likely.test("c").method == "score"


def test_weights_and_clusters():
    expected = figures()
    plain = dc.regress(weighted(), {"yes": 1}, on=["c"])
    assert plain.errors == "survey"
    assert plain.coefficients == pytest.approx(expected["A weighted clustered coef"], abs=1e-9)
    assert plain.stderr == pytest.approx(expected["A weighted clustered stderr"], abs=1e-9)
    for found in (dc.regress(weighted(), {"yes": 1}, on=["c"], link="logit"), dc.multinomial(weighted(), on=["c"])):
        assert [*found.coefficients, *found.stderr] == pytest.approx(expected["A weighted clustered logit"], abs=SIX)


def test_the_answer_as_predictor():
    expected = figures()
    outcome = 1 + 0.5 * COVARIATE + 0.8 * answers(B2) + np.sin(1.7 * ROWS)
    found = dc.regress_on(yes_or_no(labels={"o": outcome}), "o", {"yes": 1}, on=["c"])
    assert found.names == ("(constant)", "c", "answer")
    assert found.coefficients == pytest.approx(expected["A corrected linear (1, c, answer)"], abs=1e-9)
    assert found.stderr == pytest.approx(expected["A corrected linear stderr"], abs=1e-9)


def test_the_log_odds_of_five_values():
    expected = figures()
    found = dc.multinomial(
        survey(dc.mechanism(dc.Context.uniform(range(5), "1"), "hadamard"), B5, 2), on=["c"], against=0
    )
    # the figures were taken where a step promised less than 1e-10: within 1e-5 of a standard error
    errors = found.stderr.reshape(4, 2)[:, 1]
    assert (np.abs(found.matrix[:, 1] - expected["B multinomial slopes"]) < 1e-5 * errors).all()
    assert errors == pytest.approx(expected["B multinomial stderr"], abs=5e-6)


def test_an_event_of_six_values():
    expected, sample = figures(), six_values()
    event = np.array([1.0, 1, 0, 0, 0, 0])
    plain = dc.regress(sample, event, on=["c"], errors="HC1")
    assert plain.coefficients == pytest.approx(expected["C identity coef"], abs=1e-9)
    assert plain.stderr == pytest.approx(expected["C identity HC1"], abs=1e-9)
    variances = score_variances(sample.mechanism, event, np.full(6, 1 / 6))
    assert variances[::-1] == pytest.approx(expected["C Var(s|in), Var(s|out) at uniform"], abs=1e-9)
    design = design_of(sample, ["c"])
    spread = (np.full(N, variance) for variance in variances)
    fit = fit_logit(QuasiLikelihood(design, sample.scores(event), *spread, exact=False), "HC0")
    turn = design.unscaling
    found = [*turn @ fit.coefficients, *np.sqrt(np.diag(turn @ fit.covariance @ turn.T))]
    assert found == pytest.approx(expected["C moment logit (working variance at uniform)"], abs=1e-8)
    # at the shares of the survey the weights differ a little: other figures, but hardly
    usual = dc.regress(sample, event, on=["c"], link="logit")
    assert [*usual.coefficients, *usual.stderr] == pytest.approx(found, abs=2e-3)
