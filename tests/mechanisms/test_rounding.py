"""Tables rounded to a context."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, PrivacyViolation


def test_a_table_of_floats_at_the_limit_is_certified():
    e = np.exp(1.0)
    rows = np.full((4, 4), 1 / (e + 3)) + np.eye(4) * (e - 1) / (e + 3)
    context = dc.Context.uniform(range(4), "1")
    made = dc.by_hand.rounded(rows, context)
    assert made.context is context
    assert made.certificate.gap < 1e-11
    assert (
        max(abs(float(a) - b) for row, own in zip(made.rows, rows, strict=True) for a, b in zip(row, own, strict=True))
        < 1e-12
    )
    exact = [[Fraction(float(entry)) for entry in row] for row in rows]
    shares = [[entry / sum(row) for entry in row] for row in exact]
    with pytest.raises(PrivacyViolation):
        dc.verify(shares, context=dc.Context.uniform(range(4), "0.9999999999"))  # the control


def test_a_table_that_leaks_is_mixed_as_little_as_needed():
    context = dc.Context.uniform(["no", "yes"], "1")
    made = dc.by_hand.rounded([[0.9, 0.1], [0.2, 0.8]], context, reports=["red", "black"])
    assert made.report_names == ("red", "black")
    assert made.certificate.gap < 1e-11, "no more than needed"
    Q, rows, mean = np.array(made.rows, dtype=float), np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0.55, 0.45])
    t = ((Q - rows) / (mean - rows)).ravel()
    assert t == pytest.approx(np.full(4, t[0]), abs=1e-9)
    inside = dc.by_hand.rounded([[0.6, 0.4], [0.5, 0.5]], context)
    assert np.array(inside.rows, dtype=float) == pytest.approx(np.array([[0.6, 0.4], [0.5, 0.5]]), abs=1e-12)


def test_entries_without_protection_ask_for_nothing():
    context = dc.Context.binary("no", "yes", epsilon=("inf", "1"))
    made = dc.by_hand.rounded([[0.7, 0.3], [0.0, 1.0]], context)
    assert float(made.rows[1][1] / made.rows[0][1]) == pytest.approx(np.e)
    assert float(made.rows[0][0] / made.rows[1][0]) > 10


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[0.5, 0.5]], "1 must be as many as the values"),
        ([[0.5, 0.4], [0.5, 0.5]], r"rows\[0\] adds up to 0.9; it must add up to 1 but for rounding"),
    ],
)
def test_what_is_refused(rows, said):
    with pytest.raises(InvalidInput, match=said):
        dc.by_hand.rounded(rows, dc.Context.uniform(range(2), "1"))
    with pytest.raises(InvalidInput, match="context"):
        dc.by_hand.rounded([[1, 0], [0, 1]], "uniform")
