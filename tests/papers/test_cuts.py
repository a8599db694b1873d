from __future__ import annotations

import numpy as np
import pytest

from discreet.papers.data import SHAPE
from discreet.papers.partitions import Cut, uniform_like

EVEN = np.full(43_750, 1 / 43_750)


def halves(first):
    return Cut("halves", (np.arange(SHAPE[0] * SHAPE[1]) >= first).astype(np.int64))


def test_a_cut_knows_its_sizes_and_whom_it_hides():
    cut = halves(1000)
    shares = np.full(SHAPE[0] * SHAPE[1], 1 / (SHAPE[0] * SHAPE[1]))
    assert (cut.blocks, cut.worst) == (2, 42_750)
    assert cut.hidden_cells(shares) == pytest.approx((1000**2 + 42_750**2) / 43_750)
    counts = np.zeros(43_750, dtype=np.int64)
    counts[:2] = 10
    assert cut.hidden_people(counts) == pytest.approx(20)


@pytest.mark.parametrize("blocks", [35, 875, 1461])
def test_a_uniform_grid_has_nearly_as_many_blocks(blocks):
    labels = np.arange(43_750) * blocks // 43_750
    grid = uniform_like(Cut("rows", labels), by="blocks", shares=EVEN)
    assert grid.blocks == pytest.approx(blocks, rel=0.03)
    assert grid.name.startswith("uniform (")


@pytest.mark.parametrize("worst", [46, 1248, 4105])
def test_a_uniform_grid_has_nearly_as_large_a_block(worst):
    grid = uniform_like(Cut("rows", np.arange(43_750) // worst), by="worst", shares=EVEN)
    assert grid.worst == pytest.approx(worst, rel=0.1)


def test_a_uniform_grid_hides_the_people_of_the_data_among_nearly_as_many_cells():
    grid = uniform_like(Cut("rows", np.arange(43_750) // 125), by="cells", shares=EVEN)
    assert grid.hidden_cells(EVEN) == pytest.approx(125, rel=0.1)
    crowded = np.zeros(43_750)
    crowded[0] = 1.0  # everyone in the small block
    grid = uniform_like(halves(400), by="cells", shares=crowded)
    assert grid.hidden_cells(crowded) == pytest.approx(400, rel=0.1)
