"""Reports that were drawn from a seed say so, and so does everything that is made of them."""

import json
from pathlib import Path

import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.estimation.tally import tally_from_json, tally_to_json

SAID = "whoever knows it can undo them"


def made(discreet, name, *seed):
    keep = ("--column", "district", "--keep", "id")
    assert discreet("randomize", "survey.toml", "answers.csv", *keep, "-o", name, *seed).exit_code == 0


@pytest.mark.parametrize("name", ["r.csv", "r.jsonl.gz", "r.parquet", "r.arrow"])
def test_a_seed_is_in_reports_tallies_results_and_release(name, discreet, folder):
    made(discreet, name, "--insecure-seed", 5)
    assert SAID in discreet("tally", "survey.toml", name, "-o", "tally.json").stderr
    assert json.loads((folder / "tally.json").read_text())["insecure"] is True
    done = discreet("estimate", "survey.toml", "tally.json", "--json")
    assert json.loads(done.stdout)["insecure"] is True
    assert SAID in done.stderr
    for out in ("release.json", "release.html"):
        done = discreet("release", "survey.toml", "tally.json", "--title", "A trial", "-o", out)
        assert SAID in done.stderr
        assert "for trial only" in (folder / out).read_text()
    mechanism = dc.Spec.read("survey.toml").mechanism
    survey = dc.Survey.read(mechanism, [name])
    assert all(any(SAID in remark for remark in one.remarks()) for one in (survey, survey + survey, survey.only([0])))


@pytest.mark.parametrize("name", ["r.csv", "r.jsonl.gz", "r.parquet", "r.arrow"])
def test_nothing_is_said_of_other_reports(name, discreet, folder):
    made(discreet, name)
    assert discreet("tally", "survey.toml", name, "-o", "tally.json").stderr == ""
    assert "insecure" not in json.loads((folder / "tally.json").read_text())
    discreet("release", "survey.toml", "tally.json", "--title", "A survey", "-o", "release.html")
    assert "for trial only" not in Path("release.html").read_text()


def test_one_of_many_is_enough(discreet):
    made(discreet, "real.csv")
    made(discreet, "trial.csv", "--insecure-seed", 5)
    discreet("tally", "survey.toml", "trial.csv", "-o", "trial.json")
    assert "insecure" in discreet("tally", "survey.toml", "real.csv", "trial.json").stdout
    assert "insecure" in discreet("tally", "survey.toml", "real.csv", "trial.csv", "--by", "id").stdout


def test_what_a_tally_says_must_be_true_or_false():
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
    data = tally_to_json(mechanism.tally([0, 1]))
    assert not tally_from_json(mechanism, data).insecure
    assert tally_from_json(mechanism, data | {"insecure": True}).insecure
    with pytest.raises(InvalidInput, match="insecure=1 must be true or false"):
        tally_from_json(mechanism, data | {"insecure": 1})
