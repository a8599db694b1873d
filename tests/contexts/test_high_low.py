"""Laws of high-low privacy."""

import math

import pytest

from discreet import Context
from discreet.core.errors import InvalidContext


def test_a_sensitive_value_is_hidden_from_all_and_the_others_from_none():
    context = Context.high_low(["a", "b", "c"], ["b"], "1")
    assert context.epsilon("b", "a") == context.epsilon("b", "c") == 1
    assert context.epsilon("a", "b") == context.epsilon("a", "c") == math.inf
    assert context.describe() == {"form": "high_low", "sensitive": ["b"], "epsilon": "1"}


def test_all_values_may_be_sensitive():
    assert Context.high_low(["a", "b"], ["b", "a"], "1") == Context.uniform(["a", "b"], "1")


@pytest.mark.parametrize(
    ("sensitive", "message"),
    [
        (["z"], "sensitive: 'z' must be one of the 3 values of the domain"),
        ([], "sensitive=() must hold at least one value"),
        (["a", "a"], "sensitive: values must be distinct"),
        ("ab", "sensitive='ab' must be a collection of values, not a single text"),
        ([["a"]], "must be one of the 3 values"),
    ],
)
def test_sensitive_values_that_make_no_sense_are_refused(sensitive, message):
    with pytest.raises(InvalidContext) as refused:
        Context.high_low(["a", "b", "c"], sensitive, "1")
    assert message in str(refused.value)
