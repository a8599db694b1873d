"""Errors from few clusters: their bias and their degrees of freedom, against sums written out and closed forms."""

import math

import numpy as np
import pytest
from scipy import stats

import discreet as dc
from discreet.analysis.groups.moments import mean_reference
from discreet.analysis.reference_distribution import FEW_DF
from discreet.analysis.survey.degrees_of_freedom import Clusters
from discreet.analysis.survey.sampling import SamplingUnits
from discreet.core.errors import Unavailable

MECHANISM = dc.mechanism(dc.Context.uniform(["no", "yes", "other"], "2"))
QUERY = {"yes": 1}


def survey(sizes, seed=1, **columns):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    n = len(clusters)
    labels = {
        "x": rng.normal(size=n) + rng.normal(size=len(sizes))[clusters],
        "half": rng.integers(0, 2, n),
        "treated": clusters % 2,
        "o": rng.normal(size=n),
    }
    reports = MECHANISM.randomize_indices(rng.integers(0, 3, n), dc.random.seeded(seed))
    return dc.Survey(MECHANISM, reports, labels=labels, **{"clusters": clusters, **columns})


def test_bias_and_freedom_are_those_of_the_quadratic_form():
    rng, n, units, within = np.random.default_rng(3), 300, 11, 0.1
    cluster, layer = np.sort(rng.integers(0, units, n)), np.arange(units) % 2
    x = np.c_[np.ones(n), rng.normal(size=(n, 2))] + rng.normal(size=(units, 3))[cluster] * [0, 1, 0]
    w = rng.uniform(0.5, 2, n)
    own, order = np.eye(units)[cluster], np.argsort(layer, kind="stable")
    products = np.einsum("nc,ni,nj->cij", own * w[:, None], x, x)
    squares = np.einsum("nc,ni,nj->cij", own * w[:, None] ** 2, x, x)
    drawn = SamplingUnits(n, cluster, layer[cluster])
    found = Clusters(drawn, products[order], squares[order], ((own * w[:, None]).T @ x)[order], within).reference(
        np.eye(3)
    )
    errors = (1 - within) * np.eye(n) + within * own @ own.T
    bread = np.linalg.inv(products.sum(axis=0))
    left = np.eye(n) - x @ bread @ (x * w[:, None]).T
    same = layer[:, None] == layer
    sizes = same.sum(axis=1)
    centring = (np.eye(units) - same / sizes) * (sizes / (sizes - 1))
    for j, g in enumerate(bread):
        sums = (own * (w * (x @ g))[:, None]).T @ left
        form = centring @ (sums @ errors @ sums.T)
        true = (w * (x @ g)) @ errors @ (w * (x @ g))
        assert found.df[j] == pytest.approx(np.trace(form) ** 2 / np.trace(form @ form), rel=1e-9)
        assert found.factor[j] == pytest.approx(max(1, math.sqrt(true / np.trace(form))), rel=1e-9)


def test_equal_clusters_have_the_freedom_of_the_textbook():
    sample = survey([50] * 8)
    assert sample.query(QUERY).reference.df == pytest.approx([7])
    assert sample.query(QUERY).reference.factor == pytest.approx([1])
    halves = dc.compare(sample, by="treated", query=QUERY).reference
    assert 4 < halves.df[0] <= 6 + 1e-9, "Welch: at most that of two samples of four"
    layers = survey([50] * 8, strata=np.repeat([0, 0, 1, 1], 100))
    assert layers.query(QUERY).reference.df == pytest.approx([6])
    assert mean_reference(sample).df == pytest.approx([7])
    assert mean_reference(survey([50, 50, 50, 400])).df[0] < 2, "the control: one cluster is most of the people"


def test_intervals_and_p_values_are_those_of_t():
    sample = survey([30, 60, 90, 120, 60, 60, 30, 50])
    apart, fitted = dc.compare(sample, by="half", query=QUERY), dc.regress(sample, QUERY, on=["x"])
    for found, law, stderr, p in (
        (fitted, fitted.law, fitted.stderr, fitted.p),
        (apart, apart.laws[0], apart.stderr[0], apart.p[0]),
    ):
        df = found.reference.df
        assert (df < 7).all()
        assert law.stderr == pytest.approx(stderr)
        assert np.ravel(found.interval(0.9)) == pytest.approx(np.ravel(law.ends(stats.t.isf(0.05, df))))
        assert p == pytest.approx(2 * stats.t.sf(np.abs(law.z_scores()), df), rel=1e-9)
        assert np.abs(np.array(found.interval(float(1 - p[-1])))).min() < 1e-6, "an end is at 0"
    assert apart.adjusted_p == pytest.approx(apart.p), "one test"


def test_predictions_are_held_against_the_law_of_their_own():
    sample = survey([30, 60, 90, 120, 60, 60, 30, 50])
    for link in ("identity", "logit"):
        fitted = dc.regress(sample, QUERY, on=["x"], link=link)
        told = fitted.predict({"x": [0.0, 3.0]})
        assert told.reference.df[0] != told.reference.df[1]
        at_zero = fitted.stderr[0] * (1 if link == "identity" else told.estimates[0] * (1 - told.estimates[0]))
        assert told.stderr[0] == pytest.approx(at_zero), "where x is 0 it is the constant"
        assert told.reference.df[0] == pytest.approx(fitted.reference.df[0])
    shares = dc.multinomial(sample, on=["x"]).predict({"x": [0.0, 3.0]})
    assert shares.reference.df == pytest.approx(np.repeat(shares.reference.df[[0, 3]], 3))
    assert any("8 clusters" in remark for remark in shares.remarks())


