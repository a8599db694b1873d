"""Endpoints for the admin: create and close collections, invite people, and see how all collections are doing."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime
from typing import Any

from ..catalogue import MAX_INVITATIONS, digest
from ..declaration import parse_declaration
from ..drafts import evaluate_draft
from ..http.request import HttpRequest
from ..http.response import HttpProblem, HttpResponse, JsonResponse
from ..logs import log_event
from ..service import Service


async def create(request: HttpRequest) -> HttpResponse:
    """Create a collection from a spec; it never changes afterwards."""
    declaration, mechanism = await request.compute("declaration", parse_declaration, await request.json())
    served = await asyncio.to_thread(request.service.catalogue.create, secrets.token_hex(8), declaration, mechanism)
    log_event("a collection was made", collection=served.id)
    where = f"{request.service.settings.prefix}/collections/{served.id}"
    about = {
        "id": served.id,
        "collection": where,
        "fingerprint": mechanism.fingerprint,
        "mechanism": mechanism.name,
        "state": served.state(datetime.now(UTC)),
    }
    return JsonResponse(about, 201, {"location": where})


async def draft(request: HttpRequest) -> HttpResponse:
    """The accuracy and protection of a spec, before it is a collection."""
    data = await request.json()
    async with request.service.readers:
        return JsonResponse(await request.compute("declaration", evaluate_draft, data))


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
            "fingerprint": served.mechanism.fingerprint,
            "reports": service.shown_counts(served).tally().n,
            **service.describe(served),
        }
        for served in service.catalogue
    ]
    other = {code: n for (name, code), n in sorted(service.store.refusals().items()) if not name}
    return {"collections": rows, "refused": other}
