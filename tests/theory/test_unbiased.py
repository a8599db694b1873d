import math

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.theory import (
    pairwise_epsilon,
    subset_trace,
    unbiased_blocks,
    unbiased_high_low,
    unbiased_matrix,
    unbiased_queries,
    unbiased_uniform,
)

INF = math.inf


@pytest.mark.parametrize("k", [2, 3, 5, 7])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5, 6.0])
def test_at_the_uniform_p_the_best_subset_mechanism_has_the_bound_and_no_other_subset_size_is_below(
    channels, k, epsilon
):
    uniform = np.full(k, 1 / k)
    errors = [channels.unbiased_error(channels.subset(k, m, epsilon), uniform) for m in range(1, k)]
    assert unbiased_uniform(k, epsilon=epsilon).value == pytest.approx(min(errors))


def test_the_trace_is_the_largest_over_all_subset_sizes():
    for k, epsilon in [(30, 0.1), (30, 1.3), (101, 3.0), (8, 20.0), (1000, 0.9)]:
        b = math.exp(-epsilon)
        every = max(k * m * (k - m) * (1 - b) ** 2 / (m + (k - m) * b) ** 2 for m in range(1, k))
        assert subset_trace(k, epsilon) == pytest.approx(every)


def test_subset_blocks_have_the_bound_of_blocks(channels):
    sizes, masses, epsilons = [4, 3, 1, 2], [0.4, 0.3, 0.1, 0.2], [1.0, 0.5, 1.0, 2.0]
    parts = [channels.subset(4, 1, 1.0), channels.subset(3, 1, 0.5), np.ones((1, 1)), channels.subset(2, 1, 2.0)]
    p = np.concatenate([np.full(k, m / k) for k, m in zip(sizes, masses, strict=True)])
    found = unbiased_blocks(sizes, masses, epsilons=epsilons).value
    assert found == pytest.approx(channels.unbiased_error(channels.blocks(parts), p))


@pytest.mark.parametrize(
    ("s", "t", "mass", "epsilon"), [(4, 5, 0.3, 1.0), (5, 2, 0.9, 0.5), (1, 4, 0.2, 2.0), (3, 3, 0.5, 3)]
)
def test_no_high_low_subset_is_below_the_high_low_bound_and_the_best_is_near(channels, s, t, mass, epsilon):
    p = np.concatenate([np.full(s, mass / s), np.full(t, (1 - mass) / t)])
    errors = [channels.unbiased_error(channels.high_low(s, t, d, epsilon), p) for d in range(1, max(s, 2))]
    bound = unbiased_high_low(s + t, s, mass, epsilon=epsilon).value
    assert bound <= min(errors) * (1 + 1e-12)
    assert bound >= 0.85 * min(errors)


@pytest.mark.parametrize(
    ("s", "k", "mass", "epsilon", "best"),
    [(10, 100, 0.1, 1, 22.95), (50, 1000, 0.05, 3, 5.85), (50, 1000, 0.5, 5, 1.78), (200, 1000, 0.2, 5, 3.99)],
)
def test_the_high_low_bound_is_the_best_known(s, k, mass, epsilon, best):
    assert unbiased_high_low(k, s, mass, epsilon=epsilon).value == pytest.approx(best, rel=2e-3)


@pytest.mark.parametrize("epsilon", [0.1, 1, 3, 6])
@pytest.mark.parametrize(("s", "k"), [(1, 4), (2, 3), (5, 12), (30, 40)])
def test_the_high_low_bound_is_attained_whatever_shares_the_other_values_have(s, k, epsilon):
    rng = np.random.default_rng(4)
    context = dc.Context.high_low(range(k), range(s), epsilon)
    for mass in (0.0, 0.02, 0.4, 0.97):
        others = rng.dirichlet(np.full(k - s, 0.5))
        prior = np.r_[np.full(s, mass / s), (1 - mass) * others]
        found = dc.explain(context, prior=prior, bits=None).candidates[0].error
        bound = unbiased_high_low(k, s, mass, epsilon=epsilon, spread=float(others @ others)).value
        assert bound <= found * (1 + 1e-12)
        assert s == 2 or found <= bound * (1 + 1.01e-4), "two sizes are mixed where they gain 0.01 %"


def test_the_bound_for_two_sensitive_values_is_that_of_the_best_channel_written_out():
    """Reports of one sensitive value, of "some sensitive value", and of each other value, over all their odds."""
    e, t, mass = math.exp(2), 3, 0.05
    p = np.r_[np.full(2, mass / 2), np.full(t, (1 - mass) / t)]
    errors = []
    for share in np.linspace(0.5, 1, 2001):
        low, high = share / (1 + e), share * e / (1 + e)
        hidden = [[high, low, 1 - share], [low, high, 1 - share]]
        others = [[low, low, (1 - share) / e, *row] for row in np.eye(t) * (1 - 2 * low - (1 - share) / e)]
        channel = np.array([[*row, *[0] * t] for row in hidden] + others)
        used = channel[:, p @ channel > 0]
        errors.append(np.trace(np.linalg.inv(used / (p @ used) @ used.T)) - p @ p)
    bound = unbiased_high_low(2 + t, 2, mass, epsilon=2).value
    assert min(errors) == pytest.approx(bound, rel=1e-6)
    assert errors[-1] > bound * (1 + 1e-3), "the control: without the third kind of report there is more error"


