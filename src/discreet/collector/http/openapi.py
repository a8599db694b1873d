"""The OpenAPI 3.1 description of the interface; tests compare it with the route table.

The data of the interface, as JSON Schema.
"""

from __future__ import annotations

from typing import Any

from ... import __version__
from ..catalogue import MAX_INVITATIONS
from ..declaration import ACCESS, CHANGES
from ..results import METHODS
from .response import CODES, JSON, MEDIA_TYPE
from .upload_decoder import MAX_REPORTS, PACKED

Plain = dict[str, Any]


TEXT: Plain = {"type": "string"}
NATURAL: Plain = {"type": "integer", "minimum": 0}
NUMBERS: Plain = {"type": ["array", "null"], "items": {"type": ["number", "null"]}}
COUNTS: Plain = {"type": "object", "additionalProperties": NATURAL}
HASH: Plain = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
MOMENT: Plain = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"}
STATE: Plain = {"type": "string", "enum": ["waiting", "open", "closed"]}
ANY: Plain = {}


def ref(name: str) -> Plain:
    """A schema of `SCHEMAS` by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def array(items: Plain, **more: Any) -> Plain:
    """A list of such items."""
    return {"type": "array", "items": items, **more}


def table(properties: Plain, *optional: str) -> Plain:
    """An object with these entries, all but the optional ones required, and no others."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


LABELS: Plain = {"type": "object", "additionalProperties": array(TEXT, minItems=1, maxItems=100, uniqueItems=True)}
WORDS: Plain = {"type": "object", "additionalProperties": TEXT}
INVITATIONS = table({"made": NATURAL, "spent": NATURAL})
COLUMNS: Plain = dict.fromkeys(("shares", "stderr", "low", "high"), NUMBERS)

