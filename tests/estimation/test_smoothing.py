"""Smooth shares: how near they are where curves are smooth, and what they do where none is."""

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, Unavailable

AGES = np.arange(101)
CURVES = {
    "one hill": np.exp(-(((AGES - 45) / 12) ** 2) / 2),
    "two hills": np.exp(-(((AGES - 30) / 6) ** 2) / 2) + 0.7 * np.exp(-(((AGES - 70) / 10) ** 2) / 2),
    "falling": np.where(AGES < 65, 1.0, 1 - (AGES - 65) / 36) + 0.2 * np.exp(-(((AGES - 50) / 8) ** 2) / 2),
}
LINE = dc.mechanism(dc.Context.metric(AGES.tolist(), "line", "0.1"), "geometric")


def tally_of(mechanism, shares, n, seed=1):
    held = np.random.default_rng(seed).choice(len(shares), size=n, p=shares / shares.sum())
    return mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(seed)))


def off(result, shares):
    """The total variation from the shares."""
    return np.abs(result.shares - shares / shares.sum()).sum() / 2


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
@pytest.mark.parametrize(("n", "most"), [(2000, 0.12), (20_000, 0.05)])
def test_ages_at_a_tenth_a_year_are_known_to_a_few_hundredths(curve, n, most):
    tally = tally_of(LINE, curve, n)
    assert off(dc.smooth(tally), curve) < most < 0.4 < off(dc.likelihood(tally), curve)


@pytest.mark.long
@pytest.mark.parametrize(("n", "most"), [(2000, 0.08), (20_000, 0.05)])
def test_over_many_surveys_the_distance_is_what_was_promised(n, most):
    distances = [
        np.mean([off(dc.smooth(tally_of(LINE, curve, n, seed)), curve) for curve in CURVES.values()])
        for seed in range(20)
    ]
    assert np.mean(distances) < most


@pytest.mark.parametrize("name", ["subset", "circulant", "hadamard"])
def test_numbers_are_smoothed_whatever_their_law(name):
    x = np.arange(64)
    curve = np.exp(-(((x - 30) / 7) ** 2) / 2)
    tally = tally_of(dc.mechanism(dc.Context.uniform(range(64), "1"), name), curve, 20_000)
    assert off(dc.smooth(tally), curve) < 0.6 * off(dc.likelihood(tally), curve)


def test_a_map_a_ring_and_a_tree_have_neighbours_too():
    cells = [(x, y) for x in range(8) for y in range(8)]
    map_ = np.exp(-((np.array(cells) - [3, 4]) ** 2).sum(axis=1) / 8)
    grid = dc.mechanism(dc.Context.metric(cells, "linf", "1/2"), "torus")
    hours = 1.2 + np.cos(np.arange(24) * np.pi / 12)
    ring = dc.mechanism(dc.Context.metric(range(24), "ring", "1/4"), "ring")
    for mechanism, shares in ((grid, map_), (ring, hours)):
        tally = tally_of(mechanism, shares, 20_000)
        assert off(dc.smooth(tally), shares) < 0.6 * off(dc.likelihood(tally), shares)
    towns = dc.Context.nested({r: {c: [f"{r}{c}{i}" for i in range(8)] for c in "xy"} for r in "ab"}, ("1/2", "1", "2"))
    shares = np.repeat([4.0, 1.0, 3.0, 2.0], 8)
    tally = tally_of(dc.mechanism(towns), shares, 20_000)
    assert off(dc.smooth(tally), shares) < 0.7 * off(dc.likelihood(tally), shares)


def test_with_much_data_a_rough_truth_stays_rough():
    shares = np.where(np.arange(32) % 2, 1.0, 0.2)
    tally = tally_of(dc.mechanism(dc.Context.uniform(range(32), "4")), shares, 200_000)
    assert off(dc.smooth(tally), shares) < 1.05 * max(off(dc.likelihood(tally), shares), 0.01)


def test_bands_hold_about_their_share_of_a_smooth_curve_and_intervals_are_the_unbiased_ones():
    curve, held = CURVES["one hill"] / CURVES["one hill"].sum(), []
    for seed in range(12):
        result = dc.smooth(tally_of(LINE, CURVES["one hill"], 20_000, seed))
        low, high = result.band(0.95)
        held.append(np.mean((low <= curve) & (curve <= high)))
        assert np.all((low <= result.shares) & (result.shares <= high))
    assert 0.85 < np.mean(held) <= 1
    unbiased = dc.estimate(result.tally).interval()
    assert np.all(result.interval()[1] >= np.minimum(unbiased[1], 1) - 1e-12)
    with pytest.raises(Unavailable, match="smooth shares are biased and have no standard error"):
        _ = result.stderr
    assert result.posterior_stderr.max() < 0.01


def test_a_density_of_numbers_is_their_smooth_shares():
    mechanism = dc.mechanism(dc.Context.numbers(0, 100, "1", clip=True))
    held = np.random.default_rng(2).normal(40, 12, 20_000)
    estimate = dc.estimate(mechanism.tally(mechanism.randomize_many(held, dc.random.seeded(3))))
    density = estimate.density()
    assert abs(density.mean().value - 40) < 1
    assert density.shares.argmax() in range(10, 16)  # about 40 of 100, by 33 nodes


def test_values_without_neighbours_and_no_reports_are_refused():
    words = dc.mechanism(dc.Context.uniform(["a", "b", "c", "d"], "1"))
    with pytest.raises(Unavailable, match="have no neighbours"):
        dc.smooth(words.tally([0, 1, 2]))
    with pytest.raises(InvalidInput, match="n=0 reports"):
        dc.smooth(LINE.tally())
    with pytest.raises(Unavailable, match="2 values are too few"):
        dc.smooth(dc.mechanism(dc.Context.uniform([0, 1], "1")).tally([0, 1]))
