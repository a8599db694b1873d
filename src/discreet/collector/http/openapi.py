"""The OpenAPI 3.1 description of the interface; tests compare it with the route table."""

from __future__ import annotations

from typing import Any

from ... import __version__
from ..results import METHODS
from .openapi_schemas import SCHEMAS, ref
from .problems import CODES, MEDIA_TYPE
from .response import JSON
from .upload_decoder import MAX_REPORTS, PACKED

Plain = dict[str, Any]

PARQUET = "application/vnd.apache.parquet"
TAG = {"ETag": {"schema": {"type": "string"}}}
RETRY = {"Retry-After": {"schema": {"type": "string"}}}

IDENTIFIER = {
    "name": "id",
    "in": "path",
    "required": True,
    "description": "The id of a collection.",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
}
NUMBER = {
    "name": "idempotency-key",
    "in": "header",
    "required": True,
    "description": "A number for the upload, at random; the same upload is always sent with the same one.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
}
INVITATION = {
    "name": "invitation",
    "in": "header",
    "required": False,
    "description": "An invitation, where the collection needs one.",
    "schema": {"type": "string"},
}


def description(prefix: str) -> Plain:
    """The whole document; `prefix` is the path under which a proxy shows the service."""
    bearer = {"type": "http", "scheme": "bearer"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "discreet collector", "version": __version__},
        "servers": [{"url": prefix or "/"}],
        "paths": _paths(),
        "components": {"schemas": SCHEMAS, "securitySchemes": {"admin": bearer, "analyst": bearer}},
    }


def _paths() -> Plain:
    one, groups = "/collections/{id}", _query("by", "A label of the collection.", {"type": "string"})
    return {
        "/health": {"get": _get("The process answers.", _json("Health"))},
        "/ready": {"get": _get("The store answers too.", _json("Health"), "busy")},
        "/log": {
            "get": _get(
                "The hash-chained log of all collections made and closed, a line each.",
                {"200": _content("application/jsonl", {"type": "string"})},
                parameters=[_query("after", "Only later lines.", {"type": "string", "pattern": "^[0-9]{1,15}$"})],
            )
        },
        "/openapi.json": {"get": _get("This document.", {"200": _content(JSON, {"type": "object"})})},
        "/collections": {
            "get": _get("Every collection.", _json("Collections")),
            "post": _post("Make a collection.", "Declaration", "201", "Created", "declaration", role="admin"),
        },
        one: {"get": _of_one("What a collection says of itself.", _with_etag("Document"))},
        f"{one}/law": {"get": _of_one("The published law, byte for byte.", _with_etag("Law"))},
        f"{one}/reports": {"post": _upload()},
        f"{one}/close": {"post": _of_one("Take no more reports, for good.", _json("Closed"), role="admin")},
        f"{one}/invitations": {
            "post": _post(
                "New invitations, shown once.", "Invite", "201", "Invitations", "not_found", "declaration", role="admin"
            )
            | {"parameters": [IDENTIFIER]}
        },
        "/overview": {"get": _get("States, sizes and refusals.", _json("Overview"), role="admin")},
        "/drafts": {
            "post": _post("What a spec would give.", "DraftOf", "200", "Draft", "declaration", role="admin"),
        },
        f"{one}/progress": {"get": _of_one("How far the collection is.", _json("Progress"), role="analyst")},
        f"{one}/tally": {"get": _of_one("All reports, counted.", _json("Tally"), "below_minimum", role="analyst")},
        f"{one}/shares": {
            "get": _of_one(
                "The share of every value with its interval, by label and by days.",
                _json("Shares"),
                "unavailable",
                role="analyst",
                parameters=[
                    _query("method", "How shares are made.", {"type": "string", "enum": list(METHODS)}),
                    _query("confidence", "Of the intervals.", {"type": "number", "minimum": 0.01, "maximum": 0.999}),
                    _query("days", "Group so many days.", {"type": "integer", "minimum": 1, "maximum": 9999}),
                    groups,
                ],
            )
        },
        f"{one}/differences": {
            "get": _of_one(
                "Tests of differences between the texts of a label.",
                _json("Differences"),
                "unavailable",
                role="analyst",
                parameters=[groups | {"required": True}],
            )
        },
        f"{one}/release": {
            "get": _of_one(
                "The shares as a report to be published.",
                {
                    "200": {
                        "description": "As asked for.",
                        "content": {"text/html": {"schema": {"type": "string"}}, JSON: {"schema": ref("Release")}},
                    }
                },
                "below_minimum",
                "unavailable",
                role="analyst",
                parameters=[
                    _query("form", "A page, or its data.", {"type": "string", "enum": ["html", "json"]}),
                    _query("method", "How shares are made.", {"type": "string", "enum": list(METHODS)}),
                    _query("confidence", "Of the intervals.", {"type": "number", "minimum": 0.01, "maximum": 0.999}),
                ],
            )
        },
        f"{one}/export": {
            "get": _of_one(
                "All reports, sorted, as Parquet.",
                {"200": _content(PARQUET, {"type": "string", "format": "binary"})},
                "below_minimum",
                "unavailable",
                role="analyst",
            )
        },
        "/metrics": {
            "get": _get("Counters for Prometheus.", {"200": _content("text/plain", {"type": "string"})}, role="analyst")
        },
    }


