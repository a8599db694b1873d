"""What cannot be known from one cluster, one group or one report a person is refused, not given as certain."""

import numpy as np
import pytest
from scipy import stats

import discreet as dc
from discreet.analysis.reference_distribution import ReferenceDistribution
from discreet.core.errors import InvalidInput, Unavailable
from discreet.estimation.tails import f_tail

MECHANISM = dc.mechanism(dc.Context.uniform(["a", "b"], "5"))
QUERY = {"b": 1}


def survey(**columns):
    held = np.random.default_rng(1).integers(0, 2, 360)
    return dc.Survey(MECHANISM, MECHANISM.randomize_indices(held, dc.random.seeded(1)), **columns)


def test_groups_that_are_clusters_have_no_error():
    clusters = np.repeat(np.arange(6), 60)
    sample = survey(labels={"village": clusters}, clusters=clusters)
    for ask in (
        lambda: sample.by("village", query=QUERY),
        lambda: dc.compare(sample, by="village", query=QUERY),
        lambda: dc.regress(sample, QUERY, on=["village"], factors=["village"]),
    ):
        with pytest.raises(InvalidInput, match="nothing of"):
            ask()
    apart = survey(labels={"half": np.arange(360) % 2}, clusters=clusters)
    assert (dc.regress(apart, QUERY, on=["half"]).stderr > 0).all(), "the control"
    for result in (
        dc.regress(apart, QUERY, on=["half"]),
        dc.compare(apart, by="half", query=QUERY),
        apart.query(QUERY),
    ):
        assert any("6 clusters: intervals and p-values are those of t on" in remark for remark in result.remarks())


def test_a_group_of_one_weighted_person_has_no_error():
    label = np.where(np.arange(360) == 5, "solo", "others")
    with pytest.raises(InvalidInput, match="solo"):
        dc.compare(survey(labels={"who": label}, weights=np.ones(360)), by="who", query=QUERY)
    assert dc.compare(survey(labels={"who": label}), by="who", query=QUERY).stderr.max() > 0.05


@pytest.mark.parametrize("drawn", ["weights", "strata"])
def test_a_group_whose_reports_are_alike_is_compared_by_regression_as_by_compare(drawn):
    mechanism, group = dc.mechanism(dc.Context.uniform(range(3), "3")), np.repeat(["a", "b", "c"], [21, 39, 41])
    reports = np.where(group == "a", 0, np.arange(101) % 3)
    column = {"weights": np.random.default_rng(1).lognormal(0, 1, 101), "strata": np.arange(101) % 2}[drawn]
    sample = dc.Survey(mechanism, reports, labels={"group": group}, **{drawn: column})
    fit, apart = dc.regress(sample, {2: 1}, on=["group"]), dc.compare(sample, by="group", query={2: 1})
    assert fit.coefficients[1:] == pytest.approx(apart.difference[:, 0])
    assert fit.stderr[1:] == pytest.approx(apart.stderr[:, 0], rel=0.02)
    assert fit.stderr[0] < 1e-6
    assert fit.interval()[1][0] > fit.coefficients[0] + 0.02


@pytest.mark.parametrize(
    ("x", "first", "second"), [(1e-17, 1, 7), (1e308, 4, 1), (1e-300, 3, 5), (1e-9, 1, 7), (2.5, 3, 9)]
)
def test_ratios_of_variances_far_out_have_a_tail(x, first, second):
    assert f_tail(x, first, second) == pytest.approx(stats.f.sf(x, first, second), abs=1e-8)


def test_groups_with_mechanisms_of_their_own_are_not_dealt_out_anew():
    parts = []
    for number, (label, epsilon) in enumerate((("x", "1"), ("y", "3"))):
        made = dc.mechanism(dc.Context.uniform(["a", "b", "c"], epsilon))
        reports = made.randomize_indices(np.full(500, number), dc.random.seeded(number))
        parts.append(dc.Survey(made, reports, labels={"w": [label] * 500}))
    both = parts[0] + parts[1]
    assert dc.compare(both, wave="w", query={"a": 1}).p.max() < 1e-6
    with pytest.raises(Unavailable, match="no other group has"):
        dc.compare(both, wave="w", query={"a": 1}, rng=dc.random.seeded(1))


