"""Laws of the commands on Parquet and Arrow files, and of the progress they show."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.bulk.arrow.reports import FINGERPRINT_KEY
from discreet.cli import progress as progress_file
from discreet.cli.progress import progress


@pytest.fixture
def parquet(folder):
    values = (folder / "answers.txt").read_text().split()
    pq.write_table(pa.table({"id": range(len(values)), "district": values}), folder / "answers.parquet")
    return "answers.parquet"


def test_a_survey_goes_from_parquet_to_parquet_to_a_tally(discreet, folder, parquet):
    done = discreet("randomize", "survey.toml", parquet, "--column", "district", "-o", "reports.parquet")
    assert (done.exit_code, done.output) == (0, "")
    fingerprint = json.loads(discreet("verify", "survey.toml", "--json").stdout)["fingerprint"]
    assert (
        pq.read_schema(folder / "reports.parquet").field("report").metadata[FINGERPRINT_KEY.encode()].decode()
        == fingerprint
    )
    tally = json.loads(discreet("tally", "survey.toml", "reports.parquet").stdout)
    assert tally["n"] == 300
    assert tally["fingerprint"] == fingerprint


def test_every_format_and_thread_count_gives_the_same_reports_for_a_seed(discreet, folder, parquet):
    seeded = ["--insecure-seed", 7, "-o"]
    discreet("randomize", "survey.toml", "answers.txt", *seeded, "a.txt")
    discreet("randomize", "survey.toml", parquet, "--column", "district", *seeded, "b.txt", "--threads", 1)
    discreet("randomize", "survey.toml", parquet, "--column", "district", *seeded, "c.txt", "--threads", 3)
    texts = {name: (folder / f"{name}.txt").read_text() for name in "abc"}
    assert texts["a"] == texts["b"] == texts["c"]


def test_a_tally_resumes_from_an_earlier_one(discreet, folder, parquet):
    for name in ("one", "two"):
        discreet("randomize", "survey.toml", parquet, "--column", "district", "-o", f"{name}.parquet")
    discreet("tally", "survey.toml", "one.parquet", "-o", "so-far.json")
    discreet("tally", "survey.toml", "so-far.json", "two.parquet", "-o", "resumed.json")
    discreet("tally", "survey.toml", "one.parquet", "two.parquet", "-o", "whole.json")
    assert (folder / "resumed.json").read_text() == (folder / "whole.json").read_text()
    assert json.loads((folder / "whole.json").read_text())["n"] == 600


def test_several_files_of_values_become_one_of_reports(discreet, folder, parquet):
    args = ["--column", "district", "-o", "all.arrow"]
    assert discreet("randomize", "survey.toml", parquet, "answers.csv", *args).exit_code == 0
    assert json.loads(discreet("tally", "survey.toml", "all.arrow").stdout)["n"] == 600


def test_unknown_values_stop_the_command_or_are_counted(discreet, refused, folder):
    pq.write_table(pa.table({"place": ["n1", None, "x", "s1"]}), folder / "in.parquet")
    message = refused("randomize", "survey.toml", "in.parquet", "-o", "out.parquet")
    assert message == "in.parquet, row 2: null must be one of the 5 values of the domain (see --unknown, --show-values)"
    done = discreet("randomize", "survey.toml", "in.parquet", "-o", "out.parquet", "--unknown", "drop")
    assert done.stderr == "discreet: 2 of 4 values are outside the domain; left out\n"
    assert pq.read_metadata(folder / "out.parquet").num_rows == 2
    done = discreet("randomize", "survey.toml", "in.parquet", "-o", "out.parquet", "--unknown", "n2")
    assert done.stderr == "discreet: 2 of 4 values are outside the domain; taken as 'n2'\n"
    assert pq.read_metadata(folder / "out.parquet").num_rows == 4


def test_files_that_cannot_be_used_are_one_line(refused, folder, parquet):
    (folder / "bad.parquet").write_text("text")
    assert refused("tally", "survey.toml", "bad.parquet").startswith("bad.parquet: cannot be read as Parquet")
    assert refused("tally", "survey.toml", "no.parquet") == "no.parquet: No such file or directory"
    assert "a column must be chosen, by column=NAME or --column NAME; the columns are id, district" in refused(
        "randomize", "survey.toml", parquet, "-o", "o"
    )


@pytest.mark.parametrize("given", [["data"], ["data/*.parquet"], ["data/a.parquet", "data/b.parquet"]], ids=str)
def test_a_folder_and_a_pattern_are_their_files(discreet, folder, parquet, given):
    (folder / "data").mkdir()
    table = pq.read_table(parquet)
    pq.write_table(table.slice(0, 100), folder / "data" / "a.parquet")
    pq.write_table(table.slice(100), folder / "data" / "b.parquet")
    (folder / "data" / "_SUCCESS").touch()
    args = ["--column", "district", "--insecure-seed", 3]
    one = discreet("randomize", "survey.toml", *given, *args)
    assert one.stdout == discreet("randomize", "survey.toml", parquet, *args).stdout
    assert one.exit_code == 0


def test_a_partition_is_a_column(discreet, folder):
    for district, rows in (("n1", 70), ("s2", 30)):
        (folder / f"data/district={district}").mkdir(parents=True)
        pq.write_table(pa.table({"id": range(rows)}), folder / f"data/district={district}/part-0.parquet")
    args = ["--column", "district", "--insecure-seed", 3, "-o"]
    assert discreet("randomize", "survey.toml", "data", *args, "r.txt").exit_code == 0
    discreet("randomize", "survey.toml", "--insecure-seed", 3, "-o", "w.txt", input="n1\n" * 70 + "s2\n" * 30)
    assert (folder / "r.txt").read_text() == (folder / "w.txt").read_text()
    (folder / "data/district=__HIVE_DEFAULT_PARTITION__").mkdir()
    pq.write_table(pa.table({"id": range(5)}), folder / "data/district=__HIVE_DEFAULT_PARTITION__/part-0.parquet")
    done = discreet("randomize", "survey.toml", "data", *args, "r.txt", "--unknown", "drop")
    assert done.stderr.endswith("discreet: 5 of 105 values are outside the domain; left out\n")


@pytest.mark.parametrize("out", ["r.csv", "r.jsonl", "r.parquet", "r.arrow"])
def test_a_partition_is_kept(discreet, folder, out):
    for city, rows in (("bern", ["n1", "?"]), ("oslo", ["s2", "n2"])):
        (folder / f"data/city={city}").mkdir(parents=True)
        pq.write_table(pa.table({"x": rows}), folder / f"data/city={city}/part-0.parquet")
    args = ["--column", "x", "--keep", "city", "--unknown", "drop", "--unmarked"]
    assert discreet("randomize", "survey.toml", "data", *args, "-o", out).exit_code == 0
    if out == "r.csv":
        kept = [line.split(",")[1] for line in (folder / out).read_text().splitlines()[1:]]
    elif out == "r.jsonl":
        kept = [json.loads(line)["city"] for line in (folder / out).read_text().splitlines()]
    else:
        table = pq.read_table(folder / out) if out == "r.parquet" else pa.ipc.open_file(folder / out).read_all()
        kept = table["city"].to_pylist()
    assert kept == ["bern", "oslo", "oslo"]


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.jsonl", "a.txt"])
def test_whole_numbers_are_their_text_in_every_format(discreet, folder, name):
    head = '[domain]\nvalues = ["18", "19", "20"]\n'
    (folder / "ages.toml").write_text(head + '[context]\nform = "uniform"\nepsilon = 3\n')
    ages = [18, 20, 19, 20] * 10
    pq.write_table(pa.table({"v": ages}), folder / "a.parquet")
    (folder / "a.csv").write_text("v\n" + "".join(f"{age}\n" for age in ages))
    (folder / "a.jsonl").write_text("".join(f'{{"v": {age}}}\n' for age in ages))
    (folder / "a.txt").write_text("".join(f"{age}\n" for age in ages))
    done = discreet("randomize", "ages.toml", name, "--insecure-seed", 3, "--unknown", "19", "--quiet")
    assert "outside the domain" not in done.stderr
    assert done.stdout == discreet("randomize", "ages.toml", "a.txt", "--insecure-seed", 3, "--quiet").stdout


def test_bytes_that_are_not_text_are_unknown_values(discreet, refused, folder):
    pq.write_table(pa.table({"v": pa.array([b"n1", b"\xff\xfe"], pa.binary())}), folder / "in.parquet")
    message = refused("randomize", "survey.toml", "in.parquet", "-o", "out.txt")
    assert message.startswith("in.parquet, row 2: a value of type large_string must be one of the 5 values")
    done = discreet("randomize", "survey.toml", "in.parquet", "-o", "out.txt", "--unknown", "drop")
    assert done.stderr == "discreet: 1 of 2 values are outside the domain; left out\n"


def test_the_help_says_whose_folders_are_columns(discreet):
    told = " ".join(discreet("randomize", "--help").stdout.split())
    assert "for Parquet and Arrow, the names of folders such as city=boston are a column" in told


def test_parquet_comes_through_a_pipe(discreet, folder, parquet):
    args = ["--column", "district", "--insecure-seed", 3, "-o"]
    discreet("randomize", "survey.toml", parquet, *args, "file.parquet")
    done = discreet("randomize", "survey.toml", "-", *args, "pipe.parquet", input=(folder / parquet).read_bytes())
    assert done.exit_code == 0
    assert (folder / "pipe.parquet").read_bytes() == (folder / "file.parquet").read_bytes()
    tally = discreet("tally", "survey.toml", input=(folder / "pipe.parquet").read_bytes())
    assert tally.stdout == discreet("tally", "survey.toml", "file.parquet").stdout


def test_files_of_different_columns_are_refused(refused, folder):
    pq.write_table(pa.table({"x": ["n1"]}), folder / "a.parquet")
    pq.write_table(pa.table({"x": [1]}), folder / "b.parquet")
    message = refused("randomize", "survey.toml", "*.parquet", "-o", "r.txt")
    assert message == (
        "b.parquet: column 'x' of type int64 differs from column 'x' of type string in a.parquet; read them apart"
    )


class Terminal:
    """What looks like a terminal and keeps what is written to it."""

    def __init__(self, is_one):
        self.is_one, self.text = is_one, ""

    def isatty(self):
        return self.is_one

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.mark.parametrize(
    ("terminal", "quiet", "shown"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_progress_is_shown_to_people_only(monkeypatch, terminal, quiet, shown):
    error = Terminal(terminal)
    monkeypatch.setattr(progress_file.sys, "stderr", error)
    with progress(200, quiet=quiet) as advance:
        advance(100)
        advance(100)
    assert ("rows/s" in error.text) is shown
