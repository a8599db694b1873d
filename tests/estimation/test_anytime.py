"""Intervals that are looked at as reports come in: how often the truth ever leaves them.

Counts of cells are drawn by their exact law between two looks. A setting fails where the number of watched surveys that
ever exclude the truth is one that a probability of 5 % exceeds with a probability below 1e-9. The control is the
interval for one look, which is left far more often.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import discreet as dc
from discreet.estimation.decoders import decoder_of
from discreet.estimation.results.anytime import anytime_ends
from discreet.estimation.results.score_law import law_of_levels

ALPHA, ALARM = 0.05, 1e-9
LOOKS = np.unique(np.geomspace(1, 20_000, 80).astype(int))
LINE = dc.Context.metric(range(12), "line", "0.5")
SETTINGS = {
    "randomized response, a common value": (dc.mechanism(dc.Context.uniform(range(5), "1")), [0.2] * 5, 0),
    "randomized response, a rare value": (
        dc.mechanism(dc.Context.uniform(range(5), "6"), "randomized_response"),
        [0.001, 0.799, 0.1, 0.05, 0.05],
        0,
    ),
    "geometric, a common value": (dc.mechanism(LINE, "geometric"), [0.0] * 4 + [0.25] * 4 + [0.0] * 4, 5),
    "geometric, a rare value": (dc.mechanism(LINE, "geometric"), [0.0005] + [0.0] * 6 + [0.9995] + [0.0] * 4, 0),
    "hadamard": (dc.mechanism(dc.Context.uniform(range(7), "1"), "hadamard"), [1 / 7] * 7, 3),
}


def watch(setting, runs, looks):
    """How many surveys ever exclude the truth: by the anytime interval, and by that of one look, from n = 30 on."""
    mechanism, shares, x = setting
    decoder, rng = decoder_of(mechanism), np.random.default_rng(5)
    assert decoder.disjoint
    chances = np.maximum(decoder.expected_counts(np.array(shares)), 0.0)
    least, most = (np.full(runs, ends[x]) for ends in decoder.reach())
    counts, before = np.zeros((runs, decoder.cells), dtype=np.int64), 0
    excluded, naive, widths = np.zeros(runs, dtype=bool), np.zeros(runs, dtype=bool), []
    for n in looks:
        counts += rng.multinomial(n - before, chances / chances.sum(), size=runs)
        before = n
        value = decoder.decode(counts)[:, x] / n
        moment = decoder.square_sums(counts)[:, x] / n
        low, high = anytime_ends(n, value, np.maximum(moment - value**2, 0.0), least, most, 1 - ALPHA)
        excluded |= (low > shares[x]) | (shares[x] > high)
        once = law_of_levels(n, value, moment, least, most).ends(stats.norm.isf(ALPHA / 2))
        if n >= 30:
            naive |= (once[0] > shares[x]) | (shares[x] > once[1])
        widths.append(float(np.median((high - low) / (once[1] - once[0]))))
    return int(excluded.sum()), int(naive.sum()), widths


@pytest.mark.parametrize("name", SETTINGS)
def test_some_watched_surveys_rarely_exclude_the_truth(name):
    excluded, _, widths = watch(SETTINGS[name], 300, LOOKS[::3])
    assert excluded <= stats.binom.isf(ALARM, 300, ALPHA)
    assert max(widths[len(widths) // 2 :]) < 2.5


@pytest.mark.long
@pytest.mark.parametrize("name", SETTINGS)
def test_ten_thousand_watched_surveys_exclude_the_truth_in_fewer_than_one_of_twenty(name):
    excluded, _, widths = watch(SETTINGS[name], 10_000, LOOKS[::2])
    assert excluded < ALPHA * 10_000
    assert max(widths[len(widths) // 2 :]) < 2.5


def test_an_interval_for_one_look_is_left_far_more_often():
    """The control."""
    _, naive, _ = watch(SETTINGS["randomized response, a common value"], 300, LOOKS)
    assert naive > stats.binom.isf(ALARM, 300, 3 * ALPHA)


def watch_query(runs, looks):
    """How many surveys ever exclude the mean of a mechanism whose counts do not tell squares, from n = 30 on."""
    mechanism, truth = dc.mechanism(dc.Context.uniform(range(10), "1"), "subset"), np.full(10, 0.1)
    rng, excluded, naive = np.random.default_rng(6), 0, 0
    for run in range(runs):
        people = rng.choice(10, looks[-1], p=truth)
        reports = mechanism.randomize_indices(people, dc.random.seeded(run))
        left = [False, False]
        tally, before = mechanism.tally(), 0
        for n in looks:
            tally, before = tally + mechanism.tally(reports[before:n]), n
            query = dc.estimate(tally).query("mean")
            for which, anytime in enumerate((True, False)):
                low, high = query.interval(anytime=anytime)
                left[which] |= not low <= truth @ np.arange(10) <= high
        excluded, naive = excluded + left[0], naive + left[1]
    return excluded, naive


@pytest.mark.long
def test_a_watched_query_of_overlapping_cells_holds_asymptotically():
    excluded, naive = watch_query(300, [int(n) for n in np.geomspace(30, 5000, 25)])
    assert excluded <= stats.binom.isf(ALARM, 300, ALPHA)
    assert naive > stats.binom.isf(ALARM, 300, ALPHA)
