import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from discreet.core.errors import InvalidInput
from discreet.theory import (
    blocks_information,
    capacity,
    mutual_information,
    subset_information,
    subset_optimum,
    unary_information,
)

# d, epsilon, k*: all 41 rows of Table 1 of Wang et al.
TABLE_1 = [
    *[(2, 0.1, 1), (2, 1.0, 1)],
    *[(4, 0.01, 2), (4, 0.1, 2), (4, 0.5, 2), (4, 1.0, 1)],
    *[(6, 0.01, 3), (6, 0.1, 3), (6, 0.5, 3), (6, 1.0, 2)],
    *[(8, 0.01, 4), (8, 0.1, 4), (8, 0.5, 3), (8, 1.0, 3), (8, 2.0, 2)],
    *[(16, 0.01, 8), (16, 0.1, 8), (16, 0.5, 7), (16, 1.0, 5), (16, 2.0, 3), (16, 3.0, 2)],
    *[(32, 0.01, 16), (32, 0.1, 15), (32, 1.0, 11), (32, 1.5, 9), (32, 2.0, 7), (32, 3.0, 4)],
    *[(64, 0.1, 31), (64, 0.5, 27), (64, 1.0, 22), (64, 1.5, 17), (64, 2.0, 13), (64, 3.0, 7), (64, 5.0, 2)],
    *[(128, 0.1, 62), (128, 1.0, 43), (128, 3.0, 14), (128, 5.0, 4)],
    *[(256, 1.0, 87), (256, 3.0, 29), (256, 5.0, 7)],
]


def by_entropies(Q, prior):
    """H(X) + H(Y) - H(X, Y), from the joint table."""
    joint = np.asarray(prior)[:, None] * np.asarray(Q)
    h = [-sum(v * math.log(v) for v in t.ravel() if v > 0) for t in (joint.sum(0), joint.sum(1), joint)]
    return h[0] + h[1] - h[2]


def test_information_is_the_sum_of_entropies_less_the_joint_one():
    rng = np.random.default_rng(21)
    for _ in range(50):
        Q, p = rng.dirichlet(np.full(6, 0.4), 4), rng.dirichlet(np.full(4, 0.4))
        assert mutual_information(Q, p) == pytest.approx(by_entropies(Q, p), abs=1e-12)
    assert mutual_information(np.eye(3), [0.5, 0.5, 0]) == pytest.approx(math.log(2))
    assert mutual_information([[0.5, 0.5], [0.5, 0.5]], [0.2, 0.8]) == 0


@pytest.mark.parametrize("k", [2, 4, 6])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 4.0])
def test_the_subset_formula_is_the_information_of_the_subset_channel(channels, k, epsilon):
    for m in range(1, k):
        exact = mutual_information(channels.subset(k, m, epsilon), np.full(k, 1 / k))
        assert subset_information(k, m, epsilon=epsilon) == pytest.approx(exact, rel=1e-8, abs=1e-12)
    assert subset_information(k, 0, epsilon=epsilon) == subset_information(k, k, epsilon=epsilon) == 0


@pytest.mark.parametrize("k", [2, 3, 5, 7])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0, 4.0])
def test_the_optimum_is_that_of_a_linear_program_over_all_private_channels(k, epsilon):
    levels = np.array(list(itertools.product([1.0, math.exp(epsilon)], repeat=k)))
    gains = (levels / k * np.log(levels / levels.mean(axis=1, keepdims=True))).sum(axis=1)
    found = linprog(-gains, A_eq=levels.T, b_eq=np.ones(k))
    assert subset_optimum(k, epsilon=epsilon).value == pytest.approx(-found.fun, rel=1e-6)


@pytest.mark.parametrize(("d", "epsilon", "size"), TABLE_1)
def test_the_best_subset_size_is_that_of_the_papers_table(d, epsilon, size):
    found = subset_optimum(d, epsilon=epsilon)
    assert found.size == size
    assert found.value >= max(subset_information(d, m, epsilon=epsilon) for m in range(1, d)) - 1e-15


def test_the_paper_has_41_rows():
    assert len(TABLE_1) == 41


