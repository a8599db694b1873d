"""Numbers at the collector: declared with their texts, and told with their mean and where they were cut."""

import pytest

import discreet as dc
from discreet.collector.declaration import parse_declaration
from discreet.collector.drafts import evaluate_draft
from discreet.collector.results import Breakdown, mean_figures, shares_by_cell
from discreet.collector.store.tallies import CellCounts
from discreet.core.errors import InvalidSpec

DECLARED = {
    "title": "Incomes",
    "question": "What is your income?",
    "kind": "number",
    "unit": "euros",
    "minimum": 1,
    "changes": "refuse",
    "access": "open",
    "spec": {
        "domain": {"low": 0, "high": 4000, "clip": True, "outside": ["rather not"]},
        "context": {"form": "numbers", "epsilon": "3"},
    },
    "words": {"rather not": "prefer not to say"},
}
LISTED = {"domain": {"values": ["a", "b"]}, "context": {"form": "uniform", "epsilon": "1"}}


def test_a_number_is_declared_with_its_unit_and_words_beside_it():
    declaration, instrument = parse_declaration(DECLARED)
    assert declaration.texts.questions[""].unit == "euros"
    assert instrument.law.context.domain.clip
    for words in ({"0": "nothing"}, {"rather not": "1000"}, {"other": "x"}):
        with pytest.raises(InvalidSpec, match="words"):
            parse_declaration({**DECLARED, "words": words})
    with pytest.raises(InvalidSpec, match="kind=number must be of a question whose answers are numbers"):
        parse_declaration({**DECLARED, "spec": LISTED, "words": {}})


def test_results_tell_the_mean_by_label_and_where_it_was_cut():
    _, instrument = parse_declaration(DECLARED)
    law, counts = instrument.law, {}
    for text, income in (("north", 1000), ("south", 9000)):
        reports = law.randomize_many([income] * 5000, dc.random.seeded(1))
        counts[(("region", text),), "2026-11-17"] = instrument.count(reports)
    cells = shares_by_cell(CellCounts(law, counts, 0), Breakdown(by="region", confidence=1 - 1e-6), 1)
    figures = {cell["labels"]["region"]: cell["result"]["numbers"] for cell in cells}
    assert figures["north"]["mean"]["low"] < 1000 < figures["north"]["mean"]["high"] < 3000
    assert figures["south"]["mean"]["low"] < 4000 < figures["south"]["mean"]["high"]
    assert {one["cut"] for one in figures.values()} == {"of numbers cut at 0 and 4000"}
    both = mean_figures(list(figures.values()), [5000, 5000])
    assert both["mean"]["value"] == pytest.approx(
        sum(one["mean"]["value"] * one["given"] for one in figures.values())
        / sum(one["given"] for one in figures.values())
    )
    assert both["median"] is None


def test_drafts_tell_the_error_of_the_mean_and_other_values_do_not():
    draft = evaluate_draft({"spec": DECLARED["spec"], "n": 10_000, "units": {"": "euros"}})
    assert draft["mean"]["plain"] < draft["mean"]["stderr"] < 100
    assert draft["rows"] == []
    assert "mean" not in evaluate_draft({"spec": LISTED, "n": 100})
    number = {"name": "income", "domain": {"low": 0, "high": 4000}}
    form = {"form": {"strategy": "each", "epsilon": "2"}, "questions": [number, {"name": "b", "domain": {"size": 2}}]}
    income, other = evaluate_draft({"spec": form, "n": 10_000})["questions"]
    assert income["mean"]["stderr"] > income["mean"]["plain"]
    assert other["mean"] is None