def _upload() -> Plain:
    accepted = _content(JSON, ref("Accepted"))
    refusals = ("json", "header", "closed", "not_found", "conflict", "too_large", "media_type", "other_law", "too_fast")
    return {
        "summary": f"Send 1 to {MAX_REPORTS} reports; the same upload again gets the first answer again.",
        "parameters": [IDENTIFIER, NUMBER, INVITATION],
        "requestBody": {
            "required": True,
            "content": {
                JSON: {"schema": ref("Upload")},
                PACKED: {
                    "schema": {
                        "type": "string",
                        "format": "binary",
                        "description": "A line of JSON with fingerprint, labels and version, then packed reports.",
                    }
                },
            },
        },
        "responses": {"200": accepted, **_problems(*refusals, "slow", "headers_too_large", "busy", "full")},
    }


def _get(summary: str, responses: Plain, *codes: str, role: str = "", parameters: list[Plain] | None = None) -> Plain:
    secured: Plain = {"security": [{role: []}]} if role else {}
    codes = (*codes, "parameter", *(("token", "too_fast") if role else ()))
    operation: Plain = {"summary": summary, **secured, "responses": {**responses, **_problems(*codes)}}
    return operation | ({"parameters": parameters} if parameters else {})


def _of_one(
    summary: str, responses: Plain, *codes: str, role: str = "", parameters: list[Plain] | None = None
) -> Plain:
    return _get(summary, responses, *codes, "not_found", role=role, parameters=[IDENTIFIER, *(parameters or [])])


def _post(summary: str, body: str, status: str, result: str, *codes: str, role: str) -> Plain:
    operation = _get(
        summary, {status: _content(JSON, ref(result))}, *codes, "json", "too_large", "media_type", role=role
    )
    return operation | {"requestBody": {"required": True, "content": {JSON: {"schema": ref(body)}}}}


def _problems(*codes: str) -> Plain:
    """Every status that these codes come with, and what it may mean."""
    statuses: dict[int, list[str]] = {}
    for code in codes:
        statuses.setdefault(CODES[code].status, []).append(code)
    responses: Plain = {}
    for status in sorted(statuses):
        names = [code for code, kind in CODES.items() if kind.status == status]
        schema = {"allOf": [ref("Problem"), {"properties": {"code": {"enum": names}, "status": {"const": status}}}]}
        responses[str(status)] = {"description": "; ".join(names), "content": {MEDIA_TYPE: {"schema": schema}}}
        if status in (429, 503, 507):
            responses[str(status)]["headers"] = RETRY
    return responses


def _json(name: str) -> Plain:
    return {"200": _content(JSON, ref(name))}


def _with_etag(name: str) -> Plain:
    return {
        "200": _content(JSON, ref(name)) | {"headers": TAG},
        "304": {"description": "What the sender has is still right.", "headers": TAG},
    }


def _content(kind: str, schema: Plain) -> Plain:
    return {"description": "As asked for.", "content": {kind: {"schema": schema}}}


def _query(name: str, about: str, schema: Plain) -> Plain:
    return {"name": name, "in": "query", "required": False, "description": about, "schema": schema}
