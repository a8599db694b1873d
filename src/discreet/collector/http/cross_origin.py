"""Pages of other origins: those that were declared may read what is public and send reports, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

HEADERS = "content-type, idempotency-key, invitation"
"""The headers that a page may send; a token is not among them."""


def allowed(methods: Mapping[str, Any]) -> list[str]:
    """The methods that an address takes."""
    return sorted({*methods, "OPTIONS", *(["HEAD"] if "GET" in methods else [])})


class CrossOrigin:
    """Says to browsers which origins may use the public addresses."""

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._origins = frozenset(origin.encode() for origin in origins)

    def preflight(self, scope: Mapping[str, Any], methods: Mapping[str, Any] | None) -> Response | None:
        """The answer to OPTIONS at an address that exists; None for any other request."""
        if scope["method"] != "OPTIONS" or methods is None:
            return None
        public = sorted(method for method, route in methods.items() if not route.role)
        headers = {"allow": ", ".join(allowed(methods))}
        origin = self._declared(scope)
        if origin is not None and public:
            headers["access-control-allow-origin"] = origin.decode()
            headers["access-control-allow-methods"] = ", ".join(public)
            headers["access-control-allow-headers"] = HEADERS
            headers["access-control-max-age"] = "600"
        return Response(status_code=204, headers=headers)

    def mark(self, scope: Mapping[str, Any], route: Any, response: Response) -> None:
        """Add to an answer whether the page that asked may read it."""
        if not self._origins:
            return
        response.raw_headers.append((b"vary", b"origin"))
        origin = self._declared(scope)
        if origin is not None and route is not None and not route.role:
            response.raw_headers.append((b"access-control-allow-origin", origin))
            response.raw_headers.append((b"access-control-expose-headers", b"etag, retry-after"))

    def _declared(self, scope: Mapping[str, Any]) -> bytes | None:
        offered = [text for name, text in scope["headers"] if name == b"origin"]
        return offered[0] if len(offered) == 1 and offered[0] in self._origins else None
