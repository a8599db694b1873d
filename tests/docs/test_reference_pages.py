"""The pages of the reference that list things: every command and every error is on its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet import errors
from discreet.cli.group import COMMANDS

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
ERRORS = [name for name in errors.__all__ if isinstance(getattr(errors, name), type)]


def missing_commands(text: str) -> list[str]:
    """The commands without a place in the table, a heading with their options below it, and an example."""
    table = text.partition("## Conventions")[0]
    return [
        name
        for name in COMMANDS
        if f"[{name}](#{name})" not in table
        or f"\n### {name}\n\n```{{eval-rst}}\n.. command:: {name}\n```\n" not in text
        or not re.search(rf"^\$ (?:timeout \d+ )?discreet (?:--\S+ \S+ )?{name}\b", text, re.MULTILINE)
    ]


def missing_errors(text: str) -> list[str]:
    """The errors that no table explains."""
    explained = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", text, re.MULTILINE)
    return sorted({*ERRORS} - {"DiscreetError"} - set(re.findall(r"\w+", " ".join(explained))))


def tree(text: str) -> dict[str, str]:
    """Each error in the drawing of the tree, with the one that it is below."""
    drawn = text.partition("```text\n")[2].partition("```")[0]
    parents: list[str] = []
    found = {}
    for line in drawn.splitlines():
        [name] = re.findall(r"\w+(?= \(|$)", line)
        depth = line.index(name) // 4
        found[name] = parents[depth - 1] if depth else ""
        parents[depth:] = [name]
    return found


@pytest.fixture(scope="module")
def commands() -> str:
    return (REFERENCE / "command-line.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def error_page() -> str:
    return (REFERENCE / "errors.md").read_text(encoding="utf-8")


def test_every_command_is_on_the_page(commands):
    assert missing_commands(commands) == []
    assert re.findall(r"^\.\. command:: ([\w-]+)$", commands, re.MULTILINE).count("discreet") == 1


def test_no_other_command_is_on_the_page(commands):
    assert set(re.findall(r"^\.\. command:: ([\w-]+)$", commands, re.MULTILINE)) == {*COMMANDS, "discreet"}


def test_a_command_that_is_left_out_is_noticed(commands):
    assert missing_commands(commands.replace(".. command:: tally\n", "")) == ["tally"]
    assert missing_commands(commands.replace("$ discreet audit ", "$ echo ")) == ["audit"]


def test_every_error_is_explained(error_page):
    assert missing_errors(error_page) == []


def test_the_tree_of_errors_is_that_of_the_classes(error_page):
    drawn = tree(error_page)
    bases = {name: [base.__name__ for base in getattr(errors, name).__bases__] for name in ERRORS}
    assert drawn.pop("DiscreetError") == ""
    assert {name: parent for name, parent in drawn.items() if parent not in bases[name]} == {}
    assert sorted(drawn) == sorted({*ERRORS} - {"DiscreetError"})
    for name, said in re.findall(r"(\w+) \((\w+)\)$", error_page.partition("```text")[2], re.MULTILINE):
        assert said in bases[name], name


def test_an_error_that_is_left_out_is_noticed(error_page):
    assert missing_errors(error_page.replace("| `Refused` |", "| refused |")) == ["Refused"]
    assert tree("```text\nDiscreetError\n└── Refused (ValueError)\n    └── Late\n```") == {
        "DiscreetError": "",
        "Refused": "DiscreetError",
        "Late": "Refused",
    }