def test_the_optimum_reaches_both_ends():
    assert subset_optimum(10, epsilon=math.inf).value == pytest.approx(math.log(10))
    assert subset_optimum(10, epsilon=math.inf).size == 1
    assert subset_optimum(10, epsilon=0).value == 0
    tiny = subset_optimum(100, epsilon=1e-5)
    assert tiny.size in (49, 50)
    assert tiny.value == pytest.approx(1e-10 / 8, rel=1e-3)


@pytest.mark.parametrize("k", [1, 2, 4, 6])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_unary_formula_is_the_information_of_flipped_bits(k, epsilon):
    flip = 1 / (1 + math.exp(epsilon / 2))
    reports = list(itertools.product([0, 1], repeat=k))
    Q = [
        [math.prod(1 - flip if bit == (i == x) else flip for i, bit in enumerate(y)) for y in reports] for x in range(k)
    ]
    exact = mutual_information(np.array(Q), np.full(k, 1 / k))
    assert unary_information(k, epsilon=epsilon) == pytest.approx(exact, abs=1e-12)
    if k > 1:
        assert unary_information(k, epsilon=epsilon) <= subset_optimum(k, epsilon=epsilon).value + 1e-12


def test_unary_without_privacy_tells_all_and_large_domains_do_not_overflow():
    assert unary_information(8, epsilon=math.inf) == pytest.approx(math.log(8))
    assert unary_information(3000, epsilon=40) == pytest.approx(math.log(3000), rel=1e-3)


def test_blocks_tell_the_block_and_then_the_best_inside(channels):
    sizes, epsilons = [4, 2, 1], [1.0, 0.5, 1.0]
    parts = [channels.subset(4, subset_optimum(4, epsilon=1.0).size, 1.0), channels.subset(2, 1, 0.5), np.ones((1, 1))]
    exact = mutual_information(channels.blocks(parts), np.full(7, 1 / 7))
    assert blocks_information(sizes, epsilons=epsilons) == pytest.approx(exact)
    assert blocks_information([7], epsilons=[1.0]) == pytest.approx(subset_optimum(7, epsilon=1.0).value)


def test_capacity_is_that_of_the_textbook_channels():
    for w in (0.01, 0.1, 0.4):
        h = -w * math.log(w) - (1 - w) * math.log(1 - w)
        found = capacity([[1 - w, w], [w, 1 - w]])
        assert found.value == pytest.approx(math.log(2) - h)
        erased = capacity([[1 - w, w, 0], [0, w, 1 - w]])
        assert erased.value == pytest.approx((1 - w) * math.log(2))
    z = capacity([[1, 0], [0.5, 0.5]])
    assert z.value == pytest.approx(math.log(1.25), abs=1e-8)
    assert z.prior[1] == pytest.approx(0.4, abs=1e-4)


def test_capacity_is_bracketed_and_above_every_prior():
    rng = np.random.default_rng(22)
    for _ in range(5):
        Q = rng.dirichlet(np.full(5, 0.5), 4)
        found = capacity(Q)
        assert found.value <= found.ceiling <= found.value + 1e-9
        assert mutual_information(Q, found.prior) == pytest.approx(found.value)
        assert max(mutual_information(Q, p) for p in rng.dirichlet(np.ones(4), 200)) <= found.ceiling


def test_capacity_stopped_early_still_brackets():
    Q = np.array([[1.0, 0.0, 0.0], [0.3, 0.6, 0.1], [0.25, 0.55, 0.2]])
    early, late = capacity(Q, iterations=3), capacity(Q)
    assert early.iterations == 3
    assert early.value <= late.value <= late.ceiling <= early.ceiling
    assert early.ceiling - early.value > 1e-6


@pytest.mark.parametrize(
    "call",
    [
        lambda: mutual_information([[1, 0], [0, 1]], [1]),
        lambda: subset_information(3, 4, epsilon=1),
        lambda: subset_optimum(1, epsilon=1),
        lambda: blocks_information([], epsilons=[]),
        lambda: blocks_information([0], epsilons=[1]),
        lambda: unary_information(0, epsilon=1),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must"):
        call()
