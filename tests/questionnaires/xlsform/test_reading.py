"""XLSForms of others: what is read of them, and that everything else is listed."""

from __future__ import annotations

from fractions import Fraction

import pytest

import discreet as dc
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.questionnaires.xlsform.columns import listing
from discreet.questionnaires.xlsform.numbers import band_names, bands_in, bounds_in

from .books import CHOICES, SETTINGS, WIDGETS, YES_NO, book


@pytest.fixture
def read(tmp_path):
    def read(survey, choices=YES_NO, settings=(), *, epsilon="2", strategy=None, **others):
        path = book(tmp_path / "form.xlsx", survey, choices, settings, **others)
        return dc.read_xlsform(path, epsilon=epsilon, strategy=strategy)

    return read


@pytest.fixture
def refused(read):
    def refused(*args, **more):
        with pytest.raises(DiscreetError) as caught:
            read(*args, **more)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return refused


HEAD = ["type", "name", "label"]


class TestAllWidgets:
    @pytest.fixture
    def form(self, read):
        return read(WIDGETS, CHOICES, SETTINGS)

    def test_what_can_be_asked_is_asked(self, form):
        asked = form.questionnaire
        assert list(asked.specs) == [
            "age", "income", "stars", "percent", "letter", "letter_more", "consented", "fine", "many_a", "many_b",
            "many_c", "city", "shown", "again",
        ]  # fmt: skip
        texts = asked.texts
        assert texts.title == "All widgets"
        assert texts.introduction == "Welcome to this form. It has one of each widget.\nSwipe to begin."
        assert texts.thanks == "Thank you for all of it."
        assert (asked.spec.name, asked.spec.note) == ("all_widgets", "version 20261101")
        assert {name: one.kind for name, one in texts.questions.items()} == {
            "age": "number", "income": "scale", "stars": "scale", "percent": "number", "letter": "choice",
            "letter_more": "choice", "consented": "yes/no", "fine": "scale", "many_a": "box", "many_b": "box",
            "many_c": "box", "city": "choice", "shown": "choice", "again": "yes/no",
        }  # fmt: skip
        values = {name: list(spec.context.values) for name, spec in asked.specs.items()}
        assert values["age"] == list(range(121))
        assert values["percent"] == list(range(0, 101, 5))
        assert values["letter_more"] == ["a", "b", "c", "other"]
        assert values["fine"] == [1, 2, 3]
        assert values["many_b"] == ["no", "yes"]
        assert texts.questions["fine"].words == {"1": "Not at all", "2": "So so", "3": "Very"}
        assert texts.questions["many_a"].group == texts.questions["many_c"].group == "Which letters?"
        assert (texts.questions["many_a"].help, texts.questions["many_b"].help) == ("Tick all", "")
        assert asked.spec.epsilon == 2

    def test_every_row_that_is_not_asked_is_listed(self, form):
        rows = {number for number, row in enumerate(WIDGETS, start=1) if row and number > 1}
        kept = {"note", "integer", "range", "begin_group", "begin", "end_group", "end", "end_repeat"}
        kept |= {"select_one", "select_multiple"}
        left = {number for number in rows if WIDGETS[number - 1][0].split()[0] not in kept}
        listed = {one.row for one in form.remarks if one.sheet == "survey"}
        assert left <= listed
        inside_a_repeat = next(n for n in rows if WIDGETS[n - 1][1:2] == ["child_age"])
        assert inside_a_repeat - 1 in listed

    @pytest.mark.parametrize(
        ("name", "column", "text"),
        [
            ("string", "type", "text: an open answer cannot be randomized, and is left out"),
            ("select_widgets", "relevant", "the question is asked of everybody: give it an answer for those"),
            ("letter", "required", 'must be answered all the same: offer an answer such as "prefer not to say"'),
            ("letter_more", "type", "or_other: other is one more answer; what it is, is not asked"),
            ("city", "choice_filter", "every choice of the list is offered"),
            ("any", "constraint", "integer: left out: say from where to where, as the constraint . >= 0 and . <= 120"),
            ("income", "constraint", "'. != 999' is not read: all numbers from 1 to 20000 are answers"),
            ("half", "parameters", "range: left out: start='0.5' must be a whole number"),
            ("text_widgets", "label", "the heading 'Widgets for text' is left out: questions follow each other"),
            ("between", "label", "the note 'The next ones are repeated.' between questions is left out"),
            ("children", "type", "begin_repeat: left out with all that is in it: nothing is asked more than once"),
            ("secret", "type", "hidden: left out: nothing is calculated or looked up"),
            ("wand", "type", "magic: left out: this type of question is not known"),
            ("again", "default", "no answer is filled in beforehand"),
            ("shown", "image", "a questionnaire has no pictures, sounds or films"),
            ("shown", "parameters", "choices are shown in their order"),
            ("consented", "label", "is shown as it is written, not with another answer in it"),
            ("place_in_file", "type", "left out: only the lists of the sheet choices are read"),
        ],
    )
    def test_it_is_said_what_becomes_of_it(self, form, name, column, text):
        row = next(number for number, row in enumerate(WIDGETS, start=1) if row[1:2] == [name])
        (said,) = [one for one in form.remarks if (one.sheet, one.row, one.column) == ("survey", row, column)]
        assert text in said.text
        assert said.lost

    def test_other_sheets_are_listed_too(self, form):
        lines = listing(form.remarks)
        assert "sheet choices, row 12, column list_name: no question that is asked takes the list 'unused'" in lines
        assert "sheet choices, rows 10-11, column country: this column is not known, and not used" in lines
        assert "sheet settings, row 2, column instance_name: reports have no names" in lines

    def test_the_form_can_be_answered(self, form):
        spec = form.questionnaire.spec
        answers = {name: one.context.values[0] for name, one in spec.questions.items()}
        report = spec.randomize(answers, dc.random.seeded(1))
        assert spec.report_from_json(spec.report_to_json(report)) == report


