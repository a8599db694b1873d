from __future__ import annotations

import pytest

from discreet.papers import acharya2020_table1 as table
from discreet.papers.data import expected
from discreet.papers.setting import Setting


@pytest.mark.parametrize("row", expected("acharya2020_table1"), ids=lambda row: row["parts"])
def test_the_semi_synthetic_grid_gives_the_agreed_values(row, shared):
    """One seeded survey of 3.7 million check-ins; over surveys the spread is below 1.5 %."""
    found = table.measure(Setting(), row["parts"], 1)
    agreed = float(row["semi_synthetic"])
    assert found["simplex"] == pytest.approx(agreed, rel=0.03)
    assert found["blocks"] <= found["simplex"]
    assert found["clip"] > 1.4 * agreed  # the control: another last step is seen
    assert found["raw"] > found["clip"]


@pytest.fixture
def two_columns(monkeypatch):
    for parts in ("LDP", "(25, 35)"):
        monkeypatch.delitem(table.PARTS, parts)


def test_the_report_says_what_the_data_are(made_up, two_columns, tmp_path):
    made = table.run(Setting(runs=1, workers=1))
    assert "not the paper's file" in made.said
    assert [row[0] for row in made.tables[0].rows][:2] == ["paper", "agreed for this grid"]
    assert made.checks[0].holds
    assert not made.checks[1].holds  # made-up people are not the agreed grid
    assert made.save(tmp_path)[0][1].stat().st_size > 3000


def test_the_users_file_is_held_against_the_printed_values(made_up, two_columns, snap_file):
    made = table.run(Setting(runs=1, workers=1, gowalla=snap_file))
    assert "4 check-ins of the SNAP file" in made.said
    assert made.checks[1].claim == "within 3% of the printed values"


def test_population_is_held_against_nothing(made_up, two_columns, monkeypatch):
    grid = table.check_ins(Setting())
    monkeypatch.setattr(table, "check_ins", lambda setting: type(grid)("population", "towns", grid.counts))
    made = table.run(Setting(runs=1, workers=1))
    assert len(made.checks) == 1
    assert "These are not check-ins" in made.said
