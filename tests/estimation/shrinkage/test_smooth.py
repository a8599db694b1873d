import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.estimation.results.shrinkage.blocks import check_coordinates, neighbour_averages


def test_averages_agree_with_the_double_sum():
    rng = np.random.default_rng(0)
    cells = np.stack(np.divmod(rng.choice(15 * 20, 120, replace=False), 20), axis=1) - 7
    counts = rng.uniform(0, 10, 120)
    found = neighbour_averages(counts, cells, 2.0)
    apart = cells[:, None] - cells[None]
    kernel = np.exp(-0.5 * np.sum(apart**2, axis=2) / 4) * np.all(np.abs(apart) <= 8, axis=2)
    np.fill_diagonal(kernel, 0)
    assert np.allclose(found, kernel @ counts / kernel.sum(axis=1))


def test_a_value_does_not_hear_itself():
    cells = np.stack(np.divmod(np.arange(100), 10), axis=1)
    counts = np.zeros(100)
    counts[55] = 1000.0
    averages = neighbour_averages(counts, cells, 1.0)
    assert averages[55] == pytest.approx(0, abs=1e-9)
    assert averages[54] > 10


def test_a_value_without_neighbours_gets_nothing():
    cells = np.array([[0, 0], [0, 1], [60, 60]])
    averages = neighbour_averages(np.array([1.0, 2.0, 9.0]), cells, 1.0)
    assert np.allclose(averages[:2], [2, 1])
    assert averages[2] == 0


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (np.zeros((3, 2), dtype=int), "distinct"),
        (np.array([[0, 0], [0, 1], [1, 0]]) * 1.5, "must be integers"),
        (np.array([[0, 0], [0, 1]]), "must be integers"),
        (np.array([[0, 0], [0, 1], [10**6, 10**6]]), "cells"),
    ],
)
def test_unusable_coordinates_are_refused(cells, message):
    with pytest.raises(InvalidInput, match=message):
        check_coordinates(cells, 3)
