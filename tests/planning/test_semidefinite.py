"""Laws of the semidefinite bound."""

import builtins
import time

import numpy as np
import pytest

from discreet.core.errors import MissingExtra
from discreet.planning.optimize.master import facets_of
from discreet.planning.optimize.semidefinite import _bound_from, blocks_of, semidefinite_bound
from discreet.planning.optimize.symmetry import PermutationGroup, symmetries, trivial

from .conftest import closed, found, line, problem, random_entries, ring, summed, uniform


def bound(E, of, seconds=20.0):
    return semidefinite_bound(E, of, until=time.monotonic() + seconds)


@pytest.mark.parametrize(
    ("E", "optimum"),
    [
        (line(10), 51.7496),
        (ring(12), 70.6044),
        (summed(summed(uniform(2, 1), uniform(2, 1)), uniform(2, 1)), 12.5262),
        (summed(line(3), line(3)), None),
    ],
)
def test_the_optimum_of_lines_rings_and_cubes_is_proved(E, optimum):
    of = problem(E)
    best = found(E, of).state.value if optimum is None else optimum
    assert best * (1 - 1e-4) < bound(E, of) <= best * (1 + 1e-5)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_bound_never_exceeds_the_optimum(seed):
    E = random_entries(5, seed)
    of = problem(E, np.random.default_rng(seed).dirichlet(np.full(5, 3.0)))
    best = found(E, of).state.value
    assert 0 < bound(E, of) <= best * (1 + 1e-6)
    assert bound(E / 2, of) > best  # the control: of a stricter context it does


def test_the_bound_holds_whatever_the_solver_returns():
    E = random_entries(4, 3)
    of = problem(E)
    best, facets = found(E, of).state.value, facets_of(E)
    pairs = np.array([i * len(facets.above) + j for i in range(len(facets.above)) for j in range(i)])
    rng = np.random.default_rng(4)
    for _ in range(50):
        lam, nu = rng.normal(1, 1, 4), rng.exponential(1, len(pairs)) * rng.exponential()
        assert _bound_from(E, of, facets, pairs, lam, nu) <= best * (1 + 1e-6)


def test_infinite_entries_have_a_bound():
    E = closed(np.array([[0.0, np.inf, np.inf], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]))
    of = problem(E)
    assert 0 < bound(E, of) <= found(E, of).state.value * (1 + 1e-6)


def test_a_query_is_bounded_as_well():
    """The geometric mechanism, two of whose reports are cut off, is the best for the mean of a line."""
    E = line(6)
    of = problem(E, rows=np.arange(6.0)[None])
    a = np.exp(-0.5)
    c = np.array([1 / (1 + a), *[2 / (1 + a) - 1] * 4, 1 / (1 + a)])
    Q = np.exp(-E) * c
    M = (Q / Q.mean(axis=0)) @ Q.T
    geometric = float(np.trace(np.linalg.solve(M, of.W)))
    assert geometric * 0.999 < bound(E, of) <= geometric * (1 + 1e-6)


def test_facets_leave_out_what_follows_from_others():
    assert len(facets_of(line(6)).above) == 10
    assert len(facets_of(uniform(4, 1.0)).above) == 12
    alone = facets_of(np.array([[0.0, np.inf], [1.0, 0.0]]))
    assert (alone.fade == 0).sum() == 2  # neither r_x >= 0 follows


def test_too_large_programs_are_left_alone():
    E = random_entries(60, 1)
    assert bound(E, problem(E)) is None


def test_without_the_solver_the_extra_is_named(monkeypatch):
    true = builtins.__import__

    def without(name, *args, **more):
        if name == "clarabel":
            raise ImportError(name)
        return true(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"discreet\[design\]"):
        bound(line(4), problem(line(4)))


@pytest.mark.parametrize("E", [line(8), ring(9), summed(ring(4), line(3)), summed(uniform(3, 1.0), uniform(3, 1.0))])
def test_blocks_hold_all_that_a_kept_matrix_is(E):
    group = symmetries([E], [])
    blocks = blocks_of(group)
    assert sum(times * basis.shape[1] for basis, times in blocks) == len(E)
    matrix = group.average(np.random.default_rng(6).normal(size=E.shape))
    matrix = matrix + matrix.T
    parts = [np.repeat(np.linalg.eigvalsh(basis.T @ matrix @ basis), times) for basis, times in blocks]
    np.testing.assert_allclose(np.sort(np.concatenate(parts)), np.linalg.eigvalsh(matrix), atol=1e-9)
    assert max(basis.shape[1] for basis, _ in blocks) < len(E)
    assert [basis.shape[1] for basis, _ in blocks_of(trivial(len(E)))] == [len(E)]


def test_blocks_that_cannot_be_split_stay_whole():
    """Two rings that turn together: the turns between them are no multiples of one matrix."""
    turn = np.concatenate([np.roll(np.arange(5), -1), 5 + np.roll(np.arange(5), -1)])
    elements = [np.arange(10)]
    for _ in range(4):
        elements.append(elements[-1][turn])
    group = PermutationGroup(np.array(elements))
    matrix = group.average(np.random.default_rng(7).normal(size=(10, 10)))
    matrix = matrix + matrix.T
    parts = [np.repeat(np.linalg.eigvalsh(basis.T @ matrix @ basis), times) for basis, times in blocks_of(group)]
    np.testing.assert_allclose(np.sort(np.concatenate(parts)), np.linalg.eigvalsh(matrix), atol=1e-9)
