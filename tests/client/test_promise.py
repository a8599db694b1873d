"""What is promised, in words that are true, with numbers rounded against the collection."""

import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet.client.promise import promise, ratio, value_text

C = dc.Context


@pytest.mark.parametrize("text", ["0", "0.001", "0.1", "1/3", "1", "2", "6.9", "13.9"])
def test_a_ratio_is_rounded_up_and_by_little(text):
    epsilon = Fraction(text)
    assert math.exp(epsilon) <= float(ratio(epsilon)) * (1 + 1e-15) <= math.exp(epsilon) * 1.01
    assert ratio(Fraction(20)) == "e^20"


@pytest.mark.parametrize(
    ("context", "says"),
    [
        (C.uniform(range(3), "1"), ["2.72 times as likely with your answer as with any other (epsilon 1)"]),
        (
            C.high_low(["a", "b"], ["b"], "1"),
            ["one that it is hidden from", 'Hidden from all others: "b" (shown as "bee"). Every other'],
        ),
        (
            C.blocks({"x": list("ab"), "y": list("cd")}, "1"),
            ["It shows which of 2 groups your answer is in", 'inside: "x", "y".'],
        ),
        (C.graded({"a": "1", "b": "2"}), ["2.72 to 7.39 times", "epsilon 1 to 2, by the two answers"]),
        (C.matrix(["a", "b", "c"], [[0, 1, "inf"], [1, 0, 1], ["inf", 1, 0]]), ['Hidden from some others: "a", "c".']),
        (C.blocks({"x": ["a"], "y": ["b"]}, "1"), ["Nothing is hidden here"]),
        (C.high_low(range(20), range(15), "1"), ['"0", "1", "2", "3", "4", "5", "6", "7" and 7 more']),
    ],
)
def test_the_promise_says_what_is_hidden_and_what_shows(context, says):
    text = " ".join(promise(context, "refuse", {"b": "bee"}))
    for part in says:
        assert part in text
    assert f"spends {context.largest} of your budget" in text


def test_the_promise_says_what_becomes_of_a_changed_answer():
    context = C.uniform(range(3), "0.5")
    assert promise(context, "refuse", {})[-1].endswith("a changed one is not taken.")
    assert promise(context, "spend", {})[-1].endswith("a changed one spends as much again.")


def test_a_value_is_shown_in_the_words_of_the_collection():
    assert (value_text("hiv", {"hiv": "HIV infection"}), value_text(3, {"3": "three"}), value_text("flu", {})) == (
        "HIV infection",
        "three",
        "flu",
    )
