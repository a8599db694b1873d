"""Forms that anybody can get, rebuilt row by row with the columns, types and settings that they have.

They are three examples of pyxform, the converter that ODK and KoboToolbox share, which its releases up to 1.5.1 hold in
`pyxform/tests/example_xls`: choice_filter_test.xlsx, or_other.xlsx and the beginning and end of xlsform_spec_test.xlsx.
"""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.wire import Questionnaire

from .books import book

CASCADE = {
    "survey": [
        ["type", "name", "label", "choice_filter"],
        ["select_one states", "state", "state"],
        ["select_one counties", "county", "county", "${state}=cf"],
        ["select_one cities", "city", "city", "${county}=cf"],
    ],
    "choices": [
        ["list_name", "name", "label", "cf"],
        ["states", "texas", "Texas"],
        ["states", "washington", "Washington"],
        ["counties", "king", "King", "washington"],
        ["counties", "pierce", "Pierce", "washington"],
        ["counties", "king", "King", "texas"],
        ["counties", "cameron", "Cameron", "texas"],
        ["cities", "dumont", "Dumont", "king"],
        ["cities", "finney", "Finney", "king"],
        ["cities", "brownsville", "brownsville", "cameron"],
        ["cities", "harlingen", "harlingen", "cameron"],
        ["cities", "seattle", "Seattle", "king"],
        ["cities", "redmond", "Redmond", "king"],
        ["cities", "tacoma", "Tacoma", "pierce"],
    ],
    "settings": [
        ["form_title", "form_id", "allow_choice_duplicates"],
        ["cascading selects", "cascading_selects1", "yes"],
    ],
}
OTHER = {
    "survey": [
        ["type", "name", "label", "choice_filter"],
        ["select_one colors or_other", "fav_color", "What is your favorite color?"],
        ["select_one colors", "fav_pastel", "What is your favorite pastel?", "pastel=yes"],
    ],
    "choices": [
        ["list name", "name", "label", "pastel"],
        *(["colors", name, name, "no"] for name in ("red", "green", "blue")),
        *(["colors", name, name, "yes"] for name in ("mauve", "apricot")),
    ],
}
SPEC_TEST = {
    "survey": [
        ["type", "name", "rows", "repeat_count", "label::english", "hint", "constraint", "constraint_message::chinese",
         "required", "appearance", "relevant", "bind::saveIncomplete"],
        ["select_one yes_no", "skip_to_end", "", "", "Skip to end", "", "", "", "", "", "", "true()"],
        ["begin group", "everything", *[""] * 8, "not(selected(${skip_to_end}, 'yes'))"],
        ["text", "my_name", 12.0, "", "Enter your name"],
        ["note", "invalid_variable", "", "", "Your name is ${my_name}"],
        ["select_one yes_no", "autocomplete_test", "", "", "autocomplete_test", "", "", "", "", "autocomplete"],
        ["integer", "a_integer", "", "", "a integer"],
        ["decimal", "a_decimal", "", "", "constrained decimal", "", ". <= ${a_integer}"],
        ["begin repeat", "repeat_test", "", 2.0, "repeat_test"],
        ["begin group", "group_test", *[""] * 7, "field-list"],
        ["select_multiple yes_no", "select_multiple_test", "", "", "select multiple test", "",
         "not(selected(., 'yes') and selected(., 'no'))", "Sorry", "no", "minimal"],
        ["end group"],
        ["end repeat"],
        ["acknowledge", "acknowledge_test", "", "", "acknowledge_test"],
        ["date", "date_test", "", "", "date_test"],
        ["geopoint", "geopoint_test", "", "", "geopoint_test"],
        ["start", "start"],
        ["uri:deviceid", "device"],
        ["end group"],
    ],
    "choices": [
        ["list_name", "name", "label", "image", "label::chinese"],
        ["yes_no", "yes", "Yes", "", "是"],
        ["yes_no", "no", "No", "", "没有"],
        ["a_b", "a", "", "a.jpg"],
        ["a_b", "b", "", "b.jpg"],
    ],
    "settings": [
        ["form_title", "form_id", "public_key", "submission_url", "default_language", "instance_name"],
        ["Spec test", "Spec test", "MIIB", "https://example.org/submission", "", "${my_name}"],
    ],
    "columns": [["list_name", "name", "label"], ["animals", "zebra", "zebra"]],
}  # fmt: skip


def read(folder, sheets):
    return dc.read_xlsform(book(folder / "form.xlsx", **sheets), epsilon="2")


def domains(form):
    return {name: list(spec.context.values) for name, spec in form.questionnaire.specs.items()}


def test_lists_that_depend_on_an_earlier_answer_are_offered_whole(tmp_path):
    form = read(tmp_path, CASCADE)
    assert domains(form) == {
        "state": ["texas", "washington"],
        "county": ["king", "pierce", "cameron"],
        "city": ["dumont", "finney", "brownsville", "harlingen", "seattle", "redmond", "tacoma"],
    }
    assert form.questionnaire.texts.title == "cascading selects"
    said = {(one.sheet, one.row, one.column): one.text for one in form.remarks}
    assert said["choices", 6, "name"] == "the choice 'king' of the list counties is there once more, and is one answer"
    assert {place for place in said if place[0] == "survey"} == {("survey", row, "choice_filter") for row in (3, 4)}


def test_a_choice_twice_in_a_list_that_is_not_filtered_is_refused(tmp_path):
    plain = {**CASCADE, "survey": [row[:3] for row in CASCADE["survey"]]}
    with pytest.raises(InvalidInput, match="row 3: list counties: the choice 'king' must be there only once"):
        read(tmp_path, plain)


def test_or_other_is_one_more_answer(tmp_path):
    form = read(tmp_path, OTHER)
    colors = ["red", "green", "blue", "mauve", "apricot"]
    assert domains(form) == {"fav_color": [*colors, "other"], "fav_pastel": colors}
    assert {("type", 2), ("choice_filter", 3)} <= {(one.column, one.row) for one in form.remarks if one.lost}


def test_what_a_form_with_everything_has_is_asked_or_listed(tmp_path):
    form = read(tmp_path, SPEC_TEST)
    assert set(domains(form)) == {"skip_to_end", "autocomplete_test"}
    listed = {SPEC_TEST["survey"][one.row - 1][0] for one in form.remarks if one.sheet == "survey" and one.lost}
    left_out = {"text", "note", "integer", "decimal", "begin repeat", "acknowledge", "date", "geopoint", "start"}
    assert listed >= left_out | {"uri:deviceid"}
    settings = {one.column for one in form.remarks if one.sheet == "settings"}
    assert settings == {"public_key", "submission_url", "instance_name"}
    assert "columns" in {one.sheet for one in form.remarks}


@pytest.mark.parametrize("sheets", [CASCADE, OTHER, SPEC_TEST], ids=["cascade", "other", "spec"])
def test_what_is_read_goes_the_whole_way_round(tmp_path, sheets):
    asked = read(tmp_path, sheets).questionnaire
    dc.write_xlsform(asked, tmp_path / "back.xlsx")
    again = dc.read_xlsform(tmp_path / "back.xlsx").questionnaire
    assert again.as_dict() == asked.as_dict()
    assert Questionnaire.of(again.as_dict()).spec.fingerprint == asked.spec.fingerprint
