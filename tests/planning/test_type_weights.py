"""The best weights of types, and as few of them as they need."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.planning.optimize.type_options import Classes, TypeProblem
from discreet.planning.optimize.types import best_weights, fewest_types, largest_parts


@pytest.fixture
def problem():
    """Six values that ask for 1, fifteen that ask for 4."""
    of = (0,) * 6 + (1,) * 15
    epsilons = Fraction(1), Fraction(4)
    return TypeProblem(Classes(of, epsilons, epsilons, np.array([6, 15]) / 21), bits=None)


def many(problem):
    rng = np.random.default_rng(0)
    fresh = np.stack([rng.integers(0, len(of), 40) for of in problem.means], axis=1)
    return np.unique(np.vstack([problem.start()[0], fresh]), axis=0)


def test_no_other_weights_with_the_same_rows_have_less_error(problem):
    types = many(problem)
    columns = problem.columns(types)
    weights, worth = best_weights(problem, columns, np.full(len(types), 1 / len(types)))
    least = problem.error(weights, columns)
    assert columns[0].T @ weights == pytest.approx(np.ones(2), abs=1e-9)
    form, inside, _ = problem.slopes(weights, columns)
    slopes = ((columns[0] @ form) * columns[0]).sum(axis=1) + columns[1] @ inside
    assert (slopes <= columns[0] @ worth * (1 + 1e-6)).all()  # no type of these would lower it
    rng = np.random.default_rng(1)
    free = np.linalg.svd(columns[0].T)[2][2:]
    tried = 0
    for _ in range(400):
        other = weights + 1e-3 * rng.normal(size=len(free)) @ free
        other = np.where(other > 0, other, weights)
        if np.abs(columns[0].T @ other - 1).max() < 1e-9:
            tried += 1
            assert problem.error(other, columns) >= least * (1 - 1e-7)
    moved = weights * 0.9 + 0.1 * problem_start(problem, types)
    assert problem.error(moved, columns) > least * (1 + 1e-3)


def problem_start(problem, types):
    """The weights of the types that a search starts with, zero for the others."""
    first, weights = problem.start()
    found = np.zeros(len(types))
    for row, weight in zip(first, weights, strict=True):
        found[np.flatnonzero((types == row).all(axis=1))[0]] = weight
    return found


def test_fewer_types_have_the_same_rows_and_error(problem):
    types = many(problem)
    weights = problem_start(problem, types) + 1e-3
    columns = problem.columns(types)
    weights /= (columns[0].T @ weights).mean()
    left, kept = fewest_types(problem, types, weights)
    again = problem.columns(left)
    assert len(left) <= 2 + 2 + 3 < len(types)
    assert (kept > 0).all()
    assert again[0].T @ kept == pytest.approx(columns[0].T @ weights, rel=1e-6)
    assert problem.error(kept, again) == pytest.approx(problem.error(weights, columns), rel=1e-6)


def test_a_type_has_the_largest_of_its_parts(problem):
    types, weights = problem.start()
    found = largest_parts(problem, problem.columns(types), weights)
    assert ((found > 0) & (found <= 1 + 1e-12)).all()
    only = np.flatnonzero(types[:, 0] > 0)
    assert found[only].max() > 0.3  # nothing else tells of the first class
