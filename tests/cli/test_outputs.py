"""Laws of every command that writes: no input, and nothing that the spec is read from, is written over."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.cli.group import COMMANDS

WRITERS = {
    "randomize": ["randomize", "survey.toml", "answers.txt", "-o", "{}"],
    "tally": ["tally", "survey.toml", "reports.txt", "-o", "{}"],
    "law": ["law", "survey.toml", "-o", "{}"],
    "resolve": ["resolve", "survey.toml", "-o", "{}"],
    "estimate": ["estimate", "survey.toml", "tally.json", "--plot", "{}"],
    "release": ["release", "survey.toml", "tally.json", "--title", "A survey", "-o", "{}"],
    "compare": ["compare", "survey.toml", "labelled.csv", "--by", "group", "--plot", "{}"],
    "regress": ["regress", "survey.toml", "labelled.csv", "--event", "a", "--on", "age", "--plot", "{}"],
    "crosstab": ["crosstab", "pairs.toml", "pairs.txt", "--plot", "{}"],
    "goodness-of-fit": ["goodness-of-fit", "survey.toml", "tally.json", "--plot", "{}"],
    "noncompliance": ["noncompliance", "survey.toml", "tally.json", "--to", "a", "--plot", "{}"],
    "plan": ["plan", "survey.toml", "--n", "100", "--prior", "prior.json", "--plot", "{}"],
    "design": ["design", "survey.toml", "--seconds", "1", "--prior", "prior.json", "--plot", "{}"],
    "bounds": ["bounds", "survey.toml", "--n", "9", "--prior", "prior.json", "--pair", "a", "b", "--plot", "{}"],
    "exposure": ["exposure", "survey.toml", "--prior", "prior.json", "--plot", "{}"],
    "repeated": ["repeated", "survey.toml", "--times", "3", "--pair", "a", "b", "--plot", "{}"],
    "shuffled": ["shuffled", "survey.toml", "--tally", "tally.json", "--pair", "a", "b", "--plot", "{}"],
    "vectors": ["vectors", "survey.toml", "--count", "9", "-o", "{}"],
    "spark": [
        "spark",
        "survey.toml",
        "answers.txt",
        "--column",
        "c",
        "--record-id",
        "i",
        "--key-file",
        "key",
        "-o",
        "{}",
    ],
}
"""What each command writes and reads."""

PAIRS = """
[context]
form = "product"
[context.first]
domain = {values = ["a", "b"]}
context = {form = "uniform", epsilon = "1"}
[context.second]
domain = {values = ["c", "d"]}
context = {form = "uniform", epsilon = "1"}
"""

INPUTS = {
    "randomize": ["answers.txt", "survey.toml", "values.txt"],
    "tally": ["reports.txt", "survey.toml", "values.txt"],
    "law": ["survey.toml", "values.txt"],
    "resolve": ["survey.toml"],
    "estimate": ["tally.json", "survey.toml", "values.txt"],
    "release": ["tally.json", "survey.toml", "values.txt"],
    "compare": ["labelled.csv", "survey.toml", "values.txt"],
    "regress": ["labelled.csv", "survey.toml", "values.txt"],
    "crosstab": ["pairs.txt", "pairs.toml"],
    "goodness-of-fit": ["tally.json", "survey.toml", "values.txt"],
    "noncompliance": ["tally.json", "survey.toml", "values.txt"],
    "plan": ["prior.json", "survey.toml", "values.txt"],
    "design": ["prior.json", "survey.toml", "values.txt"],
    "bounds": ["prior.json", "survey.toml", "values.txt"],
    "exposure": ["prior.json", "survey.toml", "values.txt"],
    "repeated": ["survey.toml", "values.txt"],
    "shuffled": ["tally.json", "survey.toml", "values.txt"],
    "vectors": ["survey.toml", "values.txt"],
    "spark": ["answers.txt", "key", "survey.toml", "values.txt"],
}
OTHERS = {
    "verify", "audit", "answer", "collect", "invite", "papers", "init", "gallery", "ledger", "restore", "serve",
    "simulate", "xlsform",
}  # fmt: skip
"""Commands that write no output, or read no spec: some are tried below, the others in files of their own."""


@pytest.fixture
def survey(folder, discreet):
    """Every file that a command of `WRITERS` reads; the values of the spec are in a file of their own."""
    for file in folder.iterdir():
        file.unlink()
    Path("values.txt").write_text("a\nb\nc\n")
    Path("survey.toml").write_text(
        '[domain]\nfile = "values.txt"\n[context]\nform = "uniform"\nepsilon = 1\n[mechanism]\nname = "hadamard"\n'
    )
    Path("answers.txt").write_text("a\nb\nc\n")
    Path("prior.json").write_text("[0.2, 0.3, 0.5]")
    Path("key").write_bytes(bytes(32))
    Path("pairs.toml").write_text(PAIRS)
    Path("pairs-of-answers.txt").write_text("('a', 'c')\n('b', 'd')\n('a', 'd')\n")
    discreet("randomize", "pairs.toml", "pairs-of-answers.txt", "-o", "pairs.txt")
    discreet("randomize", "survey.toml", "answers.txt", "-o", "reports.txt")
    discreet("tally", "survey.toml", "reports.txt", "-o", "tally.json")
    rows = "".join(f"{'abc'[age % 3]},{age},{age % 2}\n" for age in range(30))
    Path("people.csv").write_text(f"answer,age,group\n{rows}")
    kept = ["--column", "answer", "--keep", "age", "--keep", "group"]
    discreet("randomize", "survey.toml", "people.csv", *kept, "-o", "labelled.csv")
    return folder


def test_every_command_is_tried():
    assert {*WRITERS, *OTHERS} == set(COMMANDS)
    assert set(WRITERS) == set(INPUTS)


@pytest.mark.parametrize(("command", "read"), [(command, name) for command, names in INPUTS.items() for name in names])
def test_no_input_is_written_over_by_any_name(survey, refused, command, read):
    soft, hard = (f"{kind}{Path(read).suffix}" for kind in ("soft", "hard"))
    Path(soft).symlink_to(read)
    os.link(read, hard)
    for name in (read, f"./{read}", f"{survey}/{read}", soft, hard):
        said = refused(*(name if part == "{}" else part for part in WRITERS[command]))
        assert said == f"{name}: is also read, as {read}; write to another file"


@pytest.mark.parametrize("command", [command for command in WRITERS if command != "spark"])
def test_any_other_file_is_written(survey, discreet, command):
    """The control: the same commands work when they write elsewhere, also over a file that is there."""
    suffixes = {"randomize": "txt", "release": "html"}
    other = "other.png" if "--plot" in WRITERS[command] else f"other.{suffixes.get(command, 'toml')}"
    Path(other).write_text("old")
    done = discreet(*(other if part == "{}" else part for part in WRITERS[command]))
    assert done.exit_code == 0
    assert Path(other).read_bytes() != b"old"


def test_the_data_of_a_paper_are_not_written_over(survey, refused):
    data = Path("acharya2020-figure1.md")
    data.write_text("check-ins")
    said = refused("papers", "acharya2020-figure1", "--runs", 1, "-o", ".", "--gowalla", data)
    assert "is also read, as acharya2020-figure1.md" in said


def test_a_first_spec_is_not_written_over_the_values_it_reads(survey, refused):
    said = refused("init", "survey.toml", "--force", "--form", "uniform", "--file", "survey.toml", "--epsilon", "1")
    assert said == "survey.toml: is also read, as survey.toml; write to another file"


@pytest.mark.skipif(os.name != "posix", reason="the shell of the system")
@pytest.mark.parametrize(
    "line", ["randomize survey.toml < answers.txt -o answers.txt", "randomize survey.toml answers.txt >> answers.txt"]
)
def test_a_file_that_the_shell_opens_is_not_written_over(survey, line):
    done = subprocess.run(f"{sys.executable} -m discreet {line}", shell=True, capture_output=True, text=True)
    assert done.returncode == 2
    assert "is also read, as " in done.stderr
    assert Path("answers.txt").read_text() == "a\nb\nc\n"
