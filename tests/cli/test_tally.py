from __future__ import annotations

import json

import pytest

from discreet.files import text_reader
from discreet.wire import Spec, read_tally


@pytest.fixture
def mechanism(folder):
    return Spec.read("survey.toml").mechanism


@pytest.fixture
def reports(discreet, folder):
    """Three hundred reports, in a file of each format."""
    for name in ("r.txt", "r.csv", "r.jsonl", "r.txt.gz"):
        discreet("randomize", "survey.toml", "answers.txt", "-o", name, "--insecure-seed", 5)
    return [int(line) for line in (folder / "r.txt").read_text().split()]


@pytest.mark.parametrize("name", ["r.txt", "r.csv", "r.jsonl", "r.txt.gz"])
def test_reports_are_counted_from_every_format(name, discreet, reports, mechanism):
    done = discreet("tally", "survey.toml", name)
    told = json.loads(done.stdout)
    assert (done.exit_code, done.stderr) == (0, "")
    assert (told["fingerprint"], told["n"]) == (mechanism.fingerprint, 300)
    assert told["counts"] == mechanism.tally(reports).counts.tolist()


@pytest.mark.parametrize("dash", [[], ["-"]], ids=["nothing", "dash"])
def test_reports_are_counted_from_a_pipe(dash, discreet, reports, mechanism, folder, monkeypatch):
    monkeypatch.setattr(text_reader, "CHUNK", 7)
    done = discreet("tally", "survey.toml", *dash, input=(folder / "r.txt").read_bytes())
    assert json.loads(done.stdout)["counts"] == mechanism.tally(reports).counts.tolist()


def test_a_column_of_a_table_is_counted(discreet, reports, mechanism, folder):
    (folder / "both.csv").write_text("id,y\n" + "".join(f"{i},{y}\n" for i, y in enumerate(reports)))
    done = discreet("tally", "survey.toml", "both.csv", "--column", "y")
    assert json.loads(done.stdout)["counts"] == mechanism.tally(reports).counts.tolist()


def test_files_and_tallies_merge_in_any_order(discreet, reports, mechanism, folder):
    discreet("tally", "survey.toml", "r.txt", "-o", "one.json")
    discreet("tally", "survey.toml", "one.json", "r.csv", "-o", "two.json")
    discreet(
        "tally", "survey.toml", "r.jsonl", "two.json", "-", "-o", "four.json", input=(folder / "r.txt").read_bytes()
    )
    assert read_tally("four.json", mechanism) == sum([mechanism.tally(reports)] * 4)


def test_a_tally_may_be_written_over_itself(discreet, reports, mechanism):
    for _ in range(2):
        discreet("tally", "survey.toml", "r.txt", "-o", "all.json")
    discreet("tally", "survey.toml", "all.json", "r.txt", "-o", "all.json")
    assert read_tally("all.json", mechanism).n == 600


def test_nothing_counted_is_an_empty_tally(discreet):
    told = json.loads(discreet("tally", "survey.toml", input="").stdout)
    assert told["n"] == sum(told["counts"]) == 0


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
    "a file twice": (["b.txt", "./b.txt"], "3\n", "b.txt: is given twice; its reports would count twice"),
    "a pipe twice": (["-", "-"], "3\n", "-: is given twice; its reports would count twice"),
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
    "no column": (["b.csv"], "a,b\n1,2\n", "b.csv: a column must be chosen; there are a, b"),
}


@pytest.mark.parametrize("out", [[], ["-o", "tally.json"]], ids=["printed", "to a file"])
@pytest.mark.parametrize(("args", "text", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_and_writes_nothing(args, text, message, out, refused, folder):
    if args[0].startswith("b"):
        (folder / args[0]).write_text(text)
    assert refused("tally", "survey.toml", *args, *out, input=text) == message


def test_one_bad_report_in_the_last_file_leaves_the_old_tally(refused, discreet, reports, folder):
    discreet("tally", "survey.toml", "r.txt", "-o", "all.json")
    (folder / "bad.txt").write_text("3\n99\n")
    assert refused("tally", "survey.toml", "r.txt", "bad.txt", "-o", "all.json").startswith("bad.txt, entry 2:")


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
    assert refused("tally", "sets.toml", "b.txt").startswith(
        "b.txt, entry 2: report=7 cannot occur under subset on 60 values"
    )
