"""One person's side: what is checked before an answer, what is kept, and what is sent."""

import hashlib
import json
import traceback
from datetime import UTC, datetime
from fractions import Fraction

import pytest

import discreet as dc
from discreet.core.errors import AlreadyAnswered, InvalidInput, Overspent, Refused, UnknownValue, Unreachable
from discreet.wire import report_from_json

WORDING = hashlib.sha256(b'["Health survey","Which of these have you had?",{}]').hexdigest()


def test_an_answer_is_checked_paid_for_stored_and_sent(client, collector, url, survey):
    collection = client.open(url)
    assert (collection.title, collection.question) == ("Health survey", "Which of these have you had?")
    assert (collection.epsilon, collection.shows, collection.fingerprint) == (1, False, survey.fingerprint)
    assert list(collection.values) == list(range(40))
    assert collection.name == url
    assert repr(collection) == f"<Collection 'Health survey' at {url}, epsilon=1>"
    receipt = collection.answer(7)
    assert (receipt.state, receipt.status, receipt.epsilon, receipt.collection) == ("accepted", 201, 1, url)
    assert (client.ledger.spent, client.ledger.left, client.queued) == (1, 3, [])
    (body,) = collector.uploads.values()
    assert receipt.sent == body.decode()
    data = json.loads(body)
    assert set(data) == {"version", "fingerprint", "reports"}
    assert report_from_json(survey, data["reports"][0]) >= 0
    kinds = [entry.kind for entry in client.ledger.entries]
    assert kinds == ["cap", "terms", "debit", "report", "upload", "outcome"]
    assert receipt.as_dict()["epsilon"] == "1"
    assert "spent=1 of 4" in repr(client)


def test_the_headers_that_are_sent_are_these_and_no_others(client, collector, url):
    client.open(url).answer(7)
    assert [(seen.method, sorted(seen.headers)) for seen in collector.seen] == [
        ("GET", ["accept", "host"]),
        ("GET", ["accept", "host"]),
        ("GET", ["accept", "host"]),
        ("POST", ["accept", "content-length", "content-type", "host", "idempotency-key"]),
    ]


NOT_OPEN = [
    ("closed", "was closed by its owner"),
    ("waiting", "is not open yet"),
    ("full", "has no room for answers now; try again later"),
]


@pytest.mark.parametrize(("state", "reason"), NOT_OPEN)
def test_a_collection_that_is_not_open_is_refused_before_anything_is_spent(client, collector, url, state, reason):
    collection = client.open(url)
    collector.document["state"] = state
    for attempt in (lambda: client.open(url), lambda: collection.answer(7)):
        with pytest.raises(Refused, match=reason):
            attempt()
    assert [entry.kind for entry in client.ledger.entries] == ["cap"]
    assert not any(seen.method == "POST" for seen in collector.seen)
    collector.document["state"] = "open"
    assert collection.answer(7).state == "accepted"


def test_a_collection_that_closes_while_the_report_is_on_its_way_says_what_that_means(client, collector, url, Reply):
    problem = {"Content-Type": "application/problem+json"}
    collector.replies["/survey/reports"] = [Reply(409, problem, b'{"code":"closed"}')]
    receipt = client.open(url).answer(7)
    assert (receipt.state, receipt.code, client.ledger.spent) == ("refused", "closed", 1)
    assert receipt.reason.startswith("the collection was closed before the report came")


def test_a_collection_that_describes_itself_anew_must_be_opened_again(client, collector, url):
    collection = client.open(url)
    collector.document["changes"] = "spend"
    with pytest.raises(Refused, match="has changed since it was opened: open it again"):
        collection.answer(7)
    assert client.ledger.spent == 0


def test_one_question_gets_one_report_at_every_address(client, collector, url, survey, Collector):
    first, other = client.open(url).answer(7), Collector(survey)
    with other.serving() as there:
        receipt = client.open(there).answer(7)
    assert (receipt.state, receipt.epsilon, client.ledger.spent) == ("accepted", 0, 1)
    assert other.reports == collector.reports
    assert receipt.upload != first.upload
    assert [entry.wording for entry in client.ledger.entries if entry.kind == "report"] == [WORDING] * 2


@pytest.mark.parametrize("other", [{"question": "Which of these?"}, {"words": {"7": "seven"}}, {"title": "Another"}])
def test_a_collection_must_keep_the_question_that_was_answered(client, collector, url, other):
    client.open(url).answer(7)
    collector.document.update(other)
    with pytest.raises(Refused, match="asked something else when it was answered"):
        client.open(url)
    assert client.ledger.spent == 1


