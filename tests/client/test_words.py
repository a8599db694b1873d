"""Words for values: none may pass for another answer, whatever characters it is written with."""

import pytest

import discreet as dc
from discreet.client.words import appearance, check_words
from discreet.core.errors import InvalidInput, Refused

DISEASES = dc.Domain(["none", "cold", "hiv"])

HOSTILE = {
    "two values swapped": {"cold": "hiv", "hiv": "cold"},
    "the text of another value": {"cold": "hiv"},
    "another case": {"cold": "HIV"},
    "another width": {"cold": "\uff28\uff29\uff36"},
    "an invisible character": {"cold": "h\u200biv"},
    "a soft hyphen": {"cold": "hi\u00adv"},
    "a variation selector": {"cold": "hiv\ufe0f"},
    "a space": {"cold": "hiv "},
    "one word for two values": {"cold": "HIV infection", "hiv": "hiv infection"},
    "one word for two values, written otherwise": {"cold": "stra\u00dfe", "none": "STRASSE"},
    "nothing that is seen": {"cold": "\u200b\u2060"},
    "a blank letter": {"cold": "\u3164"},
    "turned around": {"cold": "\u202evih\u202c"},
    "turned around, isolated": {"cold": "\u2067vih\u2069"},
    "turned around by a mark": {"cold": "\u200f1\u200f/\u200f2"},
    "turned around by an Arabic mark": {"cold": "\u061c1-2"},
    "a mark that does nothing": {"cold": "\u200ea cold"},
}
HARMLESS = {
    "none": {},
    "its own text": {"hiv": "HIV", "cold": "cold"},
    "others": {"hiv": "HIV infection", "cold": "a cold, or the flu", "none": "none of these"},
    "joined letters": {
        "hiv": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "cold": "\U0001f468\u200d\u2695\ufe0f",
    },
    "for what is no value": {"plague": "Plague"},
}


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_words_that_can_be_taken_for_another_answer_are_refused(words):
    with pytest.raises(InvalidInput, match="must"):
        check_words(DISEASES, words)


@pytest.mark.parametrize("words", HARMLESS.values(), ids=HARMLESS)
def test_other_words_are_taken(words):
    check_words(DISEASES, words)


def test_numbers_have_texts_too():
    check_words(dc.Domain(range(10**6)), {})
    check_words(dc.Domain(range(5)), {"3": "three"})
    with pytest.raises(InvalidInput, match="must not look like '4', a value"):
        check_words(dc.Domain(range(5)), {"3": "\u2463"})  # a 4 in a circle


ALIKE = [["hiv", "hiv\u200b"], ["a", "a "], ["a", "\u202eb"], ["a", "\u2060"], ["2", "\u200f1/2"]]


@pytest.mark.parametrize("values", ALIKE)
def test_values_that_look_alike_or_cannot_be_seen_are_refused(values):
    with pytest.raises(InvalidInput, match=r"values: .* must be visible"):
        check_words(dc.Domain(values), {})
    check_words(dc.Domain(["a", "A", "b"]), {"b": "c"})  # case alone tells values apart, and not words
    with pytest.raises(InvalidInput, match="must not look like 'a'"):
        check_words(dc.Domain(["a", "A", "b"]), {"b": "a"})


def test_an_appearance_has_neither_case_nor_blanks():
    assert appearance(" H\u200bi\u00a0V\n") == appearance("hiv") != appearance("hi")


MISREAD = "shows one answer as another|turn the direction of writing"


def test_a_collection_whose_words_swap_two_values_is_not_opened(Collector, client):
    law = dc.mechanism(dc.Context.high_low(["none", "cold", "hiv"], ["cold"], "1"))
    for words in HOSTILE.values():
        with Collector(law, words=words).serving() as url, pytest.raises(Refused, match=MISREAD):
            client.open(url)
    with Collector(law, words={"hiv": "HIV infection"}).serving() as url:
        collection = client.open(url)
    assert collection.promise_for("hiv").startswith("This answer is not protected")
    assert collection.promise_for("cold").startswith("This answer is protected: compared with any other")


def swapped_labels(words):
    """A document whose public labels are shown in other words."""
    towns = {"name": "town", "question": "Where do you live?", "words": words}
    return {"labels": {"town": ["none", "cold", "hiv"]}, "background": [towns]}


def test_a_collection_whose_words_swap_two_public_labels_is_not_opened(Collector, client):
    law = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
    for words in HOSTILE.values():
        with Collector(law, **swapped_labels(words)).serving() as url, pytest.raises(Refused, match=MISREAD):
            client.open(url)
    with Collector(law, **swapped_labels({"cold": "a cold town"})).serving() as url:
        assert client.open(url).background["town"].words == {"cold": "a cold town"}


NAMES = {"turned around": "\u202eB", "turned around by a mark": "\u200f1/2", "nothing that is seen": "\u2060", "": ""}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_collection_whose_blocks_cannot_be_read_is_not_opened(name, Collector, client):
    def law(names):
        return dc.mechanism(dc.Context.blocks(dict(zip(names, (["a", "b"], ["c", "d"]), strict=True)), "1"))

    with Collector(law(["A", name])).serving() as url, pytest.raises(Refused, match=r"blocks: .* must be visible"):
        client.open(url)
    with Collector(law(["A", "B"])).serving() as url:
        assert "groups" in client.open(url).promise[1]
