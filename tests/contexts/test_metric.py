"""Laws of privacy by distance."""

import math
from fractions import Fraction
from itertools import permutations

import pytest

import discreet as dc
from discreet import Context, Domain
from discreet.contexts import Metric
from discreet.core.errors import InvalidContext, InvalidEpsilon

SQUARE = [("0", "0"), ("0", "3"), ("4", "0"), ("-1.5", "2")]


def points(norm, epsilon="1"):
    return Metric.from_points(Domain(range(4)), SQUARE, norm, epsilon)


@pytest.mark.parametrize(("norm", "far"), [("l1", 7), ("l2", 5), ("linf", 4)])
def test_points_are_measured_exactly_under_each_norm(norm, far):
    assert points(norm).at(1, 2) == far
    assert points(norm, "0.1").at(1, 2) == Fraction(far, 10)


def test_a_euclidean_distance_is_rounded_down_so_that_privacy_gains():
    context = Metric.from_points(Domain(range(2)), [("0", "0"), ("1", "1")], "l2", "1")
    distance = context.at(0, 1)
    assert distance**2 < 2
    assert (distance + Fraction(1, 10**30)) ** 2 > 2


def test_points_tell_their_spec_and_functions_their_matrix():
    assert points("l1").describe() == {
        "form": "metric",
        "epsilon": "1",
        "points": [["0", "0"], ["0", "3"], ["4", "0"], ["-1.5", "2"]],
        "norm": "l1",
    }
    told = Context.metric([0, 1], lambda x, z: 0.5, "1").describe()
    assert told == {"form": "matrix", "E": [["0", "0.5"], ["0.5", "0"]]}


def test_an_infinite_distance_protects_nothing():
    context = Context.metric([0, 1, 5], lambda x, z: abs(x - z) if abs(x - z) < 2 else "inf", "2")
    assert context.epsilon(0, 1) == 2
    assert context.epsilon(0, 5) == math.inf


def test_a_distance_that_depends_on_the_direction_is_refused_when_met():
    with pytest.raises(InvalidContext, match="must be the same in both directions"):
        Context.metric([0, 1], lambda x, z: 1 + x, "1").epsilon(0, 1)


def test_a_distance_that_is_none_is_refused_when_met():
    with pytest.raises(InvalidEpsilon, match=r"distance\(0, 1\)=-1"):
        Context.metric([0, 1], lambda x, z: -1, "1").epsilon(0, 1)


@pytest.mark.parametrize(
    ("given", "norm", "message"),
    [
        ([("0",)], "l1", "points must be one per value (4)"),
        ([("0",), ("1",), ("2",), ("3", "4")], "l1", "all with the same number of coordinates"),
        (SQUARE, "l3", "norm='l3' must be one of l1, l2, linf"),
        ([("x",)] * 4, "l1", "coordinate 'x' must be a finite decimal"),
        ([("inf",)] * 4, "l1", "coordinate 'inf' must be a finite decimal"),
        ([("nan",)] * 4, "l1", "coordinate 'nan' must be a finite decimal"),
    ],
)
def test_points_that_make_no_sense_are_refused(given, norm, message):
    with pytest.raises(InvalidContext) as refused:
        Metric.from_points(Domain(range(4)), given, norm, "1")
    assert message in str(refused.value)


def test_on_a_line_all_norms_are_one():
    places = [["-1.5"], ["0.25"], ["7"], ["0." + "1" * 40]]
    one, two, three = (Metric.from_points(Domain(range(4)), places, norm, "1") for norm in ("l1", "l2", "linf"))
    assert one.matrix() == two.matrix() == three.matrix()


WRONG = ["1e999999999", "1e-999999999", "9" * 5000, "1/3", "1_0", "１", "nan", "inf", True, None]


@pytest.mark.parametrize("coordinate", WRONG)
def test_a_coordinate_is_a_finite_decimal_that_can_be_written_down(coordinate):
    with pytest.raises(InvalidContext, match="must be a finite decimal"):
        Metric.from_points(Domain(range(2)), [["0"], [coordinate]], "l1", 1)


def test_distances_are_those_of_the_exact_points():
    points = [["0.1", "-2"], ["1e-3", "3"], ["7", "0.25"]]
    exact = [[Fraction(c) for c in point] for point in points]
    for norm, of in (("l1", sum), ("linf", max)):
        metric = Metric.from_points(Domain(range(3)), points, norm, "1/3")
        for x, z in permutations(range(3), 2):
            assert metric.at(x, z) == Fraction(1, 3) * of(abs(p - q) for p, q in zip(exact[x], exact[z], strict=True))


@pytest.mark.parametrize("cells", [[(i, j) for i in range(3) for j in range(4)], [(0, 0), (1, 3), (3, 1), (2, 2)]])
def test_many_points_of_a_grid_are_answered_as_few_are(cells, monkeypatch):
    few = Context.metric(cells, "l2", "0.5")
    answers = few.smallest, few.components(), few.hidden, few.protected_pairs, few.coarsest_served()
    monkeypatch.setattr("discreet.contexts.forms.metric.MAX_COMPARED_POINTS", 3)
    many = Context.metric(cells, "l2", "0.5")
    assert many.is_finite
    assert not few.is_finite
    assert (many.smallest, many.components(), many.hidden, many.protected_pairs, many.coarsest_served()) == answers
    assert many.canonical_form() is many
    assert many == few


def test_tens_of_thousands_of_points_are_described_and_served():
    cells = [[i, j] for i in range(120) for j in range(100)]
    spec = {
        "domain": {"size": len(cells)},
        "context": {"form": "metric", "epsilon": "1", "points": cells, "norm": "l2"},
    }
    mechanism = dc.Spec.of({**spec, "mechanism": {"name": "torus"}}).mechanism
    assert mechanism.context.size == 12_000
    assert mechanism.context.smallest == 1
    assert dc.Spec.of({**spec, "mechanism": {"name": "hadamard"}}).mechanism.name == "hadamard"


def test_points_that_are_no_grid_are_still_counted_one_by_one():
    points = [[i * i, i] for i in range(1200)]
    spec = {"domain": {"size": 1200}, "context": {"form": "metric", "epsilon": "1", "points": points, "norm": "l2"}}
    with pytest.raises(dc.errors.BeyondLimits, match="1200 points"):
        _ = dc.Spec.of({**spec, "mechanism": {"name": "hadamard"}}).mechanism


def test_what_goes_through_all_points_is_counted():
    cells = [[i, j] for i in range(60) for j in range(60)]
    spec = {"domain": {"size": 3600}, "context": {"form": "metric", "epsilon": "1", "points": cells, "norm": "l2"}}
    line = dc.mechanism(Context.metric(range(3600), "line", "1"), "geometric").description["law"]
    with pytest.raises(dc.errors.BeyondLimits, match="each with each"):
        _ = dc.Spec.of({**spec, "mechanism": {"name": "law", "law": line}}).mechanism
