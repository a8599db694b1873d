"""Laws of two questions answered one by one: independent reports, a product of estimates."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput, NotServed
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.composed.paired import Paired
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset

LINE = Context.metric(range(4), "line", "1")
THREE = Context.uniform(["a", "b", "c"], "1/2")


def paired(first, second, one, two, **more):
    return dc.mechanism(first * second, "paired", first={"name": one}, second={"name": two}, **more)


def error(mechanism, shares=None):
    k = mechanism.context.size
    shares = np.full(k, 1 / k) if shares is None else shares
    return float(decoder_of(mechanism.sampler).second_moments(shares).sum() - (shares**2).sum())


def test_the_channel_is_the_product_of_the_two():
    mechanism = paired(LINE, THREE, "geometric", "hadamard")
    one, two = (dc.mechanism(context, name) for context, name in ((LINE, "geometric"), (THREE, "hadamard")))
    asked = np.kron(np.array(one.channel(), dtype=float), np.array(two.channel(), dtype=float))
    assert np.allclose(np.array(mechanism.channel(), dtype=float), asked, rtol=1e-12)
    assert [pair.ratio for pair in mechanism.sampler.ratio_bounds() if (pair.x, pair.z) == (0, 4)] == [
        one.sampler.ratio(1) * two.sampler.ratio
    ]


def test_its_error_is_made_of_those_of_the_two():
    five, four = Context.uniform(range(5), "1"), Context.uniform(range(4), "1")
    assert error(paired(five, four, "randomized_response", "randomized_response")) == pytest.approx(106.30, rel=1e-4)


def test_a_prior_is_split_between_the_questions():
    rows = [["1/2", "1/4", "1/8", "1/8"], ["1/4", "1/2", "1/8", "1/8"], ["1/4", "1/4", "3/8", "1/8"]]
    table = {"name": "table", "rows": rows}
    free = Context.uniform(range(3), "2")
    joint = np.outer([0.1, 0.2, 0.3, 0.4], [0.7, 0.2, 0.1]).ravel()
    named = {"first": {"name": "geometric"}, "second": table}
    even, weighted = (dc.mechanism(LINE * free, "paired", **named, **more) for more in ({}, {"prior": joint}))
    assert weighted.sampler.second.prior == pytest.approx((0.7, 0.2, 0.1))
    assert error(weighted, joint) < error(even, joint)


def test_auto_compares_the_pair_with_the_rest():
    explained = dc.explain(Context.metric(range(20), "line", "2") * Context.uniform(range(3), "2"))
    errors = {candidate.name: candidate.error for candidate in explained.candidates}
    assert errors["paired"] < errors["projective"]
    assert errors["paired"] == pytest.approx(errors["tight"], rel=1e-6)


def test_what_cannot_be_paired_is_refused():
    with pytest.raises(NotServed, match="two questions"):
        dc.mechanism(LINE, "paired", first={"name": "geometric"}, second={"name": "geometric"})
    with pytest.raises(InvalidInput, match="paired needs second="):
        dc.mechanism(LINE * THREE, "paired", first={"name": "geometric"})
    with pytest.raises(InvalidInput, match="counted one by one"):
        paired(LINE, THREE, "geometric", "subset")
    with pytest.raises(InvalidInput, match="at most 4096 reports"):
        Paired(RandomizedResponse(5000, Fraction(1)), RandomizedResponse(2, Fraction(1)))
    with pytest.raises(InvalidInput, match="one width of words"):
        Paired(RandomizedResponse(3, Fraction(1)), RandomizedResponse(3, Fraction(1), word_bits=8))
    with pytest.raises(InvalidInput, match="counted one by one"):
        Paired(RandomizedResponse(3, Fraction(1)), Subset(4, Fraction(1)))


def test_a_question_is_served_by_a_name_alone():
    context = dc.Context.uniform(range(3), "1") * dc.Context.metric(range(4), "line", "1")
    named = dc.mechanism(context, "paired", first="hadamard", second="geometric")
    full = dc.mechanism(context, "paired", first={"name": "hadamard"}, second={"name": "geometric"})
    assert named.fingerprint == full.fingerprint
