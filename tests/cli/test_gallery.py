"""`discreet gallery`: the list, one spec, and the page of all."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from discreet import gallery
from discreet.cli import main
from discreet.gallery import EXAMPLES, FORMS, QUESTIONNAIRES, find


def run(*arguments):
    return CliRunner().invoke(main, ["gallery", *arguments])


def test_the_list_names_every_example():
    done = run()
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()[1:-1]] == [
        example.name for example in (*EXAMPLES, *FORMS, *QUESTIONNAIRES)
    ]


def test_a_spec_is_printed_or_written(tmp_path):
    assert run("hours").stdout == find("hours").text
    path = tmp_path / "survey.toml"
    assert run("hours", "-o", str(path)).exit_code == 0
    assert path.read_text() == find("hours").text
    path.write_text("mine")
    assert "is there already; --force replaces it" in run("hours", "-o", str(path)).stderr
    assert path.read_text() == "mine"
    assert run("hours", "-o", str(path), "--force").exit_code == 0
    assert path.read_text() == find("hours").text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "name='nothing' must be one of ages"),
        (["hours", "-o", "hours.json"], "must be written as .toml files"),
        (["hours", "-o", "hours.txt"], "a spec must be a .toml or a .json file"),
        (["-o", "hours.toml"], "-o must go with the NAME of an example"),
    ],
)
def test_bad_input_is_one_line(arguments, message):
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_all_of_them_on_one_page(tmp_path, monkeypatch):
    few = tuple(find(name) for name in ("likert", "answers"))
    monkeypatch.setattr("discreet.cli.before.gallery.EXAMPLES", few)
    done = run("all", "--seconds", "0.5", "-o", str(tmp_path / "made"))
    assert done.exit_code == 0
    assert "holds: every context has at least 1.3 times less error" in done.stdout
    made = {path.name for path in (tmp_path / "made").iterdir()}
    assert {"gallery.md", "gallery-gains.tsv", "gallery-likert.toml", "gallery-answers.toml"} <= made
    assert gallery.EXAMPLES is EXAMPLES
