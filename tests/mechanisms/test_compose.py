"""Two releases about one value satisfy the sum of their contexts, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.auditing import Bulk, audit
from discreet.checks import check_every_word, check_mechanism
from discreet.core.errors import InvalidInput, PrivacyViolation
from discreet.mechanisms.composed.compose import Product, compose
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.planning.choose import candidate_of

U3 = dc.Context.uniform(["a", "b", "c"], "1")
H3 = dc.Context.high_low(["a", "b", "c"], ["a"], "0.5")


def test_the_channel_of_the_pair_is_the_product_of_the_channels():
    one, two = dc.mechanism(U3, "randomized_response"), dc.mechanism(U3, "hadamard")
    pair = compose(one, two).exact()
    wanted = [[a * b for a in p for b in q] for p, q in zip(one.channel(), two.channel(), strict=True)]
    assert pair.channel() == wanted


@pytest.mark.parametrize("other", [U3, H3, dc.Context.uniform(["a", "b", "c"], "0.25")])
def test_the_pair_is_certified_for_the_sum_and_for_nothing_less(other):
    composition = compose(dc.mechanism(U3), dc.mechanism(other))
    pair = composition.exact()
    assert pair.context == U3 + other
    for x in "abc":
        for z in "abc":
            if x != z:
                assert composition.context.epsilon(x, z) == U3.epsilon(x, z) + other.epsilon(x, z)
    assert pair.certificate.gap < 1e-9
    with pytest.raises(PrivacyViolation):
        dc.verify(pair, context=U3)  # the control: one of the two contexts alone does not hold


def test_the_sampler_of_the_pair_follows_the_product_over_every_word():
    def factory(bits):
        one = RandomizedResponse(3, Fraction(1), word_bits=bits)
        return Product(one, Hadamard(3, Fraction(1), word_bits=bits))

    assert check_every_word(factory(64), factory=factory) == 3
    done = check_mechanism(Mechanism(U3 + U3, factory(64)), factory=factory)
    assert {"every word", "pairs", "unbiased", "moments"} <= set(done)


def test_two_reports_estimate_better_than_one():
    one = dc.mechanism(U3)
    pair = compose(one, one).exact()
    shares = np.full(3, 1 / 3)
    assert candidate_of(pair, shares).error < 0.6 * candidate_of(one, shares).error


def test_the_same_words_give_the_same_two_reports():
    composition = compose(dc.mechanism(U3), dc.mechanism(H3))
    rng = dc.random.seeded(1)
    one, two = composition.randomize("a", rng)
    again = dc.random.seeded(1)
    assert (one, two) == (composition.first.randomize("a", again), composition.second.randomize("a", again))
    pair = composition.exact()
    assert pair.sampler.split(pair.randomize("a", dc.random.seeded(1))) == (one, two)


def test_a_large_composition_is_drawn_without_writing_anything_out():
    context = dc.Context.uniform(range(1000), "1")
    composition = compose(dc.mechanism(context, "hadamard"), dc.mechanism(context, "projective"))
    first, second = composition.randomize_indices(np.arange(1000), dc.random.seeded(2))
    assert len(first) == len(second) == 1000
    assert composition.context.smallest == 2
    with pytest.raises(InvalidInput, match="too many to write out"):
        composition.exact()


def test_the_audit_agrees_with_the_sum():
    """Joint false-alarm rate 1e-6; sold as one release, the pair is found out."""
    composition = compose(dc.mechanism(U3), dc.mechanism(U3))
    rng = dc.random.seeded(3)

    def many(value, n):
        index = "abc".index(value)
        return np.stack(composition.randomize_indices(np.full(n, index), rng), axis=1).astype(np.uint8)

    assert not audit(Bulk(many), context=composition.context, samples=20_000, rng=dc.random.seeded(4)).breach
    found = audit(Bulk(many), context=U3, samples=20_000, rng=dc.random.seeded(4))
    assert found.breach
    assert 1.5 < found.epsilon_lower < 2


def test_other_values_cannot_be_composed():
    with pytest.raises(InvalidInput, match="same values"):
        compose(dc.mechanism(U3), dc.mechanism(dc.Context.uniform(["a"], "1")))
    assert math.isinf((H3 + H3).epsilon("b", "a"))
