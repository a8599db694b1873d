"""The texts of collections: read strictly, written back, and merged with those of another language."""

import copy

import pytest

from discreet.core.errors import InvalidInput, InvalidSpec
from discreet.core.fields import Fields
from discreet.wire.texts import read_texts

SINGLE = {"title": "Ways", "question": "How do you travel?", "words": {"bike": "by bike"}, "kind": "choice"}
FORM = {
    "title": "Health",
    "asker": "An institute, mail@example.org",
    "introduction": "Six minutes.\nThank you for your time.",
    "consent": "I agree.",
    "thanks": "Thank you!",
    "language": "en",
    "questions": [
        {"name": "age", "question": "How old are you?", "kind": "number", "unit": "years", "help": "In full years."},
        {"name": "dog", "question": "A dog", "kind": "box", "group": "What pets do you have?"},
        {"name": "cat", "question": "A cat", "kind": "box", "group": "What pets do you have?", "words": {"yes": "cat"}},
    ],
    "background": [{"name": "region", "question": "Where do you live?", "words": {"north": "in the north"}}],
    "translations": {
        "de": {
            "title": "Gesundheit",
            "consent": "Ich stimme zu.",
            "questions": {"age": {"question": "Wie alt sind Sie?", "unit": "Jahre"}},
            "background": {"region": {"words": {"south": "im Süden"}}},
        }
    },
}
NAMES, LABELS = ("age", "dog", "cat"), ("region", "sex")


def read(data, **how):
    fields = Fields(data, "")
    texts = read_texts(fields, **how)
    fields.close()
    return texts


def form(data=FORM):
    return read(data, names=NAMES, labels=LABELS)


def test_texts_are_written_as_they_were_read():
    assert read(SINGLE).as_dict() == SINGLE
    assert form().as_dict() == FORM


def test_another_language_takes_the_place_of_what_it_has_and_of_nothing_else():
    texts = form()
    assert texts.languages == ("en", "de")
    german = texts.in_language("de")
    assert (german.title, german.thanks) == ("Gesundheit", "Thank you!")
    assert german.questions["age"].question == "Wie alt sind Sie?"
    assert (german.questions["age"].unit, german.questions["age"].kind) == ("Jahre", "number")
    assert german.questions["age"].help == "In full years."
    assert german.background["region"].words == {"north": "in the north", "south": "im Süden"}
    assert texts.in_language("en").title == "Health"
    with pytest.raises(InvalidInput, match="language='fr' must be one of en, de"):
        texts.in_language("fr")


def test_the_wording_is_all_that_was_asked():
    assert read(SINGLE).wording == ["Ways", "How do you travel?", {"bike": "by bike"}]
    assert form().wording[0] == "Health"
    other = copy.deepcopy(FORM)
    other["translations"]["de"]["questions"]["age"]["question"] = "Sind Sie gesund?"
    assert form(other).wording != form().wording


@pytest.mark.parametrize("key", ["introduction", "help", "unit", "group"])
def test_what_turns_a_question_into_another_one_is_in_the_wording(key):
    """The heading of boxes, above all: "Do you have" and "Does your father have" make two questions of one box."""
    other = copy.deepcopy(FORM)
    place = other if key == "introduction" else next(one for one in other["questions"] if key in one)
    place[key] = "Your father's"
    assert form(other).wording != form().wording
    single = SINGLE | {key: "Your father's"} | ({"kind": "box"} if key == "group" else {})
    assert read(single).wording != read(SINGLE).wording
    assert form(FORM | {"thanks": "Bye."}).wording == form().wording  # which is read after the answer


def changed(change):
    data = copy.deepcopy(FORM)
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("title"), "title is missing"),
        (lambda d: d.update(title=" "), "title must be text of 1 to 200"),
        (lambda d: d.update(consent="\u202eI agree"), "consent must be text .* direction"),
        (lambda d: d.update(asker=7), "asker must be text, not a whole number"),
        (lambda d: d["questions"].pop(), "questions must be about age, dog, cat, in this order"),
        (lambda d: d["questions"][0].pop("question"), r"questions\[0\].question is missing"),
        (lambda d: d["questions"][0].update(kind="dial"), r"questions\[0\].kind='dial' must be one of choice"),
        (lambda d: d["questions"][0].update(group="Pets"), r"questions\[0\].group must be the heading"),
        (lambda d: d["questions"][1].pop("group"), r"questions\[1\].group must be the heading"),
        (lambda d: d["questions"][1].update(name="age"), r"questions\[1\].name='age' is that of an earlier one"),
        (lambda d: d["questions"][1].update(name="#x"), r"questions\[1\]: question='#x' must be a name"),
        (lambda d: d["questions"][0].update(colour="red"), r"questions\[0\].colour is not a known entry"),
        (lambda d: d["questions"][0].update(words=[]), r"questions\[0\].words must be a table"),
        (lambda d: d["background"][0].update(name="height"), "background: 'height' must be one of region, sex"),
        (lambda d: d.update(language="English"), "language: 'English' must be the name of a language"),
        (lambda d: d["translations"].update(en={}), "translations.en must be left out"),
        (lambda d: d["translations"].update({f"x{a}y"[:3]: {} for a in "abcdefghijklmnopqrstuv"}), "at most 20"),
        (lambda d: d["translations"]["de"].update(kind="scale"), "translations.de.kind is not a known entry"),
        (lambda d: d["translations"]["de"]["questions"].update(old={}), "translations.de.questions: 'old' must be"),
        (lambda d: d["translations"]["de"].update(title=""), "translations.de.title must be text"),
    ],
)
def test_what_is_not_as_it_must_be_is_refused_in_one_line(change, message):
    with pytest.raises(InvalidSpec, match=message) as refusal:
        form(changed(change))
    assert "\n" not in str(refusal.value)
