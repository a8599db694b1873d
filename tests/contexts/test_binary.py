"""Laws of two values with an epsilon each way."""

import math
from fractions import Fraction

import pytest

from discreet import Context, Domain
from discreet.contexts import Binary
from discreet.core.errors import InvalidContext, InvalidEpsilon


@pytest.mark.parametrize("pair", [("0", "0"), ("inf", "inf"), ("inf", "1"), ("0", "inf"), ("0.5", "2")])
def test_each_direction_has_its_epsilon_from_zero_to_infinity(pair):
    context = Context.binary("no", "yes", pair)
    exact = [math.inf if e == "inf" else Fraction(e) for e in pair]
    assert [context.epsilon("no", "yes"), context.epsilon("yes", "no")] == exact
    assert context.describe() == {"form": "binary", "epsilon": list(pair)}


@pytest.mark.parametrize("pair", ["11", ("1",), ("1", "1", "1"), 1, None])
def test_the_two_epsilons_come_as_a_pair(pair):
    with pytest.raises(InvalidContext, match="must be a pair"):
        Context.binary("no", "yes", pair)


def test_a_negative_epsilon_is_named_by_its_place():
    with pytest.raises(InvalidEpsilon, match=r"epsilon\[1\]=-1 must be"):
        Context.binary("no", "yes", (1, -1))


def test_exactly_two_different_values_are_needed():
    with pytest.raises(InvalidContext, match="appears twice"):
        Context.binary("no", "no", (1, 1))
    with pytest.raises(InvalidContext, match="3 given; the binary form must have exactly two"):
        Binary(Domain(["a", "b", "c"]), (1, 1))
