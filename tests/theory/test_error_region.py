"""The error region of a channel: exact corners, inside what the context allows, the same as other accounts of it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.core.exact import exp_below
from discreet.theory import pair_curve, total_variation
from discreet.theory.channels.testing import attained_region, neyman_pearson

U4 = dc.Context.uniform(range(4), "1")
CASES = [
    *((U4, name, 0, 3) for name in ("randomized_response", "subset", "unary", "hadamard", "projective")),
    (dc.Context.binary("no", "yes", ("0.5", "2")), "binary", "no", "yes"),
    (dc.Context.binary("no", "yes", ("inf", "1")), "mangat", "no", "yes"),
    (dc.Context.high_low(range(5), [0, 1], "1"), "auto", 0, 4),
    (dc.Context.high_low(range(5), [0, 1], "1"), "auto", 4, 0),
    (dc.Context.blocks({"a": [0, 1], "b": [2, 3]}, "1"), "auto", 0, 1),
    (dc.Context.blocks({"a": [0, 1], "b": [2, 3]}, "1"), "auto", 0, 2),
    (dc.Context.metric(range(4), lambda a, b: abs(a - b), "0.5"), "exponential", 0, 3),
]


def region_of(context, name, x, z):
    return attained_region(dc.mechanism(context, name), x, z)


@pytest.mark.parametrize(("context", "name", "x", "z"), CASES)
def test_the_boundary_falls_and_is_convex_from_corner_to_corner(context, name, x, z):
    vertices = region_of(context, name, x, z).vertices
    assert vertices[0] == (0, 1)
    assert vertices[-1] == (1, 0)
    steps = [(c - a, b - d) for (a, b), (c, d) in itertools.pairwise(vertices)]
    assert all(right >= 0 and down >= 0 and right + down > 0 for right, down in steps)
    for (r, d), (s, e) in itertools.pairwise(steps):
        assert d * s > e * r  # ever less steep, exactly


@pytest.mark.parametrize(("context", "name", "x", "z"), CASES)
def test_the_attained_region_lies_in_the_allowed_one_exactly(context, name, x, z):
    region = region_of(context, name, x, z)
    forward, backward = context.epsilon(x, z), context.epsilon(z, x)
    for false_alarm, missed in region.vertices:
        if forward != math.inf:
            assert exp_below(forward) * false_alarm + missed >= 1
        if backward != math.inf:
            assert false_alarm + exp_below(backward) * missed >= 1
        assert region.allowed.allows(float(false_alarm), float(missed))
    tight = dc.Context.uniform(context.values, "0.01").error_region(x, z)
    assert not all(tight.allows(float(a), float(b)) for a, b in region.vertices)  # the control


@pytest.mark.parametrize(("context", "name", "x", "z"), CASES)
def test_no_test_of_all_tests_is_below_the_boundary(context, name, x, z):
    made = dc.mechanism(context, name)
    rows = made.channel()
    i, j = context.domain.index(x), context.domain.index(z)
    region = attained_region(made, x, z)
    reports = range(min(len(rows[i]), 10))
    touched = 0
    for chosen in itertools.chain.from_iterable(
        itertools.combinations(reports, size) for size in range(len(reports) + 1)
    ):
        false_alarm = sum((rows[j][y] for y in chosen), Fraction(0))
        missed = 1 - sum((rows[i][y] for y in chosen), Fraction(0))
        least = region.missed_detection(false_alarm)
        assert missed >= least
        touched += missed == least
    assert touched >= 2


@pytest.mark.parametrize(("context", "name", "x", "z"), CASES)
def test_the_privacy_curve_of_the_pair_is_the_hull_read_by_slope(context, name, x, z):
    """delta(gamma) is the largest 1 - missed - gamma * false alarm (Asoodeh2021, Theorem 1)."""
    made = dc.mechanism(context, name)
    rows = made.channel()
    i, j = context.domain.index(x), context.domain.index(z)
    vertices = attained_region(made, x, z).vertices
    curve = pair_curve(rows, i, j)
    for gamma in (Fraction(1), Fraction(3, 2), Fraction(5, 2), Fraction(4), Fraction(20)):
        assert curve.delta_at(gamma) == max(1 - missed - gamma * false_alarm for false_alarm, missed in vertices)


def test_the_advantage_is_the_total_variation():
    made = dc.mechanism(U4, "subset")
    rows = made.channel()
    assert attained_region(made, 0, 1).advantage == total_variation(rows[0], rows[1])


def test_the_optimal_binary_mechanism_fills_its_region():
    for levels in (("0.5", "2"), ("1", "1"), ("0.1", "3")):
        context = dc.Context.binary("no", "yes", levels)
        region = region_of(context, "binary", "no", "yes")
        corner = region.vertices[1]
        assert corner == pytest.approx(region.allowed.corner, abs=1e-15)
        assert len(region.vertices) == 3


def test_a_large_pair_is_put_in_order_by_its_few_ratios():
    region = region_of(dc.Context.uniform(range(1000), "1"), "hadamard", 3, 999)
    assert len(region.vertices) == 4  # e, 1 and 1/e
    assert region.missed_detection(0) == 1
    assert region.missed_detection(1) == 0
    assert region.missed_detection("1/2") == pytest.approx(1 / (1 + math.e))


def test_a_matrix_needs_the_context_that_says_what_is_allowed():
    rows = [["3/4", "1/4"], ["1/4", "3/4"]]
    exact = [[Fraction(entry) for entry in row] for row in rows]
    context = dc.Context.binary("no", "yes", ("1", "1"))
    assert attained_region(exact, "no", "yes", context=context).vertices[1] == (Fraction(1, 4), Fraction(1, 4))
    with pytest.raises(InvalidInput, match="context must be given"):
        attained_region(exact, "no", "yes")
    with pytest.raises(InvalidInput, match="one per value, 4"):
        attained_region(exact, 0, 1, context=U4)


def test_reports_that_only_one_value_writes_are_tested_first():
    vertices = neyman_pearson([Fraction(1, 2), Fraction(1, 2), 0], [0, Fraction(1, 4), Fraction(3, 4)])
    assert vertices == ((0, 1), (0, Fraction(1, 2)), (Fraction(1, 4), 0), (1, 0))


def test_what_cannot_be_put_in_order_is_refused():
    with pytest.raises(InvalidInput, match="too many"):
        region_of(dc.Context.uniform(range(64), "1"), "subset", 0, 1)
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        region_of(U4, "subset", 0, 1).missed_detection(2)


def test_a_region_as_plain_data():
    told = region_of(U4, "randomized_response", 0, 1).as_dict()
    assert told["attained"][0] == told["allowed"][0] == [0.0, 1.0]
    assert told["attained"][-1] == told["allowed"][-1] == [1.0, 0.0]
    assert told["x"] == 0
