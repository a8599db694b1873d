"""Laws of places on a line and around a ring."""

import itertools
import random
from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context, Spec
from discreet.core.errors import InvalidContext, InvalidInput


def plain(context):
    return Context.matrix(context.values, context.matrix())


def test_numbers_lie_where_they_are():
    ages = Context.metric(range(18, 100), "line", "0.25")
    assert ages.epsilon(30, 32) == Fraction(1, 2)
    assert ages == Context.metric(range(18, 100), lambda a, b: abs(a - b), "0.25")
    exact = Context.metric(["0.1", "-2", "1e-3", 7], "line", "1/3")
    assert exact.epsilon("0.1", 7) == Fraction(69, 30)
    assert exact.epsilon("-2", "1e-3") == Fraction(2001, 3000)
    assert repr(ages) == "Context.metric(82 values, 'line', epsilon=0.25)"


def test_around_a_ring_the_shorter_way_counts():
    hours = Context.metric(range(24), "ring", "0.5")
    assert hours.epsilon(23, 1) == 1
    assert hours.epsilon(0, 12) == 6
    days = Context.metric(["mon", "wed", "sun"], "ring", "1", points=[0, 2, 6], around="7")
    assert [days.epsilon("mon", "sun"), days.epsilon("wed", "sun"), days.epsilon("mon", "wed")] == [1, 3, 2]
    wound = Context.metric(["a", "b"], "ring", "1", points=["-0.5", "6.25"], around="7")
    assert wound.epsilon("a", "b") == Fraction(1, 4)


@pytest.mark.parametrize("seed", range(12))
def test_the_structure_is_that_of_the_matrix(seed):
    rng = random.Random(seed)
    size = rng.choice([1, 2, 3, 4, 7])
    places = rng.sample(range(20), size)
    for context in (
        Context.metric(range(size), "line", "1/2", points=places),
        Context.metric(range(size), "ring", "1/2", points=places, around=rng.choice([20, 25, 60])),
    ):
        written = plain(context)
        assert (context.line, context.ring) == (written.line, written.ring)
        assert (context.tree, context.exchangeable, context.grades) == (
            written.tree,
            written.exchangeable,
            written.grades,
        )
        assert context.closure() is context
        assert written.closure().matrix() == context.matrix()
        assert context.canonical_form().matrix() == context.matrix()


def test_a_matrix_or_a_function_that_is_a_line_or_a_ring_is_written_as_one():
    line = Context.matrix(range(4), [[0, "1/3", 1, 3], ["1/3", 0, "2/3", "8/3"], [1, "2/3", 0, 2], [3, "8/3", 2, 0]])
    found = line.canonical_form()
    assert found.describe() == {"form": "metric", "distance": "line", "epsilon": "1/3", "points": ["0", "1", "3", "9"]}
    assert found.matrix() == line.matrix()
    hours = Context.metric(range(5), lambda a, b: min((a - b) % 5, (b - a) % 5), "0.5").canonical_form()
    assert hours.describe() == {"form": "metric", "distance": "ring", "epsilon": "0.5", "around": "5"}
    both = Context.metric(range(5), "line", 1) + Context.metric(range(5), "line", 2)
    assert both.describe() == {
        "form": "metric",
        "distance": "line",
        "epsilon": "1",
        "points": ["0", "3", "6", "9", "12"],
    }


def test_coordinates_are_measured_by_a_word():
    corners = Context.metric([(0, 0), (0, 3), (4, 0)], "l2", "1")
    assert corners.epsilon((0, 3), (4, 0)) == 5
    assert Context.metric(["a", "b", "c"], "l1", "1", points=[(0, 0), (0, 3), (4, 0)]).epsilon("b", "c") == 7
    assert Context.metric([(0, 0), (0, 3), (4, 0)], "linf", "1").epsilon((0, 3), (4, 0)) == 4


def test_points_with_one_coordinate_are_a_line():
    spec = {"domain": {"size": 4}, "context": {"form": "metric", "points": [3, "1.5", 0, 9], "epsilon": 1}}
    context = Spec.of(spec).context
    assert context.describe()["points"] == [["3"], ["1.5"], ["0"], ["9"]]
    assert context.line == plain(context).line
    assert context.line.order == (2, 1, 0, 3)
    twice = Spec.of({**spec, "context": {**spec["context"], "points": [3, 3, 0, 9]}}).context
    assert twice.line is None
    assert len(list(twice.generators(range(4)))) == 12