@pytest.mark.parametrize(
    "other", [{"question": "Which of these have you had? "}, {"words": {"7": "seven"}}, {"title": "Another survey"}]
)
def test_another_question_under_the_same_law_is_paid_for_and_gets_its_own_report(
    client, collector, url, survey, Collector, other
):
    client.open(url).answer(7)
    there = Collector(survey)
    there.document.update(other)
    with there.serving() as address:
        opened = client.open(address)
        (warning,) = opened.warnings
        receipt = opened.answer(7)
    assert f"were also answers to {url}, which you answered before" in warning
    assert (receipt.state, receipt.epsilon, client.ledger.spent) == ("accepted", 1, 2)
    assert there.reports != collector.reports  # 40 bits: equal in fewer than one of 10^6 pairs of draws


def test_a_question_with_answers_of_another_law_is_warned_about(client, url, Collector):
    client.open(url).answer(7)
    with Collector(dc.mechanism(dc.Context.uniform(range(30, 50), "1"), "unary")).serving() as there:
        assert client.open(there).warnings == [
            f"10 of these 20 answers were also answers to {url}, which you answered before: "
            "if both ask the same of you, what they show adds up."
        ]
    assert client.open(url).warnings == []


def test_the_same_answer_again_is_not_sent_again(client, collector, url, make_client):
    first = client.open(url).answer(7)
    again = make_client(cap=None).open(url).answer(7)
    assert (again.state, again.upload, again.sent) == ("accepted", first.upload, first.sent)
    assert (len(collector.uploads), client.ledger.spent) == (1, 1)
    assert sum(seen.method == "POST" for seen in collector.seen) == 1


def test_a_changed_answer_is_refused_unless_the_collection_takes_it(client, collector, url):
    client.open(url).answer(7)
    with pytest.raises(AlreadyAnswered):
        client.open(url).answer(8)
    assert client.ledger.spent == 1
    collector.document["changes"] = "spend"
    receipt = client.open(url).answer(8)
    assert (receipt.epsilon, client.ledger.spent, len(collector.reports)) == (2, 2, 2)


def test_labels_are_sent_beside_the_report_which_stays_the_same(client, collector, url):
    collector.document |= {"labels": {"week": ["1", "2"]}, "period": "week"}
    collection = client.open(url)
    for week in ("1", "2", "2"):
        assert collection.answer(7, labels={"week": week}).state == "accepted"
    first, second = (json.loads(body) for body in collector.uploads.values())
    assert (first["labels"], second["labels"]) == ({"week": "1"}, {"week": "2"})
    assert first["reports"] == second["reports"]
    assert client.ledger.spent == 1
    with pytest.raises(Refused, match="label 'name' must be one that the collection declares"):
        collection.answer(7, labels={"name": "Ada"})


@pytest.mark.parametrize(
    ("period", "sent"),
    [
        (None, [{"week": "1", "land": "a"}]),
        ("week", [{"week": "1", "land": "a"}, {"week": "2", "land": "a"}, {}]),
        ("land", [{"week": "1", "land": "a"}, {"week": "1", "land": "b"}, {}]),
    ],
)
def test_a_report_is_sent_once_or_once_in_each_period(client, collector, url, period, sent):
    collector.document["labels"] = {"week": ["1", "2"], "land": ["a", "b"]}
    if period is not None:
        collector.document["period"] = period
    collection = client.open(url)
    told = [{"week": "1", "land": "a"}, {"week": "1", "land": "b"}, {"week": "2", "land": "a"}, {}]
    receipts = [collection.answer(7, labels=labels) for labels in told * 2]
    bodies = [json.loads(body) for body in collector.uploads.values()]
    assert [body.get("labels", {}) for body in bodies] == sent
    assert len({str(body["reports"]) for body in bodies}) == client.ledger.spent == 1
    assert {(receipt.state, receipt.upload) for receipt in receipts} == {("accepted", one) for one in collector.uploads}
    assert sum(seen.method == "POST" for seen in collector.seen) == len(sent)


def test_a_refused_report_is_sent_again_under_other_labels(client, collector, url, Reply):
    collector.document["labels"] = {"week": ["1", "2"]}
    collection = client.open(url)
    collector.replies["/survey/reports"] = [Reply(422), Reply(201)]
    states = [collection.answer(7, labels={"week": week}).state for week in ("1", "2", "1")]
    assert states == ["refused", "accepted", "accepted"]
    assert sum(seen.method == "POST" for seen in collector.seen) == 2


def test_an_answer_given_offline_is_queued_and_flushed_later(client, collector, make_client, waits):
    with collector.serving() as url:
        collection = client.open(url)
    receipt = collection.answer(7)
    assert (receipt.state, receipt.status, len(waits)) == ("queued", None, 4)
    assert "could not be reached" in receipt.reason
    assert [upload.upload for upload in client.queued] == [receipt.upload]
    assert client.flush()[0].state == "queued"
    assert collection.answer(7).upload == receipt.upload  # no second upload
    assert client.ledger.spent == 1


