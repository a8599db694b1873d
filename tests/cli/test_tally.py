from __future__ import annotations

import json

import pytest

from discreet.estimation.tally import read_tally
from discreet.files import text_reader
from discreet.wire import Spec

NOTE = "discreet: a seed drew some of these reports, and whoever knows it can undo them\n"


@pytest.fixture
def mechanism(folder):
    return Spec.read("survey.toml").mechanism


@pytest.fixture
def reports(discreet, folder):
    """Three hundred reports, in a file of each format."""
    for name in ("r.txt", "r.csv", "r.jsonl", "r.txt.gz"):
        discreet("randomize", "survey.toml", "answers.txt", "-o", name, "--insecure-seed", 5)
    return [int(line) for line in (folder / "r.txt").read_text().splitlines()[1:-1]]


@pytest.mark.parametrize("name", ["r.txt", "r.csv", "r.jsonl", "r.txt.gz"])
def test_reports_are_counted_from_every_format(name, discreet, reports, mechanism):
    done = discreet("tally", "survey.toml", name)
    told = json.loads(done.stdout)
    assert (done.exit_code, done.stderr, told["insecure"]) == (0, NOTE, True)
    assert (told["fingerprint"], told["n"]) == (mechanism.fingerprint, 300)
    assert told["counts"] == mechanism.tally(reports).counts.tolist()


@pytest.mark.parametrize("dash", [[], ["-"]], ids=["nothing", "dash"])
def test_reports_are_counted_from_a_pipe(dash, discreet, reports, mechanism, folder, monkeypatch):
    monkeypatch.setattr(text_reader, "CHUNK", 7)
    done = discreet("tally", "survey.toml", *dash, input=(folder / "r.txt").read_bytes())
    assert json.loads(done.stdout)["counts"] == mechanism.tally(reports).counts.tolist()


def test_a_column_of_a_table_is_counted(discreet, reports, mechanism, folder):
    (folder / "both.csv").write_text("id,y\n" + "".join(f"{i},{y}\n" for i, y in enumerate(reports)))
    done = discreet("tally", "survey.toml", "both.csv", "--column", "y", "--unmarked")
    assert json.loads(done.stdout)["counts"] == mechanism.tally(reports).counts.tolist()
    marks = f"-,#discreet reports 1 {mechanism.fingerprint}", "-,#end 300"
    rows = [f"{i},{y}" for i, y in enumerate(reports)]
    (folder / "marked.csv").write_text("\n".join(["id,y", marks[0], *rows, marks[1]]) + "\n")
    done = discreet("tally", "survey.toml", "marked.csv", "--column", "y")
    assert json.loads(done.stdout)["counts"] == mechanism.tally(reports).counts.tolist()


def test_the_column_is_called_report_unless_another_is_named(discreet, reports, mechanism, folder):
    for name in ("kept.csv", "kept.jsonl", "kept.parquet", "kept.arrow"):
        discreet("randomize", "survey.toml", "answers.csv", "--column", "district", "--keep", "id", "-o", name)
        assert json.loads(discreet("tally", "survey.toml", name).stdout)["n"] == 300
        assert discreet("tally", "survey.toml", name, "--column", "id").exit_code == 2  # the control


def test_files_and_tallies_merge_in_any_order(discreet, reports, mechanism, folder):
    discreet("tally", "survey.toml", "r.txt", "-o", "one.json")
    discreet("tally", "survey.toml", "one.json", "r.csv", "-o", "two.json")
    discreet(
        "tally", "survey.toml", "r.jsonl", "two.json", "-", "-o", "four.json", input=(folder / "r.txt").read_bytes()
    )
    assert read_tally("four.json", mechanism) == sum([mechanism.tally(reports)] * 4)


def test_a_tally_is_replaced_but_never_added_to_itself(discreet, refused, reports, mechanism):
    for _ in range(2):
        discreet("tally", "survey.toml", "r.txt", "-o", "all.json")
    said = refused("tally", "survey.toml", "all.json", "r.txt", "-o", "all.json")
    assert said == "all.json: is also read, as all.json; write to another file"
    assert read_tally("all.json", mechanism).n == 300