@pytest.mark.parametrize(
    ("domain", "entries"),
    [
        ({"size": 5}, {"distance": "line", "epsilon": "0.5"}),
        ({"values": ["0.5", "1.25", 7]}, {"distance": "line", "epsilon": "1/3"}),
        ({"values": ["a", "b", "c"]}, {"distance": "line", "epsilon": "1", "points": ["-1.5", "0", "7"]}),
        ({"size": 5}, {"distance": "ring", "epsilon": "1", "around": "5"}),
        ({"values": ["a", "b", "c"]}, {"distance": "ring", "epsilon": "1", "around": "7.5", "points": ["1", "0", "4"]}),
    ],
)
def test_a_spec_is_what_it_describes(domain, entries):
    spec = Spec.of({"domain": domain, "context": {"form": "metric", **entries}})
    assert spec.context.describe() == {"form": "metric", **entries}
    made = spec.mechanism
    assert Spec.of_mechanism(made).mechanism.fingerprint == made.fingerprint
    assert dc.wire.parse_law(dc.wire.law_text(made)).fingerprint == made.fingerprint


def test_places_may_be_a_range_and_a_ring_of_numbers_needs_no_length():
    entries = {"form": "metric", "distance": "ring", "epsilon": 1}
    spec = {"domain": {"values": list("abcd")}, "context": {**entries, "points": {"from": 0, "to": 3}}}
    assert Spec.of(spec).context.epsilon("a", "d") == 1


@pytest.mark.parametrize(
    ("values", "distance", "extra", "message"),
    [
        (["a", 1], "line", {}, "points must be given for a line of values that are not all numbers"),
        (["1/2", 1], "line", {}, "points must be given"),
        ([True, 2], "line", {}, "points must be given"),
        (range(3), "line", {"points": [1, 2]}, "points must be one per value (3)"),
        (range(3), "line", {"points": [1, 2, "x"]}, "points: place 'x' must be a finite decimal"),
        (range(3), "line", {"points": [1, 2, "1/3"]}, "points: place '1/3' must be a finite decimal"),
        (range(3), "line", {"points": 5}, "points of type int must be a collection"),
        (range(3), "line", {"points": [1, 2, "1.0"]}, "points: 0 and 2 must not be at one place"),
        (range(3), "line", {"around": 3}, "around=3 must go with a ring"),
        (range(1, 4), "ring", {}, "around must be given: the length of the ring, unless its places are 0 to 2"),
        (range(3), "ring", {"around": 0}, "around=0 must be positive"),
        (range(3), "ring", {"around": "x"}, "around 'x' must be a finite decimal"),
        (range(3), "ring", {"around": 2}, "around=2 must be more than the 2 from the first place to the last"),
        (range(3), "circle", {}, "distance='circle' must be one of line, ring, l1, l2, linf"),
        (range(3), "l2", {"around": 3}, "around=3 must go with the distance 'ring'"),
        (range(3), abs, {"points": [1, 2, 3]}, "points must go with a distance between points"),
        (range(3), 7, {}, "distance=7 must be a function of two values"),
    ],
)
def test_places_that_make_no_sense_are_refused(values, distance, extra, message):
    with pytest.raises(InvalidContext) as refused:
        Context.metric(values, distance, "1", **extra)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"distance": "l2"}, "distance='l2' must be one of line, ring"),
        ({"distance": 1}, "context.distance must be text"),
        ({"distance": "line", "around": 3}, "context.around is not a known entry"),
        ({"distance": "line", "norm": "l1"}, "context.norm is not a known entry"),
        ({"distance": "ring", "around": [3]}, "context.around must be a number"),
        ({"distance": "line", "points": "abc"}, "context.points must be a list"),
        ({"distance": "line", "points": [[1], [2], [3]]}, "context.points[0] must be a number"),
    ],
)
def test_entries_that_make_no_sense_are_refused(entries, message):
    with pytest.raises(InvalidInput) as refused:
        Spec.of({"domain": {"size": 3}, "context": {"form": "metric", "epsilon": 1, **entries}})
    assert message in str(refused.value)


def test_neighbours_are_all_that_is_looked_at():
    ring = Context.metric(range(6), "ring", "1")
    assert {tuple(sorted(pair[:2])) for pair in ring.generators(range(6))} == {
        tuple(sorted(pair)) for pair in itertools.pairwise([*range(6), 0])
    }
