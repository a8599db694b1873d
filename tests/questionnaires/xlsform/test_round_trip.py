"""A questionnaire is written as an XLSForm and read as the same questionnaire."""

from __future__ import annotations

import copy

import pytest
from openpyxl import load_workbook

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.questionnaires.xlsform.writing import difference
from discreet.wire import Questionnaire

from .thirty import thirty

SINGLE = {
    "title": "Smoking",
    "question": "Do you smoke?",
    "help": "Now and then counts.",
    "words": {"yes": "Yes"},
    "domain": {"values": ["no", "yes", "refused"]},
    "context": {
        "form": "outside",
        "outside": ["refused"],
        "scale": {"form": "uniform", "epsilon": "1"},
        "epsilon": "3",
    },
    "translations": {"fr": {"question": "Fumez-vous ?", "words": {"yes": "Oui"}}},
}
JOINT = {
    "title": "Two",
    "form": {"strategy": "together", "epsilon": "2"},
    "mechanism": {"name": "hadamard"},
    "questions": [
        {"name": "a", "question": "A?", "domain": {"values": ["no", "yes"]}},
        {"name": "b", "question": "B?", "domain": {"size": 3}},
    ],
}
NAMED = {
    "title": "Named",
    "form": {"strategy": "each"},
    "questions": [
        {
            "name": "place",
            "question": "Where?",
            "context": {"form": "blocks", "epsilon": "1", "blocks": {"x": ["x1", "x2"], "y": ["y1"]}},
            "mechanism": {"name": "hadamard"},
        },
        {
            "name": "ill",
            "question": "Ill?",
            "domain": {"values": ["none", "flu", "hiv"]},
            "context": {"form": "graded", "epsilons": {"none": "3", "flu": "2", "hiv": "0.5"}},
        },
        {
            "name": "large",
            "question": "How much?",
            "kind": "number",
            "domain": {"values": {"from": 0, "to": 1000}},
            "context": {"form": "uniform", "epsilon": "1"},
        },
    ],
}
WRITTEN = {
    "thirty questions in three languages": thirty(),
    "each with a context of its own": thirty(own=True, strategy="each"),
    "whose language is not said": thirty(language=""),
    "written from right to left": thirty(language="he"),
    "one question": SINGLE,
    "all answers together": JOINT,
    "mechanisms and blocks": NAMED,
}
WRITTEN["whose language is not said"].pop("language")


@pytest.mark.parametrize("data", WRITTEN.values(), ids=WRITTEN.keys())
def test_an_xlsform_holds_all_of_a_questionnaire(data, tmp_path):
    asked = Questionnaire.of(data)
    dc.write_xlsform(asked, tmp_path / "form.xlsx")
    form = dc.read_xlsform(tmp_path / "form.xlsx")
    assert difference(asked, form.questionnaire) is None
    assert form.questionnaire.texts == asked.texts
    assert form.lost == []
    form.write(tmp_path / "form.toml")
    assert difference(asked, Questionnaire.read(tmp_path / "form.toml")) is None


def test_thirty_questions_keep_their_fingerprint(tmp_path):
    asked = Questionnaire.of(thirty())
    dc.write_xlsform(asked, tmp_path / "form.xlsx")
    again = dc.read_xlsform(tmp_path / "form.xlsx").questionnaire
    assert len(again.specs) == 30
    assert again.texts.languages == ("en", "ar", "de")
    assert again.spec.fingerprint == asked.spec.fingerprint
    assert again.declaration() == asked.declaration()


def changed(data, *path, to):
    data = copy.deepcopy(data)
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    return data


OTHERS = {
    "its title": changed(thirty(), "title", to="Another one"),
    "its settings": changed(thirty(), "minimum", to=7),
    "its strategy": changed(thirty(), "form", "strategy", to="each"),
    "the answers of 'q1'": changed(thirty(), "questions", 1, "domain", "values", to=["bus", "car", "ship"]),
    "its questions": changed(thirty(), "questions", 0, "question", to="What?"),
    "its translations": changed(thirty(), "translations", "de", "title", to="Anders"),
    "the names of the questions": changed(thirty(), "questions", 29, "name", to="other"),
}
OTHERS["the names of the questions"]["translations"] = {}


@pytest.mark.parametrize(("what", "data"), OTHERS.items(), ids=OTHERS.keys())
def test_a_difference_is_found_and_named(what, data):
    assert difference(Questionnaire.of(thirty()), Questionnaire.of(data)) == what


def test_the_sheets_are_those_that_odk_reads(tmp_path):
    dc.write_xlsform(Questionnaire.of(thirty()), tmp_path / "form.xlsx")
    book = load_workbook(tmp_path / "form.xlsx")
    assert book.sheetnames == ["survey", "choices", "settings"]
    headings = {sheet.title: [cell.value for cell in sheet[1]] for sheet in book}
    assert headings["survey"][:5] == [
        "type",
        "name",
        *(f"label::{one}" for one in ("English (en)", "العربية (ar)", "Deutsch (de)")),
    ]
    assert headings["choices"][:3] == ["list_name", "name", "label::English (en)"]
    types = [row[0].value.split()[0] for row in book["survey"].iter_rows(min_row=2)]
    assert types[:3] == ["note", "acknowledge", "select_one"]
    assert types[-1] == "note"
    assert types.count("select_multiple") == 3
    assert {"integer", "range"} <= set(types)
    names = [row[1].value for row in book["survey"].iter_rows(min_row=2)]
    assert len(set(names)) == len(names)
    assert all(name.replace("_", "a").isidentifier() for name in names)  # as XML takes them


def test_text_that_begins_with_an_equals_sign_is_no_formula(tmp_path):
    dc.write_xlsform(Questionnaire.of(thirty()), tmp_path / "form.xlsx")
    cells = [cell for row in load_workbook(tmp_path / "form.xlsx")["choices"].iter_rows() for cell in row]
    (found,) = {cell.value: cell for cell in cells if str(cell.value).startswith("=")}.values()
    assert found.data_type == "s"


REFUSED = {
    "answers that are tuples": (
        {**SINGLE, "domain": {"values": [{"tuple": [1, 2]}, {"tuple": [1, 3]}]}, "words": {}, "translations": {}}
        | {"context": {"form": "uniform", "epsilon": "1"}},
        "answers that are tuples are no choices",
    ),
    "an answer with spaces around it": (
        changed(SINGLE, "domain", "values", to=["no ", "yes", "refused"]),
        "the answers would be read otherwise",
    ),
    "a context that no cell holds": (
        {
            "title": "Large",
            "question": "Which?",
            "domain": {"size": 120},
            "context": {"form": "matrix", "E": [[str(int(x != z)) for z in range(120)] for x in range(120)]},
        },
        "longer than the 32767 that a cell holds",
    ),
}


@pytest.mark.parametrize(("data", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_a_workbook_cannot_hold_exactly_is_refused_and_nothing_is_written(data, message, tmp_path):
    with pytest.raises(InvalidInput, match=message):
        dc.write_xlsform(Questionnaire.of(data), tmp_path / "form.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_workbook_is_an_xlsx_file(tmp_path):
    with pytest.raises(InvalidInput, match=r"form.xls: a workbook must be written as an .xlsx file"):
        dc.write_xlsform(Questionnaire.of(SINGLE), tmp_path / "form.xls")
