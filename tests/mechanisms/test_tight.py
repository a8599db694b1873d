"""Laws of the tight table: every ratio at its limit, and the closed forms that it contains."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput, NotServed
from discreet.estimation.decoders import decoder_of


def line(size, epsilon):
    return Context.metric(range(size), lambda x, z: abs(x - z), epsilon)


def crossing(a, b):
    """The distance along the two axes."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


SQUARE = Context.metric([(i, j) for i in range(7) for j in range(7)], crossing, "1")


def error(mechanism):
    k = mechanism.context.size
    return float(decoder_of(mechanism.sampler).second_moments(np.full(k, 1 / k)).sum()) - 1 / k


@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_it_is_the_truncated_geometric_on_a_line(epsilon):
    rows = np.array(dc.mechanism(line(6, epsilon), "tight").channel(), dtype=float)
    a = math.exp(-float(epsilon))
    ends = np.array([1 / (1 + a)] + [(1 - a) / (1 + a)] * 4 + [1 / (1 + a)])
    asked = ends * a ** np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    assert np.allclose(rows, asked, rtol=1e-9)


def test_uneven_steps_have_their_own_weights():
    places = [0, 1, 3, Fraction(7, 2)]
    context = Context.metric(places, lambda x, z: abs(x - z), "1")
    rows = np.array(dc.mechanism(context, "tight").channel(), dtype=float)
    near = [math.exp(-float(b - a)) for a, b in pairwise(places)]
    middle = 1 / (1 + near[0]) + 1 / (1 + near[1]) - 1
    assert rows[1][1] == pytest.approx(middle, rel=1e-9)


def test_it_is_randomized_response_where_all_values_are_alike():
    rows = np.array(dc.mechanism(Context.uniform(range(5), "1"), "tight").channel(), dtype=float)
    asked = np.array(dc.mechanism(Context.uniform(range(5), "1"), "randomized_response").channel(), dtype=float)
    assert np.allclose(rows, asked, rtol=1e-9)


def test_the_ratio_to_every_other_value_is_all_that_e_allows():
    E = [[0, 2, "inf", "inf"], [1, 0, "inf", "inf"], [3, 2, 0, 4], [4, 5, 3, 0]]
    mechanism = dc.mechanism(Context.matrix(range(4), E), "tight")
    rows, closed = mechanism.channel(), mechanism.context.closure().matrix()
    for x in range(4):
        for z in range(4):
            if x != z and closed[x][z] != math.inf:
                assert math.log(rows[x][x] / rows[z][x]) == pytest.approx(float(closed[x][z]), abs=1e-9)
    assert rows[3][0] < 1e-9


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (line(10, "0.5"), 77.26),
        (line(30, "0.5"), 98.19),
        (line(30, "1"), 9.201),
        (SQUARE, 55.96),
    ],
)
def test_errors_are_those_of_the_closed_forms(context, expected):
    assert error(dc.mechanism(context, "tight")) == pytest.approx(expected, rel=1e-4)


def test_it_has_a_fraction_of_the_error_of_the_exponential_table():
    context = line(20, "1")
    assert error(dc.mechanism(context, "tight")) < error(dc.mechanism(context, "exponential")) / 6
    assert error(dc.mechanism(context, "tight")) == pytest.approx(error(dc.mechanism(context)), rel=1e-9)


def test_small_steps_in_the_plane_have_no_weights_and_are_refused():
    places = [(i, j) for i in range(5) for j in range(5)]
    context = Context.metric(places, lambda a, b: str(round(math.dist(a, b), 6)), "0.3")
    with pytest.raises(NotServed, match="positive weight for every value"):
        dc.mechanism(context, "tight")
    assert dc.mechanism(context).name == "subset"


def test_values_that_must_be_alike_and_too_many_values_are_refused():
    with pytest.raises(NotServed, match="positive weight"):
        dc.mechanism(Context.matrix(range(3), [[0, 0, 1], [0, 0, 1], [1, 1, 0]]), "tight")
    with pytest.raises(NotServed, match="at most 256 values"):
        dc.mechanism(Context.uniform(range(300), "1"), "tight")
    with pytest.raises(InvalidInput, match="tight takes no parameter d"):
        dc.mechanism(line(3, "1"), "tight", d=2)
