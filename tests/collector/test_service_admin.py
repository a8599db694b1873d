"""Laws of admins: what can be declared, what is published of it, and that it never changes."""

import hashlib
import json
from itertools import pairwise

import pytest
from asking import DECLARATION, SPEC

from discreet.client.addresses import address_of
from discreet.client.collection import parse_document
from discreet.core.canonical import canonical
from discreet.core.errors import StoreFailed, StoreFull
from discreet.wire import parse_law


def test_what_is_declared_is_what_a_client_reads(service):
    made = service.create(opens="2026-01-01T00:00:00Z", closes="2036-01-01T00:00:00Z")
    assert made.status == 201
    where = made.json["collection"]
    assert made.headers["location"] == where == f"/collections/{made.json['id']}"
    answered = service.get(where)
    document = parse_document(answered.content, address_of(f"https://example.org{where}"))
    assert document.title == "Districts"
    assert document.labels == {"week": ("1", "2", "3")}
    assert document.words == {"n1": "North, one"}
    assert str(document.law) == f"https://example.org{where}/law"
    law = service.get(f"{where}/law")
    assert hashlib.sha256(law.content).hexdigest() == document.fingerprint == made.json["fingerprint"]
    assert law.headers["etag"] == f'"{document.fingerprint}"'
    assert "immutable" in law.headers["cache-control"]
    assert parse_law(law.content.decode()).fingerprint == document.fingerprint


@pytest.mark.parametrize("part", ["", "/law"])
def test_what_the_sender_has_is_not_sent_again(service, name, part):
    path = f"/collections/{name}{part}"
    tag = service.get(path).headers["etag"]
    for offered in (tag, f'"x", {tag}', f"W/{tag}", "*"):
        answered = service.get(path, headers=[("if-none-match", offered)])
        assert (answered.status, answered.content, answered.headers["etag"]) == (304, b"", tag)
    assert service.get(path, headers=[("if-none-match", '"x"')]).status == 200


def test_a_spec_may_be_toml_or_data(service):
    data = {"domain": {"size": 7}, "context": {"form": "uniform", "epsilon": "1"}, "mechanism": {"name": "hadamard"}}
    text = '[domain]\nsize = 7\n[context]\nform = "uniform"\nepsilon = "1"\n[mechanism]\nname = "hadamard"\n'
    prints = {service.create(spec=spec, words=None).json["fingerprint"] for spec in (data, text)}
    assert len(prints) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"spec": "["},
        {"spec": 7},
        {"spec": {}},
        {"spec": SPEC.replace('"1"', '"-1"')},
        {"spec": '[domain]\nfile = "/etc/passwd"\n[context]\nform = "uniform"\nepsilon = "1"\n'},
        {"spec": '[domain]\nsize = 1000000000\n[context]\nform = "uniform"\nepsilon = "1"\n'},
        {"title": ""},
        {"title": " "},
        {"title": "x" * 201},
        {"title": None},
        {"question": 5},
        {"words": {"x1": "Not a value"}},
        {"words": {"n1": ""}},
        {"words": []},
        {"labels": {"day": ["1"]}},
        {"labels": {"a b": ["1"]}},
        {"labels": {"week": []}},
        {"labels": {"week": ["1", "1"]}},
        {"labels": {"week": [""]}},
        {"labels": {"week": [1]}},
        {"labels": {"week": [str(i) for i in range(101)]}},
        {"labels": {f"l{i}": ["1"] for i in range(9)}},
        {"labels": {f"l{i}": [str(j) for j in range(50)] for i in range(2)}},
        {"labels": {"week": ["é" * 100 + str(i) for i in range(100)]}},
        {"opens": "tomorrow"},
        {"opens": "2026-13-01T00:00:00Z"},
        {"opens": "2026-01-02T00:00:00Z", "closes": "2026-01-01T00:00:00Z"},
        {"minimum": 0},
        {"minimum": "5"},
        {"minimum": True},
        {"minimum": None},
        {"changes": "maybe"},
        {"access": "closed"},
        {"id": "mine"},
    ],
    ids=lambda changes: json.dumps(changes)[:60],
)
def test_what_cannot_be_declared_is_refused_with_a_sentence(service, changes):
    answered = service.create(**changes)
    assert (answered.status, answered.code) == (422, "declaration")
    assert answered.json["detail"]
    assert service.store.collections() == []


def test_labels_and_cells_together_are_limited(service):
    spec = '[domain]\nsize = 100000\n[context]\nform = "uniform"\nepsilon = "1"\n[mechanism]\nname = "hadamard"\n'
    assert service.create(spec=spec, words=None, labels={"a": [str(i) for i in range(99)]}).code == "declaration"


@pytest.mark.parametrize("data", [b"", b"{", b'{"title":1,"title":2}', b"[" * 100_000, b"\xff"])
def test_a_declaration_is_strict_json(service, data):
    assert service.post("/collections", data, role="admin").code == "json"
    assert service.ask("POST", "/collections", data, role="admin").code == "media_type"


