"""What one report tells: the reference figures, any mechanism against its channel, and words rounded against us."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidReport

ZIPF = [1 / rank for rank in range(1, 16)]
ZIPF = [share / sum(ZIPF) for share in ZIPF]


def uniform(name, epsilon="1", k=15, **parameters):
    return dc.mechanism(Context.uniform(range(k), epsilon), name, **parameters)


@pytest.mark.parametrize(
    ("name", "parameters", "even", "zipf", "points", "test"),
    [
        ("hadamard", {}, 0.09747, 0.31592, (0.731, 0.500), 0.61553),
        ("subset", {"d": 4}, 0.12428, 0.31692, (0.497, 0.250), 0.62345),
        ("randomized_response", {}, 0.16259, 0.30784, (0.163, 0.060), 0.55139),
    ],
)
def test_guesses_points_and_tests_of_fifteen_values(name, parameters, even, zipf, points, test):
    mechanism = uniform(name, **parameters)
    found = dc.exposure(mechanism)
    assert found.guess == pytest.approx(even, abs=1e-5)
    assert found.guess_without == pytest.approx(1 / 15)
    assert dc.exposure(mechanism, prior=ZIPF).guess == pytest.approx(zipf, abs=1e-5)
    assert found.points(0) == pytest.approx(points, abs=1e-3)
    assert found.test(0, 1) == pytest.approx(test, abs=1e-5)


def test_the_share_of_a_value_after_a_report():
    found = dc.exposure(uniform("hadamard"))
    assert found.range(0) == pytest.approx((0.03700, 0.10057), abs=1e-5)
    assert found.promised(0) == pytest.approx((0.02560, 0.16259), abs=1e-5)
    two = dc.exposure(uniform("randomized_response", k=2), prior=[0.9, 0.1])
    assert two.promised(1) == pytest.approx((0.03927, 0.23197), abs=1e-5)
    assert two.range(1) == pytest.approx(two.promised(1))
    assert two.posterior(1)[1] == pytest.approx(0.23197, abs=1e-5)


@pytest.mark.parametrize(
    ("g", "h", "share"), [(0.731, 0.500, 0.13975), (0.497, 0.250, 0.18083), (0.1626, 0.0598, 0.23197)]
)
def test_pointing_reports_with_a_prior(g, h, share):
    assert 0.1 * g / (0.1 * g + 0.9 * h) == pytest.approx(share, abs=1e-3)


LARGE = [
    (Context.uniform(range(64), "1"), "subset"),
    (Context.uniform(range(300), "1"), "unary"),
    (Context.uniform(range(5000), "1"), "hadamard"),
    (Context.high_low(range(100), range(40), "1"), "subset"),
    (Context.blocks({b: range(40 * b, 40 * b + 40) for b in range(3)}, "1"), "subset"),
]


@pytest.mark.parametrize(("context", "name"), LARGE, ids=lambda one: one if isinstance(one, str) else "")
def test_large_domains_have_closed_forms_within_what_e_promises(context, name):
    found = dc.exposure(dc.mechanism(context, name))
    (low, high), (least, most) = found.range(0), found.promised(0)
    assert least <= low <= high <= most * (1 + 1e-9)
    assert found.guess_without <= found.guess <= 1
    assert 0 <= found.points(0)[1] < found.points(0)[0] <= 1


def test_where_the_reports_are_too_many_what_e_allows_is_said(monkeypatch):
    mechanism = dc.mechanism(Context.graded(dict.fromkeys(range(5), "1") | {9: "2"}), "graded_unary")
    exact = dc.exposure(mechanism)
    known = exact.guess, exact.range(0)
    monkeypatch.setattr("discreet.leakage.profiles.posterior.MAX_EXACT_ENTRIES", 0)
    found = dc.exposure(mechanism)
    assert found.guess >= known[0]
    assert found.range(0)[0] <= known[1][0] <= known[1][1] <= found.range(0)[1]
    assert math.isnan(found.points(0)[0])
    assert len(found.sentences(0)) == 2
    assert found.as_dict()["values"][0]["points_own"] is None


def test_sentences_are_rounded_against_us_and_name_the_share_that_is_assumed():
    lines = dc.exposure(uniform("randomized_response", k=2), prior=[0.9, 0.1]).sentences(1)
    assert lines[0] == "Of 100 people who hold it, 74 send a report that points to it."
    assert lines[1] == "Of 100 people who do not hold it, 26 would send a report like this too."
    assert lines[2].startswith(
        "If 10 of 100 people hold it, then of 100 who send the same report as you at most 24 and "
    )
    assert lines[2].endswith("at least 3 hold it.")
    assert "right 10 times in 100 instead of 7" in dc.exposure(uniform("hadamard")).sentence


def test_sentences_say_what_a_report_shows():
    blocks = dc.exposure(dc.mechanism(Context.blocks({"a": [0, 1, 2], "b": [3, 4]}, "1"), "subset")).sentences(0)
    assert blocks[0] == "Your report shows your block; inside it:"
    assert "If 33 of 100" in blocks[3]
    shown = dc.exposure(dc.mechanism(Context.high_low(range(12), range(5), "1"), "hadamard")).sentences(7)
    assert shown[0] == "47 of 100 people with this value show it openly; nobody with a sensitive value ever does."


def test_a_share_of_nothing_stays_nothing():
    found = dc.exposure(uniform("hadamard", k=3), prior=[0.0, 0.5, 0.5])
    assert found.range(0) == found.promised(0) == (0.0, 0.0)


def test_a_report_that_cannot_be_is_refused():
    with pytest.raises(InvalidReport):
        dc.exposure(uniform("hadamard", k=3)).posterior(99)


def test_simulated_guesses_are_right_as_often_as_is_said():
    """100,000 people at even shares, guessed by the posterior: within 5 deviations, but for one run in a million.

    The control, the guess without a report, is not.
    """
    mechanism, people = uniform("subset", d=4), 100_000
    found = dc.exposure(mechanism)
    held = np.random.default_rng(3).integers(0, 15, people)
    reports = mechanism.randomize_indices(held, dc.random.seeded(5)).astype(int)
    guessed = np.array([(int(y) & -int(y)).bit_length() - 1 for y in reports])  # any member is as likely as another
    right = float((guessed == held).mean())
    deviation = math.sqrt(found.guess * (1 - found.guess) / people)
    assert abs(right - found.guess) < 5 * deviation
    assert abs(right - found.guess_without) > 5 * deviation


def test_the_table_and_json():
    found = dc.exposure(dc.mechanism(Context.high_low(range(6), [0, 1], "1"), "subset"))
    assert "assumes even shares" in str(found)
    told = json.loads(json.dumps(found.as_dict()))
    assert len(told["values"]) == 2
    assert set(told) == {"mechanism", "guess", "guess_without", "basis", "values"}


def test_explanations_and_plans_say_what_a_guess_gains():
    context = Context.uniform(range(15), "1")
    assert "times in 100 instead of 7, at even shares" in str(dc.explain(context))
    plan = dc.plan(context, n=1000)
    assert plan.comparison[0].guess == 1
    assert 1 / 15 < plan.expected.guess < 0.17
    assert plan.as_dict()["guess"] == plan.expected.guess


def test_what_rests_on_e_says_so():
    """Reports of levels are too many to guess from one by one, so what is said is what E allows."""
    blocks = {b: {c: [f"{b}{c}{v}" for v in range(6)] for c in "vwxyz"} for b in "abcd"}
    found = dc.exposure(dc.mechanism(Context.nested(blocks, [1, 2, 4]), "levels"))
    assert found.basis == "E"
    assert "is right at most" in found.sentence
    assert "The reports are too many to look at: the guess is at most as good as E allows" in str(found)
    assert "low and high are promised" in str(found)
    listed = dc.exposure(dc.mechanism(Context.uniform(range(4), 1), "subset"))
    assert (listed.basis, "at most" in str(listed)) == ("reports", False)
