"""Large CSV files give what small ones give, and are held to the same rules."""

import csv
import gzip

import numpy as np
import pytest

import discreet as dc
from discreet.engines import jobs
from discreet.engines.jobs import randomize_files, rows_in, tally_files
from discreet.errors import InvalidInput, UnknownValue
from discreet.files.text import Writer
from discreet.random import secure, seeded
from discreet.wire import reports_to_json

VALUES = [f"v{i}" for i in range(80)]


@pytest.fixture
def mechanism():
    return dc.mechanism(dc.Context.blocks({"a": VALUES[:10], "b": VALUES[10:40]}, "1"), "hadamard")


@pytest.fixture
def wide():
    return dc.mechanism(dc.Context.uniform(VALUES, "1"), "subset")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


ODD = ["plain", "with, comma", 'with "quotes"', "two\nlines", " spaces ", "", "NA", "null", "007", "7", "é", "-"]


@pytest.fixture
def all_large(monkeypatch):
    """Every CSV file counts as large."""
    monkeypatch.setattr(jobs, "LARGE", 0)


def csv_file(path, rows, columns=("id", "place")):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path.name


@pytest.mark.parametrize("name", ["in.csv", "in.csv.gz"])
def test_a_large_csv_file_gives_the_reports_of_a_small_one(folder, monkeypatch, name):
    mechanism = dc.mechanism(dc.Context.uniform(ODD, "1"), "hadamard")
    csv_file(folder / name, [(i, ODD[i % len(ODD)]) for i in range(500)])
    randomize_files(mechanism, [name], "small.txt", seeded(9), column="place")
    monkeypatch.setattr(jobs, "LARGE", 0)
    randomize_files(mechanism, [name], "large.txt", seeded(9), column="place")
    assert (folder / "large.txt").read_text() == (folder / "small.txt").read_text()
    assert rows_in([name], "place") is None


@pytest.mark.usefixtures("all_large")
def test_a_large_csv_file_is_held_to_the_same_rules(folder, mechanism):
    csv_file(folder / "in.csv", [(1, "v1"), (2, "x")])
    with pytest.raises(UnknownValue, match=r"in\.csv, row 2: value='x' must be one of the 40"):
        randomize_files(mechanism, ["in.csv"], "out.txt", secure(), column="place")
    with pytest.raises(InvalidInput, match="a column must be chosen; there are id, place"):
        randomize_files(mechanism, ["in.csv"], "out.txt", secure())
    with pytest.raises(InvalidInput, match="column 'c' is not there"):
        randomize_files(mechanism, ["in.csv"], "out.txt", secure(), column="c")
    csv_file(folder / "in.csv", [(1, "v1"), (2, "v2", "v3")])
    with pytest.raises(InvalidInput, match=r"this is not CSV: CSV parse error: .*Expected 2 columns, got 3"):
        randomize_files(mechanism, ["in.csv"], "out.txt", secure(), column="place")
    assert not (folder / "out.txt").exists()


@pytest.mark.usefixtures("all_large")
@pytest.mark.parametrize("which", ["mechanism", "wide"])
def test_reports_in_a_large_csv_file_are_tallied_as_they_were_made(folder, request, which):
    mechanism = request.getfixturevalue(which)
    reports = mechanism.randomize_many(np.arange(3000) % 40, seeded(10))
    with Writer("reports.csv") as writer:
        writer.write(reports_to_json(mechanism, reports))
    assert tally_files(mechanism, ["reports.csv"]) == mechanism.tally(reports)


@pytest.mark.usefixtures("all_large")
@pytest.mark.parametrize("wrong", ["x", "007", "+1", "-1", "1.0", "", "1000000", "99999999999999999999"])
def test_a_large_csv_file_with_what_is_no_report_is_refused(folder, mechanism, wrong):
    csv_file(
        folder / "reports.csv", [["0"], ["1"], [wrong]] if wrong else [["0", "1"]], ["report"] if wrong else ["a", "b"]
    )
    with pytest.raises(InvalidInput, match=r"reports\.csv: "):
        tally_files(mechanism, ["reports.csv"], column="report")
