"""Tallies by label: a map that merges, its file, and what hostile files are told."""

import json

import numpy as np
import pytest

import discreet as dc
from discreet.bulk.jobs import randomize_files
from discreet.bulk.labelled.tallies import (
    groups_from_json,
    groups_text,
    groups_to_json,
    label_text,
    parse_counted,
    read_groups,
    tally_groups,
)
from discreet.core.errors import InvalidInput, MechanismMismatch

MECHANISMS = [
    dc.mechanism(dc.Context.uniform(range(5), "1"), "hadamard"),
    dc.mechanism(dc.Context.uniform(range(70), "1"), "subset"),
    dc.mechanism(dc.Context.blocks({"a": range(3), "b": range(3, 7)}, "1"), "unary"),
]
MECHANISM = MECHANISMS[0]


def sample(mechanism, n=600, seed=1):
    held = np.arange(n) % mechanism.context.size
    labels = {"region": np.array(["north", "south", "east"])[np.arange(n) % 3], "year": 2024 + np.arange(n) % 2}
    return dc.Survey(mechanism, mechanism.randomize_indices(held, dc.random.seeded(seed)), labels=labels)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_every_group_has_the_tally_of_its_reports(mechanism):
    survey = sample(mechanism)
    groups = survey.tallies("region", "year")
    assert list(groups) == [(r, y) for r in ("east", "north", "south") for y in ("2024", "2025")]
    for region, year in groups:
        mine = (survey.label("region") == region) & (survey.label("year") == int(year))
        assert groups[region, year] == mechanism.tally(survey.waves[0].reports[mine])
    assert groups.tally == survey.tally
    assert groups.by("region") == survey.tallies("region")
    assert groups.estimates()["north", "2024"].n == 100


def test_tallies_merge_in_any_order():
    one, two, three = (sample(MECHANISM, seed=seed).tallies("region") for seed in (1, 2, 3))
    assert one + two + three == three + (one + two) == sum([two, one, three])
    assert (one + two)["north"] == one["north"] + two["north"]
    other = sample(MECHANISM).only(np.arange(600) % 3 == 0).tallies("region")
    assert list(one + other) == list(one)
    with pytest.raises(InvalidInput, match="tallies by 'year' cannot be merged with those by 'region'"):
        one + sample(MECHANISM).tallies("year")
    with pytest.raises(MechanismMismatch):
        one + sample(dc.mechanism(dc.Context.uniform(range(5), "2"), "hadamard")).tallies("region")


def test_labels_have_one_text_whatever_their_type():
    assert [label_text(one) for one in (3, 3.0, "3", np.int8(3), True, False, 1.5, None, float("nan"), "")] == [
        "3", "3", "3", "3", "true", "false", "1.5", None, None, None,
    ]  # fmt: skip


def test_numbers_are_in_the_order_of_numbers():
    labels = np.arange(100) % 12
    survey = dc.Survey(MECHANISM, MECHANISM.randomize_indices(labels % 5, dc.random.seeded(1)), labels={"week": labels})
    assert list(survey.tallies("week")) == [str(week) for week in range(12)]


def test_files_are_counted_piece_by_piece(tmp_path, monkeypatch):
    """As many pieces as there may be, the counts are those of the reports read at once."""
    rows = [f"{i % 5},{'abc'[i % 3] if i % 10 else ''},{i % 4}" for i in range(5000)]
    (tmp_path / "people.csv").write_text("value,group,week\n" + "\n".join(rows) + "\n")
    monkeypatch.setattr("discreet.files.text_reader.CHUNK", 97)
    for name in ("r.csv", "r.jsonl", "r.parquet"):
        path = str(tmp_path / name)
        source = str(tmp_path / "people.csv")
        randomize_files(MECHANISM, [source], path, dc.random.seeded(3), column="value", keep=["group", "week"])
        seen = []
        groups = tally_groups(MECHANISM, [path], ["group", "week"], progress=seen.append)
        assert sum(seen) == groups.n == 5000
        whole = dc.Survey.read(MECHANISM, path, labels=["group", "week"], missing="drop")
        assert whole.left_out == 500
        alone = whole.tallies("group", "week")
        assert {key: groups[key] for key in alone} == dict(alone)
        assert sum(tally.n for key, tally in groups.items() if None in key) == 500


def test_too_many_groups_are_refused(monkeypatch):
    monkeypatch.setattr("discreet.bulk.labelled.tallies.MAX_GROUPS", 2)
    with pytest.raises(InvalidInput, match="there are more than 2 groups, and each holds 8 counts"):
        sample(MECHANISM).tallies("region")


# -- the file -------------------------------------------------------------------------------------------------


def test_a_file_holds_what_was_counted(tmp_path):
    groups = sample(MECHANISM).tallies("region", "year")
    (tmp_path / "g.json").write_text(groups_text(groups))
    assert read_groups(tmp_path / "g.json", MECHANISM) == groups
    assert parse_counted(MECHANISM, groups_text(groups)) == groups
    assert set(groups_to_json(groups)) == {"version", "mechanism", "fingerprint", "labels", "groups"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(version=2), "version=2 must be 1, the only known version"),
        (lambda data: data.update(version=True), "version=True must be 1"),
        (lambda data: data.update(extra=1), "and nothing else"),
        (lambda data: data.pop("mechanism"), "and nothing else"),
        (lambda data: data.update(labels="region"), "labels and groups must be lists"),
        (lambda data: data.update(labels=["region", "region"]), "by='region' is given twice"),
        (lambda data: data.update(labels=[]), "at least one"),
        (lambda data: data.update(labels=["a", "b"]), r"group=\('east',\) must be a tuple of 2 texts"),
        (
            lambda data: data["groups"].append(data["groups"][0]),
            r"groups\[3\]: its labels are those of an",
        ),
        (
            lambda data: data["groups"][0].update(n=1),
            r"groups\[0\]: counts\[\d\]=\d+ must be a whole number",
        ),
        (lambda data: data["groups"][0].update(n=201), r"groups\[0\]: counts add up to 200 reports, but n=201"),
        (lambda data: data["groups"][0].update(labels=[3]), r"groups\[0\]: labels must be text, or null"),
        (lambda data: data["groups"][0].update(labels=[""]), r"group=\('',\) must be the text of its label"),
        (lambda data: data["groups"][0].update(extra=1), r"groups\[0\] must be an object with labels, n and counts"),
        (lambda data: data["groups"].__setitem__(0, 7), r"groups\[0\] must be an object"),
        (lambda data: data["groups"][0]["counts"].pop(), r"groups\[0\]: counts must be a list of 8 numbers"),
    ],
)
def test_a_file_that_is_not_consistent_is_refused(change, message):
    data = json.loads(groups_text(sample(MECHANISM).tallies("region")))
    change(data)
    with pytest.raises(InvalidInput, match=message):
        groups_from_json(MECHANISM, data)


def test_another_mechanisms_file_is_refused():
    data = groups_to_json(sample(MECHANISM).tallies("region"))
    with pytest.raises(MechanismMismatch, match="these tallies are of hadamard"):
        groups_from_json(dc.mechanism(dc.Context.uniform(range(5), "2"), "hadamard"), data)
