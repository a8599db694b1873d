"""`discreet goodness-of-fit` on reports and tallies."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def reports(folder, discreet):
    assert discreet("randomize", "survey.toml", "answers.txt", "-o", "reports.csv").exit_code == 0
    assert discreet("tally", "survey.toml", "reports.csv", "-o", "tally.json").exit_code == 0
    return folder


def test_reports_and_their_tally_say_the_same(reports, discreet):
    files = "reports.csv", "tally.json"
    by_reports, by_tally = (discreet("goodness-of-fit", "survey.toml", file, "--quiet") for file in files)
    assert by_reports.exit_code == by_tally.exit_code == 0
    assert by_reports.stdout == by_tally.stdout
    assert by_reports.stdout.split("\n")[0].split() == ["test", "where", "statistic", "df", "p", "holm_p"]
    assert "no test sees people who claim another value" in by_reports.stdout


def test_json_holds_every_test(reports, discreet):
    found = json.loads(discreet("goodness-of-fit", "survey.toml", "tally.json", "--json").stdout)
    assert found["test"][:3] == ["sum", "negative", "cells"]
    assert found["n"] == 300
    assert all(0 <= p <= 1 for p in found["p"])
    assert {check["where"] for check in found["blocks"]} == {"north", "south"}


def test_answers_on_paper(folder, discreet):
    Path("paper.toml").write_text(
        'reports = ["no", "yes"]\n[domain]\nvalues = ["never", "once or more"]\n'
        '[mechanism]\nname = "forced_response"\ntruth = "2/3"\n'
    )
    Path("paper.csv").write_text("person,answer\n" + "".join(f"{i},{'yes' if i % 3 else 'no'}\n" for i in range(300)))
    asked = ["paper.toml", "paper.csv", "--column", "answer", "--unmarked", "--quiet"]
    found = json.loads(discreet("goodness-of-fit", *asked, "--json").stdout)
    assert found["left_out"].keys() == {"sum", "cells"}
    assert discreet("tally", *asked, "-o", "paper.json").exit_code == 0
    estimated = json.loads(discreet("estimate", "paper.toml", "paper.json", "--json").stdout)
    assert estimated["shares"][1] == pytest.approx(0.75)


def test_a_wrong_word_is_named_by_its_place_only(folder, discreet, refused):
    Path("paper.toml").write_text('[domain]\nvalues = ["no", "yes"]\n[mechanism]\nname = "warner"\np = "0.7"\n')
    Path("paper.csv").write_text("answer\nyes\nsecret\n")
    said = refused("goodness-of-fit", "paper.toml", "paper.csv", "--column", "answer", "--unmarked", "--quiet")
    assert said == "paper.csv, entry 2: report must be one of 'no', 'yes'"


def test_what_is_refused(reports, refused):
    assert "a picture must be a" in refused("goodness-of-fit", "survey.toml", "tally.json", "--plot", "picture.gif")
    Path("empty.csv").write_text("report\n")
    assert "nothing to test" in refused("goodness-of-fit", "survey.toml", "empty.csv", "--unmarked", "--quiet")
