"""Surveys from files and from tables in memory."""

import inspect

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.analysis.survey.reading import read_survey
from discreet.bulk.jobs import randomize_files
from discreet.core.errors import InvalidInput, InvalidReport, MechanismMismatch

MECHANISM = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
OTHER = dc.mechanism(dc.Context.uniform(["no", "yes"], "2"))
KEEP = ["region", "age", "weight", "zip"]


@pytest.fixture
def files(tmp_path):
    rows = [
        f"{('no', 'yes')[i % 2]},{('north', 'south')[i % 2]},{18 + i % 60},{1 + i % 4 / 4},0{i % 7}" for i in range(500)
    ]
    (tmp_path / "people.csv").write_text("answer,region,age,weight,zip\n" + "\n".join(rows) + "\n")
    for name in ("r.csv", "r.tsv", "r.jsonl", "r.parquet", "r.arrow"):
        source, out = str(tmp_path / "people.csv"), str(tmp_path / name)
        randomize_files(MECHANISM, [source], out, dc.random.seeded(1), column="answer", keep=KEEP)
    return tmp_path


@pytest.mark.parametrize("large", [1, 1 << 24], ids=["by pyarrow", "by lines"])
@pytest.mark.parametrize("name", ["r.csv", "r.tsv", "r.jsonl", "r.parquet", "r.arrow"])
def test_every_format_gives_the_same_survey(files, name, large, monkeypatch):
    monkeypatch.setattr("discreet.bulk.jobs.LARGE", large)
    found = dc.Survey.read(MECHANISM, str(files / name), labels=["region", "age", "zip"], weights="weight")
    assert found.n == 500
    assert found.label("region")[:3].tolist() == ["north", "south", "north"]
    assert found.label("age").dtype.kind == "i"
    assert found.label("age")[:3].tolist() == [18, 19, 20]
    assert found.label("zip")[:2].tolist() == ["00", "01"]  # not written as a number is
    assert found.weights[:4].tolist() == [1.0, 1.25, 1.5, 1.75]
    whole = dc.Survey.read(MECHANISM, str(files / "r.csv"))
    assert np.array_equal(found.waves[0].reports, whole.waves[0].reports)


def test_several_files_and_joined_ones_are_read_in_order(files):
    text = (files / "r.csv").read_text()
    (files / "joined.csv").write_text(text + text)
    joined = dc.Survey.read(MECHANISM, str(files / "joined.csv"), labels=["age"])
    both = dc.Survey.read(MECHANISM, [str(files / "r.csv"), str(files / "r.parquet")], labels=["age"])
    assert joined.n == both.n == 1000
    assert joined.label("age").tolist() == both.label("age").tolist()


def test_tables_in_memory_give_the_same_survey(files):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table = pq.read_table(files / "r.parquet")
    made = [table, table.to_pandas(), polars.from_arrow(table), table.to_pydict()]
    found = [dc.Survey.from_frame(MECHANISM, one, labels=["region"]) for one in made]
    for one in found:
        assert one.tally == found[0].tally
        assert one.label("region").tolist() == found[0].label("region").tolist()
    categorical = table.to_pandas().assign(region=lambda frame: frame["region"].astype("category"))
    assert dc.Survey.from_frame(MECHANISM, categorical, labels=["region"]).label("region")[0] == "north"
    dated = table.to_pandas().assign(day=pandas.Timestamp("2026-01-02"))
    assert str(dc.Survey.from_frame(MECHANISM, dated, labels=["day"]).label("day")[0]).startswith("2026-01-02")


@pytest.mark.parametrize("empty", [None, float("nan")])
def test_missing_labels_are_refused_or_left_out(empty):
    reports = MECHANISM.randomize_indices([0, 1, 1, 0], dc.random.seeded(1))
    labels = {"age": [30, empty, 41, 52], "region": ["n", "s", empty, "s"]}
    with pytest.raises(InvalidInput, match=r"labels\['age'\]: 1 are missing; missing='drop'"):
        dc.Survey(MECHANISM, reports, labels=labels)
    found = dc.Survey(MECHANISM, reports, labels=labels, missing="drop")
    assert (found.n, found.left_out) == (2, 2)
    assert found.label("age").tolist() == [30, 52]
    assert found.label("age").dtype.kind in "if"
    assert "2 people who lack a label are left out" in found.remarks()
    assert (found + found).left_out == 4
    with pytest.raises(InvalidInput, match="missing='keep' must be 'error' or 'drop'"):
        dc.Survey(MECHANISM, reports, labels=labels, missing="keep")