def test_columns_in_languages_are_translations(read):
    survey = [
        ["type", "name", "label::English (en)", "Label :: French (fr)", "label::العربية (ar)", "hint::French"],
        ["note", "n", "Hello", "Bonjour"],
        ["select_one yn", "smokes", "Do you smoke?", "Fumez-vous ?", "هل تدخن؟", "Même rarement."],
    ]
    choices = [
        ["list name", "name", "label::English (en)", "label::French (fr)"],
        ["yn", "yes", "Yes", "Oui"],
        ["yn", "no", "No"],
    ]
    settings = [["form_title", "default_language", "discreet_title::fr"], ["Smoking", "French (fr)", "Fumer"]]
    texts = read(survey, choices, settings).questionnaire.texts
    assert texts.languages == ("fr", "ar", "en")
    assert texts.introduction == "Bonjour"
    assert texts.questions[""].question == "Fumez-vous ?"
    assert texts.questions[""].help == "Même rarement."
    assert texts.in_language("en").questions[""].question == "Do you smoke?"
    assert texts.in_language("en").questions[""].words == {"yes": "Yes", "no": "No"}
    assert texts.in_language("ar").questions[""].question == "هل تدخن؟"
    assert read(survey, choices).questionnaire.texts.languages == ("en", "ar", "fr")  # the first column's unless said


def test_a_column_without_a_language_is_in_the_main_one(read):
    survey = [[*HEAD, "label::German (de)"], ["select_one yn", "a", "Well?", "Und?"]]
    texts = read(survey).questionnaire.texts
    assert (texts.languages, texts.questions[""].question) == (("en", "de"), "Well?")
    texts = read(survey, settings=[["default_language"], ["Español (es)"]]).questionnaire.texts
    assert (texts.languages, texts.questions[""].question) == (("es", "de"), "Well?")


