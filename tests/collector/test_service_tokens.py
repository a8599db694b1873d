"""Laws of tokens and origins: no route that needs a token works without it, and only declared pages are let in."""

import pytest

from discreet.collector import tokens
from discreet.collector.catalogue import today
from discreet.collector.http.app import ROUTES
from discreet.collector.tokens import (
    FIRST_ROLES,
    ROLES,
    first_tokens,
    is_token,
    list_tokens,
    make_token,
    revoke_token,
    rotate,
)
from discreet.core.errors import InvalidInput, StoreFailed

GUARDED = [route for route in ROUTES if route.role]
PUBLIC = {"/health", "/ready", "/log", "/openapi.json", "/collections", "/collections/{id}", "/collections/{id}/law"}
ORIGIN = "https://survey.example.org"


def test_only_these_routes_are_public():
    assert {route.path for route in ROUTES if not route.role} == PUBLIC | {"/collections/{id}/reports"}
    assert {route.role for route in ROUTES} == {"", *ROLES}


@pytest.fixture
def holders(service, name):
    """Tokens by what they are: of every role, named, of this and another collection, revoked and replaced."""
    other = service.made()
    found = {(role, "own"): token for role, token in service.tokens.items()}
    for role in ROLES:
        found[role, "named"] = make_token(service.store, f"{role}.of-all", role)
        found[role, "revoked"] = make_token(service.store, f"{role}-gone", role)
        revoke_token(service.store, f"{role}-gone")
        found[role, "replaced"] = service.tokens[role] = rotate(service.store, role)
        found[role, "own"], found[role, "replaced"] = found[role, "replaced"], found[role, "own"]
    for role in ("admin", "analyst"):
        found[role, "here"] = make_token(service.store, f"{role}-here", role, name)
        found[role, "elsewhere"] = make_token(service.store, f"{role}-elsewhere", role, other)
    return found


def good_for(route):
    """What a token must be for a route: its role, or the analyst's for metrics; of all collections, or of this one."""
    roles = {"metrics", "analyst"} if route.role == "metrics" else {route.role}
    scopes = {"own", "named", "here"} if "{id}" in route.path else {"own", "named"}
    return {(role, scope) for role in roles for scope in scopes}


@pytest.mark.parametrize("route", GUARDED, ids=lambda route: f"{route.method} {route.path}")
def test_a_route_with_a_role_needs_its_token(service, name, holders, route):
    path = route.path.replace("{id}", name)
    taken = set()
    for holder, token in holders.items():
        answered = service.ask(route.method, path, headers=[("authorization", f"Bearer {token}")])
        if (answered.status, answered.code if answered.status >= 400 else "") != (401, "token"):
            assert answered.status not in (404, 405, 500), holder
            taken.add(holder)
    assert taken == good_for(route)
    right = holders[route.role, "named"]
    cut = [right[:-1], right + "0", right.replace("of-all", "gone"), right.upper(), right.replace(".of-all", "")]
    for offered in ["", "Bearer", "Bearer ", f"Basic {right}", right, "Bearer x", *(f"Bearer {one}" for one in cut)]:
        answered = service.ask(route.method, path, headers=[("authorization", offered)])
        assert (answered.status, answered.code) == (401, "token"), offered
        assert answered.headers["www-authenticate"] == "Bearer"
    assert service.ask(route.method, path).status == 401
    assert service.ask(route.method, path.replace(name, "f" * 16)).status == 401


@pytest.mark.parametrize("route", [route for route in ROUTES if not route.role], ids=lambda route: route.path)
def test_a_public_route_needs_none(service, name, route):
    answered = service.ask(route.method, route.path.replace("{id}", name))
    assert answered.status in (200, 400)


def test_named_tokens_are_made_listed_and_revoked(service, name):
    made = service.post("/tokens", {"name": "alice", "role": "analyst", "collection": name}, role="admin")
    assert made.status == 201
    token = made.json["token"]
    assert made.headers["cache-control"] == "no-store"
    bearer = [("authorization", f"Bearer {token}")]
    assert service.get(f"/collections/{name}/progress", headers=bearer).status == 200
    assert service.get("/metrics", headers=bearer).status == 401  # those are about all collections
    listed = service.get("/tokens", role="admin")
    assert listed.json == {"tokens": [{"name": "alice", "role": "analyst", "collection": name, "day": today()}]}
    assert token[-64:] not in listed.content.decode() + repr(vars(service.store))
    assert service.post("/tokens/revoke", {"name": "alice"}, role="admin").json == {"name": "alice", "revoked": True}
    assert service.get(f"/collections/{name}/progress", headers=bearer).status == 401
    assert service.get("/tokens", role="admin").json == {"tokens": []}
    assert service.post("/tokens/revoke", {"name": "alice"}, role="admin").code == "declaration"


