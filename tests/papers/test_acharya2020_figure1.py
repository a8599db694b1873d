from __future__ import annotations

import math

import pytest

from discreet.papers import acharya2020_figure1 as figure
from discreet.papers.report import Setting


def test_the_mechanism_reaches_the_corner_of_theorem_2():
    a, b = math.exp(-0.5), math.exp(-2)
    assert figure.attained_errors("0.5", "2") == pytest.approx(
        (a * (1 - b) / (1 - a * b), b * (1 - a) / (1 - a * b)), abs=1e-15
    )
    assert figure.attained_errors("1", "inf") == pytest.approx((math.exp(-1), 0.0), abs=1e-15)


def test_every_statement_of_the_report_holds(tmp_path):
    made = figure.run(Setting())
    assert all(check.holds for check in made.checks)
    assert made.save(tmp_path)[0][1].stat().st_size > 5000