def test_surveys_of_different_parts_of_their_populations_are_not_joined():
    census, sample = survey(population=360), survey(population=36_000)
    with pytest.raises(InvalidInput, match="analysed apart"):
        census + sample
    assert (sample + sample).population == 72_000


def test_evasion_does_not_pass_over_weights():
    with pytest.raises(InvalidInput, match=r"give mechanism\.tally\(reports\)"):
        dc.noncompliance(survey(weights=np.ones(360)), to="a", query=QUERY)
    assert dc.noncompliance(survey(), to="a", query=QUERY)


def test_the_same_reports_are_no_two_questions():
    with pytest.raises(InvalidInput, match="independent"):
        dc.crosstab(survey(), survey())


def test_years_are_printed_as_years():
    printed = str(survey(labels={"year": np.repeat([2025, 2026], 180)}).by("year", query=QUERY))
    assert "2025" in printed
    assert "2,025" not in printed


# -- what is said where few reports tell, and in which words -------------------------------------------------------

TEN = dc.mechanism(dc.Context.uniform(range(10), "8"))


def lonely(n, **columns):
    """A survey in which one person of n holds 9, and all others hold 0."""
    held = np.zeros(n, dtype=int)
    held[0] = 9
    return dc.Survey(TEN, held, **columns)  # randomized response: a report is a value


def test_estimates_that_few_reports_tell_of_are_remarked_on():
    sample = lonely(2000, labels={"half": np.arange(2000) % 2})
    for result in (sample.by("half"), dc.compare(sample, by="half"), dc.estimate(sample.tally)):
        (said,) = [line for line in str(result).splitlines() if "WARNING: fewer than 4 reports tell of" in line]
        assert f"of the {len(result)}" in said
    crowd = dc.Survey(TEN, np.arange(2000) % 10, labels={"half": np.arange(2000) // 10 % 2})
    for result in (crowd.by("half"), dc.compare(crowd, by="half"), dc.estimate(crowd.tally)):
        assert "reports tell" not in str(result)


def test_tables_of_up_to_sixty_rows_are_printed_whole_and_longer_ones_say_how_to_see_all():
    for groups, whole in ((3, True), (6, True), (7, False)):
        printed = str(dc.Survey(TEN, np.arange(2100) % 10, labels={"g": np.arange(2100) // 10 % groups}).by("g"))
        rows = [line for line in printed.splitlines()[1:] if line[0] not in "-."]
        assert len(rows) == (10 * groups if whole else 20)
        assert ("50 rows are left out here; to_pandas() has them all" in printed) != whole


def test_one_degree_of_freedom_is_one_degree():
    one = ReferenceDistribution(np.ones(1), np.ones(1), 1.0, clusters=2)
    assert "t on 1 degree of freedom," in one.remarks()[0]
    assert "t on 3 degrees of freedom," in ReferenceDistribution(np.ones(1), np.full(1, 3.0), 3.0, 2).remarks()[0]


def test_a_regression_of_the_mean_says_so():
    numbers = dc.Survey(TEN, np.arange(2000) % 10, labels={"half": np.arange(2000) // 10 % 2})
    assert dc.regress(numbers, "mean", on=["half"]).remarks()[0].startswith("differences in the mean; each interval")
    some = dc.regress(numbers, {2: 2, 3: 3}, on=["half"]).remarks()[0]
    assert some.startswith("differences in the mean of 2 for 2, 3 for 3; each interval")


def test_counts_do_not_lose_weights_in_silence():
    sample = survey(weights=np.full(360, 2.0), labels={"half": np.arange(360) % 2})
    for ask in (lambda: sample.tally, lambda: sample.tallies("half")):
        with pytest.raises(Unavailable, match=r"would lose the weights of this survey: use survey\.shares\(\)"):
            ask()
    for given in (sample, survey()):
        with pytest.raises(InvalidInput, match=r"survey\.shares\(\) has those of a survey, with its weights"):
            dc.estimate(given)
    assert survey().tally.n == dc.goodness_of_fit(sample).n == 360
