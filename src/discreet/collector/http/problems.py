"""What goes wrong, as answers: application/problem+json with a stable code and one plain sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from starlette.responses import Response

from ...core.canonical import canonical

MEDIA_TYPE = "application/problem+json"


class Kind(NamedTuple):
    """What a code stands for: the status it comes with, and a title that is always the same."""

    status: int
    title: str


CODES = {
    "json": Kind(400, "The body is not what this address takes"),
    "header": Kind(400, "A header is missing or malformed"),
    "parameter": Kind(400, "A parameter of the address is malformed"),
    "token": Kind(401, "This needs a token"),
    "closed": Kind(403, "The collection takes no reports now"),
    "not_invited": Kind(403, "This needs an invitation that is not spent"),
    "not_found": Kind(404, "There is nothing at this address"),
    "method": Kind(405, "This address does not take that method"),
    "slow": Kind(408, "The request took too long to arrive"),
    "conflict": Kind(409, "The upload's number was used for something else"),
    "below_minimum": Kind(409, "There are too few reports yet"),
    "too_large": Kind(413, "The request is too large"),
    "media_type": Kind(415, "The body is of a type that this address does not take"),
    "declaration": Kind(422, "The collection cannot be declared like this"),
    "other_law": Kind(422, "The reports were written by another law"),
    "label": Kind(422, "A label was not declared"),
    "impossible": Kind(422, "The law cannot have written these reports"),
    "count": Kind(422, "The upload holds too few or too many reports"),
    "unavailable": Kind(422, "This cannot be given honestly"),
    "too_fast": Kind(429, "There are too many requests at the moment"),
    "headers_too_large": Kind(431, "The headers are too large"),
    "failed": Kind(500, "The collector failed"),
    "busy": Kind(503, "The collector is busy"),
    "full": Kind(507, "The collector's disk is full"),
}
"""Every code that an answer may carry; a code never changes its meaning."""


class Problem(Exception):
    """A request that is answered with a problem; `detail` is a sentence and repeats no value."""

    def __init__(self, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(code)
        self.code, self.detail, self.headers = code, detail, dict(headers or {})
        self.status = CODES[code].status

    def response(self) -> Response:
        """The answer."""
        return Response(body(self.code, self.detail), self.status, self.headers, MEDIA_TYPE)


def body(code: str, detail: str) -> bytes:
    """The text of a problem."""
    status, title = CODES[code]
    data = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail}
    return canonical(data).encode()


def later(code: str, detail: str, *, seconds: int = 1) -> Problem:
    """A problem that may be gone after some seconds."""
    return Problem(code, detail, {"retry-after": str(seconds)})
