"""Laws of the geometric response: integers that no neighbour exceeds, and a decoder of three diagonals."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidEpsilon, InvalidInput, NotServed
from discreet.core.exact import exp_below
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.law import Row
from discreet.mechanisms.lines_and_grids.geometric import Geometric


def error(sampler):
    k = sampler.size
    return float(decoder_of(sampler).second_moments(np.full(k, 1 / k)).sum()) - 1 / k


def line(values, epsilon):
    return Context.metric(values, lambda x, z: abs(x - z), epsilon)


@pytest.mark.parametrize("epsilon", ["1/1000", "0.3", "1", "7", "25"])
@pytest.mark.parametrize("size", [2, 3, 50, 10**6])
def test_no_neighbour_exceeds_the_ratio_and_all_words_are_used(size, epsilon):
    step = Fraction(epsilon)
    made = Geometric(size, step)
    limit, (own, *_, last), flat = exp_below(step), made.ends, made.law.flat
    assert made.ratio(1) <= limit
    assert math.log(limit / made.ratio(1)) < 1e-7
    assert own + made.ends[1] + (size - 2) * flat == 2**64
    assert last <= limit * flat or len(made.ends) == size


def test_ratios_further_off_are_powers_of_that_of_a_step():
    made = Geometric(30, Fraction(1, 2))
    for steps in (2, 5, 20):
        assert made.ratio(steps) <= exp_below(Fraction(steps, 2))
        assert math.log(made.ratio(steps)) == pytest.approx(steps / 2, abs=1e-6)


@pytest.mark.parametrize(("size", "epsilon", "expected"), [(10, "0.5", 77.26), (100, "0.5", 105.59), (100, "1", 9.598)])
def test_errors_are_those_of_the_closed_form(size, epsilon, expected):
    assert error(Geometric(size, Fraction(epsilon))) == pytest.approx(expected, rel=1e-4)


def test_it_is_the_tight_table_of_its_line():
    context = line([2, 0, 1, 3, 4, 5], "0.7")
    rows = [np.array(dc.mechanism(context, name).channel(), dtype=float) for name in ("geometric", "tight")]
    placed = rows[0][:, [2, 0, 1, 3, 4, 5]]  # a report of the one is a place, of the other a value
    assert np.allclose(placed, rows[1], rtol=1e-9)


def test_a_million_values_are_decoded_without_bias():
    decoder, rng = decoder_of(Geometric(10**6, Fraction(1, 100))), np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(10**6))
    assert np.abs(decoder.decode(decoder.expected_counts(shares)) - shares).max() < 1e-9
    weights = rng.normal(size=10**6)
    assert np.dot(decoder.expected_counts_adjoint(weights), shares) == pytest.approx(
        np.dot(decoder.expected_counts(shares), weights)
    )


def test_like_lines_are_decoded_together():
    decoder, counts = decoder_of(Geometric(7, Fraction(1))), np.arange(21.0).reshape(3, 7)
    together = decoder.decode(counts)
    assert all(np.allclose(decoder.decode(one), many) for one, many in zip(counts, together, strict=True))


def test_a_law_that_does_not_fade_by_one_ratio_is_refused():
    law = Geometric(6, Fraction(1)).law
    for change in (50, 10**6, -(10**6), 2**60):
        first, second, *rest = law.units
        with pytest.raises(InvalidInput, match="fall by one ratio"):
            Geometric.from_law(replace(law, units=(first - 2 * change, second + change, *rest)))
    short = replace(law, units=(law.units[0] + 2 * law.units[-1], *law.units[1:-1]))
    with pytest.raises(InvalidInput, match="fall by one ratio"):
        Geometric.from_law(short)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"flat": 0}, "flat words"),
        ({"flat": 5}, "add up to"),
        ({"units": (1,)}, "two to `size` distances"),
        ({"size": 1}, "two to `size` distances"),
        ({"places": Row.of([0, 1, 1, 2, 3, 4])}, "in another order"),
        ({"places": Row.of(range(6))}, "in another order"),
        ({"places": Row.of([1, 0])}, "in another order"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        Geometric.from_law(replace(Geometric(6, Fraction(1)).law, **change))


def test_what_words_cannot_say_is_refused():
    with pytest.raises(InvalidEpsilon, match="beyond what words of 64 bits"):
        Geometric(5, Fraction(60))
    with pytest.raises(InvalidEpsilon, match="beyond what words of 64 bits"):
        Geometric(5, Fraction(1, 10**25))
    with pytest.raises(NotServed, match="too small for it"):
        Geometric(10**6, Fraction(1, 10**5))


@pytest.mark.parametrize("values", [[0, 1, 3], [(0, 0), (0, 1), (1, 0), (1, 1)]])
def test_only_a_line_of_equal_steps_is_served(values):
    apart = Context.metric(values, lambda a, b: np.abs(np.subtract(a, b)).sum().item(), "1")
    with pytest.raises(NotServed, match="values along a line"):
        dc.mechanism(apart, "geometric")
