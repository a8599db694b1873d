"""What is promised, in words that are true, with numbers rounded against the collection."""

import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet.client.promise import promise, promise_for, ratio, value_text

C = dc.Context


@pytest.mark.parametrize("text", ["0", "0.001", "0.1", "1/3", "1", "2", "6.9", "13.9"])
def test_a_ratio_is_rounded_up_and_by_little(text):
    epsilon = Fraction(text)
    assert math.exp(epsilon) <= float(ratio(epsilon)) * (1 + 1e-15) <= math.exp(epsilon) * 1.01
    assert ratio(Fraction(20)) == "e^20"


@pytest.mark.parametrize(
    ("context", "says"),
    [
        (
            C.uniform(range(3), "1"),
            ["Compared with any other answer, your report makes yours at most 2.72 times as likely as before"],
        ),
        (
            C.high_low(["a", "b"], ["b"], "1"),
            ["an answer that it is hidden from", 'Protected: "b" (shown as "bee"). All other'],
        ),
        (
            C.blocks({"x": list("ab"), "y": list("cd")}, "1"),
            ["shows which of 2 groups your answer is in", 'there: "x", "y".'],
        ),
        (C.graded({"a": "1", "b": "2"}), ["2.72 to 7.39 times", "epsilon 1 to 2, depending on the two answers"]),
        (
            C.matrix(["a", "b", "c"], [[0, 1, "inf"], [1, 0, 1], ["inf", 1, 0]]),
            ['Protected against some answers only: "a", "c".'],
        ),
        (C.blocks({"x": ["a"], "y": ["b"]}, "1"), ["Nothing is hidden here"]),
        (C.high_low(range(20), range(15), "1"), ['"0", "1", "2", "3", "4", "5", "6", "7" and 7 more']),
    ],
)
def test_the_promise_says_what_is_hidden_and_what_shows(context, says):
    text = " ".join(promise(context, "refuse", {"b": "bee"}))
    for part in says:
        assert part in text
    assert f"Answering uses {context.largest} of your privacy budget" in text


@pytest.mark.parametrize(
    ("points", "epsilon", "says"),
    [
        (range(18, 100), "0.1", "an answer at a distance of 10, your report makes yours at most 2.72 times"),
        (range(5), "0.1", "an answer at a distance of 2, your report makes yours at most 1.23 times"),
        (range(0, 9, 3), "2", "the nearest answers, your report makes yours at most 404 times"),
    ],
)
def test_a_metric_is_explained_by_distance_and_not_by_its_largest_entry(points, epsilon, says):
    context = C.metric(points, "line", epsilon)
    hiding, _ = promise(context, "refuse", {})
    assert f"compared with {says}" in hiding
    assert f"times as likely as before (epsilon {context.largest}" not in hiding
    assert says.replace("yours", "it") in promise_for(context, 0)


@pytest.mark.parametrize(
    ("values", "points", "epsilon", "says"),
    [
        (range(18, 100), None, "0.1", 'at a distance of 10 "years"'),
        ([f"{n}–{n + 9}" for n in range(18, 89, 10)], range(18, 89, 10), "0.1", 'at a distance of 10 "years"'),
        (["0", "1–2", "3–5", "6+"], range(4), "0.5", "at a distance of 2,"),  # steps, which are no years
        (range(18, 400), None, "0.1", "at a distance of 10,"),  # too many to be compared
    ],
)
def test_a_distance_has_the_unit_of_the_numbers_and_no_other(values, points, epsilon, says):
    context = C.metric(values, "line", epsilon, points=points)
    sentences = [promise(context, "refuse", {}, unit="years")[0], promise_for(context, 0, "years")]
    assert all(says in sentence for sentence in sentences)
    assert all("years" not in sentence for sentence in [promise(context, "refuse", {})[0], promise_for(context, 0)])


@pytest.mark.parametrize(
    ("values", "says"),
    [(range(18, 100), 'at a distance of 10 "years"'), ([f"{n}–{n + 9}" for n in range(18, 89, 10)], '10 "years"')],
)
def test_a_scale_with_answers_outside_it_is_explained_by_distance_too(values, says):
    """By its largest entry, nobody could tell what "1.11 to 3300 times" means of their age."""
    points = [int(str(value)[:2]) for value in values]
    context = C.metric(values, "line", "0.1", points=points).with_outside(["prefer not to say", "other"], "2")
    hiding, _ = promise(context, "refuse", {"other": "another"}, unit="years")
    assert says in hiding
    assert hiding.endswith(
        'Compared with "prefer not to say", "other" (shown as "another"), any other answer becomes at most 7.39 times '
        "as likely as before, and the other way round (epsilon 2)."
    )
    assert says in promise_for(context, 3, "years")
    assert "compared with any other, your report makes it at most 7.39" in promise_for(context, context.size - 1)


def test_a_matrix_that_is_no_line_beside_something_is_not_explained_by_distance():
    bent = [[0, 1, 3, 2], [1, 0, 1, 2], [3, 1, 0, 2], [2, 2, 2, 0]]
    straight = [[0, 1, 2, 2], [1, 0, 1, 2], [2, 1, 0, 2], [2, 2, 2, 0]]
    assert "distance" in promise(C.matrix(range(4), straight), "refuse", {})[0]
    for entries in (bent, [row[:3] for row in straight[:3]]):
        assert "distance" not in promise(C.matrix(range(len(entries)), entries), "refuse", {})[0]


def test_a_unit_cannot_speak_for_the_promise():
    hiding, _ = promise(C.metric(range(18, 100), "line", "0.1"), "refuse", {}, unit='years", and nothing is shown')
    assert """10 "years', and nothing is shown", your""" in hiding


def test_the_promise_says_what_becomes_of_a_changed_answer():
    context = C.uniform(range(3), "0.5")
    assert promise(context, "refuse", {})[-1].endswith("a different one is not accepted.")
    assert promise(context, "spend", {})[-1].endswith("a different one uses as much again.")


def test_a_value_is_shown_in_the_words_of_the_collection():
    assert (value_text("hiv", {"hiv": "HIV infection"}), value_text(3, {"3": "three"}), value_text("flu", {})) == (
        "HIV infection",
        "three",
        "flu",
    )


def test_words_that_run_to_the_left_change_places_with_nothing():
    """A bracket in a word would end none, and a reader see the next value where the words of this one are said."""
    context = C.high_low(["none", "\u05d0\u05d0", "\u05d1\u05d1"], ["\u05d0\u05d0", "\u05d1\u05d1"], "1")
    said = promise(context, "refuse", {"\u05d0\u05d0": "\u05ea(\u05d2", "\u05d1\u05d1": "dd"})[1]
    first = '\u2068"\u05d0\u05d0"\u2069 (shown as \u2068"\u05ea(\u05d2"\u2069)'
    assert said.startswith(f'Protected: {first}, \u2068"\u05d1\u05d1"\u2069 (shown as "dd"). ')
