"""Forms made to hang or exhaust a reader: each is refused in one line, with little memory and in little time."""

import json

import pytest

import discreet as dc
from discreet.core.canonical import canonical


def form(questions, strategy="one at random", **more):
    return {"form": {"strategy": strategy, "epsilon": "1"}, "questions": questions, **more}


def sized(size, count, **more):
    return [{"name": f"q{i}", "domain": {"size": size}, **more} for i in range(count)]


HOSTILE = {
    "a million questions": form([{}] * 10**6),
    "questions of a million values each": form(sized(10**6, 64)),
    "a product beyond all": form(sized(1000, 60), "together"),
    "a product of a million": form(sized(100, 3), "together"),
    "no questions": form([]),
    "one name for all": form([{"name": "a", "domain": {"size": 2}}] * 3),
    "a long name": form([{"name": "a" * 10**6, "domain": {"size": 2}}] * 2),
    "a name of lines": form([{"name": "a\nb", "domain": {"size": 2}}] * 2),
    "a name of a mark": form([{"name": "#end 3", "domain": {"size": 2}}] * 2),
    "a name that is a list": form([{"name": ["a"], "domain": {"size": 2}}] * 2),
    "a form in a form": form([{"name": "a", **form(sized(2, 2))}] * 2),
    "questions as a table": form({"a": {"domain": {"size": 2}}}),
    "a strategy that is a list": form(sized(2, 2), ["each"]),
    "a huge epsilon": {"form": {"strategy": "each", "epsilon": "9" * 10**5}, "questions": sized(2, 2)},
    "a fine epsilon": {"form": {"strategy": "each", "epsilon": "1/" + "9" * 599}, "questions": sized(2, 2)},
    "fingerprint of nothing": form(sized(2, 2), fingerprint="0" * 64),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_form_is_refused_in_one_line(confined, name):
    outcome, message = confined.read("form.json", json.dumps(HOSTILE[name]).encode())
    assert outcome == "refused", message


def asked(count=2, **more):
    """A questionnaire of so many yes/no questions, with more entries in the first of them."""
    questions = [{"name": f"q{i}", "question": "?", "domain": {"values": ["no", "yes"]}} for i in range(count)]
    return {"title": "T", **form([{**questions[0], **more}, *questions[1:]])}


HOSTILE_QUESTIONNAIRES = {
    "a million questions": {"title": "T", **form([{}] * 10**6)},
    "a million texts": {"title": "T", **form(["?"] * 10**6)},
    "no list of questions": {"title": "T", **form({"a": {}})},
    "words of a million answers": asked(words={str(i): "a" for i in range(10**5)}),
    "a word of a million letters": asked(words={"yes": "a" * 10**6}),
    "a word that turns the page around": asked(words={"yes": "\u202eon"}),
    "a question that is a list": asked(question=["?"]),
    "a kind that is a table": asked(kind={"a": 1}),
    "a thousand languages": {
        **asked(),
        "translations": {f"l{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}": {} for i in range(676)},
    },
    "a language that is a path": {**asked(), "translations": {"../../etc": {}}},
    "a translation in itself": {**asked(), "translations": {"de": {"translations": {"en": {}}}}},
    "a translation of other questions": {
        **asked(),
        "translations": {"de": {"questions": {"other": {"question": "?"}}}},
    },
    "labels that are a list": {**asked(), "labels": ["a"], "background": [{"name": "a"}]},
    "a title of nothing": {**asked(), "title": " "},
    "a title with a bell": {**asked(), "title": "\x07"},
}


@pytest.mark.parametrize("name", HOSTILE_QUESTIONNAIRES)
def test_a_hostile_questionnaire_is_refused_in_one_line(confined, name):
    outcome, message = confined.read("questionnaire", json.dumps(HOSTILE_QUESTIONNAIRES[name]).encode())
    assert outcome == "refused", message


def test_an_honest_questionnaire_is_read(confined):
    """The control: what the hostile ones were changed from."""
    assert confined.read("questionnaire", json.dumps(asked(words={"yes": "Yes"})).encode()) == ("ok", "")


HABITS = dc.Form({"smokes": ["no", "yes"], "drinks": ["never", "weekly", "daily"]}, "each", epsilon="2").published


def changed_law(change):
    data = json.loads(HABITS)
    change(data["form"])
    return canonical(data)


def louder(written):
    written["laws"][1]["law"]["high"] = "1" + written["laws"][1]["law"]["high"]


HOSTILE_LAWS = {
    "a strategy that nobody knows": changed_law(lambda written: written.update(strategy="all")),
    "another strategy": changed_law(lambda written: written.update(strategy="together")),
    "one law too few": changed_law(lambda written: written["laws"].pop()),
    "one name twice": changed_law(lambda written: written.update(questions=["a", "a"])),
    "a law in a law": changed_law(lambda written: written["laws"].__setitem__(0, json.loads(HABITS))),
    "a law that tells more than it says": changed_law(louder),
    "a million laws": changed_law(lambda written: written.update(laws=[{}] * 10**6, questions=["a"] * 10**6)),
    "a space": HABITS.replace(":", ": ", 1),
    "a key twice": HABITS.replace('"version"', '"version":1,"version"', 1),
}


@pytest.mark.parametrize("name", HOSTILE_LAWS)
def test_a_hostile_law_of_a_form_is_refused_in_one_line(confined, name):
    outcome, message = confined.read("form law", HOSTILE_LAWS[name].encode())
    assert outcome == "refused", message


def test_an_honest_law_of_a_form_is_read(confined):
    """The control: what the hostile ones were changed from."""
    assert confined.read("form law", HABITS.encode()) == ("ok", "")
