from __future__ import annotations

import gzip
import json
import subprocess
import sys

import pytest

import discreet as dc
from discreet.files import text_reader
from discreet.wire import Spec, report_to_text

NOTE = "discreet: --insecure-seed: whoever knows the seed can undo these reports\n"


def expected(seed, values):
    """The reports made one by one from the same words, between their marks."""
    mechanism = Spec.read("survey.toml").mechanism
    rng = dc.random.seeded(seed)
    reports = [report_to_text(mechanism, mechanism.randomize(value, rng)) for value in values]
    return [f"#discreet reports 1 {mechanism.fingerprint} insecure", *reports, f"#end {len(reports)}"]


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
    assert (folder / "r.txt").read_text().splitlines() == wanted
    assert (folder / "r.csv").read_text().splitlines() == ["report", *wanted]
    first, *lines, last = (json.loads(line) for line in (folder / "r.jsonl").read_text().splitlines())
    assert first == {"discreet": "reports", "version": 1, "fingerprint": wanted[0].split()[-2], "insecure": True}
    assert lines == [{"report": int(report)} for report in wanted[1:-1]]
    assert last == {"discreet": "end", "reports": 300}
    assert gzip.decompress((folder / "r.txt.gz").read_bytes()).decode().splitlines() == wanted


@pytest.mark.parametrize("name", ["r.txt", "r.csv", "r.jsonl", "-"])
def test_nothing_but_reports_is_written_if_that_is_asked_for(name, discreet, values, folder):
    done = discreet("randomize", "survey.toml", "answers.txt", "--unmarked", "-o", name, "--insecure-seed", 5)
    text = done.stdout if name == "-" else (folder / name).read_text()
    found = [line.removeprefix('{"report": ').removesuffix("}") for line in text.splitlines()]
    assert found == [*(["report"] if name == "r.csv" else []), *expected(5, values)[1:-1]]


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


def test_tabs_are_written_as_they_are_read(discreet, folder):
    (folder / "a.tsv").write_text("id,x\tdistrict\n1\tn1\n2\ts2\n")
    args = ["--column", "district", "--keep", "id,x", "--insecure-seed", 5, "--unmarked"]
    done = discreet("randomize", "survey.toml", "a.tsv", *args, "-o", "r.tsv")
    assert done.exit_code == 0
    _, one, two, _ = expected(5, ["n1", "s2"])
    assert (folder / "r.tsv").read_text() == f"report\tid,x\n{one}\t1\n{two}\t2\n"


LINES = '{"u": {"a": "n1"}}\n{"u": {"a": null}}\n{"u": {}}\n{}\n{"u": {"a": "s2"}}\n'


def test_nulls_and_absent_keys_are_left_out_and_counted(discreet, folder):
    (folder / "a.jsonl").write_text(LINES)
    done = discreet("randomize", "survey.toml", "a.jsonl", "--column", "u.a", "--unknown", "drop", "--insecure-seed", 5)
    assert done.stdout.splitlines() == expected(5, ["n1", "s2"])
    assert done.stderr == NOTE + "discreet: 3 of 5 values are outside the domain; left out\n"


def test_nulls_and_absent_keys_are_taken_as_another_or_stop_the_command(discreet, refused, folder):
    (folder / "a.jsonl").write_text(LINES)
    done = discreet("randomize", "survey.toml", "a.jsonl", "--column", "u.a", "--unknown", "n2", "--insecure-seed", 5)
    assert done.stdout.splitlines() == expected(5, ["n1", "n2", "n2", "n2", "s2"])
    assert "a.jsonl, row 2: null must be" in refused("randomize", "survey.toml", "a.jsonl", "--column", "u.a")


