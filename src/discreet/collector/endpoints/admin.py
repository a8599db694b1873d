"""Endpoints for the admin: create and close collections, invite people, give out tokens, and see how all is doing."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime
from typing import Any

from ..catalogue import MAX_INVITATIONS
from ..declaration import parse_declaration
from ..drafts import evaluate_draft, read_file
from ..http.request import HttpRequest
from ..http.response import HttpProblem, HttpResponse, JsonResponse
from ..logs import log_event
from ..service import COUNT_STEP, Service, in_steps
from ..tokens import digest, list_tokens, make_token, revoke_token


async def create(request: HttpRequest) -> HttpResponse:
    """Create a collection from a spec or a form; it never changes afterwards."""
    declaration, instrument = await request.compute("declaration", parse_declaration, await request.json())
    served = await asyncio.to_thread(request.service.catalogue.create, secrets.token_hex(8), declaration, instrument)
    log_event("a collection was made", collection=served.id)
    where = f"{request.service.settings.prefix}/collections/{served.id}"
    about = {
        "id": served.id,
        "collection": where,
        "fingerprint": instrument.fingerprint,
        "mechanism": instrument.mechanism_name,
        "state": served.state(datetime.now(UTC)),
    }
    return JsonResponse(about, 201, {"location": where})


async def draft(request: HttpRequest) -> HttpResponse:
    """The accuracy and protection of a spec, before it is a collection."""
    data = await request.json()
    async with request.service.readers:
        return JsonResponse(await request.compute("declaration", evaluate_draft, data))


async def draft_file(request: HttpRequest) -> HttpResponse:
    """A questionnaire or spec as plain data and as a TOML file, from either."""
    return JsonResponse(await request.compute("declaration", read_file, await request.json()))


async def close(request: HttpRequest) -> HttpResponse:
    """Take no more reports for a collection; it cannot be opened again."""
    await asyncio.to_thread(request.service.catalogue.close, request.collection)
    log_event("a collection was closed", collection=request.collection.id)
    return JsonResponse({"id": request.collection.id, "state": "closed"})


async def invite(request: HttpRequest) -> HttpResponse:
    """Create invitations, which are shown this once."""
    if request.collection.declaration.access != "invitation":
        raise HttpProblem("declaration", "this collection was declared open, and takes no invitations")
    data = await request.json()
    number = data.get("count") if isinstance(data, dict) and set(data) == {"count"} else None
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_INVITATIONS:
        raise HttpProblem("json", f"the body must be a JSON object with count, from 1 to {MAX_INVITATIONS}")
    invitations = [secrets.token_hex(16) for _ in range(number)]
    await asyncio.to_thread(request.service.store.invite, request.collection.id, [digest(one) for one in invitations])
    log_event("invitations were made", collection=request.collection.id, count=number)
    return JsonResponse({"invitations": invitations}, 201)


async def tokens(request: HttpRequest) -> HttpResponse:
    """The named tokens, without their secrets."""
    return JsonResponse({"tokens": await asyncio.to_thread(list_tokens, request.service.store)})


async def new_token(request: HttpRequest) -> HttpResponse:
    """Create a named token, which is shown this once."""
    data = await request.json()
    if not isinstance(data, dict) or not {"name", "role"} <= set(data) <= {"name", "role", "collection"}:
        raise HttpProblem("json", "the body must be a JSON object with name, role and perhaps collection")
    name, role, collection = data["name"], data["role"], data.get("collection")
    if not isinstance(name, str) or not isinstance(role, str) or not isinstance(collection, str | None):
        raise HttpProblem("json", "name, role and collection must be texts")
    async with request.service.token_changes:
        token = await request.compute("declaration", make_token, request.service.store, name, role, collection)
    log_event("a token was made", token=name, role=role, collection=collection)
    return JsonResponse({"name": name, "role": role, "collection": collection, "token": token}, 201)


async def end_token(request: HttpRequest) -> HttpResponse:
    """Revoke a named token, for good."""
    data = await request.json()
    name = data.get("name") if isinstance(data, dict) and set(data) == {"name"} else None
    if not isinstance(name, str):
        raise HttpProblem("json", "the body must be a JSON object with name, the name of a token")
    async with request.service.token_changes:
        await request.compute("declaration", revoke_token, request.service.store, name)
    log_event("a token was revoked", token=name)
    return JsonResponse({"name": name, "revoked": True})


async def overview(request: HttpRequest) -> HttpResponse:
    """All collections: their states and sizes, and what was refused and why."""
    async with request.service.readers:
        return JsonResponse(await asyncio.to_thread(_overview, request.service))


def _overview(service: Service) -> dict[str, Any]:
    service.catalogue.refresh()
    rows = [
        {
            "id": served.id,
            "title": served.declaration.title,
            "access": served.declaration.access,
            "fingerprint": served.instrument.fingerprint,
            "reports": service.shown_counts(served).tally().n,
            **service.describe(served),
        }
        for served in service.catalogue
    ]
    other = {code: n for (name, code), n in sorted(service.store.refusals().items()) if not name}
    public = service.settings.public_url + service.settings.prefix if service.settings.public_url else ""
    return {
        "collections": rows,
        "public": public,
        "refused": {code: in_steps(n) for code, n in other.items() if n >= COUNT_STEP},
    }
