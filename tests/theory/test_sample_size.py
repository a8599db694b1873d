import math

import pytest

from discreet.core.errors import InvalidInput
from discreet.theory import (
    attained_blocks,
    attained_high_low,
    attained_subset,
    blocks_users,
    classical_users,
    high_low_users,
    minimax_blocks,
    minimax_classical,
    minimax_high_low,
)


@pytest.mark.parametrize("k", [2, 10, 200])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_classical_users_are_ordered_and_mean_what_they_say(k, epsilon):
    found = classical_users(k, 0.05, epsilon=epsilon)
    assert found.chi_square.value <= found.necessary.value < found.sufficient.value < found.printed.value
    n = found.necessary.value
    assert minimax_classical(k, n, epsilon=epsilon).total_variation.value > 0.05
    assert minimax_classical(k, n * 1.01 + 1, epsilon=epsilon).total_variation.value <= 0.05
    assert attained_subset(k, found.sufficient.value, epsilon=epsilon).total_variation.value <= 0.05
    assert attained_subset(k, found.sufficient.value - 1, epsilon=epsilon).total_variation.value > 0.05


def test_block_users_are_ordered_and_mean_what_they_say():
    sizes, epsilons = [10, 10, 4], [1.0, 1.0, 0.5]
    found = blocks_users(sizes, 0.05, epsilons=epsilons)
    assert found.chi_square.value <= found.necessary.value < found.sufficient.value < found.printed.value
    n = found.necessary.value
    assert minimax_blocks(sizes, n, epsilons=epsilons).total_variation.value > 0.05
    assert attained_blocks(sizes, found.sufficient.value, epsilons=epsilons).total_variation.value <= 0.05


@pytest.mark.parametrize(("k", "s"), [(50, 10), (50, 1), (20, 19)])
def test_high_low_users_are_ordered_and_mean_what_they_say(k, s):
    found = high_low_users(k, s, 0.05, epsilon=1)
    assert found.chi_square.value <= found.necessary.value < found.sufficient.value < found.printed.value
    n = found.necessary.value
    assert minimax_high_low(k, s, n, epsilon=1).total_variation.value > 0.05
    assert attained_high_low(k, s, found.sufficient.value, epsilon=1).total_variation.value <= 0.05


def test_users_grow_with_the_square_of_the_values_and_of_one_over_epsilon():
    few, many = classical_users(100, 0.02, epsilon=0.5), classical_users(200, 0.02, epsilon=0.5)
    tight = classical_users(100, 0.02, epsilon=0.25)
    for side in ("necessary", "sufficient"):
        assert getattr(many, side).value / getattr(few, side).value == pytest.approx(4, rel=0.15)
        assert getattr(tight, side).value / getattr(few, side).value == pytest.approx(4, rel=0.15)


def test_blocks_save_their_number():
    whole, split = classical_users(200, 0.02, epsilon=1), blocks_users([20] * 10, 0.02, epsilons=[1] * 10)
    assert whole.necessary.value / split.necessary.value == pytest.approx(10, rel=0.2)


def test_the_two_terms_of_the_high_low_context_take_turns():
    """Many outside values cost k / epsilon, many sensitive ones s^2 / epsilon^2."""
    outside = [high_low_users(k, 2, 0.02, epsilon=0.1).necessary.value for k in (300, 600)]
    assert outside[1] / outside[0] == pytest.approx(2, rel=0.15)
    inside = [high_low_users(120, s, 0.02, epsilon=0.1).necessary.value for s in (32, 64)]
    assert inside[1] / inside[0] == pytest.approx(4, rel=0.2)


def test_a_bound_that_says_nothing_says_so():
    found = classical_users(2, 0.4, epsilon=1)
    assert found.chi_square.vacuous
    assert found.chi_square.value == 0
    hidden = classical_users(3, 0.1, epsilon=0)
    assert hidden.sufficient.value == math.inf
    assert hidden.sufficient.vacuous
    assert hidden.necessary.value >= 10**17


@pytest.mark.parametrize("accuracy", [0, 1, -0.1, math.nan])
def test_an_accuracy_outside_zero_to_one_is_refused(accuracy):
    with pytest.raises(InvalidInput, match="strictly between"):
        classical_users(3, accuracy, epsilon=1)
