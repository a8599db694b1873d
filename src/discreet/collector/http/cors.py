"""Cross-origin access (CORS): pages of the origins in the settings may use the public addresses, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .response import HttpResponse

ALLOWED_HEADERS = "content-type, idempotency-key, invitation"
"""The headers that a page may send; a token is not among them."""


def allowed_methods(methods: Mapping[str, Any]) -> list[str]:
    """The methods that an address takes."""
    return sorted({*methods, "OPTIONS", *(["HEAD"] if "GET" in methods else [])})


class CrossOriginPolicy:
    """Tells browsers which origins may use the public addresses."""

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._origins = frozenset(origin.encode() for origin in origins)

    def preflight(self, scope: Mapping[str, Any], methods: Mapping[str, Any] | None) -> HttpResponse | None:
        """The response to OPTIONS at an address that exists; None for any other request."""
        if scope["method"] != "OPTIONS" or methods is None:
            return None
        public = sorted(method for method, route in methods.items() if not route.role)
        headers = {"allow": ", ".join(allowed_methods(methods))}
        origin = self._allowed_origin(scope)
        if origin is not None and public:
            headers["access-control-allow-origin"] = origin.decode()
            headers["access-control-allow-methods"] = ", ".join(public)
            headers["access-control-allow-headers"] = ALLOWED_HEADERS
            headers["access-control-max-age"] = "600"
        return HttpResponse(status=204, headers=headers)

    def add_headers(self, scope: Mapping[str, Any], route: Any, response: HttpResponse) -> None:
        """Add to a response whether the page that asked may read it."""
        if not self._origins:
            return
        response.headers.append((b"vary", b"origin"))
        origin = self._allowed_origin(scope)
        if origin is not None and route is not None and not route.role:
            response.headers.append((b"access-control-allow-origin", origin))
            response.headers.append((b"access-control-expose-headers", b"etag, retry-after"))

    def _allowed_origin(self, scope: Mapping[str, Any]) -> bytes | None:
        offered = [text for name, text in scope["headers"] if name == b"origin"]
        return offered[0] if len(offered) == 1 and offered[0] in self._origins else None
