"""Laws of the bounds: they hold whatever multipliers are given, and no label comes from wrong ones."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import discreet as dc
from discreet.planning.classwise import classes_of
from discreet.planning.design import run
from discreet.planning.design.components import components_of, tasks_of
from discreet.planning.design.search import Search
from discreet.planning.objective import Objective
from discreet.planning.optimize.master import dual_value
from discreet.planning.optimize.proof import (
    MAX_SET_VALUES,
    _most_by_sweep,
    _most_over_rays,
    _most_over_sets,
    bound_of_dual,
    closed_bound,
    most_information,
)
from discreet.planning.optimize.type_options import TypeProblem
from discreet.planning.optimize.types import best_types, bound_of_prices, price_all_types

from .conftest import found, problem, uniform

NUMBERS = dc.Context.uniform(range(6), "1")


@pytest.mark.parametrize("seed", range(5))
def test_listed_sets_are_the_rays_of_a_uniform_cone(seed):
    rng = np.random.default_rng(seed)
    prior, root, lam = rng.dirichlet(np.ones(6)), rng.normal(size=(6, 6)), rng.normal(size=6)
    sets, rays = (
        _most_over_sets(0.8, prior, root @ root.T, lam),
        _most_over_rays(uniform(6, 0.8), prior, root @ root.T, lam),
    )
    assert sets == pytest.approx(rays, rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_a_sweep_finds_the_best_of_all_sets(seed):
    rng = np.random.default_rng(seed)
    size, epsilon = int(rng.integers(2, 11)), float(rng.choice([1e-3, 0.5, 1.0, 4.0]))
    prior = rng.dirichlet(np.full(size, 0.3))
    prior = np.where(rng.random(size) < 0.2, 0.0, prior)
    prior = prior / prior.sum() if prior.sum() > 0 else np.full(size, 1 / size)
    c, lam = rng.normal(size=size), rng.normal(size=size) * rng.choice([0.1, 1, 10])
    if seed % 4 == 0:
        c[0] = 0.0
    sets = _most_over_sets(epsilon, prior, np.outer(c, c), lam)
    assert _most_by_sweep(epsilon, prior, c, lam) == pytest.approx(sets, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rows", [None, np.tri(7)[:-1], np.arange(7.0)[None]], ids=["shares", "cumulative", "mean"])
def test_no_multipliers_prove_more_than_the_best_channel(rows):
    E = uniform(7, 1.0)
    of = problem(E, rows=rows)
    best = found(E, replace(of, floor=2e-5 * np.eye(7) if rows is not None and len(rows) == 1 else 0.0), seconds=60)
    true, _ = bound_of_dual(E, of, best.state.K, best.state.along(of.group))
    assert best.state.value * (1 - 1e-3) < true < best.state.value * (1 + 1e-3)
    rng = np.random.default_rng(1)
    for _ in range(20):
        wrong, lam = rng.normal(size=(7, 7)), rng.normal(size=7)
        for K in (wrong @ wrong.T, wrong + wrong.T, best.state.K * rng.uniform(0, 3)):
            assert bound_of_dual(E, of, K, lam + rng.choice([0, 10]))[0] <= true * (1 + 1e-3)
            assert dual_value(of.W, wrong + wrong.T, 1.0) == 0.0  # what is not positive proves nothing
    assert closed_bound(E, of) <= true * (1 + 1e-9)


def test_one_query_of_many_values_is_priced_by_a_sweep():
    size = MAX_SET_VALUES + 1
    E = uniform(size, 1.0)
    of = problem(E, rows=np.arange(float(size))[None])
    assert bound_of_dual(E, of, np.eye(size), np.ones(size)) is None
    c = np.arange(size) - (size - 1) / 2
    bound, listed = bound_of_dual(E, of, np.outer(c, c), np.full(size, c @ c))
    assert not listed
    assert 0 < bound < 1000


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1.0), (13, 1.0), (128, 1.0), (40, 0.01), (5, 6.0)])
def test_no_column_has_more_information_than_the_closed_bound_allows(k, epsilon):
    m, e = np.arange(k + 1), np.exp(epsilon)
    mean, square = (m * e + k - m) / k, (m * e**2 + k - m) / k
    assert most_information(k, epsilon) == pytest.approx(k * (square / mean**2 - 1).max(), rel=1e-9)
    # the continuous size 1/(1+e) of the set is an upper bound, and near for many values
    assert most_information(k, epsilon) <= k * (e - 1) ** 2 / (4 * e) * (1 + 1e-12)


def test_the_closed_bound_is_attained_for_all_shares():
    for k, epsilon in ((5, 1.0), (20, 0.5)):
        E = uniform(k, epsilon)
        subset = dc.explain(dc.Context.uniform(range(k), str(epsilon))).candidates[0].error
        assert closed_bound(E, problem(E)) == pytest.approx(subset, rel=1e-8)
        assert closed_bound(E, problem(E, np.arange(1.0, k + 1) / (k * (k + 1) / 2))) == 0.0  # uneven shares


def test_prices_of_types_prove_nothing_false():
    classes = classes_of(dc.Context.uniform(range(5), "1") & dc.Context.high_low(range(5), [0], "0.5"), np.full(5, 0.2))
    of = TypeProblem(classes, bits=None)
    error = best_types(classes, bits=None).bound + float(np.sum(classes.masses**2 / classes.sizes))
    levels, rng = len(of.sizes), np.random.default_rng(3)
    for _ in range(20):
        root = rng.normal(size=(levels, levels))
        prices = root @ root.T, rng.uniform(0, 2, levels), rng.normal(size=levels)
        _, gain = price_all_types(of, prices)
        assert bound_of_prices(of, prices, gain) <= error * (1 + 1e-6)


def test_a_wrong_dual_gives_no_label(monkeypatch):
    right = dc.design(NUMBERS, query="mean", seconds=60)
    assert right.label.startswith("optimal")
    solve = Search.solve
    for K_times, lam_times in ((1.0, 0.5), (1e-3, 1e-3), (100.0, 1.0), (1.0, 3.0)):

        def planted(self, *args, K_times=K_times, lam_times=lam_times):
            solution = solve(self, *args)
            columns = [
                replace(
                    one,
                    state=replace(
                        one.state, K=one.state.K * K_times + np.eye(6), multipliers=one.state.multipliers * lam_times
                    ),
                )
                for one in solution.columns
            ]
            return replace(solution, columns=tuple(columns))

        with monkeypatch.context() as patch:
            patch.setattr(Search, "solve", planted)
            wrong = dc.design(NUMBERS, query="mean", seconds=60)
        assert wrong.error == right.error
        assert wrong.bound < right.bound
        assert "optimal" not in wrong.label


def test_a_design_that_is_not_optimal_is_not_called_so(monkeypatch):
    monkeypatch.setattr(run, "_certified", lambda *args: [])  # as if no table could be certified
    poor = dc.design(NUMBERS, query="mean", seconds=60)
    assert 1.005 < poor.error / poor.bound < 1.02
    assert poor.label == "within 1.2 % (proved)"
    worse = dc.design(NUMBERS & dc.Context.high_low(NUMBERS.values, [0], "1/2"), query="mean", seconds=60)
    assert worse.error > 1.05 * worse.bound > 0
    assert worse.label == "best found, no certificate"


def test_a_bound_above_the_error_gives_no_label(monkeypatch):
    monkeypatch.setattr(run, "prove_bound", lambda *args, **more: (1e6, True, ()))
    designed = dc.design(NUMBERS, query="mean", seconds=60)
    assert designed.label == "best found, no certificate"
    assert designed.bound < designed.error
    assert designed.notes == (run.CONTRADICTED,)


def test_margins_are_searched_and_proved():
    """The information is singular: four answers are asked for, and nothing else of sixteen values."""
    values = np.array(list(itertools.product((0, 1), repeat=4)), dtype=float)
    context, objective = dc.Context.uniform(range(16), "2"), Objective(16, (("query", values.T),))
    (task,), _ = tasks_of(components_of(context), objective, np.full(16, 1 / 16))
    state = found(task.component.E, task.searched, seconds=60).state
    bound, listed = bound_of_dual(task.component.E, task.exact, state.K, state.along(task.exact.group))
    assert listed
    assert state.value / 4 == pytest.approx(1.32205, rel=1e-4)
    assert state.value * (1 - 1e-4) < bound <= state.value * (1 + 1e-4)
    one_at_random, each_by_itself = np.tanh(1) ** -2, np.tanh(0.25) ** -2 / 4
    assert bound / 4 < 0.77 * one_at_random < each_by_itself
