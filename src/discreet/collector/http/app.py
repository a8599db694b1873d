"""The service: one table of routes, with who may use each, and what every answer has in common."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ...core.errors import StoreFailed
from ..endpoints import admin, analyst, pages, public, uploads
from ..logs import failure
from ..service import Service
from ..tokens import is_token
from .bodies import Receive, once
from .calls import Call
from .cross_origin import CrossOrigin, allowed
from .problems import Problem, later

Send = Callable[[Any], Awaitable[None]]


class Route(NamedTuple):
    """A method at a path, the role whose token it needs ("" for anybody), and what answers."""

    method: str
    path: str
    role: str
    endpoint: Callable[[Call], Awaitable[Response]]


ROUTES = (
    Route("GET", "/health", "", public.health),
    Route("GET", "/ready", "", public.ready),
    Route("GET", "/log", "", public.log),
    Route("GET", "/openapi.json", "", public.openapi),
    Route("GET", "/collections", "", public.collections),
    Route("GET", "/collections/{id}", "", public.document),
    Route("GET", "/collections/{id}/law", "", public.law),
    Route("POST", "/collections/{id}/reports", "", uploads.upload),
    Route("POST", "/collections", "admin", admin.create),
    Route("POST", "/collections/{id}/close", "admin", admin.close),
    Route("POST", "/collections/{id}/invitations", "admin", admin.invite),
    Route("GET", "/overview", "admin", admin.overview),
    Route("POST", "/drafts", "admin", admin.draft),
    Route("GET", "/collections/{id}/progress", "analyst", analyst.progress),
    Route("GET", "/collections/{id}/tally", "analyst", analyst.tally),
    Route("GET", "/collections/{id}/shares", "analyst", analyst.shares),
    Route("GET", "/collections/{id}/differences", "analyst", analyst.differences_),
    Route("GET", "/collections/{id}/release", "analyst", analyst.release),
    Route("GET", "/collections/{id}/export", "analyst", analyst.export),
    Route("GET", "/metrics", "analyst", analyst.metrics),
)

TABLE: dict[str, dict[str, Route]] = {}
for _route in ROUTES:
    TABLE.setdefault(_route.path, {})[_route.method] = _route

SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
"""What every answer says to browsers; a page has a policy of its own."""

POLICY = SAFE[-1:]

UNKEPT = (b"cache-control", b"no-store")
"""What every answer says that does not say how long it may be kept."""


class App:
    """The collector as an ASGI application."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._origins = CrossOrigin(service.settings.origins)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request; whatever goes wrong is an answer too."""
        if scope["type"] != "http":
            return
        path, name = template(scope["path"])
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        shown = pages.name_of(path) if method == "GET" else None
        methods = TABLE.get(path)
        route = None if methods is None else methods.get(method)
        try:
            if shown is not None:
                path = "/pages"
                response = pages.page(shown, once(scope["headers"]))
            else:
                answered = self._origins.preflight(scope, methods)
                response = answered or await self._answer(scope, receive, path, name, route)
        except Problem as problem:
            self._service.refused(name if self._service.catalogue.get(name) else "", problem.code)
            response = problem.response()
        except ClientDisconnect:
            return
        except StoreFailed:
            response = later("busy", "the store does not answer", seconds=5).response()
        except Exception as problem:
            failure("a request failed", problem)
            response = Problem("failed", "the collector failed; its log says where").response()
        response.raw_headers += SAFE if shown is None else SAFE[:-1] + POLICY * (response.status_code >= 400)
        if method == "POST" or not any(header == b"cache-control" for header, _ in response.raw_headers):
            response.raw_headers.append(UNKEPT)
        self._origins.mark(scope, route, response)
        self._service.metrics.requests[
            path if methods or shown else "other", method_of(scope), response.status_code
        ] += 1
        await response(scope, receive, send)

    async def _answer(
        self, scope: dict[str, Any], receive: Receive, path: str, name: str, route: Route | None
    ) -> Response:
        if route is None:
            raise _no_route(TABLE.get(path))
        headers = once(scope["headers"])
        if route.role:
            await self._check_token(route.role, headers)
        served = None
        if name:
            served = self._service.catalogue.get(name) or await self._service.find(name)
            if served is None:
                raise Problem("not_found", "there is no collection of this id")
        return await route.endpoint(Call(self._service, scope, receive, headers, served))

    async def _check_token(self, role: str, headers: dict[bytes, bytes]) -> None:
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() == "bearer" and token:
            if await asyncio.to_thread(is_token, self._service.store, role, token.strip()):
                return
            if not self._service.wrong_tokens.take():
                raise later("too_fast", "there are too many wrong tokens at the moment")
        raise Problem(
            "token", f"the header authorization must be Bearer and the {role} token", {"www-authenticate": "Bearer"}
        )


def template(path: str) -> tuple[str, str]:
    """The path with the id of a collection, if there is one, replaced by its name; and the id."""
    parts = path.split("/")
    if len(parts) < 3 or parts[1] != "collections" or not parts[2]:
        return path, ""
    name, parts[2] = parts[2], "{id}"
    return "/".join(parts), name


def method_of(scope: dict[str, Any]) -> str:
    """The method, if it is one that is known: a counter for every word that a sender thinks of would be many."""
    method: str = scope["method"]
    return method if method in ("GET", "HEAD", "POST", "OPTIONS") else "other"


def _no_route(methods: dict[str, Route] | None) -> Problem:
    if methods is None:
        return Problem("not_found", "there is nothing at this address")
    return Problem("method", "this address does not take that method", {"allow": ", ".join(allowed(methods))})