def test_what_is_queued_is_sent_with_the_same_bytes_by_another_run(client, collector, url, make_client, Reply):
    collector.replies["/survey/reports"] = [Reply(503)]
    queued = client.open(url).answer(7)
    assert (queued.state, queued.status) == ("queued", 503)
    tried = [seen for seen in collector.seen if seen.method == "POST"]
    assert len(tried) == 5
    del collector.replies["/survey/reports"]
    (receipt,) = make_client(cap=None).flush()
    assert (receipt.state, receipt.upload, receipt.sent) == ("accepted", queued.upload, queued.sent)
    assert {(seen.body, seen.headers["idempotency-key"]) for seen in tried} == {(queued.sent.encode(), queued.upload)}
    assert client.flush() == []


def test_a_collector_that_is_away_is_not_tried_for_each_of_its_uploads(client, collector, url, Reply, waits):
    collector.document["changes"] = "spend"
    collector.replies["/survey/reports"] = [Reply(503)]
    collection = client.open(url)
    collection.answer(7)
    collection.answer(8)
    before = len(collector.seen)
    assert [receipt.state for receipt in client.flush()] == ["queued"]
    assert len(collector.seen) == before + 5
    del collector.replies["/survey/reports"]
    assert [receipt.state for receipt in client.flush()] == ["accepted", "accepted"]


def test_a_collector_may_ask_for_a_pause(client, collector, url, Reply, waits):
    collector.replies["/survey/reports"] = [Reply(429, {"Retry-After": "7"}), Reply(201)]
    assert client.open(url).answer(7).state == "accepted"
    assert waits == [7]


def test_a_refused_answer_says_why_and_may_be_given_again(client, collector, url, Reply):
    problem = Reply(409, {"Content-Type": "application/problem+json"}, b'{"code": "closed"}')
    collector.replies["/survey/reports"] = [problem]
    receipt = client.open(url).answer(7)
    assert (receipt.state, receipt.status, receipt.code) == ("refused", 409, "closed")
    assert client.queued == []
    del collector.replies["/survey/reports"]
    again = client.open(url).answer(7)
    assert (again.state, again.epsilon) == ("accepted", 1)
    assert again.upload != receipt.upload
    assert again.sent == receipt.sent


def test_reports_that_were_stored_and_never_sent_go_into_the_next_upload(client, collector, url, survey):
    collector.document["changes"] = "spend"
    collection = client.open(url)
    for value in (1, 2):
        client.ledger.randomize(survey, value, dc.random.secure(), question=collection.name, changes="spend")
    collection.answer(3)
    assert len(collector.uploads) == 1
    assert len(collector.reports) == 3
    collection.answer(1)
    assert len(collector.uploads) == 1


def test_values_are_also_known_by_their_text_and_never_repeated(client, url):
    collection = client.open(url)
    assert collection.value_of("7") == 7
    for wrong in (lambda: collection.value_of("HIV positive"), lambda: collection.answer("HIV positive")):
        with pytest.raises(UnknownValue) as refused:
            wrong()
        told = "".join(traceback.format_exception(refused.value))
        told = "\n".join(line for line in told.splitlines() if "lambda" not in line)
        assert "HIV" not in told
    assert client.ledger.spent == 0


