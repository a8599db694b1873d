"""Laws of two-level units, sizes and word widths, and what is kept with a sampler."""

import gc
import pickle
import weakref
from copy import copy
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.core.errors import InvalidEpsilon, InvalidInput, InvalidReport
from discreet.core.exact import within
from discreet.estimation.decoders import decoder_of
from discreet.leakage.profiles import profile_of
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset
from discreet.mechanisms.uniform.unary import Unary
from discreet.mechanisms.units import Units, check_size

epsilons = st.fractions(min_value="0.01", max_value=20, max_denominator=1000)


@given(epsilons, st.integers(1, 1000), st.integers(1, 10**6), st.sampled_from([Units.split, Units.fine]))
def test_units_fill_the_words_and_keep_the_ratio(epsilon, a, b, split):
    units = split(64, epsilon, a=a, b=b)
    assert a * units.high + b * units.low + units.spare == 2**64
    assert within(Fraction(units.high, units.low), epsilon)
    assert within(Fraction(units.high + 1, units.low + 1), epsilon)
    assert 0 <= units.spare < a + b
    assert units.high > units.low > 0


@given(epsilons, st.integers(1, 100), st.integers(1, 10**4))
def test_one_more_unit_for_every_high_report_would_not_fit_or_not_be_private(epsilon, a, b):
    units = Units.split(64, epsilon, a=a, b=b)
    fits = a * (units.high + 1) + b * units.low <= 2**64
    assert not fits or not within(Fraction(units.high + 1, units.low), epsilon)


@pytest.mark.parametrize("split", [Units.split, Units.fine])
@pytest.mark.parametrize("epsilon", ["1e-25", "45", "1000"])
def test_an_epsilon_that_leaves_no_signal_or_no_words_is_refused(split, epsilon):
    with pytest.raises(InvalidEpsilon, match="is beyond what words of 64 bits can certify for this many values"):
        split(64, Fraction(epsilon), a=1, b=1)


def test_nothing_to_lie_about_leaves_all_words_to_the_truth():
    units = Units.split(64, Fraction(1), a=1, b=0)
    assert units.high == 2**64


@pytest.mark.parametrize("kind", [RandomizedResponse, Hadamard, Unary, Subset])
def test_sizes_and_widths_that_no_sampler_has_are_refused(kind):
    with pytest.raises(InvalidInput, match="size=0 must be at least 1"):
        kind(0, Fraction(1))
    for width in (0, 65):
        with pytest.raises(InvalidInput, match=f"word_bits={width} must be from 1 to 64"):
            kind(3, Fraction(1), word_bits=width)


@pytest.mark.parametrize("kind", [RandomizedResponse, Hadamard, Subset])
@pytest.mark.parametrize("epsilon", ["1e-25", "100"])
def test_every_design_refuses_an_epsilon_beyond_its_words(kind, epsilon):
    with pytest.raises(InvalidEpsilon, match="beyond what words of 64 bits"):
        kind(5, Fraction(epsilon))


def test_check_size_passes_what_is_sound():
    assert check_size(1, 64) is None


@given(st.integers(2, 40), epsilons)
def test_a_report_holds_in_its_bits(size, epsilon):
    for kind in (RandomizedResponse, Hadamard):
        sampler = kind(size, epsilon)
        assert 1 << sampler.bits - 1 < max(2, sampler.outputs) <= 1 << sampler.bits


@given(st.one_of(st.integers(), st.floats(), st.booleans(), st.text(), st.none()))
def test_only_whole_numbers_that_can_occur_are_reports(y):
    sampler = RandomizedResponse(7, Fraction(1))
    assume(not (type(y) is int and 0 <= y < 7))
    with pytest.raises(InvalidReport, match="cannot occur under randomized_response on 7 values"):
        sampler.check_report(y)
    assert sampler.check_report(6) == 6


def test_a_decoder_and_a_profile_live_as_long_as_their_sampler_and_are_made_once():
    sampler = Subset(9, Fraction(1))
    decoder, profile = decoder_of(sampler), profile_of(sampler)
    assert decoder_of(sampler) is decoder
    assert profile_of(sampler) is profile
    there = weakref.ref(sampler)
    del sampler, decoder, profile
    gc.collect()
    assert there() is None


def test_a_copy_of_a_sampler_has_a_decoder_of_its_own():
    sampler = Subset(9, Fraction(1))
    decoder = decoder_of(sampler)
    for other in (copy(sampler), pickle.loads(pickle.dumps(sampler))):
        assert not other.attachments
        assert decoder_of(other) is not decoder
        assert decoder_of(other).sampler is other
    assert decoder_of(sampler) is decoder
