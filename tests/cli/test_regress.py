"""`discreet regress`: tables, JSON and pictures from reports with columns beside them, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

import discreet as dc

SPEC = """
[domain]
values = ["no", "yes"]
[context]
form = "uniform"
epsilon = 2
[mechanism]
name = "randomized_response"
"""
N = 600


@pytest.fixture
def survey(folder, discreet):
    """Answers of 600 people, randomized, with their age, region, weight and village."""
    for file in folder.iterdir():
        file.unlink()
    draws = np.random.default_rng(1)
    age, region = draws.integers(18, 80, N), draws.choice(["north", "south"], N)
    held = np.where(draws.random(N) < 0.2 + age / 200, "yes", "no")
    lines = [f"{held[i]},{age[i]},{region[i]},{1 + i % 3},{i // 20}" for i in range(N)]
    Path("survey.toml").write_text(SPEC)
    Path("answers.csv").write_text("\n".join(["answer,age,region,weight,village", *lines, ""]))
    keep = [part for name in ("age", "region", "weight", "village") for part in ("--keep", name)]
    arguments = ["answers.csv", "--column", "answer", *keep, "--insecure-seed", 5, "-o", "reports.csv"]
    assert discreet("randomize", "survey.toml", *arguments).exit_code == 0
    mechanism = dc.Spec.read("survey.toml").mechanism
    return dc.Survey.read(mechanism, ["reports.csv"], labels=["age", "region"], weights="weight", clusters="village")


def test_the_table_is_that_of_the_library(survey, discreet):
    done = discreet("regress", "survey.toml", "reports.csv", "--event", "yes", "--on", "age", "--on", "region")
    plain = dc.Survey(survey.mechanism, survey.waves[0].reports, labels=survey.labels)
    plain.insecure = True
    assert done.exit_code == 0
    assert done.stdout == f"{dc.regress(plain, {'yes': 1}, on=['age', 'region'])}\n"
    assert "region[south]" in done.stdout


def test_json_has_every_number(survey, discreet):
    options = ["--on", "age", "--on", "age*region", "--link", "logit", "--weight", "weight", "--cluster", "village"]
    done = discreet("regress", "survey.toml", "reports.csv", "--event", "yes", *options, "--json", "--confidence", 0.9)
    expected = dc.regress(survey, {"yes": 1}, on=["age", "age*region"], link="logit")
    found = json.loads(done.stdout)
    assert found == json.loads(json.dumps(expected.to_dict(confidence=0.9)))
    assert (found["link"], found["errors"], found["n"], found["confidence"]) == ("logit", "survey", N, 0.9)
    assert found["estimate"] == pytest.approx(expected.coefficients.tolist())


def test_numbers_as_names_and_other_errors(survey, discreet):
    options = ["--on", "weight", "--factor", "weight", "--errors", "HC3", "--json"]
    found = json.loads(discreet("regress", "survey.toml", "reports.csv", "--event", "yes", *options).stdout)
    assert found["name"] == ["(constant)", "weight[2]", "weight[3]"]
    assert found["errors"] == "HC3"


def test_a_picture_is_drawn(survey, discreet):
    arguments = ["--event", "yes", "--on", "age", "--on", "region", "--plot", "picture.svg"]
    assert discreet("regress", "survey.toml", "reports.csv", *arguments).exit_code == 0
    assert "<svg" in Path("picture.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--on", "age"], "--event VALUE or --query must say what is to be explained"),
        (["--event", "yes"], "--on LABEL must name at least one column to explain by"),
        (["--event", "yes", "--on", "ages"], "column 'ages' is missing"),
        (
            ["--event", "yes", "--on", "age", "--factor", "region"],
            "factors: 'region' must be one of the labels in `on`",
        ),
        (["--event", "yes", "--on", "age", "--weight", "weight", "--errors", "HC1"], "errors='HC1' cannot be chosen"),
        (["--event", "yes", "--on", "age", "--plot", "reports.csv"], "is also read, as reports.csv"),
        (["--event", "yes", "--on", "age", "--confidence", "2"], "confidence=2.0 must be between 0 and 1"),
        (["--query", "mean", "--on", "age"], "query="),
    ],
)
def test_bad_input_is_said_in_one_line(survey, refused, arguments, message):
    assert message in refused("regress", "survey.toml", "reports.csv", *arguments)
