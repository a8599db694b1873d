import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.geo import block_sizes, box_blocks, grid_blocks, grid_centres, grid_coordinates

BOX = (25.0, 50.0, -130.0, -60.0)


@pytest.mark.parametrize(("parts", "size"), [((1, 1), 43750), ((5, 7), 1250), ((25, 35), 50), ((25, 70), 25)])
def test_a_grid_is_cut_into_equal_rectangles(parts, size):
    labels = grid_blocks((125, 350), parts)
    assert np.array_equal(block_sizes(labels), np.full(parts[0] * parts[1], size))
    cells = grid_coordinates((125, 350))
    for block in {0, parts[0] * parts[1] - 1}:
        spans = np.ptp(cells[labels == block], axis=0) + 1
        assert spans.prod() == size


def test_a_grid_that_does_not_divide_is_cut_as_evenly_as_can_be():
    sizes = block_sizes(grid_blocks((10, 1), (3, 1)))
    assert sizes.sum() == 10
    assert np.ptp(sizes) == 1


def test_cutting_a_grid_and_cutting_the_box_of_its_centres_agree():
    lat, lon = grid_centres((125, 350), BOX)
    assert np.array_equal(box_blocks(lat, lon, (25, 35), box=BOX), grid_blocks((125, 350), (25, 35)))


def test_centres_start_in_the_south_west_and_run_along_rows():
    lat, lon = grid_centres((125, 350), BOX)
    assert (lat[0], lon[0]) == pytest.approx((25.1, -129.9))
    assert (lat[1], lon[1]) == pytest.approx((25.1, -129.7))
    assert (lat[-1], lon[-1]) == pytest.approx((49.9, -60.1))


def test_the_far_sides_of_a_box_belong_to_its_last_rectangles():
    labels = box_blocks([25.0, 50.0, 50.0, 25.0], [-130.0, -60.0, -130.0, -60.0], (2, 2), box=BOX)
    assert np.array_equal(labels, [0, 3, 2, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grid_blocks((10, 10), (11, 1)), "parts"),
        (lambda: grid_blocks((10, 10), (0, 1)), "parts=0"),
        (lambda: grid_coordinates((10, -1)), "shape=-1"),
        (lambda: grid_centres((10, 10), (50.0, 25.0, 0.0, 1.0)), "south < north"),
        (lambda: box_blocks([60.0], [-100.0], (2, 2), box=BOX), "must hold every point"),
    ],
)
def test_cuts_that_make_no_sense_are_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
