"""The map from the papers to the code is complete, leads somewhere, and is one in the documentation and the command."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

import discreet
from discreet.cli.before.bounds import command
from discreet.papers import EXPERIMENTS
from discreet.papers.theory import PAPERS, Statement, markdown

DOCS = Path(discreet.__file__).parents[2] / "docs"
NUMBERED = {
    "Acharya2020": {
        "Definition": 4,
        "Theorem": 4,
        "Proposition": 5,
        "Lemma": 2,
        "Claim": 1,
        "Figure": 3,
        "Table": 1,
    },
    "Asoodeh2021": {"Definition": 1, "Theorem": 2, "Lemma": 4, "Corollary": 4, "Example": 4, "Remark": 1, "Figure": 1},
}
WANG = {"Theorem 2.1", "Theorem 3.1", "Theorem 3.2", "Corollary 2.1", "Corollary 2.2", "Definition 2.1", "Table 1"}
WANG |= {"Algorithm 1", "Algorithm 2"}
ALL = [(paper, statement) for paper, statements in PAPERS.items() for statement in statements]


def found(name):
    """What a name under `discreet` stands for: modules are imported, and the rest are attributes."""
    thing, path = discreet, "discreet"
    for part in name.split("."):
        path = f"{path}.{part}"
        if not hasattr(thing, part):
            import_module(path)
        thing = getattr(thing, part)
    return thing


@pytest.mark.parametrize(("paper", "statement"), ALL, ids=[f"{paper} {one.item}" for paper, one in ALL])
def test_every_name_exists_and_every_command_runs(paper: str, statement: Statement):
    assert statement.names
    for name in statement.names:
        if name.startswith("discreet papers "):
            assert name.removeprefix("discreet papers ") in {experiment.name for experiment in EXPERIMENTS}
        elif name.startswith("discreet bounds "):
            options = {option for parameter in command.params for option in parameter.opts}
            assert set(name.removeprefix("discreet bounds ").split()) <= options
        else:
            assert callable(found(name))


def test_a_name_that_does_not_exist_is_noticed():
    with pytest.raises((AttributeError, ImportError)):
        found("bounds.no_such_bound")


def test_every_numbered_item_of_the_papers_has_its_line():
    for paper, kinds in NUMBERED.items():
        items = {part for statement in PAPERS[paper] for part in re.split(", ", statement.item)}
        wanted = {f"{kind} {number}" for kind, most in kinds.items() for number in range(1, most + 1)}
        assert wanted <= items
    assert {statement.item for statement in PAPERS["Wang2016"]} >= WANG
    for paper, statements in PAPERS.items():
        assert len({statement.item for statement in statements}) == len(statements), paper


def test_the_page_of_documentation_is_this_table():
    page = (DOCS / "reference" / "theory-map.md").read_text(encoding="utf-8")
    assert page.endswith(markdown())


def test_the_command_lists_it():
    done = CliRunner().invoke(command, ["--list"])
    assert done.exit_code == 0
    for paper, statement in ALL:
        assert any(
            line.startswith(f"{paper}: {statement.item} ") and line.endswith(", ".join(statement.names))
            for line in done.output.splitlines()
        )
