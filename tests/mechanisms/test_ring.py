"""Laws of the ring response: the same words wherever the value is, fading as fast as E allows."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidEpsilon, InvalidInput, NotIdentifiable, NotServed
from discreet.core.exact import exp_below
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.law import Row
from discreet.mechanisms.lines_and_grids.ring import RingResponse


def error(sampler):
    k = sampler.size
    return float(decoder_of(sampler).second_moments(np.full(k, 1 / k)).sum()) - 1 / k


@pytest.mark.parametrize("epsilon", ["1/1000", "0.3", "1", "7", "18"])
@pytest.mark.parametrize("size", [3, 4, 5, 6, 50, 10**5])
def test_no_neighbour_exceeds_the_ratio_and_all_words_are_used(size, epsilon):
    step = Fraction(epsilon)
    made = RingResponse(size, step)
    assert made.ratio(1) <= exp_below(step)
    assert math.log(exp_below(step) / made.ratio(1)) < 1e-7
    assert sum(made.noise) == 2**64


@pytest.mark.parametrize(("values", "epsilon"), [([0, 2, 1, 4, 3], "0.7"), (range(12), "0.5"), (range(9), "2")])
def test_it_is_the_tight_table_of_its_ring(values, epsilon):
    context = Context.metric(values, "ring", epsilon)
    one, other = (dc.mechanism(context, name) for name in ("ring", "tight"))
    assert error(one.sampler) == pytest.approx(error(other.sampler), rel=1e-9)
    assert dc.mechanism(context, prior=None).name in ("ring", "subset")
    places = list(one.sampler.places or range(len(values)))
    rows = [np.array(made.channel(), dtype=float) for made in (one, other)]
    assert np.allclose(rows[0][:, places], rows[1], rtol=1e-9)


def test_many_values_are_decoded_without_bias():
    made, rng = RingResponse(100_003, Fraction(1, 10)), np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(made.size))
    decoder = decoder_of(made)
    assert np.abs(decoder.decode(decoder.expected_counts(shares)) - shares).max() < 1e-9
    assert error(made) == pytest.approx(error(RingResponse(10_000, Fraction(1, 10))), rel=1e-3)


def test_long_rings_are_chosen_over_tables_and_bases():
    explained = dc.explain(Context.metric(range(1000), "ring", "0.5"))
    assert explained.chosen.name == "ring"
    assert explained.candidates[0].error == pytest.approx(108.76, rel=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"flat": 0}, "flat words"),
        ({"flat": 50}, "add up to"),
        ({"units": (1,)}, "half of `size` distances"),
        ({"units": (2**60,) * 9}, "half of `size` distances"),
        ({"size": 2}, "half of `size` distances"),
        ({"places": Row.of([0, 1, 1, 2, 3, 4])}, "in another order"),
        ({"places": Row.of(range(6))}, "in another order"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        RingResponse.from_law(replace(RingResponse(6, Fraction(1)).law, **change))


def test_words_that_hide_a_pattern_have_no_estimate():
    """The own place and the one opposite are equally likely, so opposite values are told apart by nothing."""
    law = RingResponse(4, Fraction(1)).law
    made = RingResponse.from_law(replace(law, units=(2**61, 2**61, 2**60), flat=2**61))
    with pytest.raises(NotIdentifiable, match="do not tell all 4 values apart"):
        decoder_of(made).decode(np.ones(4))


def test_what_words_cannot_say_is_refused():
    with pytest.raises(InvalidEpsilon, match="beyond what words of 64 bits"):
        RingResponse(5, Fraction(60))
    with pytest.raises(InvalidEpsilon, match="beyond what words of 64 bits"):
        RingResponse(5, Fraction(1, 10**25))
    with pytest.raises(InvalidInput, match="at least 3"):
        RingResponse(2, Fraction(1))
    with pytest.raises(NotServed, match="values around a ring"):
        dc.mechanism(Context.metric(range(5), "line", "1"), "ring")
