"""Laws of the list of all extreme rays, and of the bound that follows from it."""

import numpy as np
import pytest

from discreet.planning.optimize.proof import MAX_VALUES, bound_of_dual, rays

from .conftest import closed, found, line, problem, random_entries, uniform


@pytest.mark.parametrize(("E", "count"), [(uniform(4, 1.0), 14), (uniform(6, 0.3), 62), (line(5), 16), (line(8), 128)])
def test_known_cones_have_their_known_rays(E, count):
    """Sets on top for uniform entries; for a line, up or down at every step."""
    assert len(rays(E)) == count


def test_every_ray_is_a_column_with_a_tree_of_tight_entries():
    E = closed(np.round(64 * random_entries(6, 1)) / 64)  # which rounding leaves as it is
    logs = np.log(rays(E))
    room = E - (logs[:, :, None] - logs[:, None, :])
    assert room.min() > -1e-9
    tight = ((room < 1e-9) & ~np.eye(6, dtype=bool)).sum(axis=(1, 2))
    assert (tight >= 5).all()
    assert len(np.unique(np.round(logs, 8), axis=0)) == len(logs)


def test_large_cones_are_not_listed():
    size = MAX_VALUES + 1
    assert rays(uniform(size, 1.0)) is None
    E = random_entries(size, 1)
    assert bound_of_dual(E, problem(E), np.eye(size), np.ones(size)) is None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_bound_is_below_every_search_and_next_to_a_finished_one(seed):
    E = random_entries(6, seed)
    of = problem(E)
    early, late = found(E, of, seconds=0.0), found(E, of)
    bounds = [bound_of_dual(E, of, one.state.K, one.state.along(of.group))[0] for one in (early, late)]
    assert bounds[0] <= late.state.value
    assert bounds[1] <= late.state.value * (1 + 1e-6)
    assert bounds[1] > late.state.value * (1 - 1e-5)
    assert bounds[0] < bounds[1]  # the control: a poor search proves less


def test_the_bound_holds_whatever_multipliers_are_given():
    E = random_entries(5, 4)
    of = problem(E)
    best = found(E, of).state.value
    rng = np.random.default_rng(5)
    for _ in range(20):
        root = rng.normal(size=(5, 5))
        assert bound_of_dual(E, of, root @ root.T, rng.normal(size=5))[0] <= best * (1 + 1e-6)


def test_infinite_entries_are_allowed_for():
    E = closed(np.array([[0.0, np.inf, np.inf], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]))
    of = problem(E)
    reached = found(E, of)
    bound, _ = bound_of_dual(E, of, reached.state.K, reached.state.along(of.group))
    assert reached.state.value * (1 - 1e-5) < bound <= reached.state.value * (1 + 1e-6)