def test_a_name_that_was_revoked_may_be_given_again(service):
    old = make_token(service.store, "alice", "admin")
    revoke_token(service.store, "alice")
    new = make_token(service.store, "alice", "analyst")
    assert is_token(service.store, "analyst", None, new)
    assert not any(is_token(service.store, role, None, old) for role in ROLES)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ([], "json"),
        ({"name": "alice"}, "json"),
        ({"name": 1, "role": "admin"}, "json"),
        ({"name": "alice", "role": "admin", "x": 1}, "json"),
        ({"name": "Alice", "role": "admin"}, "declaration"),
        ({"name": "", "role": "admin"}, "declaration"),
        ({"name": "a" * 41, "role": "admin"}, "declaration"),
        ({"name": "alice", "role": "owner"}, "declaration"),
        ({"name": "alice", "role": "admin", "collection": "f" * 16}, "declaration"),
        ({"name": "alice", "role": "metrics", "collection": "HERE"}, "declaration"),
        ({"name": "taken", "role": "admin"}, "declaration"),
    ],
)
def test_what_is_no_new_token_is_refused(service, name, data, code):
    make_token(service.store, "taken", "admin")
    if isinstance(data, dict) and data.get("collection") == "HERE":
        data = {**data, "collection": name}
    assert service.post("/tokens", data, role="admin").code == code
    assert [one.name for one in list_tokens(service.store)] == ["taken"]


def test_names_are_limited(service, monkeypatch):
    monkeypatch.setattr(tokens, "MAX_TOKENS", 2)
    make_token(service.store, "a", "admin")
    make_token(service.store, "b", "admin")
    with pytest.raises(InvalidInput, match="at most 2"):
        make_token(service.store, "c", "admin")


def test_two_processes_that_make_tokens_at_once_leave_none_that_is_not_listed(service, monkeypatch):
    """The list of names is written by both: the one that is not in it is not good, and its maker is told."""
    store, write = service.store, service.store.set_token
    other = []

    def interleaved(role, digest):
        if role == "names" and not other:
            other.append(None)
            other[0] = make_token(store, "bob", "analyst")
        write(role, digest)

    monkeypatch.setattr(store, "set_token", interleaved)
    alice = make_token(store, "alice", "analyst")
    assert [one.name for one in list_tokens(store)] == ["alice"]
    assert is_token(store, "analyst", None, alice)
    assert not is_token(store, "analyst", None, other[0])

    def overwritten(role, digest):
        write(role, digest)
        if role == "names":
            write("names", b'["alice"]')

    monkeypatch.setattr(store, "set_token", overwritten)
    with pytest.raises(StoreFailed, match="try again"):
        make_token(store, "carol", "analyst")
    assert [one.name for one in list_tokens(store)] == ["alice"]


def test_a_token_in_the_address_is_no_token(service):
    assert service.get(f"/metrics?token={service.tokens['analyst']}").status == 401


def test_wrong_tokens_are_looked_at_so_many_times(service):
    found = [service.get("/metrics", headers=[("authorization", "Bearer x")]).status for _ in range(150)]
    assert found[0] == 401
    assert found[-1] == 429
    assert service.get("/metrics", role="analyst").status == 200


def test_tokens_are_made_once_and_kept_as_hashes(service):
    assert set(service.tokens) == {*FIRST_ROLES, "metrics"} == set(ROLES)
    assert first_tokens(service.store) == {}
    kept = repr(vars(service.store))
    assert not any(token in kept for token in service.tokens.values())


def test_a_new_token_replaces_the_old_one_at_once(service):
    old = service.tokens["analyst"]
    service.tokens["analyst"] = rotate(service.store, "analyst")
    assert service.get("/metrics", role="analyst").status == 200
    assert service.get("/metrics", headers=[("authorization", f"Bearer {old}")]).status == 401


def preflight(service, path, origin, method="POST"):
    headers = [("origin", origin), ("access-control-request-method", method)]
    return service.ask("OPTIONS", path, headers=headers)


def test_pages_of_declared_origins_may_send_reports(make):
    service = make(origins=(ORIGIN,))
    name = service.made()
    answered = preflight(service, f"/collections/{name}/reports", ORIGIN)
    assert answered.status == 204
    assert answered.headers["access-control-allow-origin"] == ORIGIN
    assert answered.headers["access-control-allow-methods"] == "POST"
    assert "authorization" not in answered.headers["access-control-allow-headers"]
    sent = service.send(name, [0], headers=[("origin", ORIGIN)])
    assert (sent.headers["access-control-allow-origin"], sent.headers["vary"]) == (ORIGIN, "origin")
    assert "access-control-allow-credentials" not in sent.headers


@pytest.mark.parametrize("origin", ["https://other.example.org", "null", "https://survey.example.org.evil.org", ""])
def test_pages_of_other_origins_may_not(make, origin):
    service = make(origins=(ORIGIN,))
    name = service.made()
    assert "access-control-allow-origin" not in preflight(service, f"/collections/{name}/reports", origin).headers
    assert "access-control-allow-origin" not in service.send(name, [0], headers=[("origin", origin)]).headers


@pytest.mark.parametrize("route", GUARDED, ids=lambda route: f"{route.method} {route.path}")
def test_no_page_may_use_a_token(make, route):
    service = make(origins=(ORIGIN,))
    path = route.path.replace("{id}", service.made())
    methods = preflight(service, path, ORIGIN, route.method).headers.get("access-control-allow-methods", "")
    assert route.method not in methods.split(", ")
    answered = service.ask(route.method, path, headers=[("origin", ORIGIN)], role=route.role)
    assert "access-control-allow-origin" not in answered.headers


def test_without_origins_nothing_is_said_to_pages(service, name):
    answered = service.send(name, [0], headers=[("origin", ORIGIN)])
    assert not any(header.startswith("access-control") for header in answered.headers)
