"""The data of the interface, as JSON Schema."""

from __future__ import annotations

from typing import Any

from ..declaration import ACCESS, CHANGES
from ..tokens import MAX_INVITATIONS
from .problems import CODES
from .upload_decoder import MAX_REPORTS

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
