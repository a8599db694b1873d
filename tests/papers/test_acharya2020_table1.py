from __future__ import annotations

import json

import pytest

from discreet.papers import acharya2020_table1 as table
from discreet.papers import data
from discreet.papers.data import read_expected
from discreet.papers.report import Setting

from .conftest import crowd


@pytest.mark.parametrize("row", read_expected("acharya2020_table1"), ids=lambda row: row["parts"])
def test_the_semi_synthetic_grid_gives_the_values_of_our_earlier_simulation(row, shared):
    """One seeded survey of 3.7 million check-ins; over surveys the spread is below 1.5 %."""
    found = table.measure(Setting(), "1", row["parts"], 1)
    earlier = float(row["earlier"])
    assert found["simplex"] == pytest.approx(earlier, rel=0.03)
    assert found["blocks"] <= found["simplex"]
    assert found["clip"] > 1.4 * earlier  # the control: another last step is seen
    assert found["raw"] > found["clip"]


@pytest.fixture
def two_columns(monkeypatch):
    for parts in ("LDP", "(25, 35)"):
        monkeypatch.delitem(table.PARTS, parts)
    monkeypatch.setattr(table, "EPSILONS", ("1", "2"))


def test_the_report_says_what_the_data_are_wherever_the_table_is_printed(made_up, two_columns, tmp_path, words_of):
    made = table.run(Setting(runs=1, workers=1))
    assert "not the paper's file" in made.data["semi-synthetic stand-in"]
    rows = made.tables[0].rows
    assert [row[:2] for row in rows][:2] == [
        ["paper", "its file"],
        ["our earlier simulation: simplex", "semi-synthetic stand-in"],
    ]
    assert all(row[1] == "semi-synthetic stand-in" for row in rows[1:])
    page = made.markdown({})
    for printed in (made.text(), page, json.dumps(made.as_dict(), ensure_ascii=False)):
        assert "semi-synthetic stand-in" in printed
        assert "not the paper's file" in " ".join(printed.split())
    assert made.checks[0].holds
    assert not made.checks[2].holds  # made-up people are not the grid of the earlier simulation
    made.save(tmp_path, ("png", "svg"))
    assert (tmp_path / "acharya2020-table1.png").stat().st_size > 3000
    assert "its method, semi-synthetic stand-in" in words_of(tmp_path / "acharya2020-table1.svg")


def test_what_is_said_of_epsilon_follows_from_rows_that_vary_it(made_up, two_columns):
    made = table.run(Setting(runs=1, workers=1))
    choices = made.tables[1]
    assert [row[:2] for row in choices.rows] == [(e, step) for e in ("1", "2") for step in table.WAYS.values()]
    for row in choices.rows:
        paper = [table.printed_values()[parts] for parts in table.PARTS]
        assert row[-1] == pytest.approx(max(abs(a / b - 1) for a, b in zip(row[2:-1], paper, strict=True)))
    nearest = min(choices.rows, key=lambda row: row[-1])
    said = " ".join(made.paragraphs)
    assert f"epsilon {nearest[0]} with *{nearest[1]}* is nearest to the print" in said
    assert f"{nearest[-1]:.1%}" in said
    assert "only epsilon 1" not in said


def test_the_users_file_is_held_against_the_printed_values(made_up, two_columns, snap_file):
    made = table.run(Setting(runs=1, workers=1, gowalla=snap_file))
    assert "4 check-ins of the SNAP file" in made.data["SNAP file"]
    assert made.checks[2].claim == "within 3% of the printed values"
    assert "stand-in" not in made.text()


def test_population_is_held_against_nothing_and_says_that_its_values_differ(made_up, two_columns, monkeypatch):
    monkeypatch.setattr(data, "city_population", lambda *points, smallest: crowd((125, 350), 5000, 4).ravel() * 1.0)
    monkeypatch.setattr(table, "check_ins", lambda setting: data.population())
    made = table.run(Setting(runs=1, workers=1))
    assert len(made.checks) == 2
    for printed in (made.text(), made.markdown({}), json.dumps(made.as_dict())):
        said = " ".join(printed.split())
        assert "the values differ from the paper's and from those on the result pages" in said
        assert "population stand-in" in made.tables[0].caption
        assert "give its file with --gowalla" in said
