"""Laws of column generation: known optima are reached, and a search can be repeated and ended."""

import math

import numpy as np
import pytest

from discreet.planning.optimize.master import feasible_weights, improve_weights, newton_weights, normalize
from discreet.planning.optimize.proof import rays
from discreet.theory.unbiased import unbiased_uniform

from .conftest import closed, found, line, problem, random_entries, uniform


def binary_optimum(a, b, p):
    """n times the error of the best channel for two values: only its two extreme rays can be of use."""
    A, B = math.exp(a), math.exp(b)
    Q = np.array([[A * (B - 1), A - 1], [B - 1, B * (A - 1)]]) / (A * B - 1)
    M = (Q / (p @ Q)) @ Q.T
    return np.trace(np.linalg.inv(M)) - p @ p


def test_two_values_get_the_binary_optimum_for_a_hundred_pairs():
    rng = np.random.default_rng(1)
    for _ in range(100):
        a, b = rng.uniform(0.05, 4, 2)
        p = rng.dirichlet([2.0, 2.0])
        E = np.array([[0.0, a], [b, 0.0]])
        of = problem(E, p)
        columns = normalize(rays(E), p)
        state = improve_weights(of, columns, feasible_weights(of, columns), np.ones(len(of.group.sizes)), rounds=5)
        assert state.value == pytest.approx(binary_optimum(a, b, p), rel=1e-6)
    reached = found(E, of).state.value
    assert reached == pytest.approx(binary_optimum(a, b, p), rel=1e-6)
    assert reached != pytest.approx(binary_optimum(a, b * 1.01, p), rel=1e-6)  # the control


@pytest.mark.parametrize(("k", "epsilon"), [(3, 1.0), (5, 0.5), (8, 2.0), (8, 0.7)])
def test_uniform_contexts_reach_the_subset_optimum(k, epsilon):
    E = uniform(k, epsilon)
    assert found(E, problem(E)).state.value == pytest.approx(unbiased_uniform(k, epsilon=epsilon).value, rel=1e-6)


@pytest.mark.parametrize(("k", "seed"), [(4, 1), (5, 2), (6, 3), (7, 4)])
def test_any_entries_reach_the_optimum_over_all_listed_rays(k, seed):
    E = random_entries(k, seed)
    of = problem(E, np.random.default_rng(seed).dirichlet(np.full(k, 3.0)))
    columns = normalize(rays(E), of.prior)
    state = improve_weights(of, columns, feasible_weights(of, columns), np.ones(k), rounds=50)
    listed = newton_weights(of, columns, state, gap=1e-8).value
    reached = found(E, of)
    assert reached.converged
    assert reached.state.value == pytest.approx(listed, rel=1e-6)


def test_entries_that_ask_nothing_are_served():
    E = closed(np.array([[0.0, np.inf, np.inf], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]))
    one = found(E, problem(E)).state.value
    assert one < found(uniform(3, 1.0), problem(uniform(3, 1.0))).state.value
    assert one >= 1 - 1 / 3  # no privacy at all


def test_a_line_reaches_what_is_known_of_it():
    E = line(10)
    assert found(E, problem(E)).state.value == pytest.approx(51.7496, rel=1e-5)


def test_a_search_that_ends_by_itself_can_be_repeated():
    E = random_entries(6, 5)
    one, other = (found(E, problem(E), seed=3) for _ in range(2))
    assert one.converged
    np.testing.assert_array_equal(one.columns, other.columns)
    np.testing.assert_array_equal(one.state.weights, other.state.weights)
    assert not np.array_equal(one.columns, found(E, problem(E), seed=4).columns)  # the control


def test_a_search_that_is_stopped_keeps_the_best_so_far():
    E = line(12)
    steps = []

    def stop(error, columns):
        steps.append(error)
        if len(steps) == 4:
            raise KeyboardInterrupt

    reached = found(E, problem(E), progress=stop)
    assert reached.stopped
    assert not reached.converged
    assert reached.rounds == 4
    assert reached.state.value <= min(steps)
    np.testing.assert_allclose(reached.state.weights @ reached.columns @ np.ones(12), 12.0, rtol=1e-6)


def test_no_time_at_all_still_gives_a_channel():
    E = line(8)
    reached = found(E, problem(E), seconds=0.0)
    assert reached.rounds == 1
    assert math.isfinite(reached.state.value)
