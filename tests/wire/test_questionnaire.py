"""Questionnaires: spec, texts and settings in one document, written as they were read."""

import copy

import pytest

from discreet.core.errors import DiscreetError, InvalidSpec
from discreet.wire import Questionnaire
from discreet.wire.form import STRATEGIES

FORM = {
    "title": "Habits",
    "asker": "An institute, mail@example.org",
    "language": "en",
    "minimum": 50,
    "labels": {"region": ["north", "south"]},
    "background": [{"name": "region", "question": "Where do you live?"}],
    "translations": {"de": {"title": "Gewohnheiten", "questions": {"smokes": {"words": {"yes": "ja"}}}}},
    "form": {"strategy": "each"},
    "questions": [
        {
            "name": "smokes",
            "question": "Do you smoke?",
            "kind": "yes/no",
            "words": {"yes": "Yes, I do"},
            "domain": {"values": ["no", "yes"]},
            "context": {"form": "uniform", "epsilon": "1"},
        },
        {
            "name": "age",
            "question": "How old are you?",
            "kind": "number",
            "unit": "years",
            "domain": {"values": {"from": 18, "to": 40}},
            "context": {"form": "metric", "distance": "line", "epsilon": "0.5"},
        },
    ],
}
SINGLE = {
    "title": "Smoking",
    "question": "Do you smoke?",
    "words": {"yes": "Yes"},
    "domain": {"values": ["no", "yes"]},
    "context": {"form": "uniform", "epsilon": "1"},
}


def changed(data, *path, to):
    data = copy.deepcopy(data)
    *way, last = path
    inner = data
    for step in way:
        inner = inner[step]
    inner[last] = to
    return data


@pytest.mark.parametrize("data", [FORM, SINGLE], ids=["form", "single"])
@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_a_questionnaire_is_written_as_it_was_read(data, suffix, tmp_path):
    asked = Questionnaire.of(data)
    path = tmp_path / f"asked.{suffix}"
    asked.write(path)
    again = Questionnaire.read(path)
    assert again.texts == asked.texts
    assert again.settings == asked.settings
    assert again.spec.fingerprint == asked.spec.fingerprint or again.spec.mechanism == asked.spec.mechanism
    other = Questionnaire.of(changed(data, "title", to="Another one"))
    assert other.texts != asked.texts  # the control: texts are compared


def test_a_declaration_holds_the_spec_apart_from_the_texts():
    declared = Questionnaire.of(FORM).declaration()
    assert declared["minimum"] == 50
    assert declared["changes"] == "refuse"
    assert declared["questions"][1] == {
        "name": "age",
        "question": "How old are you?",
        "unit": "years",
        "kind": "number",
    }
    assert "question" not in declared["spec"]["questions"][0]
    assert Questionnaire.of(SINGLE).declaration()["question"] == "Do you smoke?"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (changed(FORM, "questions", 0, "words", to={"maybe": "Perhaps"}), "words of 'smokes': 'maybe' must be a value"),
        (changed(FORM, "translations", "de", "questions", "smokes", "words", to={"x": "y"}), "words of 'smokes': 'x'"),
        (changed(SINGLE, "words", to={"maybe": "Perhaps"}), "words: 'maybe' must be a value"),
        (changed(FORM, "questions", 0, to="smokes"), r"questions\[0\] must be a table"),
        (changed(FORM, "questions", 1, "kind", to="slider"), r"questions\[1\].kind='slider' must be one of"),
        (changed(FORM, "background", 0, "name", to="sex"), "background: 'sex' must be one of region"),
        (changed(SINGLE, "colour", to="red"), "colour is not a known entry"),
        ({key: entry for key, entry in SINGLE.items() if key != "question"}, "question is missing"),
        ("smokes", "a questionnaire must be a table"),
    ],
)
def test_what_is_not_a_questionnaire_is_refused_by_the_name_of_the_entry(data, message):
    with pytest.raises(InvalidSpec, match=message):
        Questionnaire.of(data)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_is_declared(strategy):
    form = {key: entry for key, entry in FORM.items() if key != "translations"}
    form["form"] = {"strategy": strategy, "epsilon": "2"}
    form["questions"] = [{key: entry for key, entry in one.items() if key != "context"} for one in FORM["questions"]]
    asked = Questionnaire.of(form)
    assert asked.spec.strategy == strategy
    again = Questionnaire.of(asked.as_dict())
    assert again.spec.fingerprint == asked.spec.fingerprint
    with pytest.raises(DiscreetError):
        Questionnaire.of({**form, "form": {"strategy": "all", "epsilon": "2"}})
