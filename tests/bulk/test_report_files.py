"""Laws of columns kept beside reports: every format in and out, row by row, and never the answer itself."""

import csv
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.bulk import jobs
from discreet.bulk.jobs import randomize_files, tally_files
from discreet.bulk.words import secure, seeded
from discreet.core.errors import InvalidInput
from discreet.files import arrow

VALUES = ["a", "b", "c"]
MECHANISM = dc.mechanism(dc.Context.uniform(VALUES, "1"), "hadamard")
N = 500
ROWS = [{"id": i, "place": VALUES[i % 3], "city": f"city, {i % 7}"} for i in range(N)]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(arrow, "PIECE", 64)
    return tmp_path


def stored(name, rows=ROWS):
    """The rows in the format that the name says."""
    if name.endswith(".csv"):
        with open(name, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    elif name.endswith(".jsonl"):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        table = pa.Table.from_pylist(rows)
        if name.endswith(".parquet"):
            pq.write_table(table, name, row_group_size=100)
        else:
            with pa.OSFile(name, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table, max_chunksize=30)
    return name


def read_back(name):
    """The rows of a file of reports, without the marks."""
    if name.endswith(".csv"):
        with open(name, newline="") as file:
            return [row for row in csv.DictReader(file) if not row["report"].startswith("#")]
    if name.endswith(".jsonl"):
        return [row for row in map(json.loads, Path(name).read_text().splitlines()) if "discreet" not in row]
    table = pq.read_table(name) if name.endswith(".parquet") else pa.ipc.open_file(name).read_all()
    return table.to_pylist()


FORMATS = ["csv", "large.csv", "jsonl", "parquet", "arrow"]


@pytest.mark.parametrize("out", ["csv", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("form", FORMATS)
def test_columns_go_with_their_reports_from_every_format_to_every_other(form, out, monkeypatch):
    monkeypatch.setattr(jobs, "LARGE", 0 if form.startswith("large") else 1 << 24)
    stored(f"in.{form}")
    seen = randomize_files(MECHANISM, [f"in.{form}"], f"out.{out}", seeded(1), column="place", keep=["city", "id"])
    assert seen == (N, 0)
    rows = read_back(f"out.{out}")
    assert [list(row) for row in rows] == [["report", "city", "id"]] * N
    indices = [VALUES.index(row["place"]) for row in ROWS]
    assert [int(row["report"]) for row in rows] == MECHANISM.randomize_indices(indices, seeded(1)).tolist()
    assert [row["city"] for row in rows] == [row["city"] for row in ROWS]
    typed = (form, out) in {(a, b) for a in ("parquet", "arrow") for b in ("jsonl", "parquet", "arrow")} | {
        ("jsonl",) * 2
    }
    assert [row["id"] for row in rows] == [row["id"] if typed else str(row["id"]) for row in ROWS]
    assert tally_files(MECHANISM, [f"out.{out}"]).n == N


@pytest.mark.parametrize("form", FORMATS)
def test_rows_that_are_left_out_take_their_columns_with_them(form, monkeypatch):
    monkeypatch.setattr(jobs, "LARGE", 0 if form.startswith("large") else 1 << 24)
    rows = [{**row, "place": "x" if row["id"] % 5 == 0 else row["place"]} for row in ROWS]
    stored(f"in.{form}", rows)
    known = [row for row in rows if row["place"] != "x"]
    asked = {"column": "place", "keep": ["id"]}
    assert randomize_files(MECHANISM, [f"in.{form}"], "out.csv", seeded(1), unknown="drop", **asked) == (N, 100)
    assert [int(row["id"]) for row in read_back("out.csv")] == [row["id"] for row in known]
    randomize_files(MECHANISM, [f"in.{form}"], "bare.csv", seeded(1), unknown="drop", column="place")
    assert [row["report"] for row in read_back("out.csv")] == [row["report"] for row in read_back("bare.csv")]
    randomize_files(MECHANISM, [f"in.{form}"], "all.csv", seeded(1), unknown="a", **asked)
    assert [int(row["id"]) for row in read_back("all.csv")] == list(range(N))  # the control: none is left out


@pytest.mark.parametrize(
    ("keep", "column", "said"),
    [
        (["place"], "place", "keep='place' holds what is to be protected: the values of column 'place'"),
        (["city", "u"], "u.place", "keep='u' holds what is to be protected: the values of column 'u.place'"),
        (["report"], "place", "keep='report' must not be 'report'"),
        (["id", "id"], "place", "keep='id' is given twice"),
        (["id"], None, "keep needs column"),
        (["none"], "place", "column 'none' is missing"),
    ],
)
@pytest.mark.parametrize("form", FORMATS)
def test_what_cannot_be_kept_is_refused(form, keep, column, said, monkeypatch, folder):
    monkeypatch.setattr(jobs, "LARGE", 0 if form.startswith("large") else 1 << 24)
    stored(f"in.{form}")
    with pytest.raises(InvalidInput, match=said):
        randomize_files(MECHANISM, [f"in.{form}"], "out.jsonl", secure(), column=column, keep=keep)
    assert [file.name for file in folder.iterdir()] == [f"in.{form}"]


def test_one_column_may_be_named_alone_and_no_files_give_no_rows():
    stored("in.csv")
    randomize_files(MECHANISM, ["in.csv"], "out.csv", secure(), column="place", keep="city")
    assert list(read_back("out.csv")[0]) == ["report", "city"]
    assert randomize_files(MECHANISM, [], "out.parquet", secure(), column="place", keep=["city"]) == (0, 0)
    assert pq.read_schema("out.parquet").names == ["report", "city"]


def test_a_file_without_other_columns_has_none_to_keep(folder):
    Path("in.txt").write_text("a\nb\n")
    with pytest.raises(InvalidInput, match="column 'city' is missing"):
        randomize_files(MECHANISM, ["in.txt"], "out.csv", secure(), column="a", keep=["city"])
    stored("in.csv")
    with pytest.raises(InvalidInput, match=r"out\.txt: text has one report per line; to keep columns write"):
        randomize_files(MECHANISM, ["in.csv"], "out.txt", secure(), column="place", keep=["city"])
    Path("in.jsonl").write_text('{"place": "a", "city": 1}\n{"place": "b"}\n')
    randomize_files(MECHANISM, ["in.jsonl"], "out.csv", secure(), column="place", keep=["city"])
    assert [line.split(",")[1] for line in Path("out.csv").read_text().splitlines()] == ["city", "", "1", "", ""]
    with pytest.raises(InvalidInput, match=r"in\.jsonl, line 1 and all others: column 'town' is missing"):
        randomize_files(MECHANISM, ["in.jsonl"], "out.csv", secure(), column="place", keep=["town"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1, max_size=5))
@example(["x\ry"])
@example(["x\r#end 1", "a\nb", '"', "\r\n"])
def test_whatever_text_is_kept_the_reports_are_read_again(texts):
    with TemporaryDirectory() as name:
        source, out = f"{name}/in.jsonl", f"{name}/out.csv"
        Path(source).write_text("".join(json.dumps({"place": "a", "k": text}) + "\n" for text in texts))
        randomize_files(MECHANISM, [source], out, secure(), column="place", keep=["k"])
        assert tally_files(MECHANISM, [out]).n == len(texts)
        with open(out, newline="", encoding="utf-8") as file:
            assert [row[1] for row in csv.reader(file)][2:-1] == texts


def test_bytes_are_kept_as_text_and_numbers_within_range(folder):
    Path("in.jsonl").write_text('{"place": "a", "f": 1e400}\n')
    with pytest.raises(InvalidInput, match="line 1: a number to keep is beyond the range of floating point"):
        randomize_files(MECHANISM, ["in.jsonl"], "out.csv", secure(), column="place", keep=["f"])
    pq.write_table(pa.table({"place": ["a", "b"], "k": pa.array([b"x", "é".encode()], pa.binary())}), "in.parquet")
    for out in ("out.csv", "out.jsonl"):
        randomize_files(MECHANISM, ["in.parquet"], out, secure(), column="place", keep=["k"])
        written = Path(out).read_text()
        assert "é" in written
        assert "b'" not in written


def test_kept_text_that_is_none_is_refused(folder):
    wrong = pa.array([b"\xff"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"place": ["a"], "k": wrong, "b": pa.array([b"\xff"])}), "in.parquet")
    for keep, said in (("k", "text that is not UTF-8"), ("b", "bytes that are not UTF-8 text")):
        with pytest.raises(InvalidInput, match=f"a column of {said} can be kept only in Parquet or Arrow"):
            randomize_files(MECHANISM, ["in.parquet"], "out.csv", secure(), column="place", keep=[keep])


def test_reports_joined_in_a_pipe_are_those_of_the_files(folder, monkeypatch):
    stored("in.csv")
    randomize_files(MECHANISM, ["in.csv"], "one.csv", secure(), column="place", keep=["city"])
    randomize_files(MECHANISM, ["in.csv"], "one.tsv", secure(), column="place", keep=["city"])
    for name in ("one.csv", "one.tsv"):
        whole = Path(name).read_bytes()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(whole + whole)))
        assert tally_files(MECHANISM, ["-"]).n == 2 * tally_files(MECHANISM, [name]).n


