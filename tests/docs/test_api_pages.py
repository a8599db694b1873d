"""The pages of the Python reference: every public name is on exactly one of them, once."""

from __future__ import annotations

import operator
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import discreet

API = Path(__file__).parents[2] / "docs" / "reference" / "api"
ENTRY = re.compile(r"^\.\. (?:auto(?:class|function|data|module)|py:data):: discreet\.([\w.]+)$", re.MULTILINE)
MODULES = tuple(sorted(discreet._MODULES))
ELSEWHERE = {
    "checks.CheckFailed": "errors.CheckFailed",
    "wire.Spec": "Spec",
}
"""Names that a module gives again, and the entry that they have."""


def entries(text: str) -> list[str]:
    """The names, below `discreet`, that a page has an entry for."""
    return ENTRY.findall(text)


def wrong(names: list[str], found: Counter[str]) -> dict[str, int]:
    """The names that are not there exactly once, and how often they are."""
    return {name: found[name] for name in names if found[name] != 1}


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {page.stem: page.read_text(encoding="utf-8") for page in API.glob("*.md")}


@pytest.fixture(scope="module")
def found(pages) -> Counter[str]:
    return Counter(name for text in pages.values() for name in entries(text))


def test_every_public_name_has_one_entry(found):
    assert wrong(list(discreet.__all__), found) == {}


@pytest.mark.parametrize("module", MODULES)
def test_every_name_of_a_public_module_has_one_entry(module, found):
    names = [f"{module}.{name}" for name in getattr(discreet, module).__all__]
    assert len(names) > 2
    assert wrong([ELSEWHERE.get(name, name) for name in names], found) == {}


def test_no_name_has_two_entries_and_every_entry_exists(found):
    assert {name: times for name, times in found.items() if times > 1} == {}
    for name in found:
        thing = discreet
        parts = name.split(".")
        for at, part in enumerate(parts, start=1):
            try:
                thing = getattr(thing, part)
            except AttributeError:
                thing = import_module("discreet." + ".".join(parts[:at]))


def test_every_group_is_in_the_index(pages):
    linked = set(re.findall(r"^\| \[.+?\]\((\S+)\.md\) ", pages["index"], re.MULTILINE))
    assert linked == pages.keys() - {"index"}
    listed = re.findall(r"^[\w-]+$", pages["index"].rpartition("```{toctree}")[2], re.MULTILINE)
    assert sorted(listed) == sorted(linked)


def test_names_in_the_index_exist(pages):
    named = re.findall(r"`([\w.]+)`", "".join(line.rpartition(" | ")[2] for line in pages["index"].splitlines()))
    groups = [name for name in named if name.partition(".")[0] in discreet.__all__]
    assert len(groups) > 40
    for name in groups:
        assert operator.attrgetter(name)(discreet) is not None, name


def unreachable(names: list[str]) -> list[str]:
    """The names that `discreet` does not give in a fresh process, where nothing else has been imported."""
    code = f"""
import discreet
for name in {names!r}:
    thing = discreet
    try:
        for part in name.split("."):
            thing = getattr(thing, part)
    except AttributeError:
        print(name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_every_entry_of_a_module_is_reached_through_discreet(found):
    dotted = [name for name in found if name.partition(".")[0] in MODULES]
    assert len(dotted) > 100
    assert unreachable(dotted) == []


def test_a_name_that_is_not_reached_is_noticed():
    assert unreachable(["plots.plot_shares", "plots.plot_nothing", "theory.kl"]) == ["plots.plot_nothing", "theory.kl"]


def test_a_name_that_is_missing_or_there_twice_is_noticed():
    twice = ".. autofunction:: discreet.plan\n"
    text = f"{twice}\n.. autoclass:: discreet.Plan\n   :members:\n\n{twice}"
    assert entries(text) == ["plan", "Plan", "plan"]
    assert wrong(["Plan", "plan", "audit"], Counter(entries(text))) == {"plan": 2, "audit": 0}
