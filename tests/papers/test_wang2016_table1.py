from __future__ import annotations

import pytest

from discreet.core import tables
from discreet.papers import wang2016_table1 as table
from discreet.papers.report import Setting

ROWS = table.rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.d}-{row.epsilon}")
def test_both_sizes_are_the_papers(row):
    assert row.sizes == row.printed_sizes


def test_there_are_41_rows():
    assert len(ROWS) == 41


def test_the_shortcut_gives_the_papers_means():
    """400 repetitions; beyond three standard errors every mean is within the stated tolerance (by a wide margin)."""
    for row in ROWS:
        for method in table.METHODS:
            found = table.measure_shortcut(row, method, runs=400)
            for norm in table.NORMS:
                assert table.excess(row, method, norm, found[norm]) <= row.tolerance


def test_another_number_would_be_seen():
    row = next(row for row in ROWS if (row.d, row.epsilon) == (64, "5.0"))
    found = table.measure_shortcut(row, "brr", runs=400)["l2"]
    assert table.excess(row, "mrr", "l2", found) > row.tolerance


def test_the_mechanism_itself_has_more_error_at_two_values():
    """Seeded; over seeds the ratio of 120 repetitions is 2 with a standard error of about 0.3."""
    row = next(row for row in ROWS if (row.d, row.epsilon) == (2, "1.0"))
    own = table.measure_mechanism(row, "mrr", runs=120)["l2"].value
    assert 1.3 < own / row.value("mrr", "l2") < 3.5
    many = next(row for row in ROWS if (row.d, row.epsilon) == (64, "2.0"))
    near = table.measure_mechanism(many, "k_sharp", runs=10)["l2"].value
    assert near / many.value("k_sharp", "l2") == pytest.approx(1, abs=0.25)


def test_rounding_follows_the_print():
    row = ROWS[1]
    assert row.rounding("mrr", "l2") == pytest.approx(0.5e-7)  # 9.75e-05
    assert row.rounding("brr", "l2") == pytest.approx(0.5e-5)  # 0.00043


def test_the_report_shows_both_models(monkeypatch, tmp_path):
    monkeypatch.setattr(table, "rows", lambda: ROWS[:3] + ROWS[6:7] + ROWS[15:16])
    made = table.run(Setting(runs=2, workers=1))
    assert made.checks[0].holds
    assert made.checks[-1].claim == "BRR: both models within four standard errors"
    head, first = tables.cells(made.tables[0].columns, made.tables[0].rows)[:2]
    assert head[4:8] == ["BRR paper", "shortcut", "itself", "ratio"]
    assert first[:4] == ["2", "0.1", "1", "1"]
    assert (made.save(tmp_path)[0][1]).stat().st_size > 5000