def test_answers_to_two_questions_are_lists_in_json(discreet, refused, folder):
    (folder / "two.toml").write_text(
        '[context]\nform = "product"\n'
        '[context.first]\ndomain = {values = ["none", "flu"]}\ncontext = {form = "uniform", epsilon = "1"}\n'
        '[context.second]\ndomain = {size = 3}\ncontext = {form = "uniform", epsilon = "2"}\n'
        '[mechanism]\nname = "hadamard"\n'
    )
    (folder / "lists.jsonl").write_text('{"a": ["flu", 2]}\n{"a": ["none", 0]}\n')
    (folder / "texts.csv").write_text("a\n\"('flu', 2)\"\n\"('none', 0)\"\n")
    from_lists, from_texts = (
        discreet("randomize", "two.toml", file, "--column", "a", "--insecure-seed", 5).stdout
        for file in ("lists.jsonl", "texts.csv")
    )
    assert from_lists == from_texts
    assert len(from_lists.splitlines()) == 4
    (folder / "lists.jsonl").write_text('{"a": ["flu", 2]}\n{"a": ["flu", "2"]}\n')
    said = refused("randomize", "two.toml", "lists.jsonl", "--column", "a")
    assert "lists.jsonl, row 2: a value of type str must be one of the 6 values" in said


def test_blank_lines_are_counted(discreet, folder):
    (folder / "a.csv").write_text("district\nn1\n\ns2\n")
    done = discreet("randomize", "survey.toml", "a.csv", "--unknown", "drop", "--insecure-seed", 5)
    assert done.stdout.splitlines() == expected(5, ["n1", "s2"])
    assert done.stderr == NOTE + "discreet: 1 of 3 values are outside the domain; left out\n"


@pytest.mark.parametrize(
    ("name", "text", "args"),
    [
        ("a.tsv", "id\tdistrict\n1\tn1\n2\ts2\n", []),
        ("a.csv", "id;district\n1;n1\n2;s2\n", ["--delimiter", ";"]),
        ("a", "id|district\n1|n1\n2|s2\n", ["--delimiter", "|"]),
    ],
)
def test_columns_are_separated_as_the_name_or_the_option_says(discreet, folder, name, text, args):
    (folder / name).write_text(text)
    done = discreet("randomize", "survey.toml", name, "--column", "district", "--insecure-seed", 5, *args)
    assert done.stdout.splitlines() == expected(5, ["n1", "s2"])
    piped = discreet("randomize", "survey.toml", "--column", "district", "--insecure-seed", 5, *args, input=text)
    assert (piped.stdout == done.stdout) is bool(args)  # a pipe has no name that says tabs


@pytest.mark.parametrize("out", ["r.xlsx", "r.json", "r.orc"])
def test_reports_are_written_to_names_that_mean_something(refused, out):
    assert refused("randomize", "survey.toml", "answers.txt", "-o", out).startswith(f"{out}: ")


def test_no_values_give_no_reports(discreet, folder):
    nothing = [line.removesuffix(" insecure") for line in expected(5, [])]
    assert discreet("randomize", "survey.toml", input="").stdout.splitlines() == nothing
    discreet("randomize", "survey.toml", "-o", "r.txt", input="")
    assert (folder / "r.txt").read_text().splitlines() == nothing


def test_wide_reports_are_lines_of_hexadecimal(discreet, folder):
    (folder / "wide.toml").write_text(
        '[domain]\nsize = 100\n[context]\nform = "uniform"\nepsilon = 1\n[mechanism]\nname = "unary"\n'
    )
    lines = discreet("randomize", "wide.toml", input="5\n99\n").stdout.splitlines()[1:-1]
    assert [len(line) for line in lines] == [25, 25]
    assert all(int(line, 16) < 1 << 100 for line in lines)


SEE = " (see --unknown, --show-values)"
SUFFIXES = (
    ".txt, .text, .csv, .tsv, .jsonl, .ndjson, .parquet, .pq, .arrow, .ipc, .feather or nothing "
    "(then .gz or .zst, if it is compressed)"
)
UNNAMED = "(--show-values lists their names, or what stands in their place)"

