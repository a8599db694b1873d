"""What an admin does: make collections, close them, invite people, and look at how they are doing."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from ...core.errors import DiscreetError, StoreFailed
from ..documents import declare
from ..drafts import drafted
from ..http.calls import Call, answer
from ..http.problems import Problem
from ..logs import event
from ..service import Service
from ..tallies import count
from ..tokens import MOST_INVITATIONS, digest, invitations


async def create(call: Call) -> Response:
    """Make a collection from a spec; nothing of it changes ever after."""
    call.parameters()
    data = await call.json()
    try:
        declared, mechanism = await asyncio.to_thread(declare, data)
    except StoreFailed:
        raise
    except DiscreetError as problem:
        raise Problem("declaration", str(problem)) from None
    served = await asyncio.to_thread(call.service.catalogue.create, secrets.token_hex(8), declared, mechanism)
    event("a collection was made", collection=served.id)
    where = f"{call.service.settings.prefix}/collections/{served.id}"
    about = {
        "id": served.id,
        "collection": where,
        "fingerprint": mechanism.fingerprint,
        "mechanism": mechanism.name,
        "state": served.state(datetime.now(UTC)),
    }
    return answer(about, 201, {"location": where})


async def draft(call: Call) -> Response:
    """What a spec would give, before it is a collection."""
    call.parameters()
    data = await call.json()
    async with call.service.readers:
        try:
            return answer(await asyncio.to_thread(drafted, data))
        except DiscreetError as problem:
            raise Problem("declaration", str(problem)) from None


async def close(call: Call) -> Response:
    """Take no more reports for a collection; it cannot be opened again."""
    call.parameters()
    await asyncio.to_thread(call.service.catalogue.close, call.collection)
    event("a collection was closed", collection=call.collection.id)
    return answer({"id": call.collection.id, "state": "closed"})


async def invite(call: Call) -> Response:
    """New invitations, shown this once."""
    call.parameters()
    if call.collection.declared.access != "invitation":
        raise Problem("declaration", "this collection was declared open, and takes no invitations")
    data = await call.json()
    number = data.get("count") if isinstance(data, dict) and set(data) == {"count"} else None
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_INVITATIONS:
        raise Problem("json", f"the body must be a JSON object with count, from 1 to {MOST_INVITATIONS}")
    made = invitations(number)
    await asyncio.to_thread(call.service.store.invite, call.collection.id, [digest(one) for one in made])
    event("invitations were made", collection=call.collection.id, count=number)
    return answer({"invitations": made}, 201)


async def overview(call: Call) -> Response:
    """All collections: their states and sizes, and what was refused and why."""
    call.parameters()
    async with call.service.readers:
        return answer(await asyncio.to_thread(_overview, call.service))


def _overview(service: Service) -> dict[str, Any]:
    service.catalogue.refresh()
    now, refusals = datetime.now(UTC), service.store.refusals()
    rows = []
    for served in service.catalogue:
        made, spent = service.store.invitations(served.id)
        rows.append(
            {
                "id": served.id,
                "title": served.declared.title,
                "state": served.state(now),
                "access": served.declared.access,
                "fingerprint": served.mechanism.fingerprint,
                "reports": count(service.store, served.id, served.mechanism).tally().n,
                "minimum": served.declared.minimum,
                "refused": {code: n for (name, code), n in sorted(refusals.items()) if name == served.id},
                "invitations": {"made": made, "spent": spent},
            }
        )
    other = {code: n for (name, code), n in sorted(refusals.items()) if not name}
    return {"collections": rows, "refused": other}