def test_several_coefficients_are_held_against_f():
    fitted = dc.regress(survey([40] * 12), QUERY, on=["x", "half"])
    test, df = fitted.jointly(fitted.formula.places(("x", "half"))), stats.hmean(fitted.reference.df[1:])
    assert test.rest == pytest.approx(df * 10 / 11)
    assert test.p == pytest.approx(stats.f.sf(test.statistic * 10 / (11 * 2), 2, test.rest), rel=1e-9)
    assert test.p > stats.chi2.sf(test.statistic, 2), "the control"
    assert "more for the errors" in str(test)
    with pytest.raises(Unavailable, match="degrees of freedom"):
        dc.regress(survey([60] * 4), QUERY, on=["x", "half", "o", "x*o", "half*o"]).test()


def test_a_plain_survey_is_held_against_the_normal_law_and_one_with_weights_against_t():
    plain = survey([50] * 8, clusters=None)
    weighted = survey([50] * 8, clusters=None, weights=np.ones(400))
    for sample, df in ((plain, math.inf), (weighted, 399)):
        assert sample.query(QUERY).reference.df == pytest.approx([df])
        assert not any("degrees of freedom" in remark for remark in sample.query(QUERY).remarks())
    assert np.isinf(dc.regress(plain, QUERY, on=["half"]).reference.df).all()
    assert (dc.regress(plain, QUERY, on=["x"]).reference.df > 200).all()
    ends = [dc.compare(sample, by="half", query=QUERY).interval() for sample in (plain, weighted)]
    assert np.ravel(ends[0]) == pytest.approx(np.ravel(ends[1]), abs=2e-3)


@pytest.mark.parametrize("strata", [None, np.arange(120) % 3])
def test_people_who_count_unequally_are_clusters_of_one(strata):
    weights = np.random.default_rng(5).lognormal(0, 1.0, 120)
    people, clusters = (
        survey([1] * 120, weights=weights, strata=strata, clusters=one) for one in (None, np.arange(120))
    )
    for ask in (
        lambda sample: sample.query(QUERY),
        lambda sample: sample.by("half", query=QUERY),
        lambda sample: dc.compare(sample, by="half", query=QUERY),
        lambda sample: dc.regress(sample, QUERY, on=["x", "half"]),
        lambda sample: dc.regress_on(sample, "o", QUERY, on=["x"]),
    ):
        one, other = ask(people).reference, ask(clusters).reference
        assert one.df == pytest.approx(other.df, rel=1e-8)
        assert one.factor == pytest.approx(other.factor, rel=1e-8)
    assert people.query(QUERY).reference.df[0] < 60
    assert people.query(QUERY).reference.factor[0] > 1.01
    assert any("few people count for much" in remark for remark in dc.regress(people, QUERY, on=["x"]).remarks())


def test_so_many_clusters_leave_errors_as_they_are():
    for units, exact in ((40, False), (300, True)):
        fitted = dc.regress(survey([10] * units), QUERY, on=["x"])
        assert (fitted.reference.factor == 1).all() == exact
        assert (fitted.reference.df < units).all()
        assert (fitted.reference.df > FEW_DF).all() == exact


def test_what_few_clusters_cannot_tell_is_said():
    fitted = dc.regress(survey([50] * 12), QUERY, on=["treated"])
    assert any(
        remark.startswith("12 clusters: intervals and p-values are those of t on") for remark in fitted.remarks()
    )
    assert not any("WARNING" in remark for remark in fitted.remarks())
    lone = survey([300, 20, 20, 20, 20, 20])
    assert any("fewer than 4 degrees of freedom" in remark for remark in lone.query(QUERY).remarks())


def test_answers_that_go_together_in_clusters_are_seen():
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(400), 25)
    units = SamplingUnits(len(cluster), cluster, None)
    alone = rng.normal(size=len(cluster))
    assert units.correlation(alone) < 0.01
    assert units.correlation(alone * 2 + rng.normal(size=400)[cluster]) == pytest.approx(0.2, abs=0.05)
    assert units.correlation(np.zeros(len(cluster))) == 0


def test_two_questions_in_clusters_are_held_against_t_and_f():
    first = survey([40, 60, 80, 60, 30, 70, 50, 40, 60, 50])
    second = dc.Survey(MECHANISM, survey([540], seed=2, clusters=None).waves[0].reports)
    table = dc.crosstab(first, second, scores=({"yes": 1}, {"yes": 1}))
    reference = mean_reference(first)
    t = stats.t.isf(0.025, reference.df[0])
    low, high = table.interval()
    assert high.reshape(-1) == pytest.approx(table.laws[0].ends(t)[1])
    assert (high - low) / 2 == pytest.approx(t * table.stderr, rel=0.2)
    assert table.independence.rest == pytest.approx(reference.df[0] * 6 / 9)
    assert table.correlation.df == pytest.approx(reference.df[0])
    assert any("10 clusters" in remark for remark in table.remarks())
    assert any("10 clusters" in remark for remark in table.given(first="yes").remarks())
    related = dc.regress_on(first, "o", QUERY, on=["x"])
    assert related.correlation.df == pytest.approx(reference.df[0])
    assert related.reference.df.max() < 9
