"""Drafts: a design is worked out as its collection would be."""

import pytest

import discreet as dc
from discreet.collector.drafts import evaluate_draft, read_file
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


def test_distances_are_promised_in_the_units_of_the_questions():
    ages = {
        "domain": {"values": {"from": 18, "to": 60}},
        "context": {"form": "metric", "distance": "line", "epsilon": "0.1"},
    }
    single = evaluate_draft({"spec": ages, "n": 1000, "units": {"": "years"}})
    assert 'a distance of 10 "years"' in single["promise"][0]
    form = {"form": {"strategy": "each"}, "questions": [{"name": "old", **ages}, {"name": "works", **ages}]}
    found = evaluate_draft({"spec": form, "n": 1000, "units": {"works": "hours"}})
    promises = [one["promise"][0] for one in found["questions"]]
    assert "a distance of 10," in promises[0]
    assert 'a distance of 10 "hours"' in promises[1]


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
        ({"spec": UNIFORM, "n": 10, "units": {"age": "years"}}, "units must be a table by the names of questions"),
        ({"spec": UNIFORM, "n": 10, "units": {"": 3}}, "units."),
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


YES_NO = {"domain": {"values": ["yes", "no"]}, "context": {"form": "uniform", "epsilon": "1"}}
AGES = {
    "domain": {"values": {"from": 18, "to": 40}},
    "context": {"form": "metric", "distance": "line", "epsilon": "1/10"},
}


def form_of(strategy, *questions):
    listed = [{"name": f"q{place}", **question} for place, question in enumerate(questions)]
    return {"form": {"strategy": strategy}, "questions": listed}


@pytest.mark.parametrize(("strategy", "cost"), [("each", "3.2"), ("one at random", "2.2"), ("together", "3.2")])
def test_a_draft_of_a_form_has_the_cost_and_the_errors_of_its_strategy(strategy, cost):
    spec = form_of(strategy, YES_NO, AGES)
    found = evaluate_draft({"spec": spec, "n": 10_000})
    form = dc.Form.of(spec)
    plan = form.plan(n=10_000)
    assert (found["cost"], found["fingerprint"]) == (cost, form.fingerprint)
    assert {one["name"]: one["stderr"] for one in found["questions"]} == pytest.approx(plan[strategy].shares)
    assert [one["cost"] for one in found["strategies"]] == ["2.2", "3.2", "3.2"]
    assert found["best_for_shares"] == plan.best_for_shares
    assert dc.Form.of(spec).to_toml() == found["spec"]


def test_counts_of_a_form_go_by_the_names_of_its_questions():
    spec = form_of("each", YES_NO, YES_NO)
    even, counted = (evaluate_draft({"spec": spec, "n": 1000, **more}) for more in ({}, {"counts": {"q1": [99, 1]}}))
    assert counted["questions"][0]["stderr"] == even["questions"][0]["stderr"]
    assert counted["questions"][1]["stderr"] < even["questions"][1]["stderr"]


def test_what_takes_long_is_not_compared_while_somebody_waits():
    found = evaluate_draft({"spec": form_of("each", AGES, AGES, YES_NO), "n": 1000})
    together = next(one for one in found["strategies"] if one["strategy"] == "together")
    assert (together["stderr"], together["cost"]) == (None, None)
    assert "1058 tuples" in together["reason"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"spec": form_of("each", YES_NO), "n": 10}, "questions: 1 must be from 2"),
        ({"spec": form_of("sometimes", YES_NO, YES_NO), "n": 10}, "form.strategy='sometimes' must be one of"),
        ({"spec": form_of("each", YES_NO, YES_NO), "n": 10, "counts": {"q2": [1, 1]}}, "by the names of questions"),
        ({"spec": form_of("each", YES_NO, YES_NO), "n": 10, "stderr": "0.1"}, "stderr is not a known entry"),
    ],
)
def test_a_form_that_cannot_be_worked_out_is_said(asked, said):
    with pytest.raises(DiscreetError) as problem:
        evaluate_draft(asked)
    assert said in str(problem.value)


def test_a_file_is_read_and_written_exactly():
    text = 'title = "Ages"\ncontext = {form = "uniform", epsilon = 0.1}\ndomain = {values = ["a", "b"]}\n'
    read = read_file({"toml": text})
    assert read["document"]["context"]["epsilon"] == "0.1"
    assert read_file({"document": read["document"]}) == read
    assert read_file({"toml": read["toml"]})["document"] == read["document"]
    assert read_file({"toml": "domain = {low = 0, clip = true}"})["toml"].endswith("clip = true\n")
    assert read_file({"toml": "closes = 2026-01-01T01:00:00+01:00"})["document"] == {"closes": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "either toml"),
        ({"toml": "a = 1", "document": {}}, "either toml"),
        ({"toml": "a ="}, "this is not TOML"),
        ({"toml": 1}, "toml must be text"),
        ({"document": []}, "document must be a table"),
        ({"document": {"a": [None]}}, "document: None must be text"),
        ({"toml": "opens = 2026-01-01"}, "must be text"),
    ],
)
def test_what_is_no_file_is_said(asked, said):
    with pytest.raises(DiscreetError) as problem:
        read_file(asked)
    assert said in str(problem.value)
