from __future__ import annotations

import pytest

from discreet.papers import asoodeh2021
from discreet.papers.data import read_expected
from discreet.papers.report import Setting


@pytest.mark.parametrize("row", read_expected("asoodeh2021_figure1"), ids=lambda row: row["epsilon"])
@pytest.mark.parametrize("name", asoodeh2021.BOUNDS)
def test_figure_1(name, row):
    assert asoodeh2021.risk(name, float(row["epsilon"])) == pytest.approx(float(row[name]), abs=1e-4)


def test_the_curves_cross_once():
    assert asoodeh2021.crossing() == pytest.approx(2.417, abs=0.001)


def test_remark_1():
    by_information, by_e_gamma = asoodeh2021.remark_1()
    assert by_information == pytest.approx(0.0457, abs=5e-5)
    assert by_e_gamma == pytest.approx(2 / 27, abs=1e-6)


def test_every_statement_of_the_report_holds(tmp_path):
    made = asoodeh2021.run(Setting())
    assert len(made.checks) == 4
    assert all(check.holds for check in made.checks)
    assert [table.name for table in made.tables] == ["figure1", "forms", "orders"]
    assert [row[1] for row in made.beside.rows] == ["0.19", "0.03", "0.08"]
    assert made.save(tmp_path)[0][1].stat().st_size > 5000
