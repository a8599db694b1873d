"""Uploads: accepted, refused or tried again, each time with the same bytes."""

from datetime import UTC, datetime

import pytest

from discreet.client import Response
from discreet.client.ledger import Upload
from discreet.client.uploading import ClientSession, Delivery, outcome, wait
from discreet.core.errors import Unreachable

NOW = datetime(2026, 11, 17, 12, 0, 0, tzinfo=UTC)
UPLOAD = Upload("0" * 32, "https://a.example/", "https://a.example/reports", '{"reports":["é"]}')
PROBLEM = {"content-type": "application/problem+json; charset=utf-8"}


class Script:
    """A transport that gives these answers one after the other, the last one for good."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def send(self, request, *, limit):
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def status(number, headers=None, body=b""):
    return Response(number, headers or {}, body)


def send(*answers):
    waits, script = [], Script(*answers)
    sent = ClientSession(None, script, waits.append, lambda: NOW).send(UPLOAD)
    assert {(request.body, request.headers["Idempotency-Key"]) for request in script.requests} == {
        (UPLOAD.body.encode(), UPLOAD.upload)
    }
    return sent, waits, len(script.requests)


@pytest.mark.parametrize("number", [200, 201, 202, 204])
def test_what_is_accepted_is_sent_once(number):
    assert send(status(number)) == (Delivery("accepted", number), [], 1)


@pytest.mark.parametrize("number", [301, 302, 307, 308, 400, 401, 403, 404, 409, 413, 422])
def test_what_is_refused_is_sent_once(number):
    assert send(status(number)) == (Delivery("refused", number), [], 1)


@pytest.mark.parametrize("number", [408, 425, 429, 500, 502, 503, 507])
def test_what_may_pass_later_is_tried_five_times_and_stays_queued(number):
    sent, waits, tries = send(status(number))
    assert (sent.state, sent.status, tries, len(waits)) == ("queued", number, 5, 4)
    assert sent.reason == f"https://a.example answered with status {number}"
    for pause, longest in zip(waits, [1, 2, 4, 8], strict=True):
        assert longest / 2 <= pause <= longest


def test_a_collector_that_cannot_be_reached_is_tried_again():
    sent, waits, tries = send(Unreachable("no network"), status(503), status(200))
    assert (sent, tries, len(waits)) == (Delivery("accepted", 200), 3, 2)
    sent, _, tries = send(Unreachable("no network"))
    assert (sent, tries) == (Delivery("queued", None, None, "no network"), 5)


def test_pauses_are_at_most_a_minute_and_differ():
    pauses = [wait(20, None, NOW) for _ in range(50)]
    assert 30 <= min(pauses) < max(pauses) <= 60
    assert len(set(pauses)) > 40


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("7", 7),
        ("0", 0),
        ("86400", 3600),
        ("Tue, 17 Nov 2026 12:00:30 GMT", 30),
        ("Tue, 17 Nov 2026 11:00:00 GMT", 0),
        ("Tue, 17 Nov 2026 12:00:30 -0000", 30),
    ],
)
def test_the_collector_may_ask_for_a_pause_of_an_hour_at_most(asked, seconds):
    assert wait(0, status(429, {"retry-after": asked}), NOW) == seconds


@pytest.mark.parametrize("asked", ["soon", "-5", "1.5", "", "٣", "9" * 400])
def test_what_is_no_pause_is_passed_over(asked):
    assert 0.5 <= wait(0, status(429, {"retry-after": asked}), NOW) <= 1


def test_a_long_pause_is_left_to_a_later_call():
    sent, waits, tries = send(status(429, {"retry-after": "5"}), status(503, {"retry-after": "600"}))
    assert (sent.state, waits, tries) == ("queued", [5], 2)


@pytest.mark.parametrize(
    ("headers", "body", "code"),
    [
        (PROBLEM, b'{"code": "conflict", "title": "x"}', "conflict"),
        (PROBLEM, b'{"code": 3}', None),
        (PROBLEM, b'{"code": "a\\u001b[2J"}', None),
        (PROBLEM, b'{"code": "a", "code": "b"}', None),
        (PROBLEM, b"[]", None),
        (PROBLEM, b"<", None),
        ({"content-type": "application/json"}, b'{"code": "closed"}', None),
        ({}, b'{"code": "closed"}', None),
    ],
)
def test_the_code_of_a_problem_is_told(headers, body, code):
    assert outcome(Response(409, headers, body)) == Delivery("refused", 409, code)
    assert outcome(Response(409, headers, body, whole=False)) == Delivery("refused", 409, None)
