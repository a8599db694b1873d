import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.geo import block_sizes, compact, worst_block_size
from discreet.geo.grid import check_points


def test_compact_labels_keep_the_partition_and_its_order():
    assert np.array_equal(compact(np.array([7, 2, 7, 9, 2])), [1, 0, 1, 2, 0])


def test_the_worst_block_is_the_largest():
    labels = [0, 0, 1, 2, 2, 2]
    assert np.array_equal(block_sizes(labels), [2, 1, 3])
    assert worst_block_size(labels) == 3


@pytest.mark.parametrize("labels", [[], [0.0, 1.0], [[0, 1]], [0, -1]])
def test_labels_that_are_none_are_refused(labels):
    with pytest.raises(InvalidInput, match="labels"):
        worst_block_size(labels)


@pytest.mark.parametrize(
    ("latitude", "longitude", "message"),
    [
        ([91.0], [0.0], "row 1: latitude must lie in"),
        ([0.0], [-181.0], "row 1: longitude must lie in"),
        ([0.0, np.nan], [0.0, 0.0], "row 2: latitude must lie in"),
        ([0.0, 1.0], [0.0], "equally long"),
        ([], [], "equally long"),
    ],
)
def test_points_off_the_globe_are_refused(latitude, longitude, message):
    with pytest.raises(InvalidInput, match=message):
        check_points(latitude, longitude)
