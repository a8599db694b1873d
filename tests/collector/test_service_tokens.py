"""Laws of tokens and origins: no route that needs a token works without it, and only declared pages are let in."""

import pytest

from discreet.collector.catalogue import ROLES, first_tokens, rotate
from discreet.collector.http.app import ROUTES

GUARDED = [route for route in ROUTES if route.role]
PUBLIC = {"/health", "/ready", "/log", "/openapi.json", "/collections", "/collections/{id}", "/collections/{id}/law"}
ORIGIN = "https://survey.example.org"


def test_only_these_routes_are_public():
    assert {route.path for route in ROUTES if not route.role} == PUBLIC | {"/collections/{id}/reports"}
    assert {route.role for route in ROUTES} == {"", *ROLES}


@pytest.mark.parametrize("route", GUARDED, ids=lambda route: f"{route.method} {route.path}")
def test_a_route_with_a_role_needs_its_token(service, name, route):
    path = route.path.replace("{id}", name)
    other = next(service.tokens[role] for role in ROLES if role != route.role)
    right = service.tokens[route.role]
    offers = ["", "Bearer", "Bearer ", f"Basic {right}", right, "Bearer x", f"Bearer {other}", f"Bearer {right[:-1]}"]
    for offered in offers:
        answered = service.ask(route.method, path, headers=[("authorization", offered)])
        assert (answered.status, answered.code) == (401, "token"), offered
        assert answered.headers["www-authenticate"] == "Bearer"
    assert service.ask(route.method, path).status == 401
    assert service.ask(route.method, path.replace(name, "f" * 16)).status == 401
    assert service.ask(route.method, path, role=route.role).status not in (401, 404, 405, 500)


def test_a_token_in_the_address_is_no_token(service):
    assert service.get(f"/metrics?token={service.tokens['analyst']}").status == 401


def test_wrong_tokens_are_looked_at_so_many_times(service):
    found = [service.get("/metrics", headers=[("authorization", "Bearer x")]).status for _ in range(150)]
    assert found[0] == 401
    assert found[-1] == 429
    assert service.get("/metrics", role="analyst").status == 200


def test_tokens_are_made_once_and_kept_as_hashes(service):
    assert set(service.tokens) == set(ROLES)
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
