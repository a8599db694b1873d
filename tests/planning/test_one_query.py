"""Laws of the linear program for one query."""

import time

import numpy as np
import pytest

import discreet as dc
from discreet.estimation.decoders import decoder_of
from discreet.planning.optimize import one_query
from discreet.planning.optimize.one_query import best_for_one_query, swept_rays
from discreet.planning.optimize.proof import bound_of_dual

from .conftest import problem, uniform


def solved(E, of, seconds=60.0):
    until = time.monotonic() + seconds
    return best_for_one_query(float(E.max()), of, until=until, progress=lambda error, columns: None)


@pytest.mark.parametrize(
    ("k", "epsilon", "least"), [(9, 1.0, 4.34893), (17, 1.0, 4.284798), (17, 0.5, 16.37563), (33, 2.0, 1.137442)]
)
def test_the_mean_of_equally_spaced_numbers_has_its_known_optimum(k, epsilon, least):
    """n times the variance for values from -1 to 1, each as likely, which is also that of the values."""
    E = uniform(k, epsilon)
    of = problem(E, rows=np.linspace(-1, 1, k)[None])
    solution = solved(E, of)
    assert solution.converged
    assert solution.state.value == pytest.approx(least, rel=2e-6)
    bound, _ = bound_of_dual(E, of, solution.state.K, solution.state.along(of.group))
    assert least * (1 - 1e-5) < bound <= solution.state.value
    sums = of.group.totals @ solution.columns.T @ solution.state.weights
    np.testing.assert_allclose(sums, of.group.sizes, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_any_weights_and_shares_are_served(seed):
    rng = np.random.default_rng(seed)
    prior, E = rng.dirichlet(np.ones(7)), uniform(7, 1.5)
    of = problem(E, prior, rows=rng.normal(size=(1, 7)), symmetric=False)
    solution = solved(E, of)
    bound, listed = bound_of_dual(E, of, solution.state.K, solution.state.multipliers)
    assert listed
    assert solution.state.value * (1 - 1e-5) < bound <= solution.state.value * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [1e-2, 1e-4, 1e-6])
def test_small_epsilons_lose_no_digits(epsilon):
    """The optimum is that of the slope of likelihoods: the distance of scores grows as 2 / epsilon."""
    E = uniform(5, epsilon)
    of = problem(E, rows=np.linspace(-1, 1, 5)[None])
    solution = solved(E, of)
    assert solution.converged
    assert solution.state.value * epsilon**2 == pytest.approx(4.0, rel=2 * epsilon + 1e-5)


def test_a_mirrored_query_is_solved_like_any_other(monkeypatch):
    E = uniform(8, 1.0)
    of = problem(E, rows=np.linspace(-1, 1, 8)[None])
    folded = solved(E, of).state.value
    monkeypatch.setattr(one_query, "_mirror", lambda query, prior: None)
    assert solved(E, of).state.value == pytest.approx(folded, rel=1e-5)


def test_there_are_few_rays_of_a_sweep():
    rng = np.random.default_rng(1)
    rays = swept_rays(1.0, np.full(50, 0.02), rng.normal(size=50), rng.normal(size=50), 0.0)
    assert 2 <= len(rays) <= 101


def test_the_table_of_a_mean_is_certified_optimal_and_estimates_it():
    context = dc.Context.uniform(range(17), "1")
    designed = dc.design(context, query="mean", seconds=60)
    assert designed.label == "optimal, all types checked"
    assert designed.notes == ()
    assert designed.error / 64 == pytest.approx(4.2848, rel=5e-5)
    assert dc.verify(designed.mechanism).realised <= 1
    decoder = decoder_of(designed.mechanism)
    np.testing.assert_allclose(decoder.channel @ decoder.phi.T @ np.arange(17), np.arange(17), atol=1e-6)


def test_the_first_columns_are_a_law_of_their_own(monkeypatch):
    """Without a program that ends in time: a random threshold, and whether the value is above it."""
    monkeypatch.setattr(one_query, "_solve", lambda *args: None)
    E, query = uniform(9, 1.0), np.linspace(-1, 1, 9)
    of = problem(E, rows=query[None])
    first = solved(E, of)
    assert first.rounds == 0
    sums = of.group.totals @ first.columns.T @ first.state.weights
    np.testing.assert_allclose(sums, of.group.sizes, atol=1e-12)
    assert len(first.columns) == 8  # a threshold from below and one from above are one column
    assert first.state.value == pytest.approx(np.tanh(0.5) ** -2)  # scores are the same at all thresholds
    designed = dc.design(dc.Context.uniform(range(17), "1"), query="mean", seconds=60)
    assert designed.error < 0.25 * next(one.error for one in designed.compared if one.name == "subset")
    assert "optimal" not in designed.label


def test_time_that_is_over_leaves_what_was_found():
    E = uniform(33, 1.0)
    of = problem(E, rows=np.linspace(-1, 1, 33)[None])
    first = solved(E, of, seconds=0.0)
    assert not first.converged
    assert first.rounds == 1
    assert first.state.value > solved(E, of).state.value
