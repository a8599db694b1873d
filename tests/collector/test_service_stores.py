"""Laws of the service on the stores that it is used with: SQLite and PostgreSQL, through the writer."""

import json

import numpy as np
import pytest
from asking import Asker
from stores import postgres_in, sqlite_in

import discreet as dc
from discreet.bulk.report_files import reports_to_bytes
from discreet.bulk.words import seeded
from discreet.collector.http.upload_decoder import PACKED
from discreet.collector.store import tallies
from discreet.collector.store.writer import GroupCommitWriter
from discreet.core.canonical import canonical


@pytest.fixture(params=[sqlite_in, pytest.param(postgres_in, marks=pytest.mark.slow)], ids=["SQLite", "PostgreSQL"])
def stored(request, tmp_path):
    store = request.param(tmp_path)
    writer = GroupCommitWriter(store)
    asker = Asker(store, writer, tmp_path)
    yield asker
    asker.run(writer.stop())
    asker.stop()
    store.shut()


def test_a_collection_from_its_declaration_to_its_shares(stored, monkeypatch):
    monkeypatch.setattr(tallies, "TAIL_REPORTS", 1000)
    name = stored.made()
    mechanism = stored.mechanism(name)
    held = {}
    for week in ("1", "2"):
        reports = held[week] = mechanism.randomize_indices(np.arange(900) % 5, seeded(int(week)))
        line = canonical({"fingerprint": mechanism.fingerprint, "labels": {"week": week}, "version": 1}).encode()
        body = line + b"\n" + reports_to_bytes(mechanism, reports)
        first = stored.upload(name, body, number=f"weekly-{week}", kind=PACKED)
        assert first.json["accepted"] == 900
        assert stored.upload(name, body, number=f"weekly-{week}", kind=PACKED).content == first.content
        assert stored.upload(name, body + b"\0", number=f"weekly-{week}", kind=PACKED).code == "conflict"
    for _ in range(2):  # counted from the reports, and then from the snapshot
        cells = stored.get(f"/collections/{name}/shares?by=week", role="analyst").json["cells"]
        assert [cell["n"] for cell in cells] == [900, 900, 0]
        for cell in cells[:2]:
            expected = dc.estimate(mechanism.tally(held[cell["labels"]["week"]]))
            assert cell["result"]["shares"] == expected.shares.tolist()
    counted = tallies.count_reports(stored.store, name, mechanism)
    assert counted.tally() == tallies.count_reports(stored.store, name, mechanism).tally()
    assert stored.store.snapshot(name).position > 0
    assert stored.ask("POST", f"/collections/{name}/close", role="admin").status == 200
    assert stored.send(name, [0]).code == "closed"
    assert [json.loads(line)["kind"] for line in stored.get("/log").content.splitlines()] == ["created", "closed"]
    assert stored.store.check() == []


def test_invitations_are_spent_once(stored):
    name = stored.made(access="invitation")
    (invitation,) = stored.post(f"/collections/{name}/invitations", {"count": 1}, role="admin").json["invitations"]
    sent = [stored.send(name, [0], headers=[("invitation", invitation)]) for _ in range(2)]
    assert [one.status for one in sent] == [200, 403]
    assert stored.store.invitations(name) == (1, 1)
    assert stored.get(f"/collections/{name}/progress", role="analyst").json["invitations"] == {"made": 1, "spent": 0}
