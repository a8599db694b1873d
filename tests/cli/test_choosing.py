from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import discreet.planning.choose
from discreet.cli.remembered import _folder
from discreet.mechanisms.build import COMPARISONS

AUTO = '[domain]\nsize = 40\n[context]\nform = "uniform"\nepsilon = "1"\n'
TOLD = re.compile(r"^discreet: chose \S+ of \d+ candidates in \d+\.\d s; pin it with `discreet resolve`$", re.MULTILINE)
COMMANDS = {
    "verify": ["verify", "auto.toml"],
    "resolve": ["resolve", "auto.toml"],
    "law": ["law", "auto.toml"],
    "plan": ["plan", "auto.toml", "--n", "1000"],
    "plan with candidates": ["plan", "auto.toml", "--n", "1000", "--candidates", "--json"],
    "bounds": ["bounds", "auto.toml", "--n", "1000", "--tv", "0.1"],
    "randomize": ["randomize", "auto.toml", "values.txt"],
    "tally": ["tally", "auto.toml", "none.txt", "--unmarked"],
}


@pytest.fixture
def compared(folder, monkeypatch):
    """The contexts that were compared for, one entry per comparison, in a folder with a spec that asks for it."""
    (folder / "auto.toml").write_text(AUTO)
    (folder / "values.txt").write_text("3\n5\n")
    (folder / "none.txt").write_text("")
    contexts = []
    explain = discreet.planning.choose.explain

    def counted(context, **more):
        contexts.append(context)
        return explain(context, **more)

    monkeypatch.setitem(COMPARISONS, "auto", counted)
    for module in ("discreet.planning.choose", "discreet.planning.plans"):
        monkeypatch.setattr(f"{module}.explain", counted)
    return contexts


@pytest.fixture
def cache(folder, monkeypatch):
    """The folder in which choices are remembered, for this test only."""
    monkeypatch.setenv("DISCREET_CACHE", str(folder / "cache"))
    return folder / "cache"


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_command_chooses_once_and_says_so(discreet, compared, arguments):
    done = discreet(*arguments)
    assert done.exit_code == 0, done.stderr
    assert len(compared) == 1
    assert len(TOLD.findall(done.stderr)) == 1
    assert "chose" not in done.stdout


@pytest.mark.parametrize("command", ["randomize", "tally", "resolve"])
def test_quiet_is_quiet(discreet, compared, command):
    assert discreet(*COMMANDS[command], "--quiet").stderr == ""
    assert len(compared) == 1


def test_a_named_mechanism_is_not_told(discreet):
    assert discreet("verify", "survey.toml").stderr == ""


def test_a_program_is_audited_without_a_choice(discreet, compared):
    assert discreet("audit", "auto.toml", "--command", "cat", "--samples", 600, "--pair", 3, 5).exit_code in (0, 1)
    assert compared == []


def test_a_target_that_cannot_be_planned_for_is_refused_before_anything_is_compared(refused, compared):
    refused("plan", "auto.toml", "--tv", "2")
    assert compared == []


# What was chosen is remembered.


@pytest.mark.parametrize("arguments", [COMMANDS[name] for name in ("verify", "resolve", "law", "bounds")])
def test_the_next_command_does_not_choose_and_says_the_same(discreet, compared, cache, arguments):
    fresh = discreet(*arguments)
    again = discreet(*arguments)
    assert len(compared) == 1
    assert again.stderr == ""
    assert again.stdout == fresh.stdout
    assert [file.suffix for file in cache.iterdir()] == [".json"]


def test_a_plan_is_remembered_too_and_always_has_its_candidates(discreet, compared, cache):
    fresh = discreet(*COMMANDS["plan with candidates"]).stdout
    assert discreet("verify", "auto.toml").stderr == ""
    assert discreet(*COMMANDS["plan with candidates"]).stdout == fresh


