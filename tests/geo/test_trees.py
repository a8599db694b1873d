import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.geo import block_sizes, grid_blocks, grid_centres, kd_tree_blocks, quadtree_blocks, worst_block_size

SHAPE = (32, 48)
LAT, LON = grid_centres(SHAPE, (30.0, 46.0, -100.0, -76.0))
TOWN = np.exp(-((LAT - 41) ** 2 + (LON + 80) ** 2) / 2)
TREES = pytest.mark.parametrize("tree", [kd_tree_blocks, quadtree_blocks])


@TREES
def test_blocks_are_rectangles_that_cover_every_point_once(tree):
    labels = tree(LAT, LON, TOWN, blocks=40)
    sizes = block_sizes(labels)
    assert sizes.sum() == len(LAT)
    for block, size in enumerate(sizes):
        inside = labels == block
        rows, columns = len(np.unique(LAT[inside])), len(np.unique(LON[inside]))
        assert rows * columns == size


@TREES
@pytest.mark.parametrize("blocks", [1, 2, 7, 40, 200])
def test_the_number_of_blocks_is_kept(tree, blocks):
    count = len(block_sizes(tree(LAT, LON, TOWN, blocks=blocks)))
    assert count == blocks if tree is kd_tree_blocks else blocks - 3 <= count <= blocks


@TREES
@pytest.mark.parametrize("worst", [5, 24, 100])
def test_no_block_is_above_the_worst_size(tree, worst):
    assert worst_block_size(tree(LAT, LON, TOWN, worst=worst, least=1)) <= worst


@TREES
@pytest.mark.parametrize("least", [2, 6])
def test_no_block_is_below_the_least_size(tree, least):
    assert block_sizes(tree(LAT, LON, TOWN, blocks=600, least=least)).min() >= least
    assert block_sizes(tree(LAT, LON, TOWN, blocks=600, least=1)).min() == 1


@TREES
def test_dense_places_get_small_blocks_so_the_expected_error_falls(tree):
    share = TOWN / TOWN.sum()

    def factor(labels):
        return np.sum(block_sizes(labels) * np.bincount(labels, share))

    assert factor(tree(LAT, LON, TOWN, blocks=96)) < 0.5 * factor(grid_blocks(SHAPE, (8, 12)))
    assert factor(tree(LAT, LON, TOWN[::-1], blocks=96)) > factor(grid_blocks(SHAPE, (8, 12)))


def test_a_kd_split_halves_the_weight():
    weights = np.random.default_rng(0).uniform(size=len(LAT))
    halves = np.bincount(kd_tree_blocks(LAT, LON, weights, blocks=2), weights)
    assert abs(halves[0] - halves[1]) < 2 * weights.sum() / SHAPE[1]


def test_a_block_without_weight_is_split_in_the_middle():
    assert np.array_equal(block_sizes(kd_tree_blocks(LAT, LON, np.zeros(len(LAT)), blocks=2)), [768, 768])


@TREES
def test_points_at_one_place_stay_together(tree):
    lat, lon = np.repeat([10.0, 20.0], 5), np.repeat([30.0, 40.0], 5)
    labels = tree(lat, lon, np.ones(10), blocks=10)
    assert np.array_equal(labels, np.repeat([0, 1], 5))


@pytest.mark.parametrize("gap", [1e-3, 1e-9])
def test_a_quadtree_finds_its_way_to_a_far_corner(gap):
    lat = np.array([0.0, 0.0, 80.0, 80.0, 80.0 + gap, 80.0 + gap])
    labels = quadtree_blocks(lat, lat, np.ones(6), blocks=3)
    assert np.array_equal(labels, [0, 0, 1, 1, 2, 2])


def test_a_quadtree_gives_up_between_neighbouring_floats():
    lat = np.array([0.0, 0.0, 80.0, 80.0, np.nextafter(80.0, 90), np.nextafter(80.0, 90)])
    labels = quadtree_blocks(lat, np.zeros(6), np.ones(6), blocks=3)
    assert labels[0] == labels[1] == 0
    assert np.all(labels[2:] > 0)


@TREES
def test_the_order_of_the_points_does_not_matter(tree):
    order = np.random.default_rng(1).permutation(len(LAT))
    straight, mixed = tree(LAT, LON, TOWN, blocks=40), tree(LAT[order], LON[order], TOWN[order], blocks=40)
    pairs = np.unique(np.stack([straight[order], mixed]), axis=1)
    assert pairs.shape[1] == len(np.unique(straight))


@TREES
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "exactly one"),
        ({"blocks": 3, "worst": 3}, "exactly one"),
        ({"blocks": 0}, "blocks=0"),
        ({"worst": 2.5}, "worst=2.5"),
        ({"worst": 3, "least": 4}, "worst=3 must not be below least=4"),
    ],
)
def test_contradictory_wishes_are_refused(tree, options, message):
    with pytest.raises(InvalidInput, match=message):
        tree(LAT, LON, TOWN, **options)


@TREES
@pytest.mark.parametrize("weights", [np.ones(3), -TOWN, TOWN * np.nan])
def test_unusable_weights_are_refused(tree, weights):
    with pytest.raises(InvalidInput, match="weights"):
        tree(LAT, LON, weights, blocks=3)


def test_around_one_town_in_empty_country_blocks_are_halved_not_peeled():
    town = np.zeros(len(LAT))
    town[0] = 1.0
    sizes = block_sizes(kd_tree_blocks(LAT, LON, town, blocks=5))
    assert sorted(sizes.tolist()) == [96, 96, 192, 384, 768]