def test_nullable_types_of_pandas_and_arrow_have_missing_labels():
    pandas = pytest.importorskip("pandas")
    reports = MECHANISM.randomize_indices([0, 1, 1], dc.random.seeded(1))
    frame = pandas.DataFrame({"report": reports, "age": pandas.array([1, None, 3], dtype="Int64")})
    table = pa.table({"report": pa.array(reports), "age": pa.array([1, None, 3]), "ok": pa.array([True, False, None])})
    for one in (frame, table):
        found = dc.Survey.from_frame(MECHANISM, one, labels=["age"], missing="drop")
        assert found.label("age").tolist() == [1, 3]
    assert dc.Survey.from_frame(MECHANISM, table, labels=["ok"], missing="drop").label("ok").dtype == bool


def test_marks_are_checked_as_when_reports_are_tallied(files):
    for name in ("r.csv", "r.jsonl", "r.parquet"):
        with pytest.raises(MechanismMismatch, match="holds reports of another mechanism"):
            dc.Survey.read(OTHER, str(files / name), labels=["region"])
    with pytest.raises(MechanismMismatch, match="holds reports of another mechanism"):
        dc.Survey.from_frame(OTHER, pq.read_table(files / "r.parquet"))
    cut = (files / "r.csv").read_text().splitlines()
    (files / "cut.csv").write_text("\n".join(cut[:-1]) + "\n")
    with pytest.raises(InvalidInput, match="without the mark of a whole stream"):
        dc.Survey.read(MECHANISM, str(files / "cut.csv"), labels=["region"])
    (files / "bare.csv").write_text("\n".join([cut[0], *cut[2:-1]]) + "\n")
    with pytest.raises(InvalidInput, match="no mark says which mechanism wrote these reports"):
        dc.Survey.read(MECHANISM, str(files / "bare.csv"), labels=["region"])
    assert dc.Survey.read(MECHANISM, str(files / "bare.csv"), labels=["region"], unmarked=True).n == 500


def test_a_report_that_cannot_occur_is_placed(files):
    lines = (files / "r.csv").read_text().splitlines()
    lines[3] = "7" + lines[3][1:]
    (files / "bad.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidReport, match=r"bad\.csv, entry 3: report=7 cannot occur"):
        dc.Survey.read(MECHANISM, str(files / "bad.csv"), labels=["region"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"labels": ["area"]}, "column 'area' is missing"),
        ({"labels": ["report"]}, "label='report' is the column of reports"),
        ({"labels": ["age", "age"]}, "label='age' is given twice"),
        ({"weights": "region"}, "weights must be positive numbers"),
        ({"weights": 3}, "weights of type int must be the name of a column"),
        ({"labels": [3]}, r"label=\[3\] must be the name of a label"),
    ],
)
def test_columns_that_cannot_serve_are_named(files, columns, message):
    for read in (
        lambda: dc.Survey.read(MECHANISM, str(files / "r.parquet"), **columns),
        lambda: dc.Survey.read(MECHANISM, str(files / "r.jsonl"), **columns),
        lambda: dc.Survey.from_frame(MECHANISM, pq.read_table(files / "r.parquet"), **columns),
    ):
        with pytest.raises(InvalidInput, match=message):
            read()


def test_labels_that_are_lists_are_refused(files):
    table = pa.table({"report": pa.array([0, 1]), "many": pa.array([[1], [2]])})
    with pytest.raises(InvalidInput, match="column 'many': labels of type list"):
        dc.Survey.from_frame(MECHANISM, table, labels=["many"])
    (files / "l.jsonl").write_text('{"report": 0, "many": [1]}\n')
    with pytest.raises(InvalidInput, match="line 1: a label must be text, a number, true, false or null"):
        dc.Survey.read(MECHANISM, str(files / "l.jsonl"), labels=["many"], unmarked=True)
    with pytest.raises(InvalidInput, match="frame of type int must be columns by name, or a table"):
        dc.Survey.from_frame(MECHANISM, 3)


def test_a_frame_without_a_column_of_reports_says_how_to_choose_one():
    frame = {"answer": [0, 1], "town": ["lima", "oslo"]}
    with pytest.raises(InvalidInput, match=r"must be chosen, by column=NAME .*; the columns are answer, town"):
        dc.Survey.from_frame(MECHANISM, frame, labels=["town"])
    assert dc.Survey.from_frame(MECHANISM, frame, labels=["town"], column="answer").n == 2
    named = inspect.signature(dc.Survey.from_frame).parameters
    assert {"column", "labels", "weights", "clusters", "strata", "population", "missing"} < named.keys()
    assert named["column"].kind is inspect.Parameter.KEYWORD_ONLY


def test_both_readers_name_the_columns_that_they_take():
    read, frame = (inspect.signature(each).parameters for each in (dc.Survey.read, dc.Survey.from_frame))
    assert not [name for name, each in read.items() if each.kind is each.VAR_KEYWORD]
    assert list(read)[2:] == list(inspect.signature(read_survey).parameters)[2:]
    assert set(frame) - {"frame"} <= set(read)