SCHEMAS: Plain = {
    "Problem": table(
        {
            "type": TEXT,
            "title": TEXT,
            "status": {"type": "integer"},
            "code": {"type": "string", "enum": list(CODES)},
            "detail": TEXT,
        }
    ),
    "Health": table({"status": {"const": "ok"}}),
    "Collections": table({"collections": array(table({"id": TEXT, "title": TEXT, "state": STATE}))}),
    "Document": table(
        {
            "version": {"const": 1},
            "title": TEXT,
            "question": TEXT,
            "words": WORDS,
            "fingerprint": HASH,
            "law": TEXT,
            "reports": TEXT,
            "changes": {"type": "string", "enum": list(CHANGES)},
            "labels": LABELS,
            "opens": MOMENT,
            "closes": MOMENT,
            "access": {"const": "invitation"},
        },
        "words",
        "labels",
        "opens",
        "closes",
        "access",
    ),
    "Law": table({"version": {"type": "integer"}, "domain": ANY, "context": ANY, "law": ANY}),
    "Upload": table(
        {
            "fingerprint": HASH,
            "labels": WORDS,
            "reports": array({"type": ["integer", "string"]}, minItems=1, maxItems=MAX_REPORTS),
            "version": {"const": 1},
        },
        "labels",
    ),
    "Accepted": table(
        {
            "accepted": {"type": "integer", "minimum": 1, "maximum": MAX_REPORTS},
            "refused": array(array({"type": ["integer", "string"]}, minItems=2, maxItems=2)),
            "upload": TEXT,
        }
    ),
    "Declaration": table(
        {
            "spec": {"type": ["string", "object"], "description": "A spec: TOML text, or JSON data."},
            "title": {"type": "string", "minLength": 1, "maxLength": 200},
            "question": {"type": "string", "minLength": 1, "maxLength": 2000},
            "words": WORDS,
            "labels": LABELS,
            "opens": MOMENT,
            "closes": MOMENT,
            "minimum": {"type": "integer", "minimum": 1, "maximum": 10**9},
            "changes": {"type": "string", "enum": list(CHANGES)},
            "access": {"type": "string", "enum": list(ACCESS)},
        },
        "words",
        "labels",
        "opens",
        "closes",
    ),
    "DraftOf": table(
        {
            "spec": {"type": "object", "description": "A spec as JSON data."},
            "n": {"type": "integer", "minimum": 1, "maximum": 10**9},
            "counts": array({"type": "number", "minimum": 0}),
            "stderr": {"type": "string", "description": "A standard error to reach, by another epsilon."},
        },
        "counts",
        "stderr",
    ),
    "Draft": table(
        {
            "epsilon": {"type": ["string", "null"]},
            "mechanism": TEXT,
            "bits": NATURAL,
            "fingerprint": HASH,
            "certificate": {"type": "object"},
            "promise": array(TEXT),
            "rows": array({"type": "object"}),
            "preview": {"type": ["object", "null"]},
            "spec": TEXT,
        }
    ),
    "Release": {"type": "object", "required": ["version", "title", "n", "promise", "certificate", "law", "caveats"]},
    "Created": table({"id": TEXT, "collection": TEXT, "fingerprint": HASH, "mechanism": TEXT, "state": STATE}),
    "Closed": table({"id": TEXT, "state": {"const": "closed"}}),
    "Invite": table({"count": {"type": "integer", "minimum": 1, "maximum": MAX_INVITATIONS}}),
    "Invitations": table({"invitations": array(TEXT)}),
    "Overview": table(
        {
            "collections": array(
                table(
                    {
                        "id": TEXT,
                        "title": TEXT,
                        "state": STATE,
                        "access": {"type": "string", "enum": list(ACCESS)},
                        "fingerprint": HASH,
                        "reports": NATURAL,
                        "minimum": NATURAL,
                        "refused": COUNTS,
                        "invitations": INVITATIONS,
                    }
                )
            ),
            "refused": COUNTS,
        }
    ),
    "Progress": table(
        {
            "state": STATE,
            "n": NATURAL,
            "minimum": NATURAL,
            "missing": NATURAL,
            "labels": {"type": "object", "additionalProperties": COUNTS},
            "days": COUNTS,
            "refused": COUNTS,
            "invitations": INVITATIONS,
        }
    ),
    "Tally": table(
        {
            "version": {"const": 1},
            "mechanism": TEXT,
            "fingerprint": HASH,
            "n": NATURAL,
            "counts": array(NATURAL),
        }
    ),
    "Result": table(
        {
            "mechanism": TEXT,
            "fingerprint": HASH,
            "n": NATURAL,
            "method": TEXT,
            "biased": {"type": "boolean"},
            "confidence": {"type": "number"},
            "values": array(ANY),
            **COLUMNS,
            "notes": WORDS,
            "influence": {"type": "number"},
            "blocks": {"anyOf": [{"type": "null"}, table({"names": array(ANY), **COLUMNS})]},
        }
    ),
    "Shares": table(
        {
            "collection": TEXT,
            "minimum": NATURAL,
            "method": TEXT,
            "confidence": {"type": "number"},
            "cells": array(
                table(
                    {
                        "labels": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
                        "days": array(TEXT, minItems=2, maxItems=2),
                        "n": NATURAL,
                        "missing": NATURAL,
                        "result": {"anyOf": [{"type": "null"}, ref("Result")]},
                    },
                    "days",
                )
            ),
        }
    ),
    "Differences": table(
        {
            "collection": TEXT,
            "by": TEXT,
            "minimum": NATURAL,
            "pairs": array(
                table(
                    {
                        "first": {"type": ["string", "null"]},
                        "second": {"type": ["string", "null"]},
                        "values": array(ANY),
                        **{name: array({"type": "number"}) for name in ("difference", "stderr", "p", "adjusted")},
                    }
                )
            ),
            "omnibus": {
                "type": ["object", "null"],
                "properties": {"statistic": {"type": "number"}, "df": NATURAL, "p": {"type": "number"}},
            },
            "left_out": array(
                table(
                    {"label": {"type": ["string", "null"]}, "n": NATURAL, "missing": {"type": "integer", "minimum": 1}}
                )
            ),
        }
    ),
}


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
