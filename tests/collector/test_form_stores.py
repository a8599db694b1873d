"""A questionnaire survives what a single question does: restarts, kills, recounts, mixing, forgetting, old stores."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

import numpy as np
import pytest
from asking import DECLARATION, Asker
from running import running
from stores import postgres_in, sqlite_in
from test_forms import answers, as_json, body, declared, packed, spec

from discreet.bulk.words import seeded
from discreet.collector.declaration import restore_declaration
from discreet.collector.http.upload_decoder import PACKED
from discreet.collector.store import tallies
from discreet.collector.store.protocol import UploadRecord
from discreet.collector.store.writer import GroupCommitWriter
from discreet.questionnaires.packing import pack_reports, unpack_reports
from discreet.wire import parse_published
from discreet.wire.form import STRATEGIES
from discreet.wire.form_reports import ReportPacking


@pytest.fixture(params=[sqlite_in, pytest.param(postgres_in, marks=pytest.mark.long)], ids=["SQLite", "PostgreSQL"])
def folder_store(request, tmp_path):
    """Makes a service on the store of this test, again and again, each after the one before it has stopped."""
    open_now = []

    def stop():
        for asker, writer in open_now:
            asker.run(writer.stop())
            asker.stop()
            asker.store.shut()
        open_now.clear()

    def start():
        tokens = open_now[0][0].tokens if open_now else None
        stop()
        store = request.param(tmp_path)
        writer = GroupCommitWriter(store)
        asker = Asker(store, writer, tmp_path)
        asker.tokens = asker.tokens if tokens is None else tokens
        open_now.append((asker, writer))
        return asker

    yield start
    stop()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_form_is_the_same_after_a_restart(folder_store, strategy, monkeypatch):
    monkeypatch.setattr(tallies, "TAIL_REPORTS", 100)
    service = folder_store()
    texts = {"thanks": "Thank you.", "translations": {"de": {"title": "Heute"}}}
    name = service.made(**declared(strategy, minimum=5, **texts))
    form = service.mechanism(name)
    numbers, reports = packed(form, 300, 1)
    service.upload(name, body(form, numbers, week="2"), kind=PACKED)
    paths = (f"/collections/{name}", f"/collections/{name}/law")
    before = [service.get(path).content for path in paths]
    shares = service.get(f"/collections/{name}/shares?by=week", role="analyst").content
    tallies.count_reports(service.store, name, form)
    assert service.store.snapshot(name).position > 0
    again = folder_store()
    assert [again.get(path).content for path in paths] == before
    assert again.get(f"/collections/{name}/shares?by=week", role="analyst").content == shares
    again.send(name, as_json(form, numbers[:10]), labels={"week": "2"})
    total = form.tally(reports) + form.tally(unpack_reports(ReportPacking(form), numbers[:10]))
    assert again.get(f"/collections/{name}/tally", role="analyst").json == total.to_json()
    assert again.store.check() == []


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_check_counts_the_reports_of_a_form_again(folder_store, strategy, monkeypatch):
    monkeypatch.setattr(tallies, "TAIL_REPORTS", 10)
    service = folder_store()
    name = service.made(**declared(strategy, minimum=1))
    form = service.mechanism(name)
    for week in ("1", "2"):
        service.upload(name, body(form, packed(form, 40, int(week))[0], week=week), kind=PACKED)
    counted = tallies.count_reports(service.store, name, form)
    right = service.store.snapshot(name)
    assert len(right.tallies) == 2
    assert counted.tally().n == 80
    assert service.store.check() == []
    cell, numbers = max(right.tallies.items())
    moved = np.frombuffer(numbers, dtype="<i8").copy()
    low, high = np.flatnonzero(moved)[0], np.flatnonzero(moved)[-1]
    moved[low] -= 1
    moved[high] += 1
    service.store.keep_snapshot(name, replace(right, tallies={**right.tallies, cell: moved.tobytes()}))
    (line,) = service.store.check()
    assert "is not what its reports count" in line


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_mixing_and_forgetting_leave_what_is_left_of_a_form(folder_store, strategy):
    service = folder_store()
    name = service.made(**declared(strategy, minimum=1))
    form = service.mechanism(name)
    packing = ReportPacking(form)
    width = -(-packing.bits // 8)
    held = {}
    for number, day in enumerate(("2999-11-01", "2999-11-02", "2999-11-03")):
        held[day], _ = packed(form, 30, number)
        records = [
            UploadRecord(name, f"{day}-{place}", bytes(32), day, (), int(report).to_bytes(width, "little"), 1, "answer")
            for place, report in enumerate(held[day].tolist())
        ]
        service.store.add(records)
    before = tallies.count_reports(service.store, name, form).tally()
    service.store.mix()
    assert tallies.count_reports(service.store, name, form).tally() == before
    assert service.store.forget(before="2999-11-02") == 30
    left = np.concatenate([held["2999-11-02"], held["2999-11-03"]])
    assert tallies.count_reports(service.store, name, form).tally() == form.tally(unpack_reports(packing, left))
    assert service.store.check() == []


def test_a_collector_that_is_killed_has_every_answer_that_it_acknowledged(tmp_path):
    with running(tmp_path) as collector:
        tokens = collector.tokens
        made = collector.made(**declared("each", minimum=1))
        written = collector.ask("GET", f"{made['collection']}/law")[1].decode()
        form = parse_published(written)
        packing = ReportPacking(form)
        reports = form.randomize_many(answers(60), seeded(3))
        numbers = pack_reports(packing, reports)
        for place, number in enumerate(numbers.tolist()):
            sent = {"fingerprint": form.fingerprint, "reports": [packing.to_json(number)], "version": 1}
            status, _ = collector.ask("POST", f"{made['collection']}/reports", sent, idempotency_key=f"n{place}")
            assert status == 200
        collector.stop(signal.SIGKILL)
    with running(tmp_path, tokens=tokens) as collector:
        status, content = collector.ask("GET", f"{made['collection']}/tally", role="analyst")
        assert (status, json.loads(content)) == (200, form.tally(reports).to_json())
        sent = {"fingerprint": form.fingerprint, "reports": [packing.to_json(int(numbers[0]))], "version": 1}
        status, content = collector.ask("POST", f"{made['collection']}/reports", sent, idempotency_key="n0")
        assert (status, json.loads(content)["accepted"]) == (200, 1)  # the first answer again, and no second report
        status, content = collector.ask("GET", f"{made['collection']}/tally", role="analyst")
        assert json.loads(content)["n"] == 60


# -- declarations of before -----------------------------------------------------------------------------

OLD = (
    '{"access":"open","changes":"refuse","labels":{"week":["1","2"]},"minimum":5,"question":"Where do you live?",'
    '"title":"Dis\\u202etricts","words":{"n1":"North, one"}}'
)
"""What a collection of an earlier version is stored as; its title would be refused today."""


def test_a_declaration_that_was_stored_before_is_read_as_it_is(service):
    law = service.mechanism(service.made())
    restored = restore_declaration(OLD, law)
    assert restored.title == "Dis\u202etricts"
    assert restored.texts.questions[""].words == {"n1": "North, one"}
    assert json.loads(restored.canonical()) == json.loads(OLD)
    assert service.create(title="Dis\u202etricts").status == 422
    document = json.loads(restored.document(base="/collections/x", fingerprint="f", state="open"))
    assert set(document) == {"changes", "fingerprint", "labels", "law", "question", "reports", "state", "title"} | {
        "version",
        "words",
    }


def test_a_declaration_is_stored_as_it_was_before(service):
    name = service.made()
    (stored,) = [one for one in service.store.collections() if one.id == name]
    assert json.loads(stored.declared) == {key: entry for key, entry in DECLARATION.items() if key != "spec"}


def test_of_two_forms_neither_takes_the_reports_of_the_other(service):
    names = [service.made(**declared(strategy, spec=spec(strategy), minimum=1)) for strategy in STRATEGIES]
    for name in names:
        for other in names:
            numbers, _ = packed(service.mechanism(name), 5, 1)
            sent = service.upload(other, body(service.mechanism(name), numbers), kind=PACKED)
            assert (sent.status == 200) == (name == other)
            assert name == other or sent.code == "other_law"
