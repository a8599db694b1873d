"""Bugs around the sampler: the source of noise, the domain, the wire, the epsilon. Each is refused where it enters."""

from __future__ import annotations

import random

import numpy as np
import pytest

import discreet as dc
from discreet import wire
from discreet.auditing import check_source
from discreet.core.errors import CheckFailed, InvalidEpsilon, InvalidReport, RandomnessFailure, UnknownValue

CONTEXT = dc.Context.uniform(["no", "yes", "maybe", "never"], "1")


class Twister:
    """Mersenne twister as the source."""

    def __init__(self):
        self._random = random.Random()

    def take(self, count):
        return [self._random.getrandbits(64) for _ in range(count)]


class Shifts(Twister):
    """xorshift64, seeded well."""

    def __init__(self):
        self._state = random.SystemRandom().getrandbits(64) | 1

    def take(self, count):
        words = []
        for _ in range(count):
            self._state ^= self._state << 13 & (1 << 64) - 1
            self._state ^= self._state >> 7
            self._state ^= self._state << 17 & (1 << 64) - 1
            words.append(self._state)
        return words


def test_the_secure_source_passes():
    check_source(dc.random.secure)


@pytest.mark.parametrize(("source", "length"), [(Twister, 19_937), (Shifts, 64)])
def test_a_source_that_is_linear_over_bits_is_refused_with_the_size_of_its_state(source, length):
    with pytest.raises(CheckFailed, match=f"recurrence of length {length};"):
        check_source(source)


def test_a_source_with_a_constant_seed_is_refused():
    with pytest.raises(CheckFailed, match="seed is constant"):
        check_source(lambda: dc.random.seeded(42))


def test_a_value_outside_the_domain_is_refused_and_never_sent():
    mechanism = dc.mechanism(CONTEXT)
    for value in ("hiv", "", None, 0, "No"):
        with pytest.raises(UnknownValue):
            mechanism.randomize(value, dc.random.secure())
    with pytest.raises(UnknownValue):
        mechanism.randomize_indices(np.array([4]), dc.random.secure())


@pytest.mark.parametrize("text", ["hiv", "no", "-1", "4", "01", " 1", "1.0", "true", "1\n"])
def test_a_report_in_the_clear_or_out_of_range_is_refused_by_the_wire(text):
    mechanism = dc.mechanism(CONTEXT, "randomized_response")
    assert wire.report_from_text(mechanism, "1") == 1
    with pytest.raises(InvalidReport):
        wire.report_from_text(mechanism, text)


def test_a_set_with_a_value_twice_or_too_many_cannot_be_counted():
    mechanism = dc.mechanism(CONTEXT, "subset", d=2)
    assert mechanism.tally([0b0011]).n == 1
    for forged in (0b0001, 0b0111, 0b10001, -1, True):
        with pytest.raises(InvalidReport):
            mechanism.tally([forged])


@pytest.mark.parametrize("epsilon", ["0", "inf", "nan", "-1", "1e999", None, True])
def test_an_epsilon_that_would_give_no_noise_or_nonsense_is_refused(epsilon):
    with pytest.raises(InvalidEpsilon):
        dc.Context.uniform(["no", "yes"], epsilon)


def test_an_epsilon_beyond_what_words_can_certify_is_refused():
    with pytest.raises(InvalidEpsilon, match="beyond"):
        dc.mechanism(dc.Context.uniform(["no", "yes"], "800"), "randomized_response")


def test_without_enough_randomness_there_is_no_report():
    mechanism = dc.mechanism(CONTEXT)
    with pytest.raises(RandomnessFailure):
        mechanism.randomize("no", dc.random.replay([]))