def test_a_ledger_is_needed_and_is_in_the_data_folder_unless_told_otherwise(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert dc.client.default_ledger() == tmp_path / "discreet" / "ledger.jsonl"
    with pytest.raises(InvalidInput, match="must be a ledger, and there is none"):
        dc.client.Client()
    assert dc.client.Client(cap=2).ledger.left == 2
    assert dc.client.Client().ledger.left == 2
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert dc.client.default_ledger() == tmp_path / ".local" / "share" / "discreet" / "ledger.jsonl"


# -- a collector that lies --------------------------------------------------------------------------

OTHER = dc.mechanism(dc.Context.uniform(range(40), "1"), "hadamard")
GREEDY = dc.mechanism(dc.Context.uniform(range(40), "9"), "unary")


LIES = {
    "the fingerprint of another law": (
        lambda c: c.document.update(fingerprint=OTHER.fingerprint),
        "not the one that its fingerprint stands for",
    ),
    "another law": (
        lambda c: setattr(c, "law", OTHER.published.encode()),
        "not the one that its fingerprint stands for",
    ),
    "one more byte": (lambda c: setattr(c, "law", c.law + b"\n"), "not the one that its fingerprint stands for"),
    "a law that leaks": (
        lambda c: _swap(c, c.law.replace(b'"epsilon":"1"', b'"epsilon":"0.5"')),
        "does not keep its promise: .* leaks",
    ),
    "a law of another form": (lambda c: _swap(c, c.law.replace(b",", b", ")), "does not keep its promise: .*canonical"),
    "a law that is no text": (lambda c: _swap(c, b"\xff"), "is not text"),
    "a law that asks for too much": (
        lambda c: _swap(
            c, b'{"context":{"epsilon":"1","form":"uniform"},"domain":{"size":9000000},"law":{},"version":2}'
        ),
        "asks for too much",
    ),
    "a law elsewhere": (lambda c: c.document.update(law="https://other.example/law"), "law=.* must be at http"),
    "reports to somebody else": (lambda c: c.document.update(reports="//other.example/r"), "reports="),
    "a law that is not there": (lambda c: c.document.update(law="/nowhere"), "answered with status 404"),
    "an unknown entry": (lambda c: c.document.update(cookie="x"), "'cookie' .* is not known"),
    "a time that is over": (lambda c: c.document.update(closes="2026-11-17T11:59:59Z"), "was closed at"),
    "a time to come": (lambda c: c.document.update(opens="2026-11-18T00:00:00Z"), "opens at"),
}


def _swap(collector, law):
    """Another law, with its own fingerprint."""
    collector.law = law
    collector.document["fingerprint"] = hashlib.sha256(law).hexdigest()


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_refused_with_a_reason_and_costs_nothing(client, collector, url, lie):
    change, reason = LIES[lie]
    change(collector)
    with pytest.raises(Refused, match=reason):
        client.open(url)
    assert client.ledger.spent == 0
    assert [seen.method for seen in collector.seen].count("POST") == 0


REPLIES = {
    "a redirect": ("/survey", {"status": 302, "headers": {"Location": "/survey/law"}}, Refused, "not followed"),
    "a redirect of the law": ("/survey/law", {"status": 308}, Refused, "redirects are not followed"),
    "too large": ("/survey", {"body": b" " * 65_537}, Refused, "must have at most 65536 bytes"),
    "no JSON": ("/survey", {"body": b"<html>"}, Refused, "this is not JSON"),
    "a key twice": ("/survey", {"body": b'{"version": 1, "version": 1}'}, Refused, "'version' appears twice"),
    "not there": ("/survey", {"status": 404}, Refused, "status 404"),
    "a fault": ("/survey", {"status": 503}, Unreachable, "status 503; try again later"),
    "a pause": ("/survey/law", {"status": 429}, Unreachable, "status 429; try again later"),
}


@pytest.mark.parametrize("name", REPLIES)
def test_a_strange_answer_is_refused_with_a_reason(client, collector, url, Reply, name):
    path, reply, error, reason = REPLIES[name]
    collector.replies[path] = [Reply(**reply)]
    with pytest.raises(error, match=reason):
        client.open(url)


def test_a_law_beyond_the_limit_is_not_read(client, collector, url):
    with dc.limits.raised(bytes=100), pytest.raises(Refused, match=r"the law .* must have at most 100 bytes"):
        client.open(url)


def test_a_law_beyond_the_cap_is_not_paid_for(client, Collector):
    greedy = Collector(GREEDY)
    with greedy.serving() as url:
        collection = client.open(url)
        with pytest.raises(Overspent, match="costs 9, more than the 4 that remains of your privacy budget of 4"):
            collection.answer(7)
        assert greedy.uploads == {}
    assert client.ledger.spent == 0


def test_a_law_that_changes_after_an_answer_is_refused(client, collector, url):
    client.open(url).answer(7)
    _swap(collector, OTHER.published.encode())
    with pytest.raises(Refused, match="was answered under another law"):
        client.open(url)
    with pytest.raises(Refused, match="was answered under another law"):
        client.ledger.randomize(OTHER, 7, dc.random.secure(), question=url)
    assert (client.ledger.spent, len(collector.uploads)) == (1, 1)


def test_a_collection_that_closes_while_it_is_open_takes_no_answer(collector, url, make_client):
    moments = [datetime(2026, 11, 17, 11, tzinfo=UTC), datetime(2026, 11, 17, 13, tzinfo=UTC)]
    collector.document["closes"] = "2026-11-17T12:00:00Z"
    client = make_client(now=lambda: moments.pop(0))
    collection = client.open(url)
    with pytest.raises(Refused, match="was closed"):
        collection.answer(7)
    assert client.ledger.spent == 0


@pytest.mark.parametrize("url", ["http://example.org/survey", "https://me@example.org/", "ftp://localhost/"])
def test_an_address_that_is_not_safe_is_not_asked(make_client, url):
    class Silent:
        def send(self, request, *, limit):
            raise AssertionError("nothing must be sent")

    with pytest.raises(Refused):
        make_client(transport=Silent()).open(url)


def test_the_words_of_a_collection_are_for_display_only(client, collector, url):
    collector.document["words"] = {"7": "seven"}
    collection = client.open(url)
    assert collection.words == {"7": "seven"}
    with pytest.raises(UnknownValue):
        collection.value_of("seven")
    assert collection.answer(7).epsilon == Fraction(1)
