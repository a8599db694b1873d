"""Any numbers between two bounds in XLSForms, there and back."""

import pytest

import discreet as dc
from discreet.core.errors import DiscreetError
from discreet.questionnaires.xlsform.numbers import any_bounds_in
from discreet.questionnaires.xlsform.writing import difference
from discreet.wire import Questionnaire

from .books import YES_NO, book

HEAD = ["type", "name", "label", "constraint", "discreet_domain", "discreet_context", "discreet_epsilon"]
ROWS = [
    HEAD,
    ["decimal", "income", "How much?", ". >= 0 and . <= 4000.5", "", "", "1"],
    ["integer", "minutes", "How long?", ". >= 0 and . <= 120", "clip", "line", "0.05"],
    [
        "decimal",
        "weight",
        "How heavy?",
        ". >= 0 and . <= 200",
        '{"step": 25, "outside": ["rather not"]}',
        "uniform",
        "2",
    ],
    ["integer", "age", "How old?", ". >= 18 and . <= 99", "", "line", "0.1"],
]


def read(path, rows=ROWS):
    return dc.read_xlsform(book(path, rows, YES_NO, ()), strategy="each")


def test_decimals_and_integers_that_say_so_are_any_numbers(tmp_path):
    form = read(tmp_path / "form.xlsx")
    domains = {name: spec.context.domain for name, spec in form.questionnaire.specs.items()}
    assert isinstance(domains["income"], dc.NumberDomain)
    assert domains["income"].normalized("4000.5") == "4000.5"
    assert not domains["income"].clip
    assert domains["minutes"].clip
    assert str(form.questionnaire.specs["minutes"].context.number_bounds).startswith("at most 0.05 times")
    assert domains["weight"].outside == ("rather not",)
    assert not isinstance(domains["age"], dc.NumberDomain)  # nothing says that it is one
    assert {one.kind for one in form.questionnaire.texts.questions.values()} == {"number"}
    assert not form.lost


def test_any_numbers_are_written_and_read_as_the_same(tmp_path):
    asked = read(tmp_path / "form.xlsx").questionnaire
    dc.write_xlsform(asked, tmp_path / "again.xlsx")
    again = dc.read_xlsform(tmp_path / "again.xlsx").questionnaire
    assert difference(asked, again) is None
    assert again.spec.fingerprint == asked.spec.fingerprint
    other = Questionnaire.of({**asked.as_dict(), "title": "Another"})
    assert difference(asked, other) is not None  # a control


@pytest.mark.parametrize(
    "row",
    [
        ["integer", "x", "X?", ". >= 0", "clip", "", "1"],
        ["integer", "x", "X?", ". >= 0 and . <= 9", "cut", "", "1"],
        ["decimal", "x", "X?", ". >= 9 and . <= 0", "", "", "1"],
        ["decimal", "x", "X?", ". >= 0 and . <= 9", "", "ring", "1"],
        ["decimal", "x", "X?", ". >= 0 and . <= 9", "", "line", ""],
        ["decimal", "x", "X?", ". >= 0 and . <= 9", "", "public", ""],
        ["decimal", "x", "X?", ". >= 0 and . <= 9", '{"low": 1}', "", "1"],
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(tmp_path, row):
    with pytest.raises(DiscreetError) as refusal:
        read(tmp_path / "form.xlsx", [HEAD, row, ROWS[1]])
    assert "\n" not in str(refusal.value)


def test_a_decimal_without_both_bounds_is_listed(tmp_path):
    rows = [HEAD, ["decimal", "x", "X?", ". >= 0", "", "", ""], *ROWS[1:]]
    assert [one.column for one in read(tmp_path / "form.xlsx", rows).lost] == ["type"]


@pytest.mark.parametrize(
    "text", ["", ". >= 0", ". > 0 and . < 9", ". >= 0 and . <= 9 and . != 5", ". >= ${a} and . <= 9"]
)
def test_only_two_closed_bounds_are_read(text):
    assert any_bounds_in(text) is None
