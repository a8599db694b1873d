"""Errors as responses: application/problem+json with a stable code and one plain sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...core.canonical import canonical
from .response import HttpResponse

MEDIA_TYPE = "application/problem+json"


class ProblemKind(NamedTuple):
    """What a code stands for: the status it comes with, and a title that is always the same."""

    status: int
    title: str


CODES = {
    "json": ProblemKind(400, "The body is not what this address takes"),
    "header": ProblemKind(400, "A header is missing or malformed"),
    "parameter": ProblemKind(400, "A parameter of the address is malformed"),
    "token": ProblemKind(401, "This needs a token"),
    "closed": ProblemKind(403, "The collection takes no reports now"),
    "not_invited": ProblemKind(403, "This needs an invitation that is not spent"),
    "not_found": ProblemKind(404, "There is nothing at this address"),
    "method": ProblemKind(405, "This address does not take that method"),
    "slow": ProblemKind(408, "The request took too long to arrive"),
    "conflict": ProblemKind(409, "The upload's number was used for something else"),
    "below_minimum": ProblemKind(409, "There are too few reports yet"),
    "too_large": ProblemKind(413, "The request is too large"),
    "media_type": ProblemKind(415, "The body is of a type that this address does not take"),
    "declaration": ProblemKind(422, "The collection cannot be declared like this"),
    "other_law": ProblemKind(422, "The reports were written by another law"),
    "label": ProblemKind(422, "A label was not declared"),
    "impossible": ProblemKind(422, "The law cannot have written these reports"),
    "count": ProblemKind(422, "The upload holds too few or too many reports"),
    "unavailable": ProblemKind(422, "This cannot be given honestly"),
    "too_fast": ProblemKind(429, "There are too many requests at the moment"),
    "headers_too_large": ProblemKind(431, "The headers are too large"),
    "failed": ProblemKind(500, "The collector failed"),
    "busy": ProblemKind(503, "The collector is busy"),
    "full": ProblemKind(507, "The collector's disk is full"),
}
"""Every code that a problem may have; a code never changes its meaning."""


class HttpProblem(Exception):
    """Raised where a request is to be answered with a problem; `detail` is a sentence and repeats no value."""

    def __init__(self, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(code)
        self.code, self.detail, self.headers = code, detail, dict(headers or {})
        self.status = CODES[code].status

    def response(self) -> HttpResponse:
        """The response that says it."""
        return HttpResponse(problem_body(self.code, self.detail), self.status, self.headers, MEDIA_TYPE)


def problem_body(code: str, detail: str) -> bytes:
    """The JSON of a problem."""
    status, title = CODES[code]
    data = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail}
    return canonical(data).encode()


def retry_later(code: str, detail: str, *, seconds: int = 1) -> HttpProblem:
    """A problem that may be gone after some seconds."""
    return HttpProblem(code, detail, {"retry-after": str(seconds)})
