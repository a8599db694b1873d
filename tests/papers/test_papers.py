from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

from discreet.errors import InvalidInput
from discreet.papers import EXPERIMENTS, find

ROOT = Path(__file__).parents[2]


def test_every_experiment_has_its_file():
    for experiment in EXPERIMENTS:
        assert find_spec(f"discreet.papers.{experiment.name.replace('-', '_')}")


def test_a_name_is_one_experiment_a_paper_or_all():
    assert [e.name for e in find("beaten")] == ["beaten"]
    assert {e.name for e in find("acharya2020")} == {
        "acharya2020-figure1",
        "acharya2020-figure2",
        "acharya2020-table1",
        "acharya2020-figure3",
    }
    assert find("all") == EXPERIMENTS
    with pytest.raises(InvalidInput, match="name='figure1' must be all, a paper or one of acharya2020-figure1"):
        find("figure1")


def test_every_experiment_has_one_script_that_calls_it():
    called = []
    for script in sorted(ROOT.glob("papers/*/*.py")):
        texts = [node.value for node in ast.walk(ast.parse(script.read_text())) if isinstance(node, ast.Constant)]
        called += [text for text in texts if text in {e.name for e in EXPERIMENTS}]
    assert sorted(called) == sorted(e.name for e in EXPERIMENTS)


def test_the_short_forms_fit_in_ten_minutes_by_their_own_word():
    assert sum(e.short for e in EXPERIMENTS) < 600
