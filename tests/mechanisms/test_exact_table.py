"""Tables by hand: exact numbers, the tightest context, names of reports, and what a float means."""

import math
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, InvalidReport, PrivacyViolation
from discreet.core.exact import within
from discreet.mechanisms.by_hand.exact_table import PLACES, above

ROWS = [["1/2", "1/4", "1/4", 0], ["1/4", "1/2", "1/4", 0], ["1/5", "1/5", "1/5", "2/5"]]
NIGERIA = Path(__file__).parents[3] / "shared" / "data" / "nigeria.tsv"


def test_the_context_is_the_tightest_to_twelve_places():
    design = dc.by_hand.table(range(3), ROWS)
    E = design.context.matrix()
    assert E[2][0] == E[2][1] == math.inf
    step = Fraction(1, 10**PLACES)
    for x, z, ratio in ((0, 1, 2), (1, 0, 2), (0, 2, Fraction(5, 2)), (1, 2, Fraction(5, 2))):
        assert within(Fraction(ratio), E[x][z])
        assert not within(Fraction(ratio), E[x][z] - step)
    tighter = [[max(entry - step, 0) if entry != math.inf else "inf" for entry in row] for row in E]
    with pytest.raises(PrivacyViolation):
        dc.verify(design, context=dc.Context.matrix(range(3), tighter))
    dc.verify(design.rows, context=design.context)


def test_a_logarithm_is_rounded_up():
    assert above(Fraction(1)) == 0
    for ratio in (Fraction(3), Fraction(10**6, 7), Fraction(10**15 + 1, 10**15)):
        found = above(ratio)
        assert within(ratio, found)
        assert not within(ratio, found - Fraction(1, 10**PLACES))


def test_the_units_are_next_to_the_exact_rows():
    design = dc.by_hand.forced_response(truth="2/3")
    for exact, drawn in zip(design.rows, design.channel(), strict=True):
        assert all(abs(a - b) < Fraction(2, 1 << 64) for a, b in zip(exact, drawn, strict=True))
    assert design.rows[0][0] == Fraction(5, 6)


def test_floats_are_the_decimals_that_they_print():
    by_float = dc.by_hand.table(["no", "yes"], np.array([[0.9, 0.1], [0.2, 0.8]]))
    by_text = dc.by_hand.table(["no", "yes"], [["9/10", "0.1"], [Fraction(1, 5), "0.8"]])
    assert by_float.fingerprint == by_text.fingerprint
    with pytest.raises(InvalidInput, match=r"rows\[0\] adds up to 0.9999999999999999;.*\"1/3\" as text"):
        dc.by_hand.table(range(3), [[1 / 3] * 3] * 3)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "at least one row"),
        ([[1], [1, 0]], "all of the same length"),
        ([[1, 0, 0], [0, 1, 0]], "report 2 must be possible"),
        ([[1, "-0"], [2, -1]], r"rows\[1\]\[0\]=2 must be a probability"),
        ([[1 - Fraction(1, 1 << 70), Fraction(1, 1 << 70)], [0, 1]], "0 or at least"),
        ([[0.5] * 3] * 6000, "at most 16384"),
        ([[Fraction(1, 10**180 + x), Fraction(1, 10**180 + x + 5)] for x in (1, 2)], "at most 300 digits"),
        ("ab", "must be a collection"),
    ],
)
def test_what_is_refused(rows, said):
    with pytest.raises(InvalidInput, match=said):
        dc.by_hand.table(["no", "yes"], rows)


def test_names_stand_for_reports():
    design = dc.by_hand.crosswise(prevalence="1/4")
    assert design.reports_of(["same", "different", "same"]) == [1, 0, 1]
    with pytest.raises(InvalidReport, match="report in row 1 must be one of 'different', 'same'") as told:
        design.reports_of(["same", "I know Bob"])
    assert "Bob" not in str(told.value)
    with pytest.raises(InvalidReport, match="row 0"):
        design.reports_of([None])
    plain = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
    with pytest.raises(InvalidReport, match="have no names"):
        plain.reports_of(["no"])
    spoken = plain.with_report_names(["nein", "ja"])
    assert spoken.fingerprint == plain.fingerprint
    assert (spoken.report_names, plain.report_names) == (("nein", "ja"), ())
    assert pickle.loads(pickle.dumps(design)).report_names == design.report_names


def test_everything_else_serves_a_design():
    design = dc.by_hand.forced_response(truth="2/3")
    sample = dc.Survey(design, design.reports_of(["yes", "no", "no"] * 40), labels={"age": np.arange(120) % 7})
    assert dc.estimate(sample.tally)["yes"] == pytest.approx(0.25)
    assert sum(dc.likelihood(sample.tally).shares) == pytest.approx(1)
    assert dc.plan(design, n=1000).n == 1000
    assert dc.goodness_of_fit(sample).left_out.keys() == {"sum", "cells"}


def test_the_survey_of_nigeria():
    """A die: 1 forced no, 6 forced yes; the published share of contact with armed groups is about 26 %."""
    if not NIGERIA.exists():
        pytest.skip("the data of the Nigerian survey are not at hand")
    lines = [line.split("\t") for line in NIGERIA.read_text().splitlines()]
    column = [cell.strip('"') for cell in lines[0]].index("rr.q1")
    answers = [row[column] for row in lines[1:]]
    design = dc.by_hand.forced_response(truth="2/3", reports=["0", "1"])
    tally = design.tally(design.reports_of(answer for answer in answers if answer in ("0", "1")))
    yes = tally.counts[1] / tally.n
    made = dc.estimate(tally)
    assert made["yes"] == pytest.approx((yes - 1 / 6) / (2 / 3))
    assert made.query({"yes": 1}).stderr == pytest.approx(np.sqrt(yes * (1 - yes) / tally.n) * 1.5)
    assert dc.goodness_of_fit(tally).p == 1.0
