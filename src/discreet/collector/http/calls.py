"""One request, as endpoints see it: strict headers and parameters, and a collection that exists."""

from __future__ import annotations

from collections.abc import Collection as Some
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.responses import Response

from ...core.errors import InvalidInput
from ...core.strict_json import loads
from ..catalogue import Served
from ..service import Service
from .bodies import Receive, media_type
from .decoding import JSON
from .problems import Problem


@dataclass(slots=True)
class Call:
    """A request whose route was found and whose token, if it needs one, was right."""

    service: Service
    scope: dict[str, Any]
    receive: Receive
    headers: dict[bytes, bytes]
    served: Served | None

    @property
    def collection(self) -> Served:
        """The collection that the address names."""
        assert self.served is not None
        return self.served

    def parameters(self, known: Some[str] = ()) -> dict[str, str]:
        """The parameters of the address; `Problem` for one that is unknown or comes twice."""
        try:
            text = self.scope["query_string"].decode("ascii")
            pairs = parse_qsl(text, True, True, errors="strict", max_num_fields=10) if text else []
        except ValueError:
            raise Problem("parameter", "the parameters of the address are malformed") from None
        found = dict(pairs)
        if len(found) != len(pairs) or not found.keys() <= set(known):
            raise Problem("parameter", f"the parameters must be among: {', '.join(known) or 'none'}; each once")
        return found

    async def json(self) -> Any:
        """The JSON data of the body."""
        media_type(self.headers, (JSON,))
        body = await self.service.bodies.read(self.headers, self.receive)
        try:
            return loads(body, InvalidInput)
        except InvalidInput:
            raise Problem("json", "the body must be JSON without repeated keys") from None

    def matches(self, tag: str) -> bool:
        """True if the sender has the content with this ETag already."""
        offered = self.headers.get(b"if-none-match", b"").decode("latin-1")
        return tag in (one.strip().removeprefix("W/") for one in offered.split(",")) or offered.strip() == "*"


class Told(Response):
    """A short JSON text as an answer, which is what most requests get: its two headers are put down as they are."""

    def __init__(self, text: str) -> None:
        self.status_code, self.background, self.body = 200, None, text.encode()
        self.raw_headers = [(b"content-length", b"%d" % len(self.body)), (b"content-type", b"application/json")]


def answer(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Data as a JSON answer."""
    return Response(msgspec.json.encode(data), status, headers, JSON)
