"""Laws of the description for programs: it has every route and no other, and what it says is what is answered."""

import itertools
import json
import os

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from running import running
from schemathesis.specs.openapi.checks import missing_required_header, positive_data_acceptance
from test_forms import declared

from discreet.collector.http.app import ROUTES
from discreet.collector.http.openapi import description
from discreet.collector.http.response import CODES
from discreet.wire.form import STRATEGIES

DOCUMENT = description(ROUTES, "")


def test_every_route_is_described_and_no_other():
    described = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert described == {(route.method, route.path) for route in ROUTES}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_the_tokens_that_a_route_needs_are_said(route):
    operation = DOCUMENT["paths"][route.path][route.method.lower()]
    roles = {"": [], "metrics": ["metrics", "analyst"]}.get(route.role, [route.role])
    assert operation.get("security", []) == [{role: []} for role in roles]
    assert ("401" in operation["responses"]) == bool(route.role)


def test_every_problem_has_a_status_and_a_title():
    assert all(400 <= status < 600 and title for status, title in CODES.values())
    assert len({title for _, title in CODES.values()}) == len(CODES)


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    folder = tmp_path_factory.mktemp("described")
    (folder / "settings.toml").write_text("uploads_per_second = 0\nwrong_tokens_per_second = 0\n")
    with running(folder, "--settings", "settings.toml") as started:
        _, body = started.ask("POST", "/tokens", {"name": "monitor", "role": "metrics"}, role="admin")
        started.tokens["metrics"] = json.loads(body)["token"]
        yield started


@pytest.fixture(scope="module")
def collections(collector):
    """A collection of one question, one of a form, and again."""
    asked = [collector.made(minimum=1), *(collector.made(**declared(strategy, minimum=1)) for strategy in STRATEGIES)]
    return itertools.cycle(asked)


SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
EXAMPLES = 200 if os.environ.get("SOAK") else 12


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@SCHEMA.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
def test_what_is_answered_is_what_is_described(case, collector, collections):
    """Cases that are well formed ask about a collection that is there, and send reports of its law."""
    made = next(collections)
    formed = case.meta is not None and case.meta.generation.mode is schemathesis.GenerationMode.POSITIVE
    if formed and "id" in case.path_parameters:
        closes = case.path.endswith("/close")
        case.path_parameters["id"] = collector.made()["id"] if closes else made["id"]  # others need an open one
    if formed and isinstance(case.body, dict) and "fingerprint" in case.body:
        case.body["fingerprint"] = made["fingerprint"]
    route = next(route for route in ROUTES if (route.method, route.path) == (case.operation.method.upper(), case.path))
    headers = {"Authorization": f"Bearer {collector.tokens[route.role]}"} if route.role else {}
    unknown = [positive_data_acceptance, missing_required_header]
    case.call_and_validate(base_url=collector.address, headers=headers, excluded_checks=unknown, timeout=30)
