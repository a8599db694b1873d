"""Wang's chain and the best prior: what holds for every prior, and who attains it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from discreet.core.errors import InvalidInput
from discreet.theory import (
    best_prior,
    information_ceiling,
    information_chain,
    mutual_information,
    subset_information,
    subset_optimum,
)
from discreet.theory.channels.information import _best_channel

EPSILONS = [0.01, 0.1, 0.5, 1, 2, 5, 12, 40]


def most_information(prior, epsilon):
    """By a linear programme over all columns, solved by someone else."""
    columns = np.array(list(itertools.product([1, math.exp(epsilon)], repeat=len(prior)))).T
    worth = (prior[:, None] * columns * np.log(columns / (prior @ columns))).sum(axis=0)
    return -linprog(-worth, A_eq=columns, b_eq=np.ones(len(prior))).fun


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [2, 3, 10, 257])
def test_the_chain_is_in_order(k, epsilon):
    chain = information_chain(k, epsilon=epsilon)
    rounding = 1 + 1e-9
    assert 0 < chain.exact <= chain.ceiling * rounding
    assert chain.ceiling <= chain.quadratic * rounding
    assert chain.quadratic * 12 == pytest.approx(chain.earlier)


def test_no_smaller_constant_than_an_eighth_would_do():
    """The control: the chain is tight as epsilon goes to zero."""
    chain = information_chain(100_000, epsilon=0.01)
    assert chain.exact > 0.999 * chain.quadratic


@pytest.mark.parametrize("epsilon", [0.3, 1, 3])
def test_the_ceiling_is_the_information_at_the_best_fraction_of_the_values_and_is_reached_in_the_limit(epsilon):
    e = math.exp(epsilon)
    fraction = (epsilon * e - e + 1) / (e - 1) ** 2
    mean = fraction * e + 1 - fraction
    assert information_ceiling(epsilon) == pytest.approx(fraction * e * epsilon / mean - math.log(mean), rel=1e-12)
    assert subset_optimum(100_000, epsilon=epsilon).value == pytest.approx(information_ceiling(epsilon), rel=1e-8)


def test_the_two_ways_to_compute_the_ceiling_agree_where_they_meet():
    assert information_ceiling(0.01) == pytest.approx(0.01**2 / 8 - 0.01**4 / 576, rel=1e-10)
    assert information_ceiling(0) == 0
    assert information_ceiling(math.inf) == math.inf


def test_the_closed_form_for_two_values():
    for epsilon in (0.2, 1.0, 4.0):
        e = math.exp(epsilon)
        printed = epsilon * e / (e + 1) - math.log((e + 1) / 2)
        assert subset_information(2, 1, epsilon=epsilon) == pytest.approx(printed, rel=1e-12)
        assert printed <= epsilon**2 / 8


@pytest.mark.parametrize("epsilon", [0.2, 1.3, 4])
def test_no_prior_exceeds_the_ceiling_and_the_best_channel_is_that_of_the_linear_programme(epsilon):
    rng = np.random.default_rng(1)
    for _ in range(10):
        prior = rng.dirichlet(np.ones(5))
        Q = _best_channel(prior, epsilon)
        found = mutual_information(Q, prior)
        assert found == pytest.approx(most_information(prior, epsilon), rel=1e-9)
        assert found <= information_ceiling(epsilon)
        used = Q[:, Q.max(axis=0) > 0]
        assert (used.max(axis=0) / used.min(axis=0)).max() <= math.exp(epsilon) * (1 + 1e-9)


@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.5), (3, 0.5), (3, 2), (4, 0.5), (4, 1), (4, 5)])
def test_no_prior_of_a_grid_is_better_than_the_best_found(k, epsilon):
    best = best_prior(k, epsilon=epsilon)
    parts = 10
    grid = [
        np.array([*c, parts - sum(c)]) / parts
        for c in itertools.product(range(1, parts), repeat=k - 1)
        if sum(c) < parts
    ]
    grid = [prior for prior in grid if all(np.diff(prior) <= 0)]
    assert max(most_information(prior, epsilon) for prior in grid) <= best.value * (1 + 1e-9)
    assert best.value <= best.ceiling
    assert sum(best.prior) == pytest.approx(1)


def test_an_uneven_prior_may_be_better_than_every_even_one():
    even = max(subset_optimum(k, epsilon=0.5).value for k in (2, 3, 4))
    best = best_prior(4, epsilon=0.5)
    assert best.value > 1.02 * even
    assert best.prior == pytest.approx((0.4, 0.2, 0.2, 0.2), abs=1e-3)


def test_the_edges_and_what_is_refused():
    assert best_prior(1, epsilon=1).value == 0
    assert best_prior(3, epsilon=0).value == 0
    assert best_prior(3, epsilon=math.inf).value == math.log(3)
    with pytest.raises(InvalidInput, match="at most 10"):
        best_prior(11, epsilon=1)
