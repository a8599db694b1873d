import sys

import numpy as np
import pytest

from discreet.core.errors import InvalidInput, MissingExtra
from discreet.geo import distance_context, h3_blocks, h3_centres, h3_parent_blocks

POINTS = np.random.default_rng(0).uniform([30, -110], [45, -80], (500, 2)).T


def test_points_share_a_block_exactly_when_they_share_a_cell():
    h3 = pytest.importorskip("h3")
    labels = h3_blocks(*POINTS, resolution=2)
    cells = np.array([h3.latlng_to_cell(lat, lon, 2) for lat, lon in POINTS.T])
    assert np.array_equal(labels[:, None] == labels, cells[:, None] == cells)
    assert set(labels.tolist()) == set(range(len(set(cells.tolist()))))


def test_parents_group_their_children():
    h3 = pytest.importorskip("h3")
    children = sorted(h3.cell_to_children("832a10fffffffff", 5))
    others = sorted(h3.cell_to_children("832a13fffffffff", 5))
    labels = h3_parent_blocks(children + others, resolution=3)
    assert np.array_equal(labels, [0] * len(children) + [1] * len(others))
    assert h3_parent_blocks(children, resolution=4).max() == 6


def test_unusable_input_is_refused():
    h3 = pytest.importorskip("h3")
    cell = h3.latlng_to_cell(40.0, -75.0, 4)
    with pytest.raises(InvalidInput, match="resolution=16"):
        h3_blocks(*POINTS, resolution=16)
    with pytest.raises(InvalidInput, match="resolution=5 must be at most 4"):
        h3_parent_blocks([cell], resolution=5)
    with pytest.raises(InvalidInput, match="must be an H3 cell"):
        h3_parent_blocks(["nowhere"], resolution=3)
    with pytest.raises(InvalidInput, match="must not be empty"):
        h3_parent_blocks([], resolution=3)


def test_a_missing_extra_names_the_install_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "h3", None)
    with pytest.raises(MissingExtra, match=r"pip install 'discreet\[geo\]'"):
        h3_blocks([40.0], [-75.0], resolution=3)


def test_the_centres_of_cells_lie_in_them():
    h3 = pytest.importorskip("h3")
    cells = sorted(h3.grid_disk(h3.latlng_to_cell(48.2, 16.37, 8), 2))
    assert [h3.latlng_to_cell(*centre, 8) for centre in zip(*h3_centres(cells), strict=True)] == cells
    with pytest.raises(InvalidInput, match="cells='x' must be an H3 cell"):
        h3_centres([cells[0], "x"])
    with pytest.raises(InvalidInput, match="must not be empty"):
        h3_centres([])


def test_neighbouring_cells_are_about_equally_hard_to_tell_apart():
    h3 = pytest.importorskip("h3")
    cells = sorted(h3.grid_disk(h3.latlng_to_cell(48.2, 16.37, 8), 2))
    context = distance_context(*h3_centres(cells), "1", values=cells)
    near = [float(context.epsilon(a, b)) for a in cells for b in cells if h3.grid_distance(a, b) == 1]
    far = [float(context.epsilon(a, b)) for a in cells for b in cells if h3.grid_distance(a, b) > 1]
    assert max(near) < min(far)
    assert max(near) / min(near) < 1.25
