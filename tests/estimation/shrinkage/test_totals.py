import numpy as np

from discreet.estimation.results.shrinkage.blocks import fit_shift, lay_out
from discreet.estimation.results.shrinkage.dictionary import gamma_masses, gamma_shapes
from discreet.estimation.results.shrinkage.posterior import Prior, moments


def fitted(counts, block, totals):
    layout = lay_out(counts, block, totals, np.full(len(counts), 3.7), np.zeros(len(counts)))
    table = gamma_masses(layout.edges, gamma_shapes(layout.largest)[4:5], np.array([0]), layout.tops[:1])
    prior = Prior((table[:, 0],), (np.zeros(len(layout.live), dtype=np.int64),))
    shift, means = fit_shift(layout, prior)
    return layout, prior, shift, means


def test_means_add_up_and_are_posterior_means_at_the_shift():
    rng = np.random.default_rng(0)
    block, totals = np.repeat(np.arange(5), 20), np.array([50.0, 500.0, 5e3, 5e4, 5e5])
    counts = totals[block] / 20 + rng.normal(size=100) * np.sqrt(3.7 * totals[block])
    layout, prior, shift, means = fitted(counts, block, totals)
    assert np.allclose(np.bincount(block, means), totals)
    again = moments(layout.edges, layout.readings.shift(shift), prior)[0]
    assert np.max(np.abs(again - means) / layout.readings.sigma) < 0.02
    unshifted = moments(layout.edges, layout.readings, prior)[0]
    assert np.max(np.abs(unshifted - means) / layout.readings.sigma) > 0.05


def test_every_count_of_a_block_is_shifted_alike():
    rng = np.random.default_rng(1)
    block, totals = np.repeat([0, 1], 30), np.array([3000.0, 9000.0])
    shift = fitted(100 + rng.normal(0, 100, 60), block, totals)[2]
    assert np.ptp(shift[:30]) == 0
    assert np.ptp(shift[30:]) == 0
    assert shift[0] != shift[30]


def test_counts_far_from_their_total_are_still_brought_to_it():
    block = np.repeat([0, 1], 10)
    counts = np.concatenate([np.full(10, -1e5), np.full(10, 1e5)])
    means = fitted(counts, block, np.array([1000.0, 1000.0]))[3]
    assert np.allclose(means, 100)
