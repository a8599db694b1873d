"""The endpoint for uploads: reports are validated, stored durably, and only then acknowledged."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections import Counter
from datetime import UTC, datetime

import msgspec

from ...core.errors import StoreFailed, StoreFull
from ..http.request import HttpRequest, media_type
from ..http.response import JSON, HttpProblem, HttpResponse, JsonResponse, retry_later
from ..http.upload_decoder import PACKED, SMALL_BODY_BYTES, UPLOAD_ID, Body, DecodedUpload
from ..service import FULL_SECONDS
from ..store.protocol import UploadOutcome, UploadRecord
from ..tokens import digest as token_digest

MEDIA_TYPES = (JSON, PACKED)


async def upload(request: HttpRequest) -> HttpResponse:
    """Store reports; the same upload sent again gets the first answer again."""
    started = time.perf_counter()
    service, headers = request.service, request.headers
    if not service.uploads.take():
        raise retry_later("too_fast", "there are too many uploads at the moment")
    number = headers.get(b"idempotency-key", b"").decode("latin-1")
    if not UPLOAD_ID.fullmatch(number):
        raise HttpProblem("header", "the header idempotency-key must be 1 to 64 letters, digits, _ or -")
    kind = media_type(headers, MEDIA_TYPES)
    body = await service.bodies.read(headers, request.receive)
    try:
        if len(body) <= SMALL_BODY_BYTES:
            response = await _take(request, number, kind, body)
        else:
            async with service.turns.turn(len(body)):
                response = await _take(request, number, kind, body)
    finally:
        service.bodies.release(body)
    service.metrics.observe_upload(time.perf_counter() - started)
    return response


async def _take(request: HttpRequest, number: str, kind: str, body: Body) -> HttpResponse:
    """The answer to an upload whose body has come."""
    served, headers = request.collection, request.headers
    small = len(body) <= SMALL_BODY_BYTES
    digest = _digest(kind, body) if small else await request.service.decode(_digest, kind, body)
    now = datetime.now(UTC)
    invited = served.declaration.access == "invitation"
    if served.state(now) != "open" or (invited and b"invitation" not in headers):
        outcome = UploadOutcome.NOT_INVITED if served.state(now) == "open" else UploadOutcome.CLOSED
        return await _first_answer(request, number, digest, outcome)
    decode = served.decoder.decode
    decoded = decode(kind, body) if small else await request.service.decode(decode, kind, body)
    _check_count(request, decoded, invited)
    answer = await _store(
        request,
        UploadRecord(
            collection=served.id,
            upload=number,
            digest=digest,
            day=now.date().isoformat(),
            labels=decoded.labels,
            reports=decoded.reports,
            count=decoded.count,
            answer=_answer(number, decoded),
            invitation=token_digest(headers[b"invitation"].decode("latin-1")) if invited else None,
        ),
        decoded,
    )
    return JsonResponse(answer.encode())


def _digest(kind: str, body: Body) -> bytes:
    """The SHA-256 of what was sent, by which a repetition is recognised."""
    digest = hashlib.sha256(kind.encode() + b"\n")
    digest.update(body)
    return digest.digest()


def _check_count(request: HttpRequest, decoded: DecodedUpload, invited: bool) -> None:
    """`HttpProblem` if no report is possible, or there are more than an invitation is good for."""
    if invited and decoded.count + len(decoded.refused) > 1:
        raise HttpProblem("count", "an upload with an invitation must hold one report")
    if not decoded.count:
        _count_refused(request, decoded)
        raise HttpProblem("impossible", "none of the reports can have been written by this collection's law")


def _count_refused(request: HttpRequest, decoded: DecodedUpload) -> None:
    """Count the refused reports by reason."""
    if decoded.refused:
        for code, number in Counter(code for _, code in decoded.refused).items():
            request.service.count_refused(request.collection.id, f"report_{code}", number)


def _answer(number: str, decoded: DecodedUpload) -> str:
    if not decoded.refused:
        return f'{{"accepted":{decoded.count},"refused":[],"upload":"{number}"}}'
    refused = msgspec.json.encode(decoded.refused).decode()
    return f'{{"accepted":{decoded.count},"refused":{refused},"upload":"{number}"}}'


async def _store(request: HttpRequest, upload: UploadRecord, decoded: DecodedUpload) -> str:
    """The answer to the sender, once the upload is durable."""
    service = request.service
    if service.waiting_uploads >= service.settings.uploads_at_once:
        raise retry_later("busy", "too many uploads wait to be stored")
    service.waiting_uploads += 1
    try:
        result = await service.writer.add(upload)
    except StoreFull:
        detail = "there is no room to store reports; nothing of this upload was kept"
        service.note_full()
        raise retry_later("full", detail, seconds=FULL_SECONDS) from None
    except StoreFailed:
        raise retry_later("busy", "reports cannot be stored now; nothing of this upload was kept", seconds=5) from None
    finally:
        service.waiting_uploads -= 1
    service.metrics.uploads[result.outcome.value] += 1
    if result.outcome is UploadOutcome.STORED:
        service.count_accepted(upload.collection, upload.count)
        _count_refused(request, decoded)
        return upload.answer
    if result.outcome is UploadOutcome.REPEATED:
        assert result.answer is not None
        return result.answer
    raise HttpProblem(*PROBLEMS[result.outcome])


PROBLEMS = {
    UploadOutcome.CONFLICT: ("conflict", "an upload with this idempotency-key and another body was stored before"),
    UploadOutcome.NOT_INVITED: (
        "not_invited",
        "the header invitation must hold an invitation that was not used before",
    ),
    UploadOutcome.CLOSED: ("closed", "the collection is not open yet, or is closed"),
}
"""The problem that a sender gets where an upload was not stored."""


async def _first_answer(request: HttpRequest, number: str, digest: bytes, outcome: UploadOutcome) -> HttpResponse:
    """The answer to an upload that was stored before the collection closed; `HttpProblem` if there is none."""
    stored = await asyncio.to_thread(request.service.store.find, request.collection.id, number)
    if stored is None:
        raise HttpProblem(*PROBLEMS[outcome])
    if not hmac.compare_digest(stored[0], digest):
        raise HttpProblem(*PROBLEMS[UploadOutcome.CONFLICT])
    request.service.metrics.uploads[UploadOutcome.REPEATED.value] += 1
    return JsonResponse(stored[1].encode())