def test_anything_that_json_holds_is_kept_as_it_is():
    kept = ["x", 7, 1.5, True, None, ["a", 1], {"b": None}]
    Path("in.jsonl").write_text("".join(json.dumps({"place": "a", "more": one}) + "\n" for one in kept))
    for out in ("out.jsonl", "out.csv", "out.parquet"):
        randomize_files(MECHANISM, ["in.jsonl"], out, secure(), column="place", keep=["more"])
    assert [row["more"] for row in read_back("out.jsonl")] == kept
    texts = ["x", "7", "1.5", "true", "", '["a", 1]', '{"b": null}']
    assert [row["more"] for row in read_back("out.csv")] == texts
    assert [row["more"] for row in read_back("out.parquet")] == [text or None for text in texts]


def test_files_of_different_formats_are_kept_as_the_first():
    stored("one.parquet")
    stored("two.csv")
    randomize_files(MECHANISM, ["one.parquet", "two.csv"], "out.parquet", secure(), column="place", keep=["id"])
    assert [row["id"] for row in read_back("out.parquet")] == list(range(N)) * 2
    stored("odd.csv", [{"id": "x", "place": "a"}])
    with pytest.raises(InvalidInput, match=r"out\.parquet: column 'id' must be of type int64 in every input"):
        randomize_files(MECHANISM, ["one.parquet", "odd.csv"], "out.parquet", secure(), column="place", keep=["id"])