BAD = {
    "an unknown value": (
        ["answers.txt"],
        b"n1\nN1\nn2\n",
        "answers.txt, row 2: a value of type str must be one of the 5 values of the domain" + SEE,
    ),
    "an unknown value in a pipe": (
        ["-"],
        b"n1\n\n",
        "standard input, row 2: a value of type str must be one of the 5 values of the domain" + SEE,
    ),
    "a bad replacement": (
        ["answers.txt", "--unknown", "elsewhere"],
        b"",
        "--unknown: value='elsewhere' must be one of the 5 values of the domain",
    ),
    "no column": (
        ["answers.csv"],
        b"a,b\n",
        "answers.csv: a column must be chosen, by column=NAME or --column NAME; there are 2 columns " + UNNAMED,
    ),
    "a wrong column": (
        ["answers.csv", "--column", "x"],
        b"a,b\n",
        "answers.csv: column 'x' is missing; there are 2 columns " + UNNAMED,
    ),
    "a missing file": (["none.txt"], b"", "none.txt: No such file or directory"),
    "a pattern of nothing": (["*.pq"], b"", "*.pq: there are no files (names that begin with . or _ are left out)"),
    "a folder of more than values": (["."], b"", f"survey.toml: the name must end in {SUFFIXES}"),
    "a tally": (["t.json"], b"", f"t.json: JSON holds no column that is read or written here; use {SUFFIXES}"),
    "a wrong delimiter": (
        ["answers.csv", "--delimiter", "ab"],
        b"a,b\n",
        "delimiter='ab' must be one ASCII character other than a quote or a line break",
    ),
    "a file twice": (
        ["answers.txt", "./answers.txt"],
        b"n1\n",
        "answers.txt: is given twice; everyone in it would count twice",
    ),
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
    assert message.startswith("answers.txt, row 96: a value of type str must be")
    assert (folder / "reports.txt").read_text() == "kept\n"


def test_what_a_failing_run_has_passed_on_is_told_and_no_tally_takes_it(discreet, refused, folder, monkeypatch):
    monkeypatch.setattr(text_reader, "CHUNK", 10)
    (folder / "answers.txt").write_text("n1\n" * 95 + "oops\n")
    done = discreet("randomize", "survey.toml", "answers.txt")
    assert done.exit_code == 2
    assert done.stdout.count("\n") == 91
    assert done.stderr.count("\n") == 1
    assert "; the 90 reports passed on so far must be thrown away, because another run gives" in done.stderr
    said = refused("tally", "survey.toml", "-o", "tally.json", input=done.stdout)
    assert said.startswith("standard input: ends after 90 reports without the mark of a whole stream; it was cut short")
    good = discreet("randomize", "survey.toml", "answers.txt", "--unknown", "n2")  # the control
    assert json.loads(discreet("tally", "survey.toml", input=good.stdout).stdout)["n"] == 96


def test_a_file_that_is_missing_after_reports_went_out_says_so_too(discreet, folder):
    done = discreet("randomize", "survey.toml", "answers.txt", "none.txt")
    assert done.exit_code == 2
    assert done.stderr.startswith("discreet: none.txt: No such file or directory; the 300 reports passed on so far")
    assert "#end" not in done.stdout


def test_a_failing_run_gives_the_next_command_in_a_pipe_nothing_to_count(folder):
    """Two real processes: the first fails far into the stream, the second must not write a tally."""
    (folder / "answers.txt").write_text("n1\n" * 200_000 + "oops\n")
    run = f"{sys.executable} -m discreet"
    done = subprocess.run(
        f"{run} randomize survey.toml answers.txt | {run} tally survey.toml -o tally.json",
        shell=True,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "standard input: ends after " in done.stderr
    assert "must be thrown away" in done.stderr
    assert not (folder / "tally.json").exists()


def test_when_randomness_fails_there_is_no_report(refused, folder, monkeypatch):
    def fail(_):
        raise OSError("no entropy")

    monkeypatch.setattr("os.urandom", fail)
    message = refused("randomize", "survey.toml", "answers.txt")
    assert message == "the operating system gave no randomness (no entropy); no report was made"


def test_an_error_shows_a_value_only_if_told_to(refused, folder):
    (folder / "answers.txt").write_text("n1\nHIV positive\n")
    assert "HIV" not in refused("randomize", "survey.toml", "answers.txt")
    assert "row 2: value='HIV positive' must be" in refused("randomize", "survey.toml", "answers.txt", "--show-values")
    assert "HIV" not in refused("randomize", "survey.toml", "answers.txt")