def test_a_language_without_a_known_code_is_listed(read):
    form = read([[*HEAD, "label::Klingon"], ["select_one yn", "a", "Well?", "nuqneH"]])
    assert [one.column for one in form.lost] == ["label::Klingon"]
    assert form.questionnaire.texts.languages == ("en",)


def test_what_a_row_says_is_to_be_hidden_is_hidden(read):
    own = ["discreet_context", "discreet_epsilon"]
    choices = [*YES_NO, *[["five", number, f"Level {number}"] for number in range(1, 6)], ["five", 9, "No answer"]]
    survey = [
        [*HEAD, *own, "constraint"],
        ["select_one yn", "secret", "Have you ever?", "sensitive: yes", "1"],
        ["select_one five", "fine", "Is it fine?", "line; outside: 9 at 3", 0.5],
        ["integer", "hour", "When?", "ring", "0.2", ". >= 0 and . <= 23"],
        ["select_one yn", "plain", "And this?"],
        ["select_one yn", "own", "And that?", "", "1/3"],
        ["select_one yn", "table", "And more?", '{"form": "binary", "epsilon": ["1", "inf"]}'],
        ["select_one yn", "region", "In town?", "public"],
    ]
    form = read(survey, choices, strategy="each")
    asked = form.questionnaire
    contexts = {name: one.context for name, one in asked.specs.items()}
    assert list(contexts) == ["secret", "fine", "hour", "plain", "own", "table"]
    assert [contexts["secret"].epsilon(*pair) for pair in (("yes", "no"), ("no", "yes"))] == [1, float("inf")]
    assert [contexts["fine"].epsilon(*pair) for pair in ((1, 5), (1, 9), (9, 3))] == [2, 3, 3]
    assert contexts["hour"].epsilon(23, 1) == Fraction(2, 5)
    assert contexts["plain"].epsilon("yes", "no") == Fraction(2, 6)
    assert contexts["own"].epsilon("yes", "no") == Fraction(1, 3)
    assert contexts["table"].epsilon("yes", "no") == 1
    assert asked.settings["labels"] == {"region": ["yes", "no"]}
    assert asked.texts.background["region"].question == "In town?"
    assert [one.column for one in form.remarks] == ["discreet_context"]
    assert not form.lost


def test_a_garbling_rate_is_an_epsilon(read):
    """The answer garbled into always stays; any other becomes it at the rate: e^epsilon is 1/rate, as near below."""
    survey = [
        [*HEAD, "garbling::answer", "garbling::rate", "garbling::covariate"],
        ["select_one yn", "harassed", "Have you been harassed?", "yes", 0.3],
        ["select_one yn", "seen", "Have you seen it?", "yes", "0.4", "team"],
    ]
    form = read(survey, epsilon=None)
    context = form.questionnaire.specs["harassed"].context
    assert context.epsilon("no", "yes") == float("inf")
    assert context.epsilon("yes", "no") == Fraction("1.203972804325")
    channel = form.questionnaire.specs["harassed"].mechanism.channel()
    assert sorted(float(entry) for entry in channel[1]) == pytest.approx([0.3, 0.7], abs=1e-12)
    assert sorted(float(entry) for entry in channel[0]) == [0, 1]
    said = "garbled at the rate 0.3: 'yes' is hidden at epsilon 1.203972804325, which is ln(1/0.3) rounded down"
    assert any(said in one for one in listing(form.remarks))
    assert any("no device can: each is garbled by itself" in one for one in listing(form.lost))


BOUNDS = {
    ". >= 0 and . <= 120": (0, 120, []),
    ".>=18 AND .<100": (18, 99, []),
    "(. > 0 and 12 >= .)": (1, 12, []),
    "(. >= -5) and (. <= 5) and . != 3": (-5, 5, [". != 3"]),
    ". >= 1.0 and . <= 10.0": (1, 10, []),
    ". >= ${low}": (None, None, [". >= ${low}"]),
    ". >= 0 or . <= 9": (None, None, [". >= 0 or . <= 9"]),
    ". >= 1 and . >= 3 and . <= 9 and . <= 7": (3, 7, []),
    "": (None, None, []),
}


