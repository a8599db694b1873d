"""Log-odds by moments: their equations, their errors, and what they say where there is no solution."""

import numpy as np
import pytest
import statsmodels.api as sm

import discreet as dc
from discreet.analysis.regression.design_matrix import design_of
from discreet.analysis.regression.quasi_likelihood import QuasiLikelihood
from discreet.analysis.regression.score_fits import score_variances

N = 2000
AGE = np.random.default_rng(1).normal(40, 12, N)
HELD = (np.random.default_rng(2).random(N) < 1 / (1 + np.exp(2 - 0.04 * AGE))).astype(int)


def survey(epsilon, seed=3, **columns):
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon), "randomized_response")
    reports = mechanism.randomize_indices(HELD, dc.random.seeded(seed))
    return dc.Survey(mechanism, reports, labels={"age": AGE}, **columns)


def test_without_noise_it_is_logistic_regression():
    expected = sm.Logit(HELD, sm.add_constant(AGE)).fit(disp=0, cov_type="HC0")
    found = dc.regress(survey("20"), {"yes": 1}, on=["age"], link="logit")
    assert found.coefficients == pytest.approx(expected.params, rel=1e-7)
    assert found.stderr == pytest.approx(expected.bse, rel=1e-6)


def test_waves_of_different_noise_are_weighted_as_the_likelihood_weighs_them():
    both = survey("0.5") + survey("3", seed=4)
    moments, likely = dc.regress(both, {"yes": 1}, on=["age"], link="logit"), dc.multinomial(both, on=["age"])
    assert moments.coefficients == pytest.approx(likely.coefficients, rel=1e-6)
    # a control: with the noise of one wave taken for both it is another equation
    alone = dc.regress(survey("0.5"), {"yes": 1}, on=["age"], link="logit")
    assert abs(alone.coefficients - likely.coefficients).max() > 1e-3
    assert (moments.stderr < alone.stderr).all()


def test_the_derivatives_are_those_of_the_quasi_likelihood():
    sample = survey("1", weights=np.random.default_rng(5).uniform(0.5, 2, N))
    design, scores = design_of(sample, ["age"]), sample.scores({"yes": 1})
    outside, inside = (np.full(N, variance) for variance in (0.9, 1.3))
    b, step = np.array([0.3, -0.4]), 1e-5

    likelihood = QuasiLikelihood(design, scores, outside, inside, exact=True)
    here, units = likelihood.at(b), np.eye(2) * step
    rise = [(likelihood.value(b + e) - likelihood.value(b - e)) / (2 * step) for e in units]
    assert here.gradient == pytest.approx(rise, rel=1e-6, abs=1e-6)
    slopes = [(likelihood.at(b + e).gradient - likelihood.at(b - e).gradient) / (2 * step) for e in units]
    assert here.complete - here.left == pytest.approx(-np.array(slopes), rel=1e-6)


@pytest.mark.parametrize(
    ("context", "name"),
    [
        (dc.Context.uniform(range(5), "1"), "hadamard"),
        (dc.Context.uniform(range(5), "1"), "randomized_response"),
        (dc.Context.uniform(range(4), "1"), "unary"),
        (dc.Context.blocks({"a": [0, 1, 2], "b": [3, 4]}, "1"), "hadamard"),
        (dc.Context.high_low(range(5), [0, 1, 2], "1"), "hadamard"),
    ],
)
def test_variances_inside_and_outside_of_an_event_are_those_of_the_channel(context, name):
    mechanism = dc.mechanism(context, name)
    k = context.size
    event, shares = (np.arange(k) % 2 == 0).astype(float), np.arange(1.0, k + 1) / (k * (k + 1) / 2)
    scores = mechanism.score(mechanism.reports(), event, shares=np.full(k, 1 / k))
    second = np.array(mechanism.channel(), dtype=float) @ scores**2
    found = score_variances(mechanism, event, shares)
    for variance, inside in zip(found, (event == 0, event == 1), strict=True):
        held = shares * inside / (shares @ inside)
        assert variance == pytest.approx(held @ (second - event**2), rel=1e-9)


def test_log_odds_without_an_end_are_said_to_have_none():
    sample = survey("1")
    reports = np.where(
        (AGE > 45) & (np.arange(N) % 5 > 0), 0, sample.waves[0].reports
    )  # so that scores average below 0
    group = np.where(AGE > 45, "old", "young")
    odd = dc.Survey(sample.mechanism, reports, labels={"group": group})
    found = dc.regress(odd, {"yes": 1}, on=["group"], link="logit")
    assert np.isnan(found.stderr).all()
    assert any("no finite estimate" in remark and 'penalty="firth"' in remark for remark in found.remarks())
    assert found.to_dict()["stderr"] == [None, None]
    # what the reports tell is still told: the share of the old is 0 as far as they know, that of the young is not
    low, high = found.interval()
    assert (low[0], high[1]) == (-np.inf, np.inf)
    assert found.p[1] < 1e-6
    assert low[1] > 0
    assert found.test("group").p == pytest.approx(found.p[1])
    plain = dc.regress(odd, {"yes": 1}, on=["group"])
    assert np.isfinite(plain.stderr).all()
    assert plain.predict({"group": "old"}).estimates[0] < 0
