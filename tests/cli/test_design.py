"""Laws of the command: it writes what was found, remembers it, and shows it."""

import json
from pathlib import Path

import pytest

import discreet as dc
from discreet.cli.before import design as command
from discreet.wire import Spec

LINE = """
name = "ages"
[domain]
values = {from = 20, to = 25}
[context]
form = "metric"
points = {from = 0, to = 5}
epsilon = "0.5"
"""


@pytest.fixture
def ages(folder):
    Path("ages.toml").write_text(LINE)
    return folder


def test_a_design_is_shown_and_written(ages, discreet):
    done = discreet("design", "ages.toml", "-o", "designed.toml", "--seconds", "120")
    assert done.exit_code == 0
    assert "optimal, all types checked" in done.stdout
    written = Spec.read("designed.toml")
    assert written.name == "ages"
    assert written.choice["name"] == "law"
    assert written.mechanism.fingerprint == written.fingerprint
    assert discreet("verify", "designed.toml").exit_code == 0
    assert discreet("resolve", "designed.toml").exit_code == 0


def test_json_says_the_same(ages, discreet):
    data = json.loads(discreet("design", "ages.toml", "--json", "--seconds", "120").stdout)
    assert data["gap"] < 1e-4
    assert data["n_error"] < data["compared"][0]["n_error"]


def test_a_query_and_the_worst_case_can_be_asked_for(ages, discreet):
    Path("weights.json").write_text("[0, 0, 1, 1, 0, 0]")
    Path("prior.json").write_text("[0.5, 0.1, 0.1, 0.1, 0.1, 0.1]")
    asked = ["--query", "weights.json", "--prior", "prior.json", "--seconds", "3", "--json"]
    data = json.loads(discreet("design", "ages.toml", *asked, "-o", "asked.json").stdout)
    assert data["objective"] == "query"
    assert data["prior"][0] == 0.5
    assert Spec.read("asked.json").prior == data["prior"]
    worst = json.loads(discreet("design", "ages.toml", "--worst", "--seconds", "3", "--json").stdout)
    assert worst["n_error"] == worst["worst_case"]


def test_what_was_found_is_remembered(ages, discreet, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(ages / "cache"))
    first = discreet("design", "ages.toml", "--seconds", "120", "-o", "one.toml")

    def never(*args, **more):
        raise AssertionError("it was searched again")

    monkeypatch.setattr(command, "_run_design", never)
    again = discreet("design", "ages.toml", "--seconds", "120", "-o", "two.toml")
    assert again.stdout == first.stdout
    assert Path("one.toml").read_text() == Path("two.toml").read_text()
    with pytest.raises(AssertionError, match="searched again"):  # the control: another question is another search
        discreet("design", "ages.toml", "--seconds", "120", "--seed", "1")


def test_ctrl_c_writes_the_best_so_far(ages, discreet, monkeypatch):
    from discreet.planning.design import design

    def stopped(context, *, progress, **asked):
        def stop(step):
            progress(step)
            raise KeyboardInterrupt

        return design(context, progress=stop, **asked)

    monkeypatch.setenv("DISCREET_CACHE", str(ages / "cache"))
    monkeypatch.setattr("discreet.planning.design.design", stopped)
    done = discreet("design", "ages.toml", "-o", "designed.toml")
    assert done.exit_code == 0
    assert Spec.read("designed.toml").mechanism.context.size == 6
    assert not (ages / "cache").exists()  # what was cut short is not remembered


def test_a_picture_shows_entries_channel_and_search(ages, discreet):
    assert discreet("design", "ages.toml", "--seconds", "2", "--plot", "design.png").exit_code == 0
    assert Path("design.png").stat().st_size > 5000


def test_bad_input_is_one_line(ages, refused):
    assert refused("design", "ages.toml", "-o", "designed.csv").endswith("must be a .toml or a .json file")
    assert "query='median'" in refused("design", "ages.toml", "--query", "median")
    assert "0.0" in refused("design", "ages.toml", "--seconds", "0")


def test_the_default_time_is_that_of_the_function():
    defaults = {option.name: option.default for option in command.command.params}
    assert defaults["seconds"] == dc.design.__kwdefaults__["seconds"]
    assert defaults["seed"] == dc.design.__kwdefaults__["seed"]