@pytest.mark.parametrize(("constraint", "read"), BOUNDS.items(), ids=BOUNDS.keys())
def test_the_bounds_of_a_constraint_are_read(constraint, read):
    assert bounds_in(constraint) == read


def test_bands_are_given_by_their_width_or_their_starts():
    assert band_names(bands_in("10", 18, 45)) == ["18-19", "20-29", "30-39", "40-45"]
    assert band_names(bands_in("18, 40, 65", 0, 120)) == ["0-17", "18-39", "40-64", "65-120"]
    assert band_names(bands_in("5", -5, 4)) == ["-5 to -1", "0 to 4"]
    assert band_names(bands_in("3", 0, 3)) == ["0-2", "3"]
    for written in ("0", "a", "18;40", "65, 18", "200, 300"):
        with pytest.raises(InvalidInput, match="discreet_bands"):
            bands_in(written, 0, 120)


def test_many_numbers_are_asked_in_bands_and_it_is_said(read):
    survey = [[*HEAD, "constraint", "discreet_bands"], ["integer", "income", "How much?", ". >= 0 and . <= 9999"]]
    form = read(survey)
    assert len(form.questionnaire.spec.context.values) == 20
    assert [one.column for one in form.lost] == ["discreet_bands"]
    single = read([survey[0], [*survey[1], 1]])
    assert len(single.questionnaire.spec.context.values) == 10_000
    assert single.lost == []


def test_a_formula_is_read_by_its_value_and_one_without_is_listed(read):
    survey = [HEAD, ["select_one yn", "a", "=1+1"], ["select_one yn", "b", "B?"]]
    form = read(survey)
    assert [(one.row, one.column) for one in form.lost] == [(2, "label")]
    assert form.questionnaire.texts.questions["a"].question == "a"


ONE = ["select_one yn", "a", "A?"]


def with_column(column, cell, first=ONE):
    return {"survey": [[*HEAD, column], [*first, cell]]}


def garbled(answer, rate):
    return {"survey": [[*HEAD, "garbling::answer", "garbling::rate"], [*ONE, answer, rate]]}


