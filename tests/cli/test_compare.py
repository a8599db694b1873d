"""The command compare, and tallies by label on the command line."""

from __future__ import annotations

import json

import pytest

import discreet as dc
from discreet.analysis.survey.reading import read_survey
from discreet.wire import Spec

NAMES = ["l.csv", "l.tsv", "l.jsonl", "l.parquet", "l.arrow", "l.csv.gz"]


@pytest.fixture
def mechanism(folder):
    return Spec.read("survey.toml").mechanism


@pytest.fixture
def labelled(discreet, folder):
    """Three hundred reports with labels and weights, in a file of each format."""
    rows = [
        f"{value},{('east', 'west')[i % 2]},{2024 + i // 200},{1 + i % 3}"
        for i, value in enumerate(["n1", "s2", "n3", "n1", "s1", "n2"] * 50)
    ]
    (folder / "people.csv").write_text("district,region,year,weight\n" + "\n".join(rows) + "\n")
    for name in NAMES:
        kept = [part for column in ("region", "year", "weight") for part in ("--keep", column)]
        made = ["randomize", "survey.toml", "people.csv", "--column", "district", *kept, "-o", name]
        discreet(*made, "--insecure-seed", 5)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_groups_are_compared_from_every_format(name, labelled, discreet, mechanism):
    done = discreet("compare", "survey.toml", name, "--by", "region", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    found = dc.compare(read_survey(mechanism, name, labels=["region"]), by="region")
    assert told == found.to_dict()
    assert (told["group"][0], told["against"][0], told["n"]) == ("west", "east", 300)


def test_tallies_by_label_tell_the_same(labelled, discreet):
    for name in NAMES:
        discreet("tally", "survey.toml", name, "--by", "region", "--by", "year", "-o", f"{name}.json")
    written = {(labelled / f"{name}.json").read_text() for name in NAMES}
    assert len(written) == 1
    assert json.loads(written.pop())["labels"] == ["region", "year"]
    one, two = (
        json.loads(discreet("compare", "survey.toml", name, "--by", "region", "--json").stdout)
        for name in ("l.csv", "l.csv.json")
    )
    assert one == two


def test_tallies_by_label_merge(labelled, discreet):
    discreet("tally", "survey.toml", "l.csv", "--by", "region", "-o", "once.json")
    discreet("tally", "survey.toml", "once.json", "l.parquet", "--by", "region", "-o", "twice.json")
    once, twice = (json.loads((labelled / f"{name}.json").read_text())["groups"] for name in ("once", "twice"))
    assert [group["n"] for group in twice] == [2 * group["n"] for group in once] == [300, 300]


def test_shares_of_every_label_are_printed(labelled, discreet):
    discreet("tally", "survey.toml", "l.csv", "--by", "region", "-o", "g.json")
    done = discreet("estimate", "survey.toml", "g.json", "--plot", "g.png")
    assert done.exit_code == 0
    assert "region east: 150 reports\nvalue" in done.stdout
    assert "region west: 150 reports\nvalue" in done.stdout
    assert (labelled / "g.png").stat().st_size > 5000
    told = json.loads(discreet("estimate", "survey.toml", "g.json", "--json", input="").stdout)
    assert [group["labels"] for group in told["groups"]] == [{"region": "east"}, {"region": "west"}]
    piped = discreet("estimate", "survey.toml", "--json", input=(labelled / "g.json").read_bytes())
    assert json.loads(piped.stdout) == told


def test_weights_events_waves_and_pictures(labelled, discreet):
    event = ["--event", "n1", "--event", "s1"]
    done = discreet("compare", "survey.toml", "l.csv", "--by", "region", "--wave", "year", "--weight", "weight", *event)
    assert done.exit_code == 0
    assert "n1 or s1" in done.stdout
    assert "errors allow for weights" in done.stdout
    drawn = discreet(
        "compare",
        "survey.toml",
        "l.csv",
        "--by",
        "region",
        *event,
        "--plot",
        "d.svg",
        "--permutations",
        1,
        "--estimates",
    )
    assert "labels permuted 999 times" in drawn.stdout
    assert drawn.stdout.startswith("region")
    assert (labelled / "d.svg").stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["l.csv"], "--by or --wave must name the label to compare by. Try 'discreet compare --help'."),
        (["l.csv", "--by", "area"], "l.csv: column 'area' is missing; the columns are report, region, year, weight"),
        (["l.csv", "--by", "region", "--event", "n9"], "value='n9' must be one of the 5 values of the domain"),
        (["l.csv", "--by", "region", "--query", "median"], "--query 'median' must be mean or the name of a .json file"),
        (["l.csv", "--by", "region", "--query", "mean", "--event", "n1"], "--query and --event must not both be given"),
        (["l.csv", "--by", "region", "--plot", "x.doc"], "x.doc: a picture must be a .png, .svg or .pdf file"),
        (["l.csv", "--by", "region", "--confidence", "2"], "confidence=2.0 must be between 0 and 1"),
        (["l.csv", "--by", "region", "--weight", "region"], "weights must be positive numbers"),
        (["l.csv", "--by", "region", "--population", "9"], "population=9 must be a whole number, at least the 300"),
        (["l.csv", "--by", "region", "--population", "many"], "'many' is not a valid integer range"),
        (["l.csv", "--by", "region", "--population", "2024=900", "--population", "9"], "or STRATUM=N for each stratum"),
        (["l.csv", "--by", "region", *["--population", "a=9"] * 2], "stratum 'a' must be given once"),
        (["l.csv", "--by", "region", "--stratum", "year", "--population", "a=9"], "2024 is not in both"),
        (["l.csv", "--by", "region", "--only", "year"], "'year' must be LABEL=TEXT"),
        (
            ["l.csv", "--by", "region", "--only", "year=2026"],
            "--only year=2026 must be one of the labels there: 2024, 2025",
        ),
        (["l.csv", "--by", "region", "--only", "year=2024", "--only", "weight=9"], "one of the labels there: 1, 2, 3"),
        (["answers.csv", "--by", "id", "--column", "district"], "no mark says which mechanism wrote these reports"),
        (["l.csv", "--by", "report"], "label='report' is the column of reports, which are no labels"),
    ],
)
def test_what_cannot_be_compared_is_said_in_one_line(labelled, refused, arguments, message):
    assert message in refused("compare", "survey.toml", *arguments)


