"""One test of all values and groups at once, where counts do not tell how the scores of reports vary together."""

import numpy as np
import pytest
from scipy import stats

import discreet as dc
from discreet.analysis.groups import omnibus
from discreet.analysis.groups.group_moments import TalliedGroups

SURVEYS = 300
MECHANISM = dc.mechanism(dc.Context.high_low(range(12), range(4), "1"))
SHARES = np.array([0.3, 0.2, 0.1, 0.05, 0.2, 0.05, 0.05, 0.05, 0, 0, 0, 0])


def statistics(rng):
    """Statistic, degrees of freedom and p of five groups of 200 people who do not differ, survey by survey."""
    rows = []
    for _ in range(SURVEYS):
        answers = rng.choice(12, (5, 200), p=SHARES)
        reports = [MECHANISM.randomize_indices(one, dc.random.seeded(int(rng.integers(1 << 60)))) for one in answers]
        tallies = {(g,): [MECHANISM.tally(one)] for g, one in enumerate(reports)}
        test = omnibus.omnibus_of_tallies(TalliedGroups(tallies, np.eye(12), shares=True), [range(5)])
        rows.append((test.statistic, test.df, test.p))
    return np.array(rows).T


def test_values_that_hardly_any_report_tells_of_are_no_part_of_the_test():
    """Of 300 surveys at 5 %, 36 or more rejections have probability below 1e-6; words are fixed."""
    statistic, df, p = statistics(np.random.default_rng(1))
    assert set(df) == {28}  # eight values that somebody has
    assert (p < 0.05).sum() < 36
    assert statistic.max() < 28 + 8 * np.sqrt(56)


def test_the_whole_covariance_would_be_noise_there(monkeypatch):
    """The control: without the rule, variances that are noise around 0 make statistics of any size."""
    monkeypatch.setattr(omnibus, "TELLING_REPORTS", 0)
    statistic, df, _ = statistics(np.random.default_rng(1))
    assert len(set(df)) > 1
    assert statistic.max() > 200


GROUPS = np.arange(60) % 5
DESIGNS = {"weights": np.ones(60), "strata": np.arange(60) // 30, "clusters": np.arange(60) // 2}


def small_groups(design, times):
    """The p-values of five groups of 12 people who do not differ: compared, regressed, and without the design."""
    mechanism, rng = dc.mechanism(dc.Context.uniform(range(3), "2")), np.random.default_rng(2)
    for number in range(times):
        reports = mechanism.randomize_indices(rng.choice(3, 60, p=[0.55, 0.35, 0.1]), dc.random.seeded(number))
        labels = {"group": rng.permutation(GROUPS).astype(str)}
        drawn = dc.Survey(mechanism, reports, labels=labels, **{design: DESIGNS[design]})
        plain = dc.Survey(mechanism, reports, labels=labels)
        apart = [dc.compare(one, by="group", query={2: 1}).omnibus.p for one in (drawn, plain)]
        yield apart[0], dc.regress(drawn, {2: 1}, on=["group"]).test("group").p, apart[1]


@pytest.mark.parametrize("design", DESIGNS)
def test_small_groups_that_were_drawn_by_a_design_are_not_called_different_too_often(design):
    """More rejections than these are those of a size of .07 once in a million times."""
    p = np.array(list(small_groups(design, 80)))
    assert ((p < 0.05).sum(axis=0) <= stats.binom.isf(1e-6, 80, 0.07)).all()
    if design == "weights":
        assert (p[:, 0] > 0.9 * p[:, 2]).all(), "weights that are all alike find nothing that no weights do not find"
