"""Numbers between bounds: how they are read, and how they become nodes of a grid."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidContext, UnknownValue
from discreet.core.numbers import nearest

INCOMES = dc.NumberDomain(0, 4000, clip=True)
DOSES = dc.NumberDomain("-0.5", "1.5", step="0.25", decimals=3)
TOP = 2**64 - 1


@pytest.mark.parametrize("value", [850.5, "850.5", "850.50", "8.505e2", Decimal("850.500"), np.float64(850.5)])
def test_a_number_is_read_as_the_decimal_it_prints(value):
    assert INCOMES.normalized(value) == "850.5"


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), True, "1_0", "1/3", "१२", "", " 1", "0x1", None, 1j, b"1", [1], "12 EUR"]
)
def test_what_is_no_number_is_refused_without_being_repeated(value):
    with pytest.raises(UnknownValue, match=r"a value of type \w+ must be a number from 0 to 4000|^null must be"):
        INCOMES.position(value)


def test_numbers_beyond_the_bounds_are_cut_or_refused_as_declared():
    assert [INCOMES.normalized(value) for value in (-1, "-1e-9", 4001, 1e300)] == ["0", "0", "4000", "4000"]
    assert INCOMES.clips(4001)
    assert INCOMES.clips(-1)
    assert not INCOMES.clips(4000)
    with pytest.raises(UnknownValue, match=r"a number from -0\.5 to 1\.5"):
        DOSES.position("1.6")


def test_a_number_is_rounded_to_its_decimals_the_upper_one_of_two():
    assert [DOSES.normalized(value) for value in ("0.0005", "-0.0005", "0.00049")] == ["0.001", "0", "0"]
    assert nearest(Fraction(-1, 2)) == 0
    assert nearest(Fraction(1, 2)) == 1


@pytest.mark.parametrize("grid", [INCOMES, DOSES, dc.NumberDomain(0, 3, nodes=4, decimals=1)])
def test_a_number_becomes_each_node_beside_it_with_the_chance_that_keeps_its_mean(grid):
    for position in {0, 1, grid.units - 1, grid.units, 7 * grid.positions // 9, grid.positions - 1}:
        node, rest = divmod(position, grid.units)
        threshold = (rest << 64) // grid.units
        drawn = [grid.place(position, [word]) for word in (0, max(threshold - 1, 0), min(threshold, TOP), TOP)]
        assert drawn == [node + (rest > 0), node + (rest > 0), node, node]
        mean = node + Fraction(threshold, 2**64)
        assert 0 <= Fraction(position, grid.units) - mean < Fraction(1, 2**64)


def test_nearest_takes_no_word_and_the_nearest_node():
    grid = dc.NumberDomain(0, 4, step=1, decimals=2, rounding="nearest")
    assert grid.draws == 0
    assert [grid.place(grid.position(x), []) for x in ("0.49", "0.5", "3.99", 4)] == [0, 1, 4, 4]


def test_values_outside_the_scale_are_kept_whatever_is_drawn():
    grid = INCOMES.extended(["prefer not to say"])
    position = grid.position("prefer not to say")
    assert {grid.place(position, [word]) for word in (0, TOP)} == {33}
    assert grid.normalized("prefer not to say") == "prefer not to say" == grid[33]
    assert grid.position(4000) < position == grid.positions - 1
    assert grid.shortened(1) == INCOMES
    assert grid != INCOMES


def test_nodes_are_found_however_they_are_written_and_nothing_else_is():
    assert [INCOMES.find(value) for value in (0, "125", 125.0, Decimal(4000), 126, "x", True)] == [
        *(0, 1, 1, 32),
        *(None, None, None),
    ]
    assert list(DOSES)[:3] == [-0.5, -0.25, 0.0]
    assert DOSES.find(-0.25) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"low": 1, "high": 1}, "low=1 must be below high=1"),
        ({"low": 0, "high": float("inf")}, "high=inf must be a finite decimal"),
        ({"low": 0, "high": 1, "nodes": 4}, "nodes=4 of 0 to 1 are not an exact decimal apart; 5 are"),
        ({"low": 0, "high": 1, "nodes": 1}, "nodes=1 must be a whole number, at least 2"),
        ({"low": 0, "high": 1, "step": "0.3"}, "step='0.3' must be positive"),
        ({"low": 0, "high": 1, "step": 1, "nodes": 2}, "one of step and nodes"),
        ({"low": 0, "high": 1, "step": "0.25", "decimals": 1}, "decimals=1 must be a whole number from 2 to 15"),
        ({"low": 0, "high": 1, "decimals": 15}, "must be fewer than"),
        ({"low": 0, "high": "1e-18", "nodes": 2}, "must have at most 15 decimals"),
        ({"low": 0, "high": 1, "clip": "yes"}, "clip='yes' must be True or False"),
        ({"low": 0, "high": 1, "rounding": "up"}, "rounding='up' must be one of 'at random', 'nearest'"),
        ({"low": 0, "high": 1, "outside": ["2"]}, "'2' must not be a number"),
    ],
)
def test_bounds_and_steps_that_contradict_themselves_are_refused_by_name(arguments, message):
    with pytest.raises(InvalidContext, match=message):
        dc.NumberDomain(**arguments)
