"""Endpoints for everybody: the collections, their laws, the public log, and the health of the service."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import asdict
from datetime import UTC, datetime

from ...core.canonical import canonical
from ...core.errors import DiscreetError
from ..http.request import HttpRequest
from ..http.response import HttpProblem, HttpResponse, JsonResponse, retry_later

JSON_LINES = "application/jsonl"

IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATE = "public, no-cache"


async def health(request: HttpRequest) -> HttpResponse:
    """Whether the process answers."""
    return JsonResponse({"status": "ok"})


async def ready(request: HttpRequest) -> HttpResponse:
    """Whether the store takes uploads too."""
    try:
        await asyncio.to_thread(request.service.store.ready)
    except (DiscreetError, OSError):
        raise retry_later("busy", "the store does not answer", seconds=5) from None
    return JsonResponse({"status": "ok"})


async def collections(request: HttpRequest) -> HttpResponse:
    """Every collection with its title and state."""
    service, now = request.service, datetime.now(UTC)
    if service.catalogue.is_stale:
        await asyncio.to_thread(service.catalogue.refresh)
    rows = [{"id": one.id, "title": one.declaration.title, "state": one.state(now)} for one in service.catalogue]
    return JsonResponse({"collections": rows})


async def document(request: HttpRequest) -> HttpResponse:
    """The public document of a collection, with its state."""
    if request.service.catalogue.is_stale:  # another process may have closed it
        await asyncio.to_thread(request.service.catalogue.refresh)
    content = request.service.document(request.collection)
    etag = f'"{hashlib.sha256(content).hexdigest()}"'
    headers = {"etag": etag, "cache-control": REVALIDATE}
    if request.has_etag(etag):
        return HttpResponse(status=304, headers=headers)
    return JsonResponse(content, headers=headers)


async def law(request: HttpRequest) -> HttpResponse:
    """The published law, byte for byte: its SHA-256 is the fingerprint; of a form the laws of its parts."""
    etag = f'"{request.collection.instrument.fingerprint}"'
    headers = {"etag": etag, "cache-control": IMMUTABLE, "vary": "accept-encoding"}
    if request.has_etag(etag):
        return HttpResponse(status=304, headers=headers)
    if request.collection.compressed_law and b"gzip" in request.headers.get(b"accept-encoding", b""):
        return JsonResponse(request.collection.compressed_law, headers={**headers, "content-encoding": "gzip"})
    return JsonResponse(request.collection.law, headers=headers)


async def log(request: HttpRequest) -> HttpResponse:
    """The public log: a line of canonical JSON for each collection that was created or closed."""
    after = request.parameters.get("after", "0")
    if not (after.isascii() and after.isdigit() and len(after) <= 15):
        raise HttpProblem("parameter", "after must be the number of a line")
    entries = await asyncio.to_thread(lambda: list(request.service.store.log(after=int(after))))
    lines = "".join(canonical(asdict(entry)) + "\n" for entry in entries)
    return HttpResponse(lines.encode(), headers={"cache-control": REVALIDATE}, media_type=JSON_LINES)