def test_a_column_that_spark_marked_is_known_by_its_mark(folder):
    """Spark keeps the metadata of columns under a key of its own."""
    written = {
        "type": "struct",
        "fields": [
            {
                "name": "report",
                "type": "short",
                "nullable": False,
                "metadata": {"discreet.fingerprint": MECHANISM.fingerprint},
            }
        ],
    }
    table = pa.table({"report": pa.array([0, 1], pa.int16())})
    key = b"org.apache.spark.sql.parquet.row.metadata"
    pq.write_table(table.replace_schema_metadata({key: json.dumps(written)}), "part.parquet")
    assert tally_files(MECHANISM, ["part.parquet"]).n == 2
    other = dc.mechanism(dc.Context.uniform(VALUES, "2"), "hadamard")
    with pytest.raises(dc.errors.MechanismMismatch):
        tally_files(other, ["part.parquet"])
    for broken in (
        b"",
        b"[]",
        b"{}",
        b'{"fields": [{"name": "report"}]}',
        b'{"fields": [{"name": "report", "metadata": 3}]}',
    ):
        pq.write_table(table.replace_schema_metadata({key: broken}), "part.parquet")
        with pytest.raises(InvalidInput, match="no mark says"):
            tally_files(MECHANISM, ["part.parquet"])
