"""Drafts: a design is worked out as its collection would be."""

import pytest

import discreet as dc
from discreet.collector.drafts import evaluate_draft
from discreet.core.errors import DiscreetError

UNIFORM = {"domain": {"values": ["a", "b", "c"]}, "context": {"form": "uniform", "epsilon": "1"}}
BLOCKS = {"context": {"form": "blocks", "epsilon": "1", "blocks": {"n": ["a", "b", "c"], "s": ["d", "e"]}}}


@pytest.mark.parametrize("spec", [UNIFORM, BLOCKS])
def test_a_draft_has_the_errors_of_its_plan(spec):
    found = evaluate_draft({"spec": spec, "n": 10_000})
    mechanism = dc.Spec.of(spec).mechanism
    plan = dc.plan(mechanism, n=10_000)
    assert found["fingerprint"] == mechanism.fingerprint
    assert found["rows"][-1]["stderr"] == pytest.approx(plan.expected.stderr)
    assert found["rows"][-1]["detectable"] == pytest.approx(plan.expected.detectable)
    assert found["rows"][-1]["people_for_a_point"] == dc.plan(mechanism, stderr=0.01).users_needed
    assert found["rows"][-1]["guess"] == pytest.approx(plan.expected.guess)
    assert [row["label"] for row in found["rows"]] == ["no privacy", "classical privacy", "this design"]
    assert dc.Spec.of(spec).to_toml() == found["spec"]


def test_counts_are_assumed_shares():
    even, counted = (evaluate_draft({"spec": UNIFORM, "n": 1000, **more}) for more in ({}, {"counts": [90, 9, 1]}))
    assert counted["rows"][-1]["guess"] > even["rows"][-1]["guess"]
    assert counted["preview"]["truth"][0] > 0.8


def test_an_accuracy_finds_the_smallest_epsilon():
    found = evaluate_draft({"spec": UNIFORM, "n": 10_000, "stderr": "0.02"})
    assert found["rows"][-1]["stderr"] <= 0.02
    smaller = {**UNIFORM, "context": {"form": "uniform", "epsilon": f"{float(found['epsilon']) - 0.01:.2f}"}}
    assert evaluate_draft({"spec": smaller, "n": 10_000})["rows"][-1]["stderr"] > 0.02


def test_a_preview_is_of_people_who_follow_the_shares():
    preview = evaluate_draft({"spec": BLOCKS, "n": 20_000})["preview"]
    inside = [
        low <= truth <= high for low, truth, high in zip(*(preview[k] for k in ("low", "truth", "high")), strict=True)
    ]
    assert preview["n"] == 20_000
    assert sum(inside) >= 4, "one of five misses in a survey of four; this one is seeded"
    many = {"domain": {"size": 300}, "context": {"form": "uniform", "epsilon": "1"}}
    assert evaluate_draft({"spec": many, "n": 100})["preview"] is None


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"spec": UNIFORM}, "n is missing"),
        ({"spec": UNIFORM, "n": 0}, "n must be from 1"),
        ({"spec": UNIFORM, "n": 10, "counts": [1, 2]}, "counts must be 3 numbers"),
        ({"spec": UNIFORM, "n": 10, "counts": [0, 0, 0]}, "not all 0"),
        ({"spec": UNIFORM, "n": 10, "counts": "many"}, "counts must be"),
        ({"spec": UNIFORM, "n": 10, "counts": ["x", "y", 1]}, "counts must be"),
        ({"spec": UNIFORM, "n": 10, "counts": [[1], [2, 3], 1]}, "counts must be"),
        ({"spec": UNIFORM, "n": 10, "counts": [10**400, 1, 1]}, "counts must be"),
        ({"spec": UNIFORM, "n": 10, "counts": [True, 1, 1]}, "counts must be"),
        ({"spec": UNIFORM, "n": 10, "stderr": "2"}, "between 0 and 1"),
        ({"spec": UNIFORM, "n": 10, "stderr": "0.0001"}, "no epsilon up to 12"),
        ({"spec": UNIFORM, "n": 10, "more": 1}, "more"),
        ({"spec": {"context": {"form": "uniform"}}, "n": 10}, "domain|epsilon|values"),
        ([], "table|object|dict"),
    ],
)
def test_a_draft_that_cannot_be_is_refused(asked, said):
    with pytest.raises(DiscreetError, match=said):
        evaluate_draft(asked)
