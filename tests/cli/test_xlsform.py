from __future__ import annotations

import json
from pathlib import Path

import pytest
from openpyxl import Workbook

from discreet.wire import Questionnaire


@pytest.fixture(autouse=True)
def form(folder):
    made = Workbook()
    survey, choices = made.active, made.create_sheet("choices")
    survey.title = "survey"
    for row in (
        ["type", "name", "label", "relevant"],
        ["select_one yn", "smokes", "Do you smoke?"],
        ["select_multiple yn", "both", "Which?"],
        ["text", "why", "Why?", "${smokes} = 'yes'"],
        ["integer", "age", "How old are you?"],
    ):
        survey.append(row)
    for row in (["list_name", "name", "label"], ["yn", "yes", "Yes"], ["yn", "no", "No"]):
        choices.append(row)
    made.save(folder / "form.xlsx")


def test_an_xlsform_becomes_a_questionnaire_and_what_is_lost_is_listed(discreet):
    done = discreet("xlsform", "form.xlsx", "--epsilon", "2", "--strategy", "each", "-o", "form.toml")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "form.toml: 3 questions in en",
        "Not as in the workbook:",
        "- sheet survey, row 4, column type: text: an open answer cannot be randomized, and is left out: "
        "ask it without discreet, or as a choice",
        "- sheet survey, row 5, column constraint: integer: left out: say from where to where, as the constraint "
        ". >= 0 and . <= 120",
    ]
    asked = Questionnaire.read("form.toml")
    assert (asked.spec.strategy, asked.spec.epsilon) == ("each", 2)
    assert "mechanism" not in Path("form.toml").read_text()  # left open, so that epsilon can still be changed


def test_a_questionnaire_becomes_an_xlsform(discreet):
    discreet("xlsform", "form.xlsx", "--epsilon", "2", "-o", "form.toml")
    done = discreet("xlsform", "form.toml", "-o", "again.xlsx")
    assert (done.exit_code, done.stdout) == (0, "again.xlsx: 3 questions\n")
    done = discreet("xlsform", "again.xlsx", "-o", "again.json", "--strict")
    assert (done.exit_code, done.stdout) == (0, "again.json: 3 questions in en\n")
    assert Questionnaire.read("again.json").texts == Questionnaire.read("form.toml").texts


def test_remarks_are_given_as_json(discreet):
    done = json.loads(discreet("xlsform", "form.xlsx", "--epsilon", "2", "-o", "form.toml", "--json").stdout)
    assert done["questions"] == 3
    assert [(one["sheet"], one["row"], one["column"], one["lost"]) for one in done["remarks"]] == [
        ("survey", 4, "type", True),
        ("survey", 5, "constraint", True),
    ]
    assert json.loads(discreet("xlsform", "form.toml", "-o", "a.xlsx", "--json").stdout) == {"questions": 3}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("form.xlsx", "-o", "form.toml"), "row 2: nothing says how well 'smokes' is hidden"),
        (("form.xlsx", "--epsilon", "2", "--strict", "-o", "form.toml"), "row 4, column type: text: an open answer"),
        (("form.xlsx", "--epsilon", "2", "-o", "form.xlsx"), "form.xlsx"),
        (("form.xlsx", "--epsilon", "2", "-o", "form.txt"), "form.txt: a spec must be a .toml or a .json file"),
        (("none.xlsx", "--epsilon", "2", "-o", "form.toml"), "none.xlsx: No such file"),
        (("survey.toml", "-o", "form.xlsx", "--strict"), "--strict go with an .xlsx file"),
        (("survey.toml", "-o", "form.xlsx"), "question is missing"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_nothing_is_written(refused, arguments, message):
    assert message in refused("xlsform", *arguments)
