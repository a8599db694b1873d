from __future__ import annotations

import json
import sys

import pytest

from discreet.cli.before.audit import _progress

HONEST = f'{sys.executable} -c "from discreet.cli import main; main()" randomize survey.toml'


def test_a_mechanism_of_ours_is_quiet(discreet):
    done = discreet("audit", "survey.toml", "--samples", 6000, "--insecure-seed", 1)
    assert done.exit_code == 0
    assert "no breach found" in done.stdout
    assert "8 of 8 protected pairs" in done.stdout
    assert done.stderr == ""


def test_json_has_the_agreed_keys(discreet):
    told = json.loads(
        discreet("audit", "survey.toml", "--samples", 3000, "--insecure-seed", 1, "--pair", "n1", "n2", "--json").stdout
    )
    assert {"epsilon_lower", "pair", "event", "confidence", "breach"} <= set(told)
    assert told["pair"] == {"x": "n1", "z": "n2"}
    assert told["breach"] is False
    assert 0 <= told["epsilon_lower"] <= 1
    assert told["pairs"] == {"audited": 1, "protected": 8}


def test_a_program_that_sends_values_in_the_clear_ends_with_code_1(discreet):
    done = discreet("audit", "survey.toml", "--command", "cat", "--samples", 600, "--json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["breach"] is True
    assert told["epsilon_lower"] > 2
    assert told["subject"] == "cat"


def test_a_program_can_be_audited_without_a_spec(discreet):
    done = discreet("audit", "--command", "cat", "--values", "a,b", "--epsilon", "1", "--samples", 600)
    assert done.exit_code == 1
    assert "BREACH" in done.stdout


@pytest.mark.parametrize(("more", "code"), [("", 0), (" --insecure-seed 4", 1)])
def test_our_own_command_is_quiet_unless_its_seed_is_constant(discreet, more, code):
    arguments = ("--pair", "n1", "n2", "--samples", 1200, "--json")
    done = discreet("audit", "survey.toml", "--command", f"{HONEST} --unmarked{more}", *arguments)
    assert done.exit_code == code
    told = json.loads(done.stdout)
    assert told["breach"] is bool(code)
    assert ("constant" in told["event"]) is bool(code)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give SPEC, or --command"),
        (("--command", "cat"), "give SPEC, or --command with --values and --epsilon"),
        (("survey.toml", "--epsilon", "1"), "cannot be used with SPEC"),
        (("survey.toml", "--samples", "10"), "not in the range"),
        (("survey.toml", "--confidence", "1"), "confidence=1.0 must be between 0 and 1"),
        (("survey.toml", "--pair", "n1", "s1"), "'n1' is not protected from 's1'"),
        (("survey.toml", "--pair", "n1", "x"), "value='x' must be one of"),
        (("survey.toml", "--command", "false"), "ended with 1"),
        (("survey.toml", "--command", "no-such-program"), "cannot be run"),
        (("--command", "cat", "--values", "a,b", "--epsilon", "-1"), "epsilon='-1' must be"),
        (("no.toml",), "No such file"),
    ],
)
def test_bad_input_is_one_line(refused, arguments, message):
    assert message in refused("audit", *arguments)


def test_the_bar_is_shown_to_people_only(capsys):
    with _progress() as advance:
        advance(5, 10)
        advance(10, 10)
    assert capsys.readouterr().err == ""