MANY = [HEAD, *(["select_one yn", f"q{number}", "Well?"] for number in range(66))]
LONG = [HEAD, ONE, ["select_one yn", "b", "B" * 3000]]
NEEDS = {
    "no survey": ({"survey": [], "choices": YES_NO}, "must have a sheet called survey with a column called type"),
    "no type": ({"survey": [["name", "label"], ["a", "A"]]}, "a column called type"),
    "nothing to ask": ({"survey": [HEAD, ["text", "a", "A?"]]}, "must be a question that can be asked, because of"),
    "no epsilon": ({"survey": [HEAD, ONE], "epsilon": None}, "row 2: nothing says how well 'a'"),
    "an epsilon of words": ({"survey": [HEAD, ONE], "epsilon": "much"}, "epsilon='much' must be"),
    "another strategy": ({"survey": [HEAD, ONE], "strategy": "all"}, "strategy='all' must be one of"),
    "an unknown list": ({"survey": [HEAD, ["select_one n", "a", "A?"]]}, "row 2: the list 'n' must be in the sheet"),
    "a name twice": ({"survey": [HEAD, ONE, ONE]}, "row 3: name='a' must not be that of row 2 too"),
    "no name": ({"survey": [HEAD, ["select_one yn", "", "A?"]]}, "row 2: a question must have a name"),
    "a name of ours": ({"survey": [HEAD, ["select_one yn", "report", "A?"]]}, "row 2: question='report' must be"),
    "a choice twice": (
        {"survey": [HEAD, ONE], "choices": [*YES_NO, ["yn", "no", "No!"]]},
        "row 2: list yn: the choice 'no' must be there only once",
    ),
    "a group without an end": ({"survey": [HEAD, ["begin_group", "g"], ONE]}, "row 2: begin_group must have"),
    "an end without a group": ({"survey": [HEAD, ONE, ["end_repeat"]]}, "row 3: end_repeat must close"),
    "a column twice": (with_column("label", "B?"), "column 'label' must be there only once"),
    "a long label": ({"survey": LONG}, "sheet survey, row 3 (b).question must be text of 1 to 2000"),
    "more questions than any form": ({"survey": MANY}, "that in row 66 is the first beyond"),
    "another kind": (with_column("discreet_kind", "slider"), "discreet_kind='slider' must be one of"),
    "another context": (with_column("discreet_context", "secret"), "'secret' must be one of uniform, line"),
    "a line without an epsilon": (with_column("discreet_context", "line"), "needs a discreet_epsilon"),
    "an answer that is none": (with_column("discreet_context", "sensitive: maybe"), "one of the answers: yes, no"),
    "outside in the middle": (with_column("discreet_context", "uniform; outside: yes at 2"), "must be the last ones"),
    "outside without an epsilon": (with_column("discreet_context", "uniform; outside: no"), "at EPSILON"),
    "a rate of one": (garbled("yes", 1), "garbling::rate='1' must be a number between 0 and 1"),
    "a rate of words": (garbled("yes", "half"), "garbling::rate='half' must be a number between 0 and 1"),
    "a garbled answer that is none": (garbled("maybe", 0.5), "garbling::answer='maybe' must be one of the two choices"),
    "a setting of ours that is none": (
        {"survey": [HEAD, ONE], "settings": [["discreet_minimal"], [5]]},
        "column discreet_minimal must be one of discreet_title",
    ),
    "JSON that is none": (with_column("discreet_context", "{form}"), "row 2: "),
    "a public box": (with_column("discreet_context", "public", ["select_multiple yn", "a", "A?"]), "select_one, not"),
}


@pytest.mark.parametrize(("given", "message"), NEEDS.values(), ids=NEEDS.keys())
def test_what_cannot_be_read_is_one_line_with_its_row(refused, given, message):
    given = dict(given)
    assert message in refused(given.pop("survey"), given.pop("choices", YES_NO), given.pop("settings", ()), **given)


def test_old_and_loud_ways_to_write_a_form_are_read(tmp_path):
    """Capitals in names of sheets, columns and languages, columns called bind:..., loops: as the oldest examples do."""
    survey = [
        ["TYPE", " Name ", "LABEL::EN", "bind:constraint", "bind:jr:constraintMsg", "Control:Appearance"],
        ["select one from l", "one", "Which one?", None, None, "minimal"],
        ["int", "age", "How old?", ". > 17 and . < 100", "Grown up, please"],
        ["select all that apply from l or specify other", "some", "Which?"],
        ["begin loop over l"],
        ["integer", "count", "How many?"],
        ["end loop"],
    ]
    path = book(
        tmp_path / "loud.xlsx",
        [],
        **{
            "SURVEY ": survey,
            "Choices": [["LIST_NAME", "NAME", "LABEL::EN"], ["l", "a", "A"], ["l", "b", "B"]],
            "SETTINGS": [["FORM_TITLE", "DEFAULT_LANGUAGE"], ["Loud", "EN"]],
            "EXTERNAL_CHOICES": [["LIST_NAME"], ["x"]],
        },
    )
    form = dc.read_xlsform(path, epsilon=1)
    assert list(form.questionnaire.specs) == ["one", "age", "some_a", "some_b"]
    assert list(form.questionnaire.specs["age"].context.values) == list(range(18, 100))
    assert (form.questionnaire.texts.title, form.questionnaire.texts.languages) == ("Loud", ("en",))
    assert [(one.sheet, one.row, one.column) for one in form.lost] == [
        ("external_choices", None, ""),
        ("survey", 4, "type"),
        ("survey", 5, "type"),
    ]
