"""Whatever crashes between a value and its report at the collector: in the end each answer is counted once."""

import random
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

import discreet as dc
from discreet.client import Response
from discreet.client.addresses import address_of
from discreet.client.collection import Collection, Document
from discreet.client.ledger import Ledger
from discreet.client.uploading import ClientSession
from discreet.core.canonical import loads
from discreet.core.errors import AlreadyAnswered, Overspent, Unreachable
from discreet.wire.form import Form
from discreet.wire.texts import QuestionTexts, Texts

PATH = Path("/home/one/ledger.jsonl")
LABELS = ({}, {"week": "1"}, {"week": "2"})


class Flaky:
    """A collector that keeps uploads by their number, behind a network that fails and a machine that crashes."""

    def __init__(self, chance, crash):
        self.chance, self.crash = chance, crash
        self.kept, self.crashing = {}, 0.2

    def send(self, request, *, limit):
        if request.method == "GET":  # whether it is open; where that is not known, it is as it was
            raise Unreachable("no network")
        number, roll = request.headers["Idempotency-Key"], self.chance.random()
        if roll < 0.2:
            raise Unreachable("no network")
        if roll < 0.4:
            return Response(503, {}, b"")
        assert self.kept.setdefault(number, request.body) == request.body
        if roll < 0.5:
            raise Unreachable("it was taken, and the answer was lost")
        if self.chance.random() < self.crashing:
            raise self.crash
        return Response(200, {}, b"")

    def counted(self):
        """How often each report was counted under each labels."""
        found = Counter()
        for body in self.kept.values():
            data = loads(body, ValueError)
            found.update((report, str(data.get("labels", {}))) for report in data["reports"])
        return found


HALF = dc.mechanism(dc.Context.uniform(range(40), "1/2"), "unary")
FORM = Form({"one": HALF, "two": HALF}, "each")


def history(seed, lossy, law):
    """What was counted at the end of a random history, and what was accepted in it."""
    chance = random.Random(seed)
    disk, flaky = lossy.LossyDisk(chance), Flaky(chance, lossy.Crash)
    here = address_of("https://a.example/survey")
    now = datetime(2026, 11, 17, tzinfo=UTC)
    weeks = {"week": ("1", "2")}
    names = law.names if isinstance(law, Form) else ("",)
    texts = Texts(title="t", questions={name: QuestionTexts("q") for name in names})
    document = Document(here, texts, law.fingerprint, here, here, "spend", weeks, None, None, period="week")
    accepted, crashes, wanted = set(), 0, set()
    for step in range(13):
        last = step == 12
        disk.crash_at = disk.steps + chance.randint(1, 30) if chance.random() < 0.6 and not last else None
        flaky.crashing = 0 if last else 0.2
        value, labels = chance.randrange(2), chance.choice(LABELS)
        try:
            session = ClientSession(Ledger(PATH, 2, disk=disk), flaky, lambda _: None, lambda: now)
            if last or chance.random() < 0.2:
                while last and session.ledger.queued():
                    session.deliver(session.ledger.queued()[0])
                for upload in session.ledger.queued():
                    session.deliver(upload)
                continue
            answer = dict.fromkeys(names, value) if isinstance(law, Form) else value
            receipt = Collection(document, law, session).answer(answer, labels=labels)
            wanted.add((value, str(labels)))
            if receipt.state == "accepted":
                accepted.add((value, str(labels)))
        except lossy.Crash:
            crashes += 1
            disk.lose_power() if chance.random() < 0.5 else disk.killed()
        except (Overspent, AlreadyAnswered):
            pass
    return flaky, accepted, wanted, crashes, session.ledger


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["a question", "a questionnaire"])
def test_every_answer_is_counted_once_however_often_it_was_sent(lossy, survey, asked):
    crashes = 0
    for seed in range(300):
        flaky, accepted, wanted, more, ledger = history(seed, lossy, survey if asked == "a question" else FORM)
        crashes += more
        counted = flaky.counted()
        assert max(counted.values(), default=0) <= 1, seed
        assert len({report for report, _ in counted}) <= 2, seed  # two values, one report each
        assert accepted <= wanted
        assert len(counted) >= len(wanted), seed  # what was not refused is there in the end
        assert ledger.spent <= 2, seed
        assert ledger.queued() == [], seed
    assert crashes > 800


def test_a_client_that_forgets_the_number_of_its_upload_is_caught(lossy, survey, monkeypatch):
    """The control: an upload with a new number each time is counted twice."""
    import secrets

    send = Flaky.send

    def renumbered(self, request, *, limit):
        if request.method == "POST":
            request.headers["Idempotency-Key"] = secrets.token_hex(16)
        return send(self, request, limit=limit)

    monkeypatch.setattr(Flaky, "send", renumbered)
    counts = [max(history(seed, lossy, survey)[0].counted().values(), default=0) for seed in range(30)]
    assert max(counts) > 1