def test_nothing_counted_is_an_empty_tally_only_if_the_stream_says_so(discreet, refused):
    empty = discreet("randomize", "survey.toml", input="").stdout
    told = json.loads(discreet("tally", "survey.toml", input=empty).stdout)
    assert told["n"] == sum(told["counts"]) == 0
    assert (
        refused("tally", "survey.toml", input="") == "standard input: is empty; even a stream of no reports has marks"
    )
    assert json.loads(discreet("tally", "survey.toml", "--unmarked", input="").stdout)["n"] == 0


# -- whose reports, and whether they are whole --------------------------------------------------------

NAMES = [
    "r.txt",
    "r.csv",
    "r.jsonl",
    "r.txt.gz",
    "r.csv.gz",
    "r.jsonl.gz",
    "r.txt.zst",
    "r.parquet",
    "r.arrow",
    "r.arrow.gz",
]


@pytest.fixture
def other(folder):
    """A spec that differs in nothing but epsilon; every report of the one could be of the other."""
    (folder / "other.toml").write_text((folder / "survey.toml").read_text().replace('"1"', '"3"'))
    return Spec.read("other.toml").mechanism


@pytest.mark.parametrize("unmarked", [[], ["--unmarked"]], ids=["", "unmarked"])
@pytest.mark.parametrize("name", NAMES)
def test_reports_of_another_mechanism_are_refused_in_every_format(name, unmarked, discreet, refused, mechanism, other):
    discreet("randomize", "other.toml", "answers.txt", "-o", name)
    said = refused("tally", "survey.toml", name, "-o", "tally.json", *unmarked)
    assert said.startswith(f"{name}: ")
    assert f"of another mechanism ({other.fingerprint[:12]}), not of " in said
    assert said.endswith(f"({mechanism.fingerprint[:12]})")
    assert json.loads(discreet("tally", "other.toml", name).stdout)["n"] == 300  # the control


@pytest.mark.parametrize("name", ["r.txt", "r.csv", "r.jsonl", "r.txt.gz", "r.csv.gz", "r.txt.zst"])
def test_joined_files_count_as_one_and_each_is_checked(name, discreet, refused, folder, other):
    for spec, to in (("survey", "a"), ("survey", "b"), ("other", "c")):
        discreet("randomize", f"{spec}.toml", "answers.txt", "-o", f"{to}-{name}")
    one, two, three = ((folder / f"{to}-{name}").read_bytes() for to in "abc")
    (folder / name).write_bytes(one + two)
    assert json.loads(discreet("tally", "survey.toml", name).stdout)["n"] == 600
    (folder / name).write_bytes(one + three)
    assert "of another mechanism" in refused("tally", "survey.toml", name, "-o", "tally.json")


@pytest.mark.parametrize("name", ["r.txt", "r.csv", "r.jsonl"])
def test_a_stream_cut_anywhere_or_joined_out_of_order_is_refused(name, discreet, refused, folder):
    discreet("randomize", "survey.toml", "answers.txt", "-o", name)
    lines = (folder / name).read_text().splitlines(keepends=True)
    head = 1 if name == "r.csv" else 0
    for kept in (lines[:-1], lines[:-2], lines[: head + 1], lines[:head], lines[:40] + lines[41:], lines[:-1] + lines):
        (folder / name).write_text("".join(kept))
        assert refused("tally", "survey.toml", name, "-o", "tally.json").startswith(name)
    (folder / name).write_text("".join(lines)[:-1])  # without its last line break it is still whole
    assert json.loads(discreet("tally", "survey.toml", name).stdout)["n"] == 300


@pytest.mark.parametrize("name", ["r.txt", "r.csv", "r.jsonl"])
def test_a_pipe_is_known_by_how_it_begins(name, discreet, folder):
    discreet("randomize", "survey.toml", "answers.txt", "-o", name)
    piped = discreet("tally", "survey.toml", "-", input=(folder / name).read_text())
    assert json.loads(piped.stdout)["n"] == 300


@pytest.mark.parametrize("name", ["r.txt", "r.csv", "r.jsonl", "r.parquet", "r.arrow"])
def test_reports_without_marks_need_the_option(name, discreet, refused):
    discreet("randomize", "survey.toml", "answers.txt", "--unmarked", "-o", name)
    said = refused("tally", "survey.toml", name, "-o", "tally.json")
    assert said.startswith(f"{name}: ")
    assert said.endswith(
        "no mark says which mechanism wrote these reports; --unmarked (in Python unmarked=True) accepts them unchecked"
    )
    assert json.loads(discreet("tally", "survey.toml", name, "--unmarked").stdout)["n"] == 300


