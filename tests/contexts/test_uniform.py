"""Laws of classical local differential privacy."""

from fractions import Fraction

from discreet import Context


def test_every_pair_has_the_one_epsilon():
    context = Context.uniform(["a", "b", "c"], 0.1)
    assert {context.epsilon(x, z) for x in "abc" for z in "abc" if x != z} == {Fraction(1, 10)}
    assert context.describe() == {"form": "uniform", "epsilon": "0.1"}


def test_one_value_alone_is_a_context():
    context = Context.uniform(["only"], 1)
    assert context.size == 1
    assert context.tightest is None
