"""The OpenAPI 3.1 description of the interface: the table of routes, with the data that they take and give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import __version__
from ...client.document import STATES
from ...client.ledger.ledger import ACCESS, CHANGES
from ...wire.form import MAX_QUESTIONS, STRATEGIES
from ...wire.texts import KINDS, LANGUAGE, MAX_LANGUAGES, MAX_LINE, MAX_TEXT, MAX_TITLE, MAX_WORDS
from ..catalogue import MAX_INVITATIONS
from ..results import METHODS
from ..tokens import ACCEPTED_ROLES, NAME, ROLES
from .response import CODES, JSON, MEDIA_TYPE
from .upload_decoder import MAX_REPORTS, PACKED

Plain = dict[str, Any]

TEXT: Plain = {"type": "string"}
OPTIONAL_TEXT: Plain = {"type": ["string", "null"]}
BINARY: Plain = {"type": "string", "format": "binary"}
NUMBER: Plain = {"type": "number"}
NATURAL: Plain = {"type": "integer", "minimum": 0}
NUMBERS: Plain = {"type": ["array", "null"], "items": {"type": ["number", "null"]}}
COUNTS: Plain = {"type": "object", "additionalProperties": NATURAL}
HASH: Plain = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
MOMENT: Plain = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"}
TOKEN_NAME: Plain = {"type": "string", "pattern": f"^{NAME.pattern}$"}
REPORT: Plain = {"type": ["integer", "string"]}
ANY: Plain = {}


def ref(name: str) -> Plain:
    """A schema of `SCHEMAS` by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def one_of(texts: Iterable[str]) -> Plain:
    """One of some texts."""
    return {"type": "string", "enum": list(texts)}


def whole(minimum: int, maximum: int) -> Plain:
    """A whole number in a range."""
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


def array(items: Plain, **more: Any) -> Plain:
    """A list of such items."""
    return {"type": "array", "items": items, **more}


