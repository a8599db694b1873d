"""Laws of the commands on Parquet and Arrow files, and of the progress they show."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.cli import progress as progress_file
from discreet.cli.progress import progress
from discreet.engines.arrow_reports import MARK


@pytest.fixture
def parquet(folder):
    values = (folder / "answers.txt").read_text().split()
    pq.write_table(pa.table({"id": range(len(values)), "district": values}), folder / "answers.parquet")
    return "answers.parquet"


def test_a_survey_goes_from_parquet_to_parquet_to_a_tally(discreet, folder, parquet):
    done = discreet("randomize", "survey.toml", parquet, "--column", "district", "-o", "reports.parquet")
    assert (done.exit_code, done.output) == (0, "")
    fingerprint = json.loads(discreet("verify", "survey.toml", "--json").stdout)["fingerprint"]
    assert pq.read_schema(folder / "reports.parquet").field("report").metadata[MARK.encode()].decode() == fingerprint
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
    assert message == "in.parquet, row 2: null must be one of the 5 values of the domain (or see --unknown)"
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
    assert "a column must be chosen; there are id, district" in refused("randomize", "survey.toml", parquet, "-o", "o")


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
