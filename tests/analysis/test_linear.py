"""Least squares of scores against statsmodels, which knows nothing of where the numbers come from."""

import numpy as np
import pytest
import statsmodels.api as sm

import discreet as dc
from discreet.analysis.regression.design_matrix import design_of
from discreet.analysis.regression.score_fits import fit_linear
from discreet.core.errors import InvalidInput

N = 1500


def sample(**columns):
    noise = np.random.default_rng(3)
    age, region = noise.integers(18, 80, N), noise.choice(["east", "north", "west"], N)
    mechanism = dc.mechanism(dc.Context.uniform(range(9), "1"), "hadamard")
    held = np.minimum(8, (age // 10 + (region == "west")).astype(int))
    reports = mechanism.randomize_indices(held, dc.random.seeded(4))
    return dc.Survey(mechanism, reports, labels={"age": age, "region": region}, **columns)


def matrix(survey):
    age, region = survey.label("age").astype(float), survey.label("region")
    return np.stack([np.ones(N), age, age**2, region == "north", region == "west"], axis=1).astype(float)


ON = ["age", "age*age", "region"]


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_sandwich_errors_are_those_of_statsmodels(kind):
    survey = sample()
    expected = sm.OLS(survey.scores("mean"), matrix(survey)).fit(cov_type=kind)
    found = dc.regress(survey, "mean", on=ON, errors=kind)
    assert found.names == ("(constant)", "age", "age*age", "region[north]", "region[west]")
    assert found.coefficients == pytest.approx(expected.params, rel=1e-9)
    scale = np.sqrt(np.outer(np.diag(expected.cov_params()), np.diag(expected.cov_params())))
    assert np.abs(found.covariance - expected.cov_params()).max() < 1e-9 * scale.max()
    assert found.stderr == pytest.approx(expected.bse, rel=1e-9)
    assert found.law.stderr == pytest.approx(expected.bse, rel=1e-9)
    ends = np.abs(np.stack(found.interval(0.9), axis=1) - expected.conf_int(0.1)) / expected.bse[:, None]
    assert ends.max() < 0.05, "with many reports the confidence distribution is nearly normal"


def test_clusters_are_those_of_statsmodels():
    clusters = np.random.default_rng(5).integers(0, 60, N)
    survey = sample(clusters=clusters)
    fit = sm.OLS(survey.scores("mean"), matrix(survey)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    found = dc.regress(survey, "mean", on=ON)
    m = len(set(clusters.tolist()))
    assert found.stderr == pytest.approx(fit.bse * np.sqrt(m / (m - 1)), rel=1e-9)


def test_weights_are_those_of_weighted_least_squares():
    weights = np.random.default_rng(6).uniform(0.2, 5, N)
    survey = sample(weights=weights)
    fit = sm.WLS(survey.scores("mean"), matrix(survey), weights=weights).fit(cov_type="HC0")
    found = dc.regress(survey, "mean", on=ON)
    assert found.coefficients == pytest.approx(fit.params, rel=1e-9)
    assert found.stderr == pytest.approx(fit.bse * np.sqrt(N / (N - 1)), rel=1e-9)


def test_strata_take_their_own_spread_only():
    strata = np.random.default_rng(7).integers(0, 4, N)
    survey, plain = sample(strata=strata), sample()
    x, scores = matrix(plain), plain.scores("mean")
    bread = np.linalg.inv(x.T @ x)
    terms = x * (scores - x @ (bread @ x.T @ scores))[:, None]
    meat = sum(np.cov(terms[strata == h].T) * (strata == h).sum() for h in range(4))
    found = dc.regress(survey, "mean", on=ON)
    assert found.stderr == pytest.approx(np.sqrt(np.diag(bread @ meat @ bread)), rel=1e-7)


def test_a_test_of_several_coefficients_is_that_of_statsmodels():
    survey = sample()
    expected = sm.OLS(survey.scores("mean"), matrix(survey)).fit(cov_type="HC1").wald_test(np.eye(5)[3:], scalar=True)
    found = dc.regress(survey, "mean", on=ON, errors="HC1").test("region")
    assert (found.statistic, found.p, found.df) == pytest.approx((expected.statistic, expected.pvalue, 2), rel=1e-7)
    assert dc.regress(survey, "mean", on=ON, errors="HC1").test("region[north]", "region[west]") == found
    assert dc.regress(survey, "mean", on=ON).test().df == 4


def test_labels_of_any_size_are_solved_exactly():
    rng = np.random.default_rng(8)
    small, large = rng.normal(size=N) * 1e-9, 1e9 + rng.normal(size=N)
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
    survey = dc.Survey(mechanism, rng.integers(0, 2, N), labels={"small": small, "large": large})
    design = design_of(survey, ["small", "large"])
    truth = np.array([1.0, -2e9, 3e-3])
    scores = truth[0] + small * truth[1] + (large - 1e9) * truth[2]
    found = design.unscaling @ fit_linear(design, scores, "HC0").coefficients
    assert found[1:] == pytest.approx(truth[1:], rel=1e-8)


def test_a_group_that_one_report_makes_is_warned_of():
    survey = sample()
    alone = np.zeros(N)
    alone[0] = 1
    found = dc.regress(survey, "mean", on=["age", ("alone", alone)])
    assert any("WARNING: one report alone" in remark and "alone" in remark for remark in found.remarks())
    assert not any("WARNING" in remark for remark in dc.regress(survey, "mean", on=ON).remarks())
    assert np.isnan(dc.regress(survey, "mean", on=["age", ("alone", alone)], errors="HC3").stderr).all()


def test_errors_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="errors='HC3' cannot be chosen where there are weights"):
        dc.regress(sample(weights=np.ones(N)), "mean", on=["age"], errors="HC3")
    with pytest.raises(InvalidInput, match="errors='HC4' must be one of HC0, HC1, HC2, HC3 for the identity link"):
        dc.regress(sample(), "mean", on=["age"], errors="HC4")
    with pytest.raises(InvalidInput, match="errors='HC2' must be one of HC0, HC1 for the logit link"):
        dc.regress(sample(), {1: 1}, on=["age"], errors="HC2", link="logit")
    with pytest.raises(InvalidInput, match="link='probit' must be one of identity, logit"):
        dc.regress(sample(), {1: 1}, on=["age"], link="probit")
    with pytest.raises(InvalidInput, match="must differ"):
        dc.regress(sample(), np.ones(9), on=["age"])
    with pytest.raises(InvalidInput, match="needs an event"):
        dc.regress(sample(), "mean", on=["age"], link="logit")
    with pytest.raises(InvalidInput, match="survey of type int"):
        dc.regress(3, "mean", on=["age"])
