"""What anybody may read: collections, their laws, the log of all of them, and whether the service is well."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import UTC, datetime

from starlette.responses import Response

from ...core.canonical import canonical
from ...core.errors import DiscreetError
from ..http.calls import Call, answer
from ..http.decoding import JSON
from ..http.openapi import description
from ..http.problems import Problem, later

LINES = "application/jsonl"

FOREVER = "public, max-age=31536000, immutable"
CHECKED = "public, no-cache"


async def health(call: Call) -> Response:
    """The process answers."""
    call.parameters()
    return answer({"status": "ok"})


async def ready(call: Call) -> Response:
    """The store answers too."""
    call.parameters()
    try:
        await asyncio.to_thread(call.service.store.token, "admin")
    except (DiscreetError, OSError):
        raise later("busy", "the store does not answer", seconds=5) from None
    return answer({"status": "ok"})


async def collections(call: Call) -> Response:
    """Every collection with its title and state."""
    call.parameters()
    service, now = call.service, datetime.now(UTC)
    if service.catalogue.stale:
        await asyncio.to_thread(service.catalogue.refresh)
    rows = [{"id": one.id, "title": one.declared.title, "state": one.state(now)} for one in service.catalogue]
    return answer({"collections": rows})


async def document(call: Call) -> Response:
    """What a collection says of itself."""
    call.parameters()
    headers = {"etag": call.collection.tag, "cache-control": CHECKED}
    if call.matches(call.collection.tag):
        return Response(status_code=304, headers=headers)
    return Response(call.collection.document, headers=headers, media_type=JSON)


async def law(call: Call) -> Response:
    """The published law, byte for byte: its SHA-256 is the fingerprint."""
    call.parameters()
    tag = f'"{call.collection.mechanism.fingerprint}"'
    headers = {"etag": tag, "cache-control": FOREVER}
    if call.matches(tag):
        return Response(status_code=304, headers=headers)
    return Response(call.collection.law, headers=headers, media_type=JSON)


async def log(call: Call) -> Response:
    """The public log of collections made and closed, a line of canonical JSON each."""
    after = call.parameters(("after",)).get("after", "0")
    if not (after.isascii() and after.isdigit() and len(after) <= 15):
        raise Problem("parameter", "after must be the number of a line")
    entries = await asyncio.to_thread(lambda: list(call.service.store.log(after=int(after))))
    lines = "".join(canonical(asdict(entry)) + "\n" for entry in entries)
    return Response(lines, headers={"cache-control": CHECKED}, media_type=LINES)


async def openapi(call: Call) -> Response:
    """This interface, described for programs."""
    call.parameters()
    return answer(description(call.service.settings.prefix))
