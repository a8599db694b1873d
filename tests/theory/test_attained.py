import math

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.theory import (
    attained_blocks,
    attained_blocks_printed,
    attained_high_low,
    attained_high_low_printed,
    attained_subset,
)


def covariance(Q, decode, p):
    """n times the covariance of the estimate that averages the rows of `decode`, for values drawn from p."""
    reports = p @ Q
    return decode.T @ np.diag(reports) @ decode - np.outer(p, p)


def hadamard_decode(Q, epsilon, sensitive=None):
    """The papers' estimator: c times the sign of the value's row at the report, or c for the value shown."""
    c = 1 / math.tanh(epsilon / 2)
    k = len(Q)
    decode = np.zeros((Q.shape[1], k))
    for x in range(k if sensitive is None else sensitive):
        row = Q[x]
        signs = np.where(row > row[row > 0].mean(), 1.0, -1.0)
        decode[:, x] = c * np.where(row > 0, signs, 0.0)
    if sensitive is not None:
        for x in range(sensitive, k):
            decode[Q.shape[1] - k + x, x] = c
    return decode


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("sizes", [[5], [3, 4], [2, 1, 6]])
def test_hadamard_in_blocks_has_the_sharpened_error_at_every_p(channels, sizes, epsilon):
    rng = np.random.default_rng(18)
    Q = channels.blocks([channels.hadamard(k, epsilon) for k in sizes])
    decode = hadamard_decode(Q, epsilon)
    assert np.allclose(Q @ decode, np.eye(len(Q)))
    c = 1 / math.tanh(epsilon / 2)
    bound = attained_blocks(sizes, 1, epsilons=[epsilon] * len(sizes))
    block = np.repeat(np.arange(len(sizes)), sizes)
    for p in [*rng.dirichlet(np.full(len(Q), 0.4), 40), *np.eye(len(Q))]:
        V = covariance(Q, decode, p)
        masses = np.bincount(block, weights=p)
        assert np.allclose(np.diag(V), c**2 * masses[block] - p**2)
        assert np.trace(V) <= bound.squared_error.value * (1 + 1e-12)
        assert np.sqrt(np.diag(V).clip(0)).sum() / 2 <= bound.total_variation.value * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(("s", "t"), [(3, 4), (1, 5), (6, 1)])
def test_hadamard_high_low_has_the_sharpened_error_at_every_p(channels, s, t, epsilon):
    rng = np.random.default_rng(19)
    Q = channels.hadamard_high_low(s, t, epsilon)
    decode = hadamard_decode(Q, epsilon, sensitive=s)
    assert np.allclose(Q @ decode, np.eye(s + t))
    c, e = 1 / math.tanh(epsilon / 2), math.exp(epsilon)
    bound = attained_high_low(s + t, s, 1, epsilon=epsilon)
    for p in [*rng.dirichlet(np.full(s + t, 0.4), 40), *np.eye(s + t)]:
        V = np.diag(covariance(Q, decode, p))
        assert np.allclose(V[:s], 2 * c**2 / (e + 1) + c * p[:s].sum() - p[:s] ** 2)
        assert np.allclose(V[s:], c * p[s:] - p[s:] ** 2)
        assert V.sum() <= bound.squared_error.value * (1 + 1e-12)
        assert np.sqrt(V.clip(0)).sum() / 2 <= bound.total_variation.value * (1 + 1e-12)


@pytest.mark.parametrize("k", [2, 4, 6])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_subset_mechanism_has_its_error_at_every_p_at_most(channels, k, epsilon):
    rng = np.random.default_rng(20)
    bound = attained_subset(k, 1, epsilon=epsilon).squared_error.value
    best = []
    for m in range(1, k):
        Q = channels.subset(k, m, epsilon)
        decode = Q.T @ np.linalg.inv(Q @ Q.T)
        errors = [np.trace(covariance(Q, decode, p)) for p in [np.full(k, 1 / k), *rng.dirichlet(np.ones(k), 20)]]
        assert max(errors) == pytest.approx(errors[0])
        best.append(errors[0])
    assert min(best) == pytest.approx(bound)


def test_the_printed_constants_are_larger_by_what_the_errata_say():
    sharp = attained_blocks([5, 5], 100, epsilons=[1, 1])
    printed = attained_blocks_printed([5, 5], 100, epsilons=[1, 1])
    c = 1 / math.tanh(0.5)
    assert printed.squared_error.value == pytest.approx(12 * c**2 * 5 / 100)
    assert printed.total_variation.value == pytest.approx(2 * c * math.sqrt(3 * 50 / 100))
    assert printed.total_variation.value / sharp.total_variation.value == pytest.approx(6.928, abs=1e-3)
    assert printed.squared_error.value / sharp.squared_error.value == pytest.approx(12)
    high = attained_high_low_printed(20, 4, 100, epsilon=1)
    assert high.total_variation.value == pytest.approx(math.sqrt(3 * 16 * c**2 / 100) + math.sqrt(c * 20 / 100))
    assert high.squared_error.value == pytest.approx((3 * 4 * c**2 + c) / 100)
    assert attained_high_low(20, 4, 100, epsilon=1).total_variation.value < high.total_variation.value / 2


def test_an_error_of_one_or_more_says_nothing_and_says_so():
    assert attained_subset(100, 10, epsilon=0.1).total_variation.vacuous
    assert not attained_subset(100, 10**9, epsilon=1).total_variation.vacuous
    assert attained_blocks([4], 100, epsilons=[0]).squared_error.value == math.inf
    assert attained_high_low(4, 2, 100, epsilon=0).squared_error.vacuous
    assert attained_subset(4, 100, epsilon=0).squared_error.value == math.inf


@pytest.mark.parametrize(
    "call",
    [
        lambda: attained_subset(1, 10, epsilon=1),
        lambda: attained_subset(3, 0, epsilon=1),
        lambda: attained_blocks([], 10, epsilons=[]),
        lambda: attained_blocks([0], 10, epsilons=[1]),
        lambda: attained_high_low(3, 4, 10, epsilon=1),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must be"):
        call()
