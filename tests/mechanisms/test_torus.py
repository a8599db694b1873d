"""Laws of noise on a torus: one set of displacements for all values, and an error that the size does not change."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput, NotServed, PrivacyViolation
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.law import Row
from discreet.mechanisms.lines_and_grids.torus import Torus, torus_response


def grid(rows, columns, norm, epsilon):
    return Context.metric([(i, j) for i in range(rows) for j in range(columns)], norm, epsilon)


def error(sampler):
    k = sampler.size
    return float(decoder_of(sampler).second_moments(np.full(k, 1 / k)).sum()) - 1 / k


@pytest.mark.parametrize(("side", "epsilon", "expected"), [(32, "1", 115.08), (16, "1", 115.08), (16, "2", 4.81)])
def test_the_error_is_that_of_the_spectrum_and_hardly_depends_on_the_size(side, epsilon, expected):
    made = torus_response(grid(side, side, "l2", epsilon))
    assert error(made) == pytest.approx(expected, rel=5e-3)


def test_displacements_fade_with_the_shorter_way_round():
    made = torus_response(grid(5, 4, "l2", "1"))
    for t, (i, j) in enumerate((i, j) for i in range(5) for j in range(4)):
        away = math.hypot(min(i, 5 - i), min(j, 4 - j))
        assert made.law.units[t] / made.law.units[0] == pytest.approx(math.exp(-away), rel=1e-9)


def test_every_ratio_is_within_what_the_distance_allows():
    made = torus_response(grid(6, 6, "l2", "0.5"))
    for z in range(1, 36):
        assert math.log(made.ratio(0, z)) <= 0.5 * math.hypot(z // 6, z % 6)


def test_cells_may_be_empty_and_further_apart():
    context = Context.metric([("0", "0.5"), ("1", "0"), ("1.5", "1.5")], "l1", "1")
    made = torus_response(context)
    assert made.shape == (4, 4)
    assert list(made.places) == [1, 8, 15]
    assert dc.Mechanism(context, made).certificate.gap >= 0


def test_it_is_chosen_where_a_table_is_too_large():
    assert dc.mechanism(grid(13, 13, "l2", "1")).name == "torus"


def test_a_displacement_that_is_too_likely_leaks():
    """The control: words moved to the own cell break the promise to its neighbours."""
    context = grid(3, 3, "l1", "1")
    law = torus_response(context).law
    sides = [t for t, unit in enumerate(law.units) if unit == law.units[4]]
    units = [unit - 2**40 if t in sides else unit for t, unit in enumerate(law.units)]
    units[0] += 2**40 * len(sides)
    with pytest.raises(PrivacyViolation, match=r"leaks 1\.0"):
        dc.Mechanism(context, Torus.from_law(replace(law, units=tuple(units))))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": (9,)}, "mirror image"),
        ({"shape": (2, 3)}, "every cell of its shape"),
        ({"shape": ()}, "every cell of its shape"),
        ({"spare": 99}, "add up to"),
        ({"cells": Row.of([0, 0])}, "different cells"),
        ({"cells": Row.of([0, 9])}, "different cells"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(change, message):
    law = torus_response(grid(3, 3, "l2", "1")).law
    with pytest.raises(InvalidInput, match=message):
        Torus.from_law(replace(law, **change))


def test_words_that_are_not_the_same_both_ways_are_refused():
    law = torus_response(grid(3, 3, "l2", "1")).law
    units = list(law.units)
    units[1], units[2] = units[1] + 1, units[2] - 1
    with pytest.raises(InvalidInput, match="mirror image"):
        Torus.from_law(replace(law, units=tuple(units)))


def test_what_is_no_grid_is_not_served():
    for context in (Context.uniform(range(4), "1"), Context.metric(range(4), "line", "1")):
        with pytest.raises(NotServed, match="values on a grid"):
            dc.mechanism(context, "torus")
    with pytest.raises(NotServed, match="at most 131072 cells"):
        dc.mechanism(Context.metric([(0, 0), (1, Fraction(1, 1000))], "l1", "1"), "torus")
