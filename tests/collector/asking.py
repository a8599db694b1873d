"""Requests to the service without a network, and what they are made of."""

from __future__ import annotations

import asyncio
import itertools
import json
from dataclasses import dataclass

from discreet.collector.http.app import App
from discreet.collector.service import Service
from discreet.collector.settings import Settings
from discreet.collector.tokens import first_tokens, rotate

SPEC = """
[context]
form = "blocks"
epsilon = "1"
[context.blocks]
north = ["n1", "n2", "n3"]
south = ["s1", "s2"]
[mechanism]
name = "hadamard"
"""

DECLARATION = {
    "spec": SPEC,
    "title": "Districts",
    "question": "Where do you live?",
    "words": {"n1": "North, one"},
    "labels": {"week": ["1", "2", "3"]},
    "minimum": 5,
    "changes": "refuse",
    "access": "open",
}

NUMBERS = itertools.count()


@dataclass
class Answered:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self):
        return json.loads(self.content)

    @property
    def code(self):
        return self.json["code"]


class Asker:
    """A service with its store, asked in one event loop of its own; what it writes goes to a folder."""

    def __init__(self, store, writer, folder, **settings):
        self.store = store
        self.tokens = {**first_tokens(store), "metrics": rotate(store, "metrics")}
        self.loop = asyncio.new_event_loop()
        self.service = self.run(
            self._made(Settings(**{"store": str(folder / "discreet.db"), **settings}), store, writer)
        )
        self.app = App(self.service)

    async def _made(self, settings, store, writer):
        service = Service(settings, store, writer)
        return await service.__aenter__()

    def run(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    def stop(self):
        self.run(self.service.__aexit__(None, None, None))
        self.run(self.loop.shutdown_default_executor())
        self.loop.close()

    def ask(self, method, path, body=b"", headers=(), *, role=None, chunks=None):
        """One request; headers are pairs, and `chunks` sends the body in parts."""
        return self.run(self._asked(method, path, body, headers, role, chunks))

    async def _asked(self, method, path, body, headers, role, chunks):
        where, _, query = path.partition("?")
        pairs = [(name.lower().encode(), text.encode("latin-1")) for name, text in headers]
        if role is not None:
            pairs.append((b"authorization", f"Bearer {self.tokens[role]}".encode()))
        parts = [body] if chunks is None else list(chunks)
        messages = iter(
            {"type": "http.request", "body": part, "more_body": number < len(parts)}
            for number, part in enumerate(parts, 1)
        )
        sent = []

        async def receive():
            return next(messages, {"type": "http.disconnect"})

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http",
            "method": method,
            "path": where,
            "query_string": query.encode(),
            "headers": pairs,
            "client": ("203.0.113.77", 4711),
        }
        await self.app(scope, receive, send)
        start = sent[0]
        headers = {name.decode().lower(): text.decode() for name, text in start["headers"]}
        return Answered(start["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))

    # -- what tests do often ------------------------------------------------------------------------
    def get(self, path, *, role=None, headers=()):
        return self.ask("GET", path, headers=headers, role=role)

    def post(self, path, data, *, role=None, headers=()):
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        return self.ask("POST", path, body, [("content-type", "application/json"), *headers], role=role)

    def create(self, **changes):
        declaration = {key: entry for key, entry in {**DECLARATION, **changes}.items() if entry is not None}
        return self.post("/collections", declaration, role="admin")

    def made(self, **changes):
        """The id of a new collection."""
        answered = self.create(**changes)
        assert answered.status == 201, answered.content
        return answered.json["id"]

    def mechanism(self, name):
        """The mechanism of a collection, or its form."""
        return self.service.catalogue.get(name).instrument.law

    def upload(self, name, data, *, number=None, headers=(), kind="application/json"):
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        number = f"upload-{next(NUMBERS)}" if number is None else number
        given = [("content-type", kind), ("idempotency-key", number), *headers]
        return self.ask("POST", f"/collections/{name}/reports", body, given)

    def send(self, name, reports, *, labels=None, **more):
        """Upload reports as JSON."""
        data = {"fingerprint": self.mechanism(name).fingerprint, "reports": reports, "version": 1}
        return self.upload(name, data if labels is None else {**data, "labels": labels}, **more)
