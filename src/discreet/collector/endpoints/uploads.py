"""Uploads: reports are checked, stored durably, and only then acknowledged."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections import Counter
from datetime import UTC, datetime

from starlette.responses import Response

from ...core.canonical import canonical
from ...core.errors import StoreFailed, StoreFull
from ..http.bodies import SMALL, media_type
from ..http.calls import Call, Told
from ..http.decoding import JSON, KEY, PACKED, Decoded
from ..http.problems import Problem, later
from ..store.protocol import Outcome, Upload
from ..tokens import digest as token_digest

TYPES = (JSON, PACKED)


async def upload(call: Call) -> Response:
    """Take reports; the same upload again gets the first answer again."""
    started = time.perf_counter()
    service, served, headers = call.service, call.collection, call.headers
    if call.scope["query_string"]:
        call.parameters()
    if not service.uploads.take():
        raise later("too_fast", "there are too many uploads at the moment")
    number = headers.get(b"idempotency-key", b"").decode("latin-1")
    if not KEY.fullmatch(number):
        raise Problem("header", "the header idempotency-key must be 1 to 64 letters, digits, _ or -")
    kind = media_type(headers, TYPES)
    body = await service.bodies.read(headers, call.receive)
    digest = hashlib.sha256(b"%s\n%s" % (kind.encode(), body)).digest()
    now = datetime.now(UTC)
    invited = served.declared.access == "invitation"
    if served.state(now) != "open" or (invited and b"invitation" not in headers):
        return await _first_answer(call, number, digest, "not_invited" if served.state(now) == "open" else "closed")
    if len(body) <= SMALL:
        decoded = served.decoder.decode(kind, body)
    else:
        decoded = await asyncio.to_thread(served.decoder.decode, kind, body)
    _check(call, decoded, invited)
    stored = await _add(
        call,
        Upload(
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
    service.metrics.took(time.perf_counter() - started)
    return Told(stored)


def _check(call: Call, decoded: Decoded, invited: bool) -> None:
    """Raise `Problem` if nothing can be taken, or more than an invitation is good for."""
    if invited and decoded.count + len(decoded.refused) > 1:
        raise Problem("count", "an upload with an invitation must hold one report")
    if not decoded.count:
        _note(call, decoded)
        raise Problem("impossible", "none of the reports can have been written by this collection's law")


def _note(call: Call, decoded: Decoded) -> None:
    """Count the refused reports by reason."""
    if decoded.refused:
        for code, number in Counter(code for _, code in decoded.refused).items():
            call.service.refused(call.collection.id, f"report_{code}", number)


def _answer(number: str, decoded: Decoded) -> str:
    if not decoded.refused:
        return f'{{"accepted":{decoded.count},"refused":[],"upload":"{number}"}}'
    refused = [list(one) for one in decoded.refused]
    return canonical({"accepted": decoded.count, "refused": refused, "upload": number})


async def _add(call: Call, upload: Upload, decoded: Decoded) -> str:
    """What the sender is told, once the upload is durable."""
    service = call.service
    if service.waiting >= service.settings.uploads_at_once:
        raise later("busy", "too many uploads wait to be stored")
    service.waiting += 1
    try:
        done = await service.writer.add(upload)
    except StoreFull:
        raise later("full", "there is no room to store reports; nothing of this upload was kept", seconds=60) from None
    except StoreFailed:
        raise later("busy", "reports cannot be stored now; nothing of this upload was kept", seconds=5) from None
    finally:
        service.waiting -= 1
    service.metrics.uploads[done.outcome.value] += 1
    if done.outcome is Outcome.STORED:
        service.accepted(upload.collection, upload.count)
        _note(call, decoded)
        return upload.answer
    if done.outcome is Outcome.REPEATED:
        assert done.answer is not None
        return done.answer
    raise _problem(done.outcome)


def _problem(outcome: Outcome) -> Problem:
    if outcome is Outcome.CONFLICT:
        return Problem("conflict", "an upload with this idempotency-key and another body was stored before")
    return _refusal("not_invited" if outcome is Outcome.NOT_INVITED else "closed")


def _refusal(code: str) -> Problem:
    if code == "not_invited":
        return Problem(code, "the header invitation must hold an invitation that was not used before")
    return Problem(code, "the collection is not open yet, or is closed")


async def _first_answer(call: Call, number: str, digest: bytes, code: str) -> Response:
    """The first answer of an upload that was stored while it could be; `Problem` if there is none."""
    found = await asyncio.to_thread(call.service.store.find, call.collection.id, number)
    if found is None:
        raise _refusal(code)
    if not hmac.compare_digest(found[0], digest):
        raise _problem(Outcome.CONFLICT)
    call.service.metrics.uploads[Outcome.REPEATED.value] += 1
    return Response(found[1], media_type=JSON)
