from __future__ import annotations

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.papers import data
from discreet.papers.report import Setting


def test_the_users_own_file_comes_first(made_up, snap_file):
    grid = data.check_ins(Setting(gowalla=snap_file))
    assert grid.name == "SNAP file"
    assert grid.people.sum() == 4
    assert "3,671,812" in grid.label  # what the paper keeps stands beside it


def test_the_stand_in_says_that_it_is_one(made_up):
    grid = data.check_ins(Setting())
    assert grid.key == "semi-synthetic"
    assert grid.name == "semi-synthetic stand-in"
    assert "not the paper's file" in grid.label
    assert grid.note == f"Data, {grid.name}: {grid.label}."
    assert grid.shares.sum() == pytest.approx(1)
    subset = data.real_subset()
    assert subset is not None
    assert "subset" in subset.label


def test_without_any_data_population_stands_in(no_data, monkeypatch):
    seen = {}

    def towns(latitude, longitude, *, smallest):
        seen.update(points=len(latitude), smallest=smallest)
        return np.arange(len(latitude), dtype=float)

    monkeypatch.setattr(data, "city_population", towns)
    grid = data.check_ins(Setting())
    assert grid.key == "population"
    assert grid.name == "population stand-in"
    assert "no check-ins" in grid.label
    assert "--gowalla" in grid.label
    assert seen == {"points": 43_750, "smallest": 1000}
    assert abs(grid.people.sum() - 3_671_812) < 43_750
    assert data.real_subset() is None


def test_a_table_that_is_not_there_is_named(no_data):
    with pytest.raises(InvalidInput, match=r"msnbc_counts\.tsv must lie in the folder that DISCREET_DATA names"):
        data.require_file("msnbc_counts.tsv")


def test_data_are_also_found_beside_the_project(monkeypatch):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    found = data.data_folder()
    assert found is None or found.parts[-2:] == ("shared", "data")


@pytest.mark.parametrize(
    ("name", "rows"),
    [("wang2016_table1", 41), ("acharya2020_figure2", 12), ("acharya2020_table1", 4), ("asoodeh2021_figure1", 8)],
)
def test_expected_values_come_with_the_package(name, rows):
    found = data.read_expected(name)
    assert len(found) == rows
    assert all(value for row in found for value in row.values())
