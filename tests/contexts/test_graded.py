"""Laws of graded privacy."""

import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context, Spec
from discreet.core.errors import InvalidContext, InvalidEpsilon, InvalidInput

ILLNESS = Context.graded({"none": "inf", "cold": "3", "flu": 3, "hiv": "0.5"})


def test_each_value_is_hidden_from_all_others_at_its_own_epsilon():
    assert [ILLNESS.epsilon("hiv", other) for other in ("none", "cold", "flu")] == [Fraction(1, 2)] * 3
    assert ILLNESS.epsilon("cold", "hiv") == ILLNESS.epsilon("flu", "cold") == 3
    assert ILLNESS.epsilon("none", "hiv") == math.inf
    assert ILLNESS.closure() is ILLNESS
    assert Context.matrix(ILLNESS.values, ILLNESS.matrix()).closure().matrix() == ILLNESS.matrix()
    assert repr(ILLNESS) == "Context.graded(4 values, epsilon=0.5..inf)"


def test_values_at_one_epsilon_are_alike():
    assert ILLNESS.exchangeable == Context.matrix(ILLNESS.values, ILLNESS.matrix()).exchangeable == (0, 1, 1, 2)
    assert [list(members) for members in ILLNESS.members] == [[3], [1, 2], [0]]


def test_its_grades_are_known_where_all_are_finite():
    assert ILLNESS.grades is None
    assert Context.graded({0: 2, 1: 1, 2: 2}).grades == (2, 1, 2)
    assert (Context.uniform(range(3), 4) & Context.high_low(range(3), [1], 1)).describe() == {
        "form": "graded",
        "epsilons": ["4", "1", "4"],
    }


def test_uniform_high_low_and_two_values_are_special_cases():
    assert Context.graded(dict.fromkeys("abc", 1)).canonical_form().form == "uniform"
    high = Context.graded({"a": "inf", "b": 1, "c": 1, "d": "inf"})
    assert high.canonical_form().describe() == {"form": "high_low", "sensitive": ["b", "c"], "epsilon": "1"}
    assert high == Context.high_low(list("abcd"), ["b", "c"], 1)
    assert Context.graded({"no": "inf", "yes": 1}).canonical_form().form == "binary"
    assert ILLNESS.canonical_form() is ILLNESS
    assert ILLNESS.coarsest_served() == Context.high_low(ILLNESS.values, ["cold", "flu", "hiv"], "1/2")


def test_a_mechanism_survives_a_round_trip_through_its_spec_and_law():
    made = dc.mechanism(ILLNESS)
    assert Spec.of_mechanism(made).mechanism.fingerprint == made.fingerprint
    assert dc.wire.parse_law(dc.wire.law_text(made)).fingerprint == made.fingerprint


def read(epsilons, values=("none", "cold", "flu", "hiv")):
    return Spec.of({"domain": {"values": list(values)}, "context": {"form": "graded", "epsilons": epsilons}}).context


def test_a_spec_gives_epsilons_in_order_or_by_value():
    for given in (["inf", 3, "3", "1/2"], {"hiv": "0.5", "cold": 3, "flu": 3, "none": "inf"}):
        assert read(given).describe() == ILLNESS.describe()
    assert read({"1": 1, "2": "2"}, [1, 2]).epsilon(2, 1) == 2
    assert Spec.of({"context": {"form": "graded", "epsilons": {"a": 1, "b": 2}}}).context.values[1] == "b"


@pytest.mark.parametrize(
    ("epsilons", "message"),
    [
        ([1, 2, 3], "epsilons=3 entries must be one per value, 4"),
        ({"none": 1}, "the value 'cold' must have an epsilon"),
        ({"none": 1, "zz": 1}, "value='zz' must be one of the 4 values"),
        ("1", "context.epsilons must be a list, not text"),
        ([1, 2, 3, [4]], "context.epsilons[3] must be a number or text"),
        ([1, 2, 3, 0], "epsilon['hiv']=0 must be positive"),
        ([1, 2, 3, "-1"], "epsilon['hiv']='-1' must be a non-negative decimal"),
        (["inf"] * 4, "at least one value must have a finite one"),
    ],
)
def test_entries_that_make_no_sense_are_refused(epsilons, message):
    with pytest.raises(InvalidInput) as refused:
        read(epsilons)
    assert message in str(refused.value)


def test_arguments_that_make_no_sense_are_refused():
    for wrong in ([1, 2], {}, "ab", None):
        with pytest.raises(InvalidContext, match="must map each value to its epsilon"):
            Context.graded(wrong)
    for wrong in ("x", None, [1], {}, math.nan, -1):
        with pytest.raises(InvalidEpsilon, match=r"epsilon\['b'\]"):
            Context.graded({"a": 1, "b": wrong})
