from __future__ import annotations

import gzip
import json

import pytest

import discreet as dc
from discreet.files import text_reader
from discreet.wire import Spec, report_to_text

NOTE = "discreet: --insecure-seed: whoever knows the seed can undo these reports\n"


def expected(seed, values):
    """The reports made one by one from the same words."""
    mechanism = Spec.read("survey.toml").mechanism
    rng = dc.random.seeded(seed)
    return [report_to_text(mechanism, mechanism.randomize(value, rng)) for value in values]


@pytest.fixture
def values(folder):
    return (folder / "answers.txt").read_text().split()


@pytest.mark.parametrize("args", [["answers.txt"], ["answers.csv", "--column", "district"]], ids=str)
def test_reports_come_out_in_order_one_a_value(args, discreet, values):
    done = discreet("randomize", "survey.toml", *args, "--insecure-seed", 5)
    assert done.stdout.splitlines() == expected(5, values)
    assert (done.exit_code, done.stderr) == (0, NOTE)


@pytest.mark.parametrize("name", ["answers.txt", "answers.csv", "answers.jsonl"])
@pytest.mark.parametrize("dash", [[], ["-"]], ids=["nothing", "dash"])
def test_a_pipe_is_read_like_the_file(name, dash, discreet, values, folder):
    column = [] if name.endswith("txt") else ["--column", "district"]
    done = discreet(
        "randomize", "survey.toml", *dash, *column, "--insecure-seed", 5, input=(folder / name).read_bytes()
    )
    assert done.stdout.splitlines() == expected(5, values)


def test_the_size_of_chunks_changes_nothing(discreet, values, monkeypatch):
    monkeypatch.setattr(text_reader, "CHUNK", 7)
    done = discreet("randomize", "survey.toml", "answers.txt", "--insecure-seed", 5)
    assert done.stdout.splitlines() == expected(5, values)


def test_a_file_is_written_as_its_name_says(discreet, values, folder):
    wanted = expected(5, values)
    for name in ("r.txt", "r.csv", "r.jsonl", "r.txt.gz"):
        done = discreet("randomize", "survey.toml", "answers.txt", "-o", name, "--insecure-seed", 5)
        assert (done.exit_code, done.stdout) == (0, "")
    assert (folder / "r.txt").read_text().split() == wanted
    assert (folder / "r.csv").read_text().split() == ["report", *wanted]
    lines = [json.loads(line) for line in (folder / "r.jsonl").read_text().splitlines()]
    assert lines == [{"report": int(report)} for report in wanted]
    assert gzip.decompress((folder / "r.txt.gz").read_bytes()).decode().split() == wanted


def test_without_a_seed_no_two_runs_are_alike(discreet):
    one, two = (discreet("randomize", "survey.toml", "answers.txt") for _ in range(2))
    assert one.stdout != two.stdout  # alike with probability below 2**-300
    assert one.stderr == ""


def test_values_outside_the_domain_can_be_left_out(discreet, values):
    text = "".join(f"{value}\nelsewhere\n" for value in values)
    done = discreet("randomize", "survey.toml", "--unknown", "drop", "--insecure-seed", 5, input=text)
    assert done.stdout.splitlines() == expected(5, values)
    assert done.stderr == NOTE + "discreet: 300 of 600 values are outside the domain; left out\n"


def test_values_outside_the_domain_can_be_taken_as_another(discreet):
    done = discreet("randomize", "survey.toml", "--unknown", "s1", "--insecure-seed", 5, input="n1\nx\n\ns2\n")
    assert done.stdout.splitlines() == expected(5, ["n1", "s1", "s1", "s2"])
    assert done.stderr == NOTE + "discreet: 2 of 4 values are outside the domain; taken as 's1'\n"


def test_no_values_give_no_reports(discreet, folder):
    assert discreet("randomize", "survey.toml", input="").stdout == ""
    discreet("randomize", "survey.toml", "-o", "r.txt", input="")
    assert (folder / "r.txt").read_bytes() == b""


def test_wide_reports_are_lines_of_hexadecimal(discreet, folder):
    (folder / "wide.toml").write_text(
        '[domain]\nsize = 100\n[context]\nform = "uniform"\nepsilon = 1\n[mechanism]\nname = "unary"\n'
    )
    lines = discreet("randomize", "wide.toml", input="5\n99\n").stdout.splitlines()
    assert [len(line) for line in lines] == [25, 25]
    assert all(int(line, 16) < 1 << 100 for line in lines)


BAD = {
    "an unknown value": (
        ["answers.txt"],
        b"n1\nN1\nn2\n",
        "answers.txt, entry 2: value='N1' must be one of the 5 values of the domain (or see --unknown)",
    ),
    "an unknown value in a pipe": (
        ["-"],
        b"n1\n\n",
        "standard input, entry 2: value='' must be one of the 5 values of the domain (or see --unknown)",
    ),
    "a bad replacement": (
        ["answers.txt", "--unknown", "elsewhere"],
        b"",
        "--unknown: value='elsewhere' must be one of the 5 values of the domain",
    ),
    "no column": (["answers.csv"], b"a,b\n", "answers.csv: a column must be chosen; there are a, b"),
    "a wrong column": (
        ["answers.csv", "--column", "x"],
        b"a,b\n",
        "answers.csv: column 'x' is missing; the columns are a, b",
    ),
    "a missing file": (["none.txt"], b"", "none.txt: No such file or directory"),
    "a folder": (["."], b"", ".: Is a directory"),
    "not text": (["answers.txt"], b"n1\n\xff\n", "answers.txt: must be UTF-8 text"),
    "a place that is not there": (
        ["answers.txt", "-o", "none/r.txt"],
        b"n1\n",
        "none/r.txt: No such file or directory",
    ),
}


@pytest.mark.parametrize("out", [[], ["-o", "reports.txt"]], ids=["printed", "to a file"])
@pytest.mark.parametrize(("args", "data", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_and_writes_nothing(args, data, message, out, refused, folder):
    if args[0].startswith("answers"):
        (folder / args[0]).write_bytes(data)
    assert refused("randomize", "survey.toml", *out, *args, input=data) == message


def test_a_mistake_near_the_end_leaves_the_old_file_as_it_was(refused, folder, monkeypatch):
    monkeypatch.setattr(text_reader, "CHUNK", 10)
    (folder / "reports.txt").write_text("kept\n")
    (folder / "answers.txt").write_text("n1\n" * 95 + "oops\n")
    message = refused("randomize", "survey.toml", "answers.txt", "-o", "reports.txt")
    assert message.startswith("answers.txt, entry 96: value='oops'")
    assert (folder / "reports.txt").read_text() == "kept\n"


def test_on_a_pipe_what_was_good_has_gone_out_whole(discreet, folder, monkeypatch):
    monkeypatch.setattr(text_reader, "CHUNK", 10)
    (folder / "answers.txt").write_text("n1\n" * 95 + "oops\n")
    done = discreet("randomize", "survey.toml", "answers.txt")
    assert done.exit_code == 2
    assert done.stdout.count("\n") == 90


def test_when_randomness_fails_there_is_no_report(refused, folder, monkeypatch):
    def fail(_):
        raise OSError("no entropy")

    monkeypatch.setattr("os.urandom", fail)
    message = refused("randomize", "survey.toml", "answers.txt")
    assert message == "the operating system gave no randomness (no entropy); no report was made"
