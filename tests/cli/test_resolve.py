from __future__ import annotations

import json
import tomllib

import pytest

import discreet as dc
from discreet.mechanisms.build import COMPARISONS
from discreet.wire import Spec

AUTO = 'name = "cells"\n[domain]\nsize = 100\n[context]\nform = "blocks"\nsizes = [30, 30, 40]\nepsilon = "1"\n'


@pytest.fixture
def auto(folder):
    (folder / "auto.toml").write_text(AUTO)
    return "auto.toml"


@pytest.mark.parametrize("output", ["pinned.toml", "pinned.json"])
def test_a_resolved_spec_is_the_same_law_in_either_format(discreet, auto, folder, output):
    assert discreet("resolve", auto, "-o", output).exit_code == 0
    pinned, plain = Spec.read(folder / output), Spec.read(folder / auto)
    assert pinned.mechanism.fingerprint == plain.mechanism.fingerprint == pinned.fingerprint
    assert pinned.name == "cells"
    assert plain.mechanism.name in pinned.note
    assert not pinned.is_auto


def test_standard_output_is_the_toml_of_the_file(discreet, auto, folder):
    discreet("resolve", auto, "-o", "pinned.toml")
    printed = discreet("resolve", auto).stdout
    assert printed == (folder / "pinned.toml").read_text()
    assert tomllib.loads(printed)["mechanism"]["name"] == "law"


def test_a_resolved_spec_does_not_change_when_it_is_resolved_again(discreet, auto, folder):
    discreet("resolve", auto, "-o", "once.toml")
    discreet("resolve", "once.toml", "-o", "twice.toml")
    assert (folder / "once.toml").read_text() == (folder / "twice.toml").read_text()


def test_reports_of_a_spec_are_counted_under_its_resolved_form(discreet, auto, folder):
    (folder / "values.txt").write_text("".join(f"{x % 100}\n" for x in range(500)))
    discreet("resolve", auto, "-o", "pinned.toml")
    discreet("randomize", auto, "values.txt", "-o", "reports.txt", "--insecure-seed", 1)
    done = discreet("tally", "pinned.toml", "reports.txt", "-o", "tally.json")
    assert done.exit_code == 0, done.stderr
    done = discreet("estimate", auto, "tally.json", "--json")
    assert json.loads(done.stdout)["n"] == 500


def test_a_resolved_spec_is_not_chosen_for_again(discreet, auto, monkeypatch):
    discreet("resolve", auto, "-o", "pinned.toml")

    def choose(*_, **__):
        raise AssertionError("a resolved spec was chosen for")

    monkeypatch.setitem(COMPARISONS, "auto", choose)
    assert discreet("verify", "pinned.toml").exit_code == 0
    with pytest.raises(AssertionError, match="was chosen for"):  # the control: a choice is seen
        discreet("verify", auto)


def test_a_resolved_spec_that_was_changed_is_refused(discreet, auto, folder, refused):
    discreet("resolve", auto, "-o", "pinned.toml")
    text = (folder / "pinned.toml").read_text()
    (folder / "pinned.toml").write_text(text.replace('epsilon = "1"', 'epsilon = "2"'))
    assert "pinned.toml: fingerprint=" in refused("verify", "pinned.toml")
    assert "must be that of the spec" in refused("verify", "pinned.toml")


def test_a_version_that_draws_by_another_law_refuses_the_resolved_spec(discreet, auto, refused, monkeypatch):
    discreet("resolve", auto, "-o", "pinned.toml")
    monkeypatch.setattr("discreet.mechanisms.mechanism.VERSION", 3)
    assert "this version of discreet makes another mechanism of it" in refused("verify", "pinned.toml")


def test_the_spec_itself_is_kept(auto, folder, refused):
    (folder / "link.toml").symlink_to("auto.toml")
    for output in ("auto.toml", "./auto.toml", "link.toml"):
        assert "is also read, as" in refused("resolve", auto, "-o", output)


def test_the_spec_of_the_output_must_be_toml_or_json(auto, refused):
    assert "pinned.txt: a spec must be a .toml or a .json file" in refused("resolve", auto, "-o", "pinned.txt")


@pytest.mark.parametrize(
    "prior", ['prior = [0.5, "1/12", "1/12", "1/12", "1/12", "1/6"]', 'prior = {a = 0.5, b = "1/3", f = "1/6"}']
)
def test_assumed_shares_stay_with_the_spec_and_weigh_the_same_estimates(discreet, folder, prior):
    (folder / "mixed.toml").write_text(
        '[domain]\nvalues = ["a", "b", "c", "d", "e", "f"]\n[context]\nform = "high_low"\nepsilon = 1\n'
        f'sensitive = ["a", "b", "c", "d", "e"]\n[mechanism]\n{prior}\n'
    )
    discreet("resolve", "mixed.toml", "-o", "pinned.json")
    plain, pinned = Spec.read("mixed.toml").mechanism, Spec.read("pinned.json").mechanism
    assert plain.sampler.name == "mixture", "the mechanism whose estimates depend on the prior"
    people = ["a", "b", "c", "f"] * 100
    reports = plain.randomize_many(people, dc.random.seeded(3))
    expected = dc.estimate(plain.tally(reports)).shares
    assert dc.estimate(pinned.tally(reports)).shares.tolist() == expected.tolist()
    evenly = Spec.of(json.loads(json.dumps(plain.description))).mechanism
    assert dc.estimate(evenly.tally(reports)).shares.tolist() != expected.tolist(), "the control: it would be seen"
    told = [json.loads(discreet("plan", name, "--n", 100, "--json").stdout) for name in ("mixed.toml", "pinned.json")]
    assert told[0]["total_squared_error"] == pytest.approx(told[1]["total_squared_error"])
    assert told[0]["assumed"] == told[1]["assumed"] == "the given shares"
