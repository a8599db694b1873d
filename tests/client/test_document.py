"""Descriptions of collections: read strictly, refused with a reason."""

import hashlib
import json
from datetime import UTC, datetime

import pytest

from discreet.client.addresses import address_of
from discreet.client.collection import parse_document
from discreet.core.errors import InvalidInput, Refused

HERE = address_of("https://example.org/survey")
GOOD = {
    "version": 1,
    "title": "Health survey",
    "question": "Which?",
    "fingerprint": "ab" * 32,
    "law": "law",
    "reports": "/reports",
    "changes": "refuse",
    "words": {"hiv": "HIV infection"},
    "labels": {"week": ["1", "2"]},
    "opens": "2026-11-17T00:00:00Z",
    "closes": "2026-12-17T00:00:00Z",
}


def parse(**changed):
    return parse_document(json.dumps({**GOOD, **changed}).encode(), HERE)


def test_a_description_is_read():
    found = parse()
    assert (found.title, found.question, found.changes) == ("Health survey", "Which?", "refuse")
    assert str(found.law) == "https://example.org/law"
    assert found.labels == {"week": ("1", "2")}
    assert found.closes == datetime(2026, 12, 17, tzinfo=UTC)
    needed = {key: GOOD[key] for key in ("version", "title", "question", "fingerprint", "law", "reports", "changes")}
    assert parse_document(json.dumps(needed).encode(), HERE).labels == {}
    assert (found.period, parse(period="week").period) == (None, "week")


WRONG = {
    "version": [2, "1", None, True, 1.5],
    "title": ["", " ", None, 3],
    "question": ["", None],
    "fingerprint": ["ab", "AB" * 32, None, "zz" * 32],
    "law": [None, 1, "https://other.org/law", "http://example.org/law"],
    "reports": [None, "//other.org/reports"],
    "changes": ["allow", None, []],
    "words": [None, [], {"hiv": 1}, {"hiv": ""}],
    "labels": [None, [], {"week": "1"}, {"week": []}, {"week": [1]}, {"week": ["1", "1"]}],
    "opens": [None, "2026-11-17", "2026-11-17T00:00:00+00:00", "2026-13-17T00:00:00Z", "2026-11-17T00:00:00.0Z", 0],
    "closes": [None, "tomorrow"],
    "state": [None, "ajar", True, []],
    "period": [None, "", "day", 3, ["week"]],
    "email": ["me@example.org"],
}


@pytest.mark.parametrize(("key", "entry"), [(key, entry) for key, entries in WRONG.items() for entry in entries])
def test_a_wrong_or_unknown_entry_is_refused_by_its_name(key, entry):
    with pytest.raises(Refused, match=key):
        parse(**{key: entry})


@pytest.mark.parametrize("key", ["version", "title", "question", "fingerprint", "law", "reports", "changes"])
def test_what_is_missing_is_named(key):
    data = {name: entry for name, entry in GOOD.items() if name != key}
    with pytest.raises(Refused, match=f"{key} is missing"):
        parse_document(json.dumps(data).encode(), HERE)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<html>", "this is not JSON"),
        (b"[]", "must be described by a JSON object"),
        (b"\xff\xfe", "cannot be read"),
        (json.dumps(GOOD).replace('"title"', '"title": "x", "title"').encode(), "'title' appears twice"),
        (b'{"version": NaN}', "NaN"),
        (b"[" * 100_000, "cannot be read"),
    ],
)
def test_what_is_no_such_document_is_refused(content, reason):
    with pytest.raises(Refused, match=reason):
        parse_document(content, HERE)


def test_a_collection_is_open_from_one_moment_to_another():
    found = parse()
    found.check_open(datetime(2026, 11, 17, tzinfo=UTC))
    found.check_open(datetime(2026, 12, 16, 23, 59, 59, tzinfo=UTC))
    with pytest.raises(Refused, match="opens at 2026-11-17 00:00:00 UTC"):
        found.check_open(datetime(2026, 11, 16, 23, 59, 59, tzinfo=UTC))
    with pytest.raises(Refused, match="was closed at 2026-12-17 00:00:00 UTC"):
        found.check_open(datetime(2026, 12, 17, tzinfo=UTC))


@pytest.mark.parametrize(("state", "reason"), [("waiting", "is not open yet"), ("closed", "was closed by its owner")])
def test_a_collection_that_says_it_takes_no_answers_is_refused_with_the_reason(state, reason):
    now = datetime(2026, 11, 20, tzinfo=UTC)
    parse(state="open").check_open(now)
    with pytest.raises(Refused, match=f"{reason}, and takes no answers"):
        parse(state=state).check_open(now)


def test_a_wording_is_title_question_and_words_letter_by_letter():
    words = {"\U0001f600": "b", "\uffee": "a"}  # by code points, not by halves of UTF-16
    text = '["A title","Où \\"là\\"?",{"\uffee":"a","\U0001f600":"b"}]'
    asked = {"title": "A title", "question": 'Où "là"?', "words": words}
    found = parse(**asked).wording
    assert found == hashlib.sha256(text.encode()).hexdigest()
    assert parse(**asked, changes="spend").wording == found
    for other in (
        {"title": "Another"},
        {"question": 'Ou\u0300 "là"?'},
        {"question": 'Où "là"? '},
        {"words": {}},
        {"words": words | {"c": "c"}},
    ):
        assert parse(**asked | other).wording != found


def test_only_declared_labels_go_with_an_answer():
    found = parse()
    assert found.check_labels({"week": "2"}) == {"week": "2"}
    assert found.check_labels({}) == {}
    with pytest.raises(Refused, match="label 'name' must be one that the collection declares: 'week'"):
        found.check_labels({"name": "Ada"})
    with pytest.raises(Refused, match="label 'week' must be one of '1', '2'"):
        found.check_labels({"week": "3"})
    with pytest.raises(InvalidInput, match="labels must map"):
        found.check_labels(["week"])
