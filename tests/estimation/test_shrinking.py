"""Empirical Bayes through the public door."""

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput


def survey(context: dc.Context, name: str, shares: np.ndarray, n: int, seed: int = 1) -> dc.Tally:
    mechanism = dc.mechanism(context, name)
    held = np.random.default_rng(seed).choice(context.size, p=shares, size=n)
    return mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(seed)))


def zipf(k: int) -> np.ndarray:
    weights = 1 / np.arange(1, k + 1)
    return weights / weights.sum()


@pytest.mark.parametrize("name", ["hadamard", "projective", "subset", "randomized_response"])
def test_it_beats_projection_on_skewed_shares(name: str) -> None:
    context = dc.Context.uniform(range(400), "1")
    shares = zipf(400)
    wins = 0
    for seed in range(6):
        tally = survey(context, name, shares, 100_000, seed)
        shrunk, projected = dc.shrink(tally).shares, dc.project(dc.estimate(tally)).shares
        wins += ((shrunk - shares) ** 2).sum() < ((projected - shares) ** 2).sum()
    assert wins == 6


def test_exact_block_totals_are_kept() -> None:
    context = dc.Context.blocks({"a": range(50), "b": range(50, 51), "c": range(51, 200)}, "1")
    tally = survey(context, "auto", zipf(200), 50_000)
    shares = dc.shrink(tally).shares
    totals = list(dc.estimate(tally).block_totals.values())
    assert [shares[:50].sum(), shares[50], shares[51:].sum()] == pytest.approx(totals)


def test_high_low_shrinks_the_sensitive_values_only() -> None:
    context = dc.Context.high_low(range(60), range(40), "1")
    tally = survey(context, "subset", zipf(60), 50_000)
    shrunk, plain = dc.shrink(tally), dc.estimate(tally)
    assert shrunk.shares.sum() == pytest.approx(1)
    assert shrunk.shares[40:] == pytest.approx(plain.shares[40:], rel=1e-6)
    assert (shrunk.shares >= 0).all()


def test_a_table_can_be_shrunk() -> None:
    tally = survey(dc.Context.metric(range(8), lambda x, z: abs(x - z), "1"), "exponential", zipf(8), 20_000)
    assert dc.shrink(tally).shares.sum() == pytest.approx(1)


def test_the_rules_have_their_names_and_intervals() -> None:
    context = dc.Context.uniform(range(100), "1")
    tally = survey(context, "auto", zipf(100), 30_000)
    grid = np.stack(np.indices((10, 10)), axis=-1).reshape(-1, 2)
    spatial = dc.shrink(tally, rule="tv", coordinates=grid)
    assert "tv, spatial" in spatial.method
    for low, high in (dc.shrink(tally).interval(0.9), dc.shrink(tally).posterior_interval(0.9)):
        assert (low <= high).all()
        assert low.min() >= 0
    assert dc.shrink(tally).n == 30_000
    assert len(dc.shrink(tally).values) == 100


def test_nothing_cannot_be_shrunk() -> None:
    with pytest.raises(InvalidInput, match="n=0"):
        dc.shrink(dc.mechanism(dc.Context.uniform(range(3), "1")).tally())


def test_sensitive_people_that_are_only_a_rounding_error_are_none() -> None:
    """One report that shows its value leaves 1e-16 of a person for the sensitive ones."""
    mechanism = dc.mechanism(dc.Context.high_low(range(8), [1, 4, 6], "3"), "cyclotomic")
    found = dc.shrink(mechanism.tally([mechanism.sampler.base]))
    assert found.shares.tolist() == [1, 0, 0, 0, 0, 0, 0, 0]


def test_values_with_nothing_to_be_pulled_towards_have_the_unbiased_errors():
    high_low = dc.Context.high_low(range(6), [0, 1, 2], "1")
    alone = dc.Context.blocks({"many": range(4), "one": [4], "two": [5]}, "1")
    for context, settled in ((high_low, [3, 4, 5]), (alone, [4, 5])):
        mechanism = dc.mechanism(context)
        values = np.random.default_rng(1).integers(0, 6, size=2000)
        tally = mechanism.tally(mechanism.randomize_indices(values, dc.random.seeded(1)))
        shrunk, unbiased = dc.shrink(tally), dc.estimate(tally)
        assert np.allclose(shrunk.posterior_stderr[settled], unbiased.stderr[settled])
        low, high = shrunk.posterior_interval(0.9)
        assert (high - low)[settled].min() > unbiased.stderr[settled].min()
        assert (shrunk.posterior_stderr > 0).all()
