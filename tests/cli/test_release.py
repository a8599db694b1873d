import json

import pytest


def test_a_report_is_written(discreet, folder):
    discreet("randomize", "survey.toml", "answers.txt", "-o", "reports.txt")
    discreet("tally", "survey.toml", "reports.txt", "-o", "tally.json")
    named = ("release", "survey.toml", "tally.json", "--title", "A survey")
    told = discreet(*named, "--note", "A pilot.", "-o", "r.json").stdout
    assert told == "The report is in r.json.\n"
    data = json.loads((folder / "r.json").read_text())
    assert data["title"] == "A survey"
    assert data["caveats"][-1] == "A pilot."
    discreet(*named, "--method", "shrink", "-o", "r.html")
    assert (folder / "r.html").read_text().startswith("<!doctype html>")


def test_another_kind_of_file_is_refused(discreet, refused, folder):
    discreet("randomize", "survey.toml", "answers.txt", "-o", "reports.txt")
    discreet("tally", "survey.toml", "reports.txt", "-o", "tally.json")
    assert ".html or a .json" in refused("release", "survey.toml", "tally.json", "--title", "x", "-o", "r.pdf")
    assert not (folder / "r.pdf").exists()


@pytest.fixture
def labelled(discreet, folder):
    """Three hundred reports with a region and a weight each, and their tallies by region."""
    rows = [f"{v},{('east', 'west')[i % 2]},{1 + i % 3}" for i, v in enumerate(["n1", "s2", "n3", "n1", "s1"] * 60)]
    (folder / "people.csv").write_text("district,region,weight\n" + "\n".join(rows) + "\n")
    kept = ["--keep", "region", "--keep", "weight", "--insecure-seed", 5, "--quiet"]
    discreet("randomize", "survey.toml", "people.csv", "--column", "district", *kept, "-o", "reports.csv")
    discreet("tally", "survey.toml", "reports.csv", "--by", "region", "-o", "groups.json", "--quiet")
    discreet("tally", "survey.toml", "reports.csv", "-o", "tally.json", "--quiet")
    return folder


def published(discreet, folder, *arguments):
    done = discreet("release", "survey.toml", *arguments, "--title", "A survey", "-o", "r.json")
    assert done.exit_code == 0, done.stderr
    return json.loads((folder / "r.json").read_text())


def test_groups_and_weights_are_published(discreet, labelled):
    groups = published(discreet, labelled, "groups.json")
    assert [panel["heading"] for panel in groups["panels"]] == ["region east", "region west"]
    assert published(discreet, labelled, "reports.csv", "--by", "region")["panels"] == groups["panels"]
    plain = published(discreet, labelled, "reports.csv")
    assert plain["shares"] == pytest.approx(published(discreet, labelled, "tally.json")["shares"])
    weighted = published(discreet, labelled, "reports.csv", "--weight", "weight")
    assert weighted["shares"] != plain["shares"]
    assert "Errors allow for weights." in weighted["remarks"]
    apart = published(discreet, labelled, "reports.csv", "--by", "region", "--weight", "weight", "--differences")
    assert apart["difference"]


def test_facts_are_given_on_the_command_line(discreet, labelled):
    facts = ["--period", "May 2026", "--asked-by", "The Bureau", "--asked", 400, "--randomized", "file"]
    told = published(discreet, labelled, "tally.json", *facts, "--order", "given")
    assert (told["period"], told["asked_by"], told["response_rate"]) == ("May 2026", "The Bureau", 0.75)
    assert told["order"] == list(range(len(told["values"])))
    assert "whoever held" in told["opening"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tally.json", "--by", "region"], "holds one tally of all reports together"),
        (["groups.json", "--weight", "weight"], "need the reports: groups.json holds tallies"),
        (["groups.json", "--method", "shrink"], "takes one tally of all reports"),
        (["reports.csv", "--by", "town"], "column 'town' is missing"),
        (["tally.json", "--asked", "5"], "at least the 300 people who answered"),
    ],
)
def test_what_does_not_go_together_is_refused(labelled, refused, arguments, said):
    assert said in refused("release", "survey.toml", *arguments, "--title", "x", "-o", "r.html")