def test_populations_of_strata_and_parts_of_a_sample_are_those_of_python(labelled, discreet, mechanism):
    asked = ["compare", "survey.toml", "l.csv", "--by", "region", "--json", "--weight", "weight", "--stratum", "year"]
    sizes = ["--population", "2024=220", "--population", "2025=4000"]
    survey = read_survey(
        mechanism,
        "l.csv",
        labels=["region", "weight"],
        weights="weight",
        strata="year",
        population={2024: 220, 2025: 4000},
    )
    finite, endless = (json.loads(discreet(*asked, *more).stdout) for more in (sizes, []))
    assert finite == dc.compare(survey, by="region").to_dict()
    assert finite["stderr"] != endless["stderr"]
    part = json.loads(discreet(*asked, *sizes, "--only", "weight=1", "--only", "weight=3").stdout)
    assert part == dc.compare(survey.only(survey.label("weight") != 2), by="region").to_dict()
    assert part["n"] == 200
    assert "these are a part of 300 people, whose design their errors keep" in part["notes"]


def test_files_of_tallies_are_told_apart(labelled, discreet, refused):
    discreet("tally", "survey.toml", "l.csv", "--by", "region", "-o", "g.json")
    discreet("tally", "survey.toml", "l.csv", "-o", "t.json")
    said = refused("tally", "survey.toml", "g.json")
    assert said == "g.json: holds tallies by label; to go on with them give --by region"
    assert "t.json: holds one tally of all reports together" in refused(
        "compare", "survey.toml", "t.json", "--by", "region"
    )
    said = refused("tally", "survey.toml", "g.json", "l.csv", "--by", "year")
    assert said == "tallies by 'region' cannot be merged with those by 'year'"
    for option, text in (("--weight", "w"), ("--population", "9"), ("--only", "year=2024")):
        said = refused("compare", "survey.toml", "g.json", "--by", "region", option, text)
        assert f"{option} needs the reports" in said


def test_people_without_a_label(labelled, discreet, refused):
    text = (labelled / "l.csv").read_text().splitlines()
    report = text[2].split(",")[0]
    text[2] = f"{report},,2024,1"
    (labelled / "m.csv").write_text("\n".join(text) + "\n")
    said = refused("compare", "survey.toml", "m.csv", "--by", "region")
    assert said == "labels['region']: 1 are missing; missing='drop' (--missing drop) leaves these people out"
    done = discreet("compare", "survey.toml", "m.csv", "--by", "region", "--missing", "drop")
    assert "1 people who lack a label are left out" in done.stdout
    discreet("tally", "survey.toml", "m.csv", "--by", "region", "-o", "g.json")
    assert [group["labels"] for group in json.loads((labelled / "g.json").read_text())["groups"]][-1] == [None]
    assert "region (none): 1 reports" in discreet("estimate", "survey.toml", "g.json").stdout
    assert "1 people who lack a label" in discreet("compare", "survey.toml", "g.json", "--by", "region").stdout
