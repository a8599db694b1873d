"""A request as endpoints see it: strict headers and parameters, and a collection that exists."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from ...core.canonical import loads
from ...core.errors import DiscreetError, InvalidInput, StoreFailed
from ..catalogue import ServedCollection
from ..service import Service
from .limits import Receive
from .response import JSON, HttpProblem

T = TypeVar("T")


@dataclass(slots=True)
class HttpRequest:
    """A request whose route was found and whose token, if it needs one, was right."""

    service: Service
    receive: Receive
    headers: dict[bytes, bytes]
    collection: ServedCollection
    """The collection that the address names; nothing where it names none."""
    parameters: dict[str, str]

    async def json(self) -> Any:
        """The JSON data of the body."""
        media_type(self.headers, (JSON,))
        body = await self.service.bodies.read(self.headers, self.receive)
        try:
            return await asyncio.to_thread(loads, bytes(body), InvalidInput)
        except InvalidInput:
            raise HttpProblem("json", "the body must be JSON without repeated keys") from None
        finally:
            self.service.bodies.release(body)

    async def compute(self, code: str, function: Callable[..., T], *arguments: Any) -> T:
        """What a function gives, computed in a thread; its errors become a problem with this code."""
        try:
            return await asyncio.to_thread(function, *arguments)
        except StoreFailed:
            raise
        except DiscreetError as problem:
            raise HttpProblem(code, str(problem)) from None

    def has_etag(self, etag: str) -> bool:
        """True if the sender already has the content with this ETag."""
        offered = self.headers.get(b"if-none-match", b"").decode("latin-1")
        return etag in (one.strip().removeprefix("W/") for one in offered.split(",")) or offered.strip() == "*"


def parse_parameters(query: bytes, known: Collection[str]) -> dict[str, str]:
    """The parameters of an address; `HttpProblem` for one that is unknown or comes twice."""
    try:
        pairs = parse_qsl(query.decode("ascii"), True, True, errors="strict", max_num_fields=10)
    except ValueError:
        raise HttpProblem("parameter", "the parameters of the address are malformed") from None
    parameters = dict(pairs)
    if len(parameters) != len(pairs) or not parameters.keys() <= set(known):
        raise HttpProblem("parameter", f"the parameters must be among: {', '.join(known) or 'none'}; each once")
    return parameters


SINGLE_HEADERS = frozenset(
    (b"authorization", b"content-length", b"content-type", b"content-encoding", b"idempotency-key", b"invitation")
)
"""Headers that may not be repeated."""


def headers_by_name(pairs: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name; `HttpProblem` if one of `SINGLE_HEADERS` comes twice."""
    headers: dict[bytes, bytes] = {}
    for name, text in pairs:
        if name in headers and name in SINGLE_HEADERS:
            raise HttpProblem("header", f"the header {name.decode()} must come once")
        headers[name] = text
    return headers


def media_type(headers: Mapping[bytes, bytes], known: tuple[str, ...]) -> str:
    """The media type of a body; `HttpProblem` unless it is one of the known ones, not compressed."""
    content_type = headers.get(b"content-type", b"").decode("latin-1")
    if content_type in known and b"content-encoding" not in headers:
        return content_type
    name, _, parameters = content_type.partition(";")
    name = name.strip().lower()
    utf8 = parameters.strip().lower().replace('"', "") in ("", "charset=utf-8")
    if name not in known or not utf8 or b"content-encoding" in headers:
        raise HttpProblem("media_type", f"content-type must be {' or '.join(known)}, without content-encoding")
    return name
