"""One test of all values and groups at once, where counts do not tell how the scores of reports vary together."""

import numpy as np

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