def table(*optional: str, **properties: Plain) -> Plain:
    """An object with these entries, all but the optional ones required, and no others."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


STATE = one_of(["waiting", "open", "closed"])
LABELS: Plain = {"type": "object", "additionalProperties": array(TEXT, minItems=1, maxItems=100, uniqueItems=True)}
WORDS: Plain = {"type": "object", "additionalProperties": TEXT}
LISTED: Plain = {"id": TEXT, "title": TEXT, "state": STATE}
PERIOD: Plain = {"type": "string", "description": "The label whose texts are times at which people answer again."}
LONG_TEXT: Plain = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}
LINE: Plain = {"type": "string", "minLength": 1, "maxLength": MAX_LINE}
SHORT_LINE: Plain = {"type": "string", "minLength": 1, "maxLength": MAX_WORDS}
TITLE: Plain = {"type": "string", "minLength": 1, "maxLength": MAX_TITLE}
LANGUAGE_NAME: Plain = {"type": "string", "pattern": f"^{LANGUAGE.pattern}$"}
LABEL_TEXTS: Plain = {"question": LINE, "help": LINE, "words": WORDS}
QUESTION_TEXTS: Plain = {**LABEL_TEXTS, "unit": SHORT_LINE, "group": LINE}
GENERAL_TEXTS: Plain = dict.fromkeys(("asker", "introduction", "consent", "thanks"), LONG_TEXT)
ASKED: Plain = {**QUESTION_TEXTS, "kind": one_of(KINDS)}


def by_name(entries: Plain) -> Plain:
    """Some of these texts for each of several names."""
    return {"type": "object", "additionalProperties": table(*entries, **entries)}


TRANSLATED: Plain = {
    "title": TITLE,
    **GENERAL_TEXTS,
    **QUESTION_TEXTS,
    "questions": by_name(QUESTION_TEXTS),
    "background": by_name(LABEL_TEXTS),
}
TEXTS: Plain = {
    **GENERAL_TEXTS,
    **ASKED,
    "language": LANGUAGE_NAME,
    "questions": array(
        table(*(name for name in ASKED if name != "question"), name=TEXT, **ASKED),
        minItems=2,
        maxItems=MAX_QUESTIONS,
        description="Those of a form, in order, in place of question, help, words, unit, group and kind.",
    ),
    "background": array(table(*LABEL_TEXTS, name=TEXT, **LABEL_TEXTS)),
    "translations": {
        "type": "object",
        "additionalProperties": table(*TRANSLATED, **TRANSLATED),
        "maxProperties": MAX_LANGUAGES,
    },
}
"""What people read of a collection, all of it optional; but one of question and questions must be there."""

DECLARED: Plain = {
    **TEXTS,
    "title": TITLE,
    "labels": LABELS,
    "period": PERIOD,
    "opens": MOMENT,
    "closes": MOMENT,
    "changes": one_of(CHANGES),
}
TALLIED: Plain = {"mechanism": TEXT, "fingerprint": HASH, "n": NATURAL}
REFUSED: Plain = {"refused": COUNTS, "invitations": table(made=NATURAL, spent=NATURAL)}
COLUMNS: Plain = dict.fromkeys(("shares", "stderr", "low", "high"), NUMBERS)

COUNTED: Plain = array({"type": "number", "minimum": 0})

SCHEMAS: Plain = {
    "Problem": table(type=TEXT, title=TEXT, status={"type": "integer"}, code=one_of(CODES), detail=TEXT),
    "Health": table(status={"const": "ok"}),
    "Collections": table(collections=array(table(**LISTED))),
    "Document": table(
        *(*TEXTS, "labels", "period", "opens", "closes", "access"),
        **dict.fromkeys(("law", "reports"), TEXT),
        **DECLARED,
        version={"const": 1},
        fingerprint=HASH,
        access={"const": "invitation"},
        state=one_of(list(STATES)),
    ),
    "Law": {"oneOf": [ref("LawOfQuestion"), ref("LawOfForm")]},
    "LawOfQuestion": table(version={"type": "integer"}, domain=ANY, context=ANY, law=ANY),
    "LawOfForm": table(
        version={"const": 1},
        form=table(
            laws=array(ref("LawOfQuestion"), minItems=1, maxItems=MAX_QUESTIONS),
            questions=array(TEXT, minItems=2, maxItems=MAX_QUESTIONS, uniqueItems=True),
            strategy=one_of(STRATEGIES),
        ),
    ),
    "Upload": table(
        "labels",
        fingerprint=HASH,
        labels=WORDS,
        reports=array(REPORT, minItems=1, maxItems=MAX_REPORTS),
        version={"const": 1},
    ),
    "Accepted": table(
        accepted=whole(1, MAX_REPORTS), refused=array(array(REPORT, minItems=2, maxItems=2)), upload=TEXT
    ),
    "Declaration": table(
        *(*TEXTS, "labels", "period", "opens", "closes"),
        **DECLARED,
        spec={"type": ["string", "object"], "description": "A spec or a form: TOML text, or JSON data."},
        minimum=whole(1, 10**9),
        access=one_of(ACCESS),
    ),
    "DraftOf": table(
        *("counts", "stderr", "units"),
        spec={"type": "object", "description": "A spec or a form as JSON data."},
        n=whole(1, 10**9),
        counts={
            "description": "How many people give each value; of a form by the names of questions.",
            "oneOf": [COUNTED, {"type": "object", "additionalProperties": COUNTED}],
        },
        stderr={"type": "string", "description": "A standard error to reach, by another epsilon."},
        units={
            "type": "object",
            "description": 'Units of numbers by the names of questions, a single one is called "".',
            "additionalProperties": TEXT,
        },
    ),
    "Draft": {"oneOf": [ref("DraftOfQuestion"), ref("DraftOfForm")]},
    "DraftOfForm": table(
        **dict.fromkeys(("mechanism", "cost", "best_for_shares", "spec"), TEXT),
        bits=NATURAL,
        fingerprint=HASH,
        strategy=one_of(STRATEGIES),
        questions=array({"type": "object"}),
        strategies=array({"type": "object"}),
        best_for_joint=OPTIONAL_TEXT,
        promise=array(TEXT),
    ),
    "FileOf": table("toml", "document", toml=TEXT, document={"type": "object"}),
    "File": table(toml=TEXT, document={"type": "object"}),
    "DraftOfQuestion": table(
        *("mean", "people"),
        mean=table(stderr=NUMBER, plain=NUMBER),
        people=NATURAL,
        **dict.fromkeys(("cost", "mechanism", "spec"), TEXT),
        epsilon=OPTIONAL_TEXT,
        bits=NATURAL,
        fingerprint=HASH,
        certificate={"type": "object"},
        promise=array(TEXT),
        rows=array({"type": "object"}),
        preview={"type": ["object", "null"]},
    ),
    "Release": {
        "type": "object",
        "required": ["version", "title", "n", "promise", "law", "caveats"],
        "anyOf": [{"required": ["certificate"]}, {"required": ["questions"]}],
    },
    "Created": table(id=TEXT, collection=TEXT, fingerprint=HASH, mechanism=TEXT, state=STATE),
    "Closed": table(id=TEXT, state={"const": "closed"}),
    "Invite": table(count=whole(1, MAX_INVITATIONS)),
    "Invitations": table(invitations=array(TEXT)),
    "TokenOf": table("collection", name=TOKEN_NAME, role=one_of(ROLES), collection=OPTIONAL_TEXT),
    "Token": table(name=TEXT, role=one_of(ROLES), collection=OPTIONAL_TEXT, token=TEXT),
    "Tokens": table(tokens=array(table(name=TEXT, role=one_of(ROLES), collection=OPTIONAL_TEXT, day=TEXT))),
    "Revoke": table(name=TOKEN_NAME),
    "Revoked": table(name=TEXT, revoked={"const": True}),
    "Overview": table(
        collections=array(
            table(**LISTED, access=one_of(ACCESS), fingerprint=HASH, reports=NATURAL, minimum=NATURAL, **REFUSED)
        ),
        public={"type": "string", "description": "What links begin with, as the settings say; else empty."},
        refused=COUNTS,
    ),
    "Progress": table(
        "questions",
        state=STATE,
        questions={**COUNTS, "description": "How many people answered each part of a form."},
        **dict.fromkeys(("n", "minimum", "missing"), NATURAL),
        labels={"type": "object", "additionalProperties": COUNTS},
        days=COUNTS,
        **REFUSED,
    ),
    "Tally": {"oneOf": [ref("TallyOfQuestion"), ref("TallyOfForm")]},
    "TallyOfQuestion": table(version={"const": 1}, **TALLIED, counts=array(NATURAL)),
    "TallyOfForm": table(
        version={"const": 1},
        fingerprint=HASH,
        n=NATURAL,
        tallies={"type": "object", "additionalProperties": ref("TallyOfQuestion")},
    ),
    "Figure": {"anyOf": [{"type": "null"}, {"type": "object", "required": ["value", "low", "high"]}]},
    "Figures": table(
        **dict.fromkeys(("mean", "spread", "median"), ref("Figure")),
        **dict.fromkeys(("given", "low", "high"), NUMBER),
        cut=TEXT,
        ranges={"type": ["array", "null"], "items": {"type": "object"}},
    ),
    "Result": table(
        "numbers",
        numbers=ref("Figures"),
        **TALLIED,
        method=TEXT,
        biased={"type": "boolean"},
        confidence=NUMBER,
        anytime={"type": "boolean"},
        values=array(ANY),
        **COLUMNS,
        notes=WORDS,
        influence=NUMBER,
        blocks={"anyOf": [{"type": "null"}, table(names=array(ANY), **COLUMNS)]},
    ),
    "Cell": table(
        *("days", "periods"),
        periods={"type": "integer", "minimum": 2},
        labels={"type": "object", "additionalProperties": OPTIONAL_TEXT},
        days=array(TEXT, minItems=2, maxItems=2),
        n=NATURAL,
        missing=NATURAL,
        result={"anyOf": [{"type": "null"}, ref("Result")]},
    ),
    "Shares": {"oneOf": [ref("SharesOfQuestion"), ref("SharesOfQuestions")]},
    "SharesOfQuestions": table(questions={"type": "object", "additionalProperties": ref("SharesOfQuestion")}),
    "SharesOfQuestion": table(
        collection=TEXT,
        minimum=NATURAL,
        method=TEXT,
        confidence=NUMBER,
        anytime={"type": "boolean"},
        cells=array(ref("Cell")),
    ),
    "Crosstab": table(
        **dict.fromkeys(("collection", "first", "second"), TEXT),
        minimum=NATURAL,
        confidence=NUMBER,
        cells=array(
            table(
                labels={"type": "object", "additionalProperties": OPTIONAL_TEXT},
                n=NATURAL,
                missing=NATURAL,
                result={
                    "anyOf": [
                        {"type": "null"},
                        table(
                            n=NATURAL,
                            method=TEXT,
                            confidence=NUMBER,
                            values=array(array(ANY), minItems=2, maxItems=2),
                            **dict.fromkeys(("shares", "stderr", "low", "high"), array(NUMBERS)),
                            independence={"type": ["object", "null"]},
                            correlation={"type": ["object", "null"]},
                        ),
                    ]
                },
            )
        ),
    ),
    "Pair": table(
        first=OPTIONAL_TEXT,
        second=OPTIONAL_TEXT,
        values=array(ANY),
        **dict.fromkeys(("difference", "stderr", "p", "adjusted"), array(NUMBER)),
    ),
    "Differences": table(
        collection=TEXT,
        by=TEXT,
        minimum=NATURAL,
        pairs=array(ref("Pair")),
        omnibus={"type": ["object", "null"], "properties": {"statistic": NUMBER, "df": NATURAL, "p": NUMBER}},
        left_out=array(table(label=OPTIONAL_TEXT, n=NATURAL, missing={"type": "integer", "minimum": 1})),
    ),
}

PACKED_BODY = {**BINARY, "description": "A line of JSON with fingerprint, labels and version, then packed reports."}
ETAG: Plain = {"headers": {"ETag": {"schema": TEXT}}}
RETRY: Plain = {"headers": {"Retry-After": {"schema": TEXT}}}


def _parameter(name: str, about: str, schema: Plain, *, place: str = "query", required: bool = False) -> Plain:
    return {"name": name, "in": place, "required": required, "description": about, "schema": schema}


IDENTIFIER = _parameter(
    "id", "The id of a collection.", {"type": "string", "pattern": "^[0-9a-f]{16}$"}, place="path", required=True
)
UPLOAD_HEADERS = [
    _parameter(
        "idempotency-key",
        "A number for the upload, at random; the same upload is always sent with the same one.",
        {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
        place="header",
        required=True,
    ),
    _parameter("invitation", "An invitation, where the collection needs one.", TEXT, place="header"),
]
QUERIES: dict[str, tuple[str, Plain]] = {
    "question": ("The name of a question, where the collection asks a form.", TEXT),
    "first": ("The name of a question of a form.", TEXT),
    "second": ("The name of another one.", TEXT),
    "after": ("Only later lines.", {"type": "string", "pattern": "^[0-9]{1,15}$"}),
    "method": ("How shares are made.", one_of(METHODS)),
    "confidence": ("Of the intervals.", {"type": "number", "minimum": 0.01, "maximum": 0.999}),
    "anytime": ("Intervals that hold however often one looks.", one_of(["true", "false"])),
    "days": ("Group so many days.", whole(1, 9999)),
    "by": ("A label of the collection.", TEXT),
    "period": ("A text of the label that is declared as the period: only its reports.", TEXT),
    "form": ("A page, or its data.", one_of(["html", "json"])),
}


def _content(contents: Plain, status: str = "200", **more: Any) -> Plain:
    """A response by its status; `contents` has a schema for each media type."""
    return {status: {"description": "As asked for.", "content": _schemas(contents), **more}}


def _schemas(contents: Plain) -> Plain:
    return {kind: {"schema": schema} for kind, schema in contents.items()}


def _json(name: str, status: str = "200") -> Plain:
    return _content({JSON: ref(name)}, status)


def _with_etag(name: str) -> Plain:
    unchanged = {"304": {"description": "What the sender has is still right.", **ETAG}}
    return _content({JSON: ref(name)}, **ETAG) | unchanged


ONE = "/collections/{id}"
OPERATIONS: dict[str, tuple[str, Plain, str]] = {
    "GET /health": ("The process answers.", _json("Health"), ""),
    "GET /ready": ("The store answers too.", _json("Health"), "busy full"),
    "GET /log": (
        "The hash-chained log of all collections made and closed, a line each.",
        _content({"application/jsonl": TEXT}),
        "",
    ),
    "GET /openapi.json": ("This document.", _content({JSON: {"type": "object"}}), ""),
    "GET /collections": ("Every collection.", _json("Collections"), ""),
    "POST /collections": ("Make a collection.", _json("Created", "201"), "declaration busy full"),
    f"GET {ONE}": ("What a collection says of itself.", _with_etag("Document"), ""),
    f"GET {ONE}/law": ("The published law, byte for byte.", _with_etag("Law"), ""),
    f"POST {ONE}/reports": (
        f"Send 1 to {MAX_REPORTS} reports; the same upload again gets the first answer again.",
        _json("Accepted"),
        "header closed conflict other_law too_fast slow headers_too_large address_too_long busy full",
    ),
    f"POST {ONE}/close": ("Take no more reports, for good.", _json("Closed"), "busy full"),
    f"POST {ONE}/invitations": ("New invitations, shown once.", _json("Invitations", "201"), "declaration busy full"),
    "GET /overview": ("States, sizes and refusals.", _json("Overview"), ""),
    "GET /tokens": ("The named tokens, without their secrets.", _json("Tokens"), ""),
    "POST /tokens": ("Make a token with a name, shown once.", _json("Token", "201"), "declaration busy full"),
    "POST /tokens/revoke": ("Make a named token invalid.", _json("Revoked"), "declaration busy full"),
    "POST /drafts": ("What a spec or a form would give.", _json("Draft"), "declaration"),
    "POST /drafts/file": ("A questionnaire file as data, and data as a file.", _json("File"), "declaration"),
    f"GET {ONE}/progress": ("How far the collection is.", _json("Progress"), ""),
    f"GET {ONE}/tally": ("All reports, counted.", _json("Tally"), "below_minimum unavailable"),
    f"GET {ONE}/shares": (
        "The share of every value with its interval, by label and by days.",
        _json("Shares"),
        "unavailable",
    ),
    f"GET {ONE}/differences": (
        "Tests of differences between the texts of a label.",
        _json("Differences"),
        "unavailable",
    ),
    f"GET {ONE}/crosstab": (
        "The shares of every pair of answers to two questions of a form.",
        _json("Crosstab"),
        "below_minimum unavailable",
    ),
    f"GET {ONE}/release": (
        "The shares of a question, or of all, as a report to be published.",
        _content({"text/html": TEXT, JSON: ref("Release")}),
        "below_minimum unavailable",
    ),
    f"GET {ONE}/export": (
        "All reports, sorted, as Parquet.",
        _content({"application/vnd.apache.parquet": BINARY}),
        "below_minimum unavailable",
    ),
    "GET /metrics": ("Counters for Prometheus.", _content({"text/plain": TEXT}), ""),
}
"""For every route a summary, its response, and the codes of problems that others do not have."""

BODIES: dict[str, Plain] = {
    "POST /collections": {JSON: ref("Declaration")},
    f"POST {ONE}/reports": {JSON: ref("Upload"), PACKED: PACKED_BODY},
    f"POST {ONE}/invitations": {JSON: ref("Invite")},
    "POST /drafts": {JSON: ref("DraftOf")},
    "POST /drafts/file": {JSON: ref("FileOf")},
    "POST /tokens": {JSON: ref("TokenOf")},
    "POST /tokens/revoke": {JSON: ref("Revoke")},
}


def description(routes: Iterable[Any], prefix: str) -> Plain:
    """The whole document; `prefix` is the path under which a proxy shows the service."""
    bearer = {"type": "http", "scheme": "bearer"}
    paths: Plain = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "discreet collector", "version": __version__},
        "servers": [{"url": prefix or "/"}],
        "paths": paths,
        "components": {"schemas": SCHEMAS, "securitySchemes": dict.fromkeys(ROLES, bearer)},
    }


NEEDED = {"differences": ("by",), "crosstab": ("first", "second")}
"""Parameters that must be there, by the end of the path."""


def _operation(route: Any) -> Plain:
    name = f"{route.method} {route.path}"
    summary, responses, problems = OPERATIONS[name]
    codes, parameters = ["parameter", *problems.split()], []
    operation: Plain = {"summary": summary}
    if route.role:
        operation["security"] = [{role: []} for role in ACCEPTED_ROLES.get(route.role, (route.role,))]
        codes += ["token", "too_fast"]
    if "{id}" in route.path:
        codes.append("not_found")
        parameters.append(IDENTIFIER)
    if name in BODIES:
        operation["requestBody"] = {"required": True, "content": _schemas(BODIES[name])}
        codes += ["json", "too_large", "media_type"]
    if route.path.endswith("/reports"):
        parameters += UPLOAD_HEADERS
    needed = NEEDED.get(route.path.rpartition("/")[2], ())
    parameters += [_parameter(query, *QUERIES[query], required=query in needed) for query in route.parameters]
    if parameters:
        operation["parameters"] = parameters
    return operation | {"responses": responses | _problems(codes)}


def _problems(codes: Iterable[str]) -> Plain:
    """Every status that these codes come with, and what it may mean."""
    responses: Plain = {}
    for status in sorted({CODES[code][0] for code in codes}):
        names = [code for code, (other, _) in CODES.items() if other == status]
        schema = {"allOf": [ref("Problem"), {"properties": {"code": {"enum": names}, "status": {"const": status}}}]}
        responses[str(status)] = {"description": "; ".join(names), "content": {MEDIA_TYPE: {"schema": schema}}}
        if status in (429, 503, 507):
            responses[str(status)] |= RETRY
    return responses
