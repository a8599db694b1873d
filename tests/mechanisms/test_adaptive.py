"""A second release chosen by the first report satisfies the sum with the weakest of the second contexts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.checks import check_every_word, check_mechanism
from discreet.core.arithmetic import INTEGERS
from discreet.core.errors import InvalidInput, InvalidReport, PrivacyViolation
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.composed.adaptive import Adaptive
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.planning.choose import candidate_of
from discreet.wire import law_text, parse_law

VALUES = ["a", "b", "c"]
U3 = dc.Context.uniform(VALUES, "1")
HALF = dc.Context.uniform(VALUES, "0.5")
H3 = dc.Context.high_low(VALUES, ["a"], "0.5")
FIRST = dc.mechanism(U3, "randomized_response")
NEXT = {0: dc.mechanism(HALF, "subset", d=1), 1: dc.mechanism(U3, "hadamard"), 2: dc.mechanism(HALF, "subset", d=1)}


def test_the_joint_channel_is_the_first_times_the_second_that_was_chosen():
    pair = dc.adaptive(FIRST, NEXT)
    sampler = pair.sampler
    for x in range(3):
        for y in FIRST.reports():
            for w in NEXT[y].reports():
                wanted = FIRST.sampler.probability(x, y) * NEXT[y].sampler.probability(x, w)
                assert sampler.probability(x, sampler.join(y, w)) == wanted
                assert sampler.split(sampler.join(y, w)) == (y, w)
    assert all(sum(row) == 1 for row in pair.channel())
    assert len(sampler.seconds) == 2  # what follows 0 and 2 is one mechanism


def test_the_pair_is_certified_for_the_first_plus_the_weakest_second_and_for_nothing_less():
    pair = dc.adaptive(FIRST, NEXT)
    assert pair.context == U3 + (HALF | U3) == dc.Context.uniform(VALUES, "2")
    assert pair.certificate.gap < 1e-9
    with pytest.raises(PrivacyViolation):
        dc.verify(pair, context=U3 + HALF)  # the control: the strictest second alone does not hold
    mixed = dc.adaptive(FIRST, lambda y: dc.mechanism(H3 if y == 0 else HALF))
    assert mixed.context.epsilon("a", "b") == Fraction(3, 2)
    assert mixed.context.epsilon("b", "a") == float("inf")


def test_the_same_second_everywhere_is_the_product():
    second = dc.mechanism(HALF, "hadamard")
    assert dc.adaptive(FIRST, lambda _: second).channel() == dc.compose(FIRST, second).exact().channel()


def test_the_sampler_follows_the_joint_channel_over_every_word():
    def factory(bits):
        seconds = [RandomizedResponse(3, Fraction(1, 2), word_bits=bits), Hadamard(3, Fraction(1), word_bits=bits)]
        return Adaptive(RandomizedResponse(3, Fraction(1), word_bits=bits), seconds, [0, 1, 0])

    assert check_every_word(factory(64), factory=factory) == 3
    done = check_mechanism(Mechanism(U3 + U3, factory(64)), factory=factory)
    assert {"every word", "pairs", "unbiased", "moments"} <= set(done)


def test_the_whole_suite_passes_with_seconds_of_different_widths():
    pair = dc.adaptive(FIRST, {0: dc.mechanism(HALF, "unary"), 1: dc.mechanism(U3, "subset", d=2), 2: FIRST})
    assert "unbiased" in check_mechanism(pair)


def test_two_rounds_are_one_joint_report():
    """The collector may choose the second mechanism after the first report has come in."""
    pair = dc.adaptive(FIRST, NEXT)
    rng, again = dc.random.seeded(5), dc.random.seeded(5)
    for _ in range(20):
        y = FIRST.randomize("b", rng)
        w = NEXT[y].randomize("b", rng)
        words = [*again.take(FIRST.sampler.words), *again.take(NEXT[y].sampler.words)]
        spare = [0] * (pair.sampler.words - len(words))
        assert pair.sampler.draw(1, [*words, *spare], INTEGERS) == pair.sampler.join(y, w)
    with pytest.raises(InvalidReport, match="cannot follow"):
        pair.sampler.join(0, 3)


def test_a_joint_estimate_is_unbiased_and_better_than_either_alone():
    shares = np.array([0.5, 0.3, 0.2])
    pair = dc.adaptive(FIRST, NEXT)
    assert candidate_of(pair, shares).error < 0.8 * candidate_of(FIRST, shares).error
    expected = decoder_of(pair.sampler).expected_counts(shares)
    assert decoder_of(pair.sampler).decode(expected) == pytest.approx(shares, abs=1e-12)
    rng = dc.random.seeded(2)
    people = ["a"] * 2000 + ["b"] * 1200 + ["c"] * 800
    found = dc.estimate(pair.tally([pair.randomize(value, rng) for value in people]))
    assert np.all(np.abs(np.asarray(found.shares) - shares) < 6 * np.asarray(found.stderr))  # false alarms: below 1e-8


def test_the_law_is_data_and_comes_back():
    pair = dc.adaptive(FIRST, NEXT)
    again = parse_law(law_text(pair))
    assert again.fingerprint == pair.fingerprint
    assert again.channel() == pair.channel()
    with pytest.raises(InvalidInput, match="choice"):
        parse_law(law_text(pair).replace('"choice":[0,1,0]', '"choice":[0,2,0]'))


def test_what_cannot_follow_is_refused():
    with pytest.raises(InvalidInput, match="2 has none"):
        dc.adaptive(FIRST, {0: FIRST, 1: FIRST})
    with pytest.raises(InvalidInput, match="must be a mechanism, not str"):
        dc.adaptive(FIRST, lambda y: "hadamard")
    with pytest.raises(InvalidInput, match="same values"):
        dc.adaptive(FIRST, lambda y: dc.mechanism(dc.Context.uniform(["a", "b"], "1")))
    large = dc.mechanism(dc.Context.uniform(range(1000), "1"), "hadamard")
    with pytest.raises(InvalidInput, match="too many to write out"):
        dc.adaptive(large, lambda y: large)