def test_the_help_says_what_the_option_risks(discreet):
    shown = " ".join(discreet("tally", "--help").stdout.split())
    assert "Neither another mechanism's reports nor missing ones would be noticed." in shown


UNNAMED = "(--show-values lists their names, or what stands in their place)"

BAD = {
    "a value in place of a report": (
        ["b.txt"],
        "3\nn1\n",
        "b.txt, entry 2: report='n1' must be a whole number",
    ),
    "a report that cannot be": (
        ["b.txt"],
        "3\n4\n99\n",
        "b.txt, entry 3: report=99 cannot occur under blocks on 5 values",
    ),
    "a negative report": (["b.txt"], "-3\n", "b.txt, entry 1: report='-3' must be a whole number"),
    "a number too long": (
        ["b.txt"],
        "1" * 500 + "\n",
        f"b.txt, entry 1: report='{'1' * 55}...' must be a whole number",
    ),
    "a blank line": (["b.txt"], "3\n\n", "b.txt, entry 2: report='' must be a whole number"),
    "a null": (
        ["b.jsonl"],
        '{"report": 3}\n{"report": null}\n',
        "b.jsonl, line 2: a report must be text or a whole number",
    ),
    "a file twice": (["b.txt", "./b.txt"], "3\n", "b.txt: is given twice; everyone in it would count twice"),
    "a pipe twice": (["-", "-"], "3\n", "-: is given twice; everyone in it would count twice"),
    "a missing file": (["none.txt"], "", "none.txt: No such file or directory"),
    "a missing tally": (["none.json"], "", "none.json: No such file or directory"),
    "a tally that is none": (["b.json"], "[]", "b.json: a tally must be a JSON object with fingerprint, n and counts"),
    "a tally of reports": (
        ["b.json"],
        '{"report": 3}',
        "b.json: fingerprint is missing; a tally must have fingerprint, n and counts",
    ),
    "a broken tally": (
        ["b.json"],
        "{",
        "b.json: this is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    ),
    "no column": (
        ["b.csv"],
        "a,b\n1,2\n",
        "b.csv: a column must be chosen, by column=NAME or --column NAME; there are 2 columns " + UNNAMED,
    ),
}


@pytest.mark.parametrize("out", [[], ["-o", "tally.json"]], ids=["printed", "to a file"])
@pytest.mark.parametrize(("args", "text", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_and_writes_nothing(args, text, message, out, refused, folder):
    if args[0].startswith("b"):
        (folder / args[0]).write_text(text)
    assert refused("tally", "survey.toml", "--unmarked", *args, *out, input=text) == message


def test_the_entry_of_a_bad_report_is_its_line_marks_included(refused, mechanism, folder):
    (folder / "b.txt").write_text(f"#discreet reports 1 {mechanism.fingerprint}\n3\nn1\n#end 2\n")
    assert refused("tally", "survey.toml", "b.txt").startswith("b.txt, entry 3: ")


def test_one_bad_report_in_the_last_file_leaves_the_old_tally(refused, discreet, reports, folder):
    discreet("tally", "survey.toml", "r.txt", "-o", "all.json")
    (folder / "bad.txt").write_text("3\n99\n")
    said = refused("tally", "survey.toml", "--unmarked", "r.txt", "bad.txt", "-o", "all.json")
    assert said.startswith("bad.txt, entry 2:")


def test_a_tally_of_another_spec_is_refused(refused, discreet, reports, folder):
    discreet("tally", "survey.toml", "r.txt", "-o", "one.json")
    (folder / "other.toml").write_text((folder / "survey.toml").read_text().replace('"1"', '"2"'))
    message = refused("tally", "other.toml", "one.json")
    assert message.startswith("one.json: this tally is of blocks(hadamard) (")
    assert ", not of blocks(hadamard) (" in message


def test_a_set_of_the_wrong_size_is_refused_by_its_place(refused, folder):
    (folder / "sets.toml").write_text(
        '[domain]\nsize = 60\n[context]\nform = "uniform"\nepsilon = 1\n[mechanism]\nname = "subset"\nd = 2\n'
    )
    (folder / "b.txt").write_text("000000000000003\n000000000000007\n")
    assert refused("tally", "sets.toml", "b.txt", "--unmarked").startswith(
        "b.txt, entry 2: report=7 cannot occur under subset on 60 values"
    )