def test_no_channel_is_below_the_bound_of_the_matrix_it_attains(channels):
    rng = np.random.default_rng(17)
    for _ in range(200):
        Q = rng.dirichlet(np.full(8, rng.uniform(0.3, 5)), 4)
        p = rng.dirichlet(np.ones(4))
        bound = unbiased_matrix(pairwise_epsilon(Q), p).value
        assert 0 < bound <= channels.unbiased_error(Q, p) * (1 + 1e-9)


def test_the_matrix_bound_is_exact_for_two_values_and_without_privacy(channels):
    a, b = math.exp(-1.0), math.exp(-2.0)
    Q = np.array([[1 - b, b * (1 - a)], [a * (1 - b), 1 - a]]) / (1 - a * b)
    p = np.array([0.3, 0.7])
    assert unbiased_matrix([[0, 1], [2, 0]], p).value == pytest.approx(channels.unbiased_error(Q, p))
    open_matrix = np.where(np.eye(3) > 0, 0, INF)
    p = np.array([0.2, 0.3, 0.5])
    assert unbiased_matrix(open_matrix, p).value == pytest.approx(1 - p @ p)
    assert unbiased_matrix(open_matrix, [1, 0, 0]).value == pytest.approx(0)


def test_the_matrix_bound_is_below_the_exact_one_for_equal_protection():
    for k, epsilon in [(2, 1.0), (10, 0.5), (40, 3.0)]:
        E = np.full((k, k), epsilon)
        general = unbiased_matrix(E, np.full(k, 1 / k)).value
        assert general <= unbiased_uniform(k, epsilon=epsilon).value * (1 + 1e-12)


def test_what_may_not_be_seen_has_no_unbiased_estimate():
    assert unbiased_uniform(3, epsilon=0).value == INF
    assert unbiased_high_low(3, 1, 0.5, epsilon=0).value == INF
    assert unbiased_matrix([[0, 0], [0, 0]], [0.5, 0.5]).value == INF
    assert unbiased_blocks([2, 2], [0.5, 0.5], epsilons=[0, 1]).value == INF
    assert unbiased_blocks([2, 2], [0.0, 1.0], epsilons=[0, 1]).value < INF


def test_one_value_needs_no_estimate():
    assert unbiased_uniform(1, epsilon=1).vacuous
    assert unbiased_matrix([[0]], [1]).vacuous
    assert unbiased_high_low(3, 2, 0.5, epsilon=INF).value == pytest.approx(1 - 0.25 / 2 - 0.25)


@pytest.mark.parametrize(
    "call",
    [
        lambda: unbiased_uniform(0, epsilon=1),
        lambda: unbiased_blocks([2], [0.5, 0.5], epsilons=[1]),
        lambda: unbiased_high_low(3, 3, 0.5, epsilon=1),
        lambda: unbiased_high_low(3, 1, 1.5, epsilon=1),
        lambda: unbiased_matrix([[0, 1], [1, 0]], [1]),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must"):
        call()


def test_linear_queries_have_a_bound_that_no_mechanism_is_below():
    """128 prefixes at epsilon 1: 1532.59 for sets of any share, a little more for sets of whole values."""
    prefixes = unbiased_queries(dc.Context.uniform(range(128), "1"), "cumulative").value
    e, centred = math.e, np.tri(128)[:-1] - np.tri(128)[:-1].mean(axis=1, keepdims=True)
    closed = 4 * e * np.linalg.svd(centred, compute_uv=False).sum() ** 2 / (128 * (e - 1) ** 2)
    assert closed == pytest.approx(1532.59, abs=0.01)
    assert closed <= prefixes <= closed * 1.001
    blocks = dc.Context.blocks({"a": range(4), "b": range(4, 7)}, "1")
    for context in (dc.Context.uniform(range(7), "1"), blocks, dc.Context.metric(range(7), "line", "0.5")):
        for query in ("shares", "mean", "cumulative", {0: 1, 6: -2}):
            least = unbiased_queries(context, query).value
            assert 0 < least <= dc.explain(context, query=query).candidates[0].error * (1 + 1e-9)


def test_all_shares_of_uniform_and_block_contexts_attain_the_bound_of_queries():
    uniform = unbiased_queries(dc.Context.uniform(range(20), "1"), "shares").value
    assert uniform == pytest.approx(unbiased_uniform(20, epsilon=1).value, rel=1e-8)
    prior = [0.1] * 4 + [0.2] * 3
    blocks = unbiased_queries(dc.Context.blocks({"a": range(4), "b": range(4, 7)}, "1"), "shares", prior=prior).value
    assert blocks == pytest.approx(unbiased_blocks([4, 3], [0.4, 0.6], epsilons=[1, 1]).value, rel=1e-8)


def test_without_even_shares_or_finite_entries_the_bound_is_that_without_privacy():
    prior = [0.5, 0.3, 0.2]
    for context in (dc.Context.uniform(range(3), "1"), dc.Context.high_low(range(3), [0], "1")):
        bound = unbiased_queries(context, "shares", prior=prior).value
        assert bound == pytest.approx(1 - sum(share**2 for share in prior))
    with pytest.raises(InvalidInput, match="parts of at most 320 values"):
        unbiased_queries(dc.Context.uniform(range(321), "1"), "mean")