@pytest.mark.parametrize("data", [{}, {"count": 0}, {"count": 10_001}, {"count": True}, {"count": 1, "x": 1}, []])
def test_invitations_are_counted(service, data):
    name = service.made(access="invitation")
    assert service.post(f"/collections/{name}/invitations", data, role="admin").code == "json"


def test_an_open_collection_needs_no_invitations(service, name):
    assert service.post(f"/collections/{name}/invitations", {"count": 1}, role="admin").code == "declaration"


def test_invitations_are_kept_as_hashes(service):
    name = service.made(access="invitation")
    answered = service.post(f"/collections/{name}/invitations", {"count": 20}, role="admin")
    tokens = answered.json["invitations"]
    assert (answered.status, len(set(tokens))) == (201, 20)
    assert not any(token in repr(vars(service.store)) for token in tokens)


def test_the_log_is_chained_and_anybody_can_follow_it(service):
    names = [service.made() for _ in range(3)]
    service.ask("POST", f"/collections/{names[1]}/close", role="admin")
    answered = service.get("/log")
    lines = [json.loads(line) for line in answered.content.decode().splitlines()]
    assert [line["kind"] for line in lines] == ["created"] * 3 + ["closed"]
    for before, line in pairwise([{"chain": "0" * 64}, *lines]):
        rest = {key: entry for key, entry in line.items() if key != "chain"}
        assert line["chain"] == hashlib.sha256((before["chain"] + canonical(rest)).encode()).hexdigest()
    assert service.get("/log?after=3").content.count(b"\n") == 1
    assert service.get("/log?after=x").code == "parameter"


def test_collections_of_another_process_are_found(service):
    other = service.made()
    del service.service.catalogue._served[other]
    service.service.catalogue._refreshed = -10.0
    assert service.get(f"/collections/{other}").status == 200


def test_the_document_says_how_far_its_collection_is(service):
    path = f"/collections/{service.made()}"
    first = service.get(path)
    assert first.json["state"] == "open"
    service.ask("POST", f"{path}/close", role="admin")
    again = service.get(path)
    assert again.json == {**first.json, "state": "closed"}
    assert again.headers["etag"] != first.headers["etag"]
    later = service.made(opens="2999-01-01T00:00:00Z")
    assert service.get(f"/collections/{later}").json["state"] == "waiting"
    past = service.made(closes="2001-01-01T00:00:00Z")
    assert service.get(f"/collections/{past}").json["state"] == "closed"


def test_a_collection_that_another_process_has_closed_says_so(service, name):
    assert service.get(f"/collections/{name}").json["state"] == "open"
    service.store.close(name, day="2026-11-17")
    service.service.catalogue._refreshed = -10.0
    assert service.get(f"/collections/{name}").json["state"] == "closed"


def test_a_service_starts_with_what_its_store_holds(service, make, name):
    again = make()
    again.service.catalogue._store = service.store
    again.service.catalogue.refresh()
    assert again.get(f"/collections/{name}").content == service.get(f"/collections/{name}").content


def test_the_overview_shows_states_sizes_and_refusals(service, name):
    service.send(name, [0, 1, *[99] * 6])
    for _ in range(101):
        service.get("/nowhere")
    service.service._keep_refusals()
    found = service.get("/overview", role="admin").json
    (row,) = found["collections"]
    assert (row["reports"], row["state"], row["refused"]) == (0, "open", {"report_impossible": 5})
    assert found["refused"] == {"not_found": 100}


def test_a_proxy_s_prefix_is_in_every_link(make):
    service = make(prefix="/survey")
    made = service.create().json
    assert made["collection"] == f"/survey/collections/{made['id']}"
    assert service.get(f"/collections/{made['id']}").json["law"] == f"/survey/collections/{made['id']}/law"
    assert service.get("/openapi.json").json["servers"] == [{"url": "/survey"}]


def test_health_and_readiness(service, monkeypatch):
    assert service.get("/health").json == {"status": "ok"}
    assert service.get("/ready").json == {"status": "ok"}

    def gone():
        raise OSError

    monkeypatch.setattr(service.store, "ready", gone)
    assert service.get("/health").status == 200
    assert (service.get("/ready").status, service.get("/ready").code) == (503, "busy")


def test_the_declaration_that_tests_use_is_complete():
    assert set(DECLARATION) >= {"spec", "title", "question", "minimum", "changes", "access"}


@pytest.mark.parametrize(("problem", "status", "code"), [(StoreFull, 507, "full"), (StoreFailed, 503, "busy")])
def test_a_store_that_cannot_write_is_said_by_every_change(service, monkeypatch, problem, status, code):
    name = service.made(access="invitation")

    def failing(*_, **__):
        raise problem("no room")

    for method in ("create", "close", "invite", "set_token"):
        monkeypatch.setattr(service.store, method, failing)
    for path, data in [
        ("/collections", DECLARATION),
        (f"/collections/{name}/close", {}),
        (f"/collections/{name}/invitations", {"count": 1}),
        ("/tokens", {"name": "alice", "role": "analyst"}),
    ]:
        answered = service.post(path, data, role="admin")
        assert (answered.status, answered.code) == (status, code)
        assert int(answered.headers["retry-after"]) > 0
    assert not service.store.collections()[0].closed