@pytest.mark.parametrize(
    "change",
    ['epsilon = "1.5"\n', 'epsilon = "1"\n[mechanism]\nbits = 6\n', 'epsilon = "1"\n[mechanism.prior]\n'],
    ids=["the context", "the limit", "an entry more"],
)
def test_another_spec_is_chosen_for_anew(discreet, folder, compared, cache, change):
    discreet("verify", "auto.toml")
    (folder / "auto.toml").write_text(AUTO.replace('epsilon = "1"\n', change))
    discreet("verify", "auto.toml")
    assert len(compared) == 2


@pytest.mark.parametrize("asked", ['query = "mean"', "worst = true", "query = {0 = 1, 39 = -1}"])
def test_what_to_choose_by_is_part_of_what_is_remembered(discreet, folder, compared, cache, asked):
    discreet("verify", "auto.toml")
    (folder / "auto.toml").write_text(AUTO + f"[mechanism]\n{asked}\n")
    first, again = (discreet("verify", "auto.toml", "--json").stdout for _ in range(2))
    assert first == again
    assert len(compared) == 2, "once for each spec"
    discreet("resolve", "auto.toml", "-o", "pinned.toml")
    assert (
        json.loads(discreet("verify", "pinned.toml", "--json").stdout)["fingerprint"]
        == json.loads(first)["fingerprint"]
    )


def test_another_version_chooses_anew(discreet, compared, cache, monkeypatch):
    discreet("verify", "auto.toml")
    monkeypatch.setattr("discreet.__version__", "99")
    discreet("verify", "auto.toml")
    assert len(compared) == 2


BROKEN = {
    "empty": b"",
    "no JSON": b"{",
    "no UTF-8": b"\xff\xfe\x00",
    "no object": b"[1]",
    "no choice": b'{"fingerprint": "x"}',
    "a choice that is a text": b'{"choice": "subset", "fingerprint": "x"}',
    "a choice of auto": b'{"choice": {"name": "auto"}, "fingerprint": "x"}',
    "a mechanism that does not exist": b'{"choice": {"name": "magic"}, "fingerprint": "x"}',
    "another mechanism": b'{"choice": {"name": "hadamard"}, "fingerprint": "x"}',
    "a parameter of another type": b'{"choice": {"name": "projective", "family": "singer", "key": "x"}}',
    "a deep nest": b'{"choice": ' + b'{"name":' * 20_000,
    "too large": b" " * ((1 << 24) + 1),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_entry_is_passed_over_and_mended(discreet, compared, cache, content):
    fresh = discreet("verify", "auto.toml").stdout
    (file,) = cache.iterdir()
    good = file.read_bytes()
    file.write_bytes(content)
    assert discreet("verify", "auto.toml").stdout == fresh
    assert len(compared) == 2
    assert file.read_bytes() == good


def test_a_mechanism_that_leaks_is_not_taken_from_an_entry(discreet, compared, cache, folder):
    """An entry of a weaker promise, with its true fingerprint: it is certified for the context at hand, and fails."""
    discreet("verify", "auto.toml")
    (file,) = cache.iterdir()
    (folder / "weak.toml").write_text(AUTO.replace('"1"', '"5"') + '[mechanism]\nname = "hadamard"\n')
    weak = json.loads(discreet("law", "weak.toml").stdout)["law"]
    entry = {"choice": {"name": "law", "law": weak}, "fingerprint": json.loads(file.read_text())["fingerprint"]}
    file.write_text(json.dumps(entry))
    assert json.loads(discreet("verify", "auto.toml", "--json").stdout)["realised"] <= 1
    assert len(compared) == 2


def test_a_file_in_place_of_the_folder_is_passed_over(discreet, compared, cache):
    cache.write_text("")
    assert discreet("verify", "auto.toml").exit_code == discreet("verify", "auto.toml").exit_code == 0
    assert len(compared) == 2
    assert cache.read_text() == ""


def test_the_folder_is_the_one_that_the_environment_names(monkeypatch, tmp_path):
    monkeypatch.setenv("DISCREET_CACHE", "off")
    assert _folder() is None
    monkeypatch.delenv("DISCREET_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _folder() == tmp_path / "discreet"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which the standard says to ignore
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _folder() == tmp_path / ".cache" / "discreet"

    def homeless(_):
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", classmethod(homeless))
    assert _folder() is None
