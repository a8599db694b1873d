"""The confidence distribution: figures of an independent computation, to six digits, and what it is for a frequency."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import discreet as dc
from discreet.estimation.results.score_law import law_of_levels, law_of_terms
from discreet.estimation.tally import Tally


def estimate_of(context, name, counts, n=100):
    return dc.estimate(Tally(dc.mechanism(context, name), np.array(counts), n))


RESPONSE = estimate_of(dc.Context.uniform(range(5), "6"), "randomized_response", [97, 1, 2, 0, 0])
GEOMETRIC = estimate_of(
    dc.Context.metric(range(12), "line", "0.5"), "geometric", [0, 0, 3, 10, 25, 30, 20, 8, 3, 1, 0, 0]
)
SUBSET = estimate_of(dc.Context.uniform(range(10), "1"), "subset", [40, 35, 33, 31, 30, 29, 28, 27, 25, 22, 100])

SHARES = [
    (RESPONSE, 0, 0.979567, 0.927025, 1.002710),
    (RESPONSE, 3, -0.002485, -0.002485, 0.034312),
    (GEOMETRIC, 1, -0.117531, -0.318293, 0.209932),
    (GEOMETRIC, 4, 0.641770, -0.284524, 1.677410),
    (SUBSET, 0, 0.477990, 0.129440, 0.848042),
]
WATCHED = [
    (RESPONSE, 0, 0.864811, 1.009940),
    (GEOMETRIC, 4, -1.481243, 2.987490),
    (GEOMETRIC, 9, -0.648614, 0.842972),
]


@pytest.mark.parametrize(("estimate", "x", "value", "low", "high"), SHARES)
def test_shares_have_the_ends_that_were_computed_elsewhere(estimate, x, value, low, high):
    ends = [end[x] for end in estimate.interval()]
    assert [estimate.shares[x], *ends] == pytest.approx([value, low, high], abs=2e-6)


@pytest.mark.parametrize(("estimate", "x", "low", "high"), WATCHED)
def test_watched_shares_have_the_ends_that_were_computed_elsewhere(estimate, x, low, high):
    assert [end[x] for end in estimate.interval(anytime=True)] == pytest.approx([low, high], abs=2e-6)


def test_queries_and_levels_together_are_those_that_were_computed_elsewhere():
    mean = GEOMETRIC.query("mean")
    assert [mean.value, *mean.interval()] == pytest.approx([4.95, 4.627665, 5.300507], abs=2e-6)
    apart = GEOMETRIC.query({4: 1, 5: -1})
    assert [apart.value, *apart.interval()] == pytest.approx([-0.245885, -2.139954, 1.647838], abs=2e-6)
    half = SUBSET.query(dict.fromkeys(range(5), 1))
    assert [half.value, *half.interval()] == pytest.approx([1.218181, 0.646732, 1.774385], abs=2e-6)
    assert GEOMETRIC.cumulative()._together(0.95).z == pytest.approx(2.731, abs=1e-3)


@pytest.mark.parametrize("n", [30, 100, 1000])
def test_frequencies_are_covered_exactly(n):
    """Summed over all outcomes, at 99 shares: at least .93; the normal interval, the control, falls below .8."""
    hits = np.arange(n + 1) / n
    low, high = law_of_levels(n, hits, hits, np.zeros(n + 1), np.ones(n + 1)).ends(1.959964)
    reach = 1.959964 * np.sqrt(hits * (1 - hits) / n)
    shares = np.arange(1, 100) / 100
    k = np.arange(n + 1)
    logs = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    chances = np.exp(logs + k * np.log(shares[:, None]) + (n - k) * np.log1p(-shares[:, None]))
    covered = (chances * ((low <= shares[:, None]) & (shares[:, None] <= high))).sum(axis=1)
    normal = (chances * (np.abs(hits - shares[:, None]) <= reach)).sum(axis=1)
    assert covered.min() > 0.93
    assert n == 1000 or normal.min() < 0.8


def test_a_p_value_is_the_confidence_at_which_an_end_comes_to_the_null():
    law = GEOMETRIC.law
    for null in (-0.2, 0.0, 0.4):
        for x, p in enumerate(law.p_values(null)):
            if 1e-6 < p < 0.4:
                low, high = (end[x] for end in GEOMETRIC.interval(1 - p))
                assert min(abs(low - null), abs(high - null)) < 1e-5


def test_a_variance_that_is_only_rounding_is_not_stretched_to_another():
    """Where all reports are alike, as weighted ones of a rare value are, the interval is that of the pseudo-reports."""
    rounding, nothing = np.full(1, 1e-35), np.zeros(1)
    law = law_of_terms(0.01, nothing, (rounding, rounding**1.5), (nothing, nothing), nothing, np.ones(1))
    low, high = law.rescaled(nothing).ends(1.96)
    assert low == 0
    assert 0.02 < high < 0.05
