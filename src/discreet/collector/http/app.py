"""The ASGI application: the table of routes with the role each needs, and the headers of every response."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from ...core.errors import StoreFailed, StoreFull
from ..endpoints import admin, analyst, pages, public, uploads
from ..logs import log_failure
from ..service import Service
from ..tokens import ACCEPTED_ROLES, is_token
from .limits import ClientDisconnect, Receive
from .openapi import description
from .request import HttpRequest, headers_by_name, parse_parameters
from .response import HttpProblem, HttpResponse, JsonResponse, Send, retry_later


class Route(NamedTuple):
    """A method at a path, the role whose token it needs ("" for anybody), its endpoint, and its parameters.

    What is about one collection is open to the role's tokens for that collection too.
    """

    method: str
    path: str
    role: str
    endpoint: Callable[[HttpRequest], Awaitable[HttpResponse]]
    parameters: tuple[str, ...] = ()


async def openapi(request: HttpRequest) -> HttpResponse:
    """The OpenAPI description of this interface."""
    return JsonResponse(description(ROUTES, request.service.settings.prefix))


ROUTES = (
    Route("GET", "/health", "", public.health),
    Route("GET", "/ready", "", public.ready),
    Route("GET", "/log", "", public.log, ("after",)),
    Route("GET", "/openapi.json", "", openapi),
    Route("GET", "/collections", "", public.collections),
    Route("GET", "/collections/{id}", "", public.document),
    Route("GET", "/collections/{id}/law", "", public.law),
    Route("POST", "/collections/{id}/reports", "", uploads.upload),
    Route("POST", "/collections", "admin", admin.create),
    Route("POST", "/collections/{id}/close", "admin", admin.close),
    Route("POST", "/collections/{id}/invitations", "admin", admin.invite),
    Route("GET", "/overview", "admin", admin.overview),
    Route("POST", "/drafts", "admin", admin.draft),
    Route("POST", "/drafts/file", "admin", admin.draft_file),
    Route("GET", "/tokens", "admin", admin.tokens),
    Route("POST", "/tokens", "admin", admin.new_token),
    Route("POST", "/tokens/revoke", "admin", admin.end_token),
    Route("GET", "/collections/{id}/progress", "analyst", analyst.progress),
    Route("GET", "/collections/{id}/tally", "analyst", analyst.tally, ("period",)),
    Route(
        "GET",
        "/collections/{id}/shares",
        "analyst",
        analyst.shares,
        ("question", "method", "confidence", "anytime", "by", "days", "period"),
    ),
    Route("GET", "/collections/{id}/differences", "analyst", analyst.differences, ("question", "by", "period")),
    Route(
        "GET",
        "/collections/{id}/crosstab",
        "analyst",
        analyst.crosstab,
        ("first", "second", "confidence", "by", "period"),
    ),
    Route(
        "GET",
        "/collections/{id}/release",
        "analyst",
        analyst.release,
        ("question", "method", "confidence", "form", "period"),
    ),
    Route("GET", "/collections/{id}/export", "analyst", analyst.export),
    Route("GET", "/metrics", "metrics", analyst.metrics),
)

ROUTES_BY_PATH: dict[str, dict[str, Route]] = {}
for _route in ROUTES:
    ROUTES_BY_PATH.setdefault(_route.path, {})[_route.method] = _route

SECURITY_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
"""Headers of every response, for browsers; a page has a content policy of its own."""

COUNTED_METHODS = ("GET", "HEAD", "POST", "OPTIONS")
"""Methods that metrics count by name: a sender must not be able to make a new counter with every word."""

PAGE_HEADERS = SECURITY_HEADERS[:-1]

NO_STORE = (b"cache-control", b"no-store")
"""What a response says unless it says how long it may be kept."""


MAX_LARGE_RESPONSES = 512
"""The most responses to strangers that are sent in pieces at any time."""

ALLOWED_HEADERS = "content-type, idempotency-key, invitation"
"""The headers that a page of another origin may send; a token is not among them."""


class App:
    """The collector as an ASGI application; pages of the origins in the settings may use its public addresses."""

    def __init__(self, service: Service) -> None:
        self._service, self._large_responses = service, 0
        self._origins = frozenset(origin.encode() for origin in service.settings.origins)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request; whatever goes wrong is answered too."""
        if scope["type"] != "http":
            return
        path, name = split_collection(scope["path"])
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        page = pages.page_name(path) if method == "GET" else None
        methods = ROUTES_BY_PATH.get(path)
        route = None if methods is None else methods.get(method)
        try:
            if page is not None:
                path = "/pages"
                response = pages.page(page, headers_by_name(scope["headers"]))
            else:
                preflight = self._preflight(scope, methods)
                response = preflight or await self._respond(scope, receive, path, name, route)
        except HttpProblem as problem:
            self._service.count_refused(name if self._service.catalogue.get(name) else "", problem.code)
            response = problem.response()
        except ClientDisconnect:
            return
        except StoreFull:
            response = retry_later("full", "there is no room in the store; nothing was changed", seconds=60).response()
        except StoreFailed:
            response = retry_later("busy", "the store does not answer", seconds=5).response()
        except Exception as problem:
            log_failure("a request failed", problem)
            response = HttpProblem("failed", "the collector failed; its log says where").response()
        large = response.is_large and (route is None or not route.role)
        if large and self._large_responses >= MAX_LARGE_RESPONSES:
            large, response = False, retry_later("busy", "too many large responses are on their way").response()
        response.headers += SECURITY_HEADERS if page is None or response.status >= 400 else PAGE_HEADERS
        if method == "POST" or not any(header == b"cache-control" for header, _ in response.headers):
            response.headers.append(NO_STORE)
        self._allow_origin(scope, route, response)
        counted = scope["method"] if scope["method"] in COUNTED_METHODS else "other"
        self._service.metrics.requests[path if methods or page else "other", counted, response.status] += 1
        self._large_responses += large
        try:
            await response.send(scope["method"], send)
        finally:
            self._large_responses -= large

    async def _respond(
        self, scope: dict[str, Any], receive: Receive, path: str, name: str, route: Route | None
    ) -> HttpResponse:
        if route is None:
            if (methods := ROUTES_BY_PATH.get(path)) is None:
                raise HttpProblem("not_found", "there is nothing at this address")
            allowed = ", ".join(allowed_methods(methods))
            raise HttpProblem("method", "this address does not take that method", {"allow": allowed})
        headers = headers_by_name(scope["headers"])
        if route.role:
            await self._check_token(route.role, name or None, headers)
        served: Any = None
        if name:
            served = self._service.catalogue.get(name) or await self._service.find(name)
            if served is None:
                raise HttpProblem("not_found", "there is no collection of this id")
        query = scope["query_string"]
        parameters = parse_parameters(query, route.parameters) if query else {}
        return await route.endpoint(HttpRequest(self._service, receive, headers, served, parameters))

    def _preflight(self, scope: dict[str, Any], methods: Mapping[str, Route] | None) -> HttpResponse | None:
        """The response to OPTIONS at an address that exists; None for any other request."""
        if scope["method"] != "OPTIONS" or methods is None:
            return None
        public = sorted(method for method, route in methods.items() if not route.role)
        headers = {"allow": ", ".join(allowed_methods(methods))}
        origin = self._origin(scope)
        if origin is not None and public:
            headers["access-control-allow-origin"] = origin.decode()
            headers["access-control-allow-methods"] = ", ".join(public)
            headers["access-control-allow-headers"] = ALLOWED_HEADERS
            headers["access-control-max-age"] = "600"
        return HttpResponse(status=204, headers=headers)

    def _allow_origin(self, scope: dict[str, Any], route: Route | None, response: HttpResponse) -> None:
        """Add to a response whether the page that asked may read it."""
        if not self._origins:
            return
        response.headers.append((b"vary", b"origin"))
        origin = self._origin(scope)
        if origin is not None and route is not None and not route.role:
            response.headers.append((b"access-control-allow-origin", origin))
            response.headers.append((b"access-control-expose-headers", b"etag, retry-after"))

    def _origin(self, scope: dict[str, Any]) -> bytes | None:
        """The origin of the page that asks, if it is one of those in the settings."""
        offered = [text for name, text in scope["headers"] if name == b"origin"]
        return offered[0] if len(offered) == 1 and offered[0] in self._origins else None

    async def _check_token(self, role: str, collection: str | None, headers: dict[bytes, bytes]) -> None:
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() == "bearer" and token:
            for accepted in ACCEPTED_ROLES.get(role, (role,)):
                if await asyncio.to_thread(is_token, self._service.store, accepted, collection, token.strip()):
                    return
            if not self._service.wrong_tokens.take():
                raise retry_later("too_fast", "there are too many wrong tokens at the moment")
        raise HttpProblem(
            "token",
            f"the header authorization must be Bearer and a token for the role {role}",
            {"www-authenticate": "Bearer"},
        )


def allowed_methods(methods: Mapping[str, Route]) -> list[str]:
    """The methods that an address takes."""
    return sorted({*methods, "OPTIONS", *(["HEAD"] if "GET" in methods else [])})


def split_collection(path: str) -> tuple[str, str]:
    """A path with the id of a collection replaced by ``{id}``, and the id, which is "" where there is none."""
    parts = path.split("/")
    if len(parts) < 3 or parts[1] != "collections" or not parts[2]:
        return path, ""
    name, parts[2] = parts[2], "{id}"
    return "/".join(parts), name
