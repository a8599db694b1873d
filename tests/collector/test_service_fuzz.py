"""Hostile bodies and requests: whatever is sent, the answer is one that the interface knows, and nothing grows.

10,000 requests by default; ``make soak`` sends 1,000,000. The seed is fixed, so that a failure comes again.
"""

import json
import os
import random
import resource
import sys

import pytest
from asking import Asker
from memory import MemoryStore
from test_forms import declared

from discreet.collector.http.app import ROUTES
from discreet.collector.http.response import CODES
from discreet.collector.http.upload_decoder import PACKED
from discreet.collector.store.protocol import UploadOutcome, UploadResult
from discreet.wire.form import STRATEGIES

COUNT = 1_000_000 if os.environ.get("SOAK") else 5_000
SEED = 20261117
GROWTH = 50_000_000
PIECES = [
    b'"fingerprint"', b'"reports"', b'"version"', b'"labels"', b'{"week":"1"}', b"[0]", b"[", b"]", b"{", b"}", b",",
    b":", b"1", b"-1", b"1e999", b"NaN", b"null", b"true", b'"', b"\\", b"\\u0000", b"\xff", b"\n", b"9" * 400,
    b"[" * 300, b'{"a":' * 300, b"'; DROP TABLE upload; --", b"\xf0\x9f\x98\x80", b"\\ud800", b"0" * 70_000,
]  # fmt: skip
HEADERS = [
    "content-type",
    "content-length",
    "idempotency-key",
    "authorization",
    "invitation",
    "origin",
    "if-none-match",
]
TEXTS = ["", "x", "application/json", PACKED, "Bearer x", "99999999999999999999", "-1", "a" * 100, "\xff", "*"]


class Forgetful:
    """Takes every upload and keeps none."""

    async def add(self, upload):
        return UploadResult(UploadOutcome.STORED, upload.answer)


def mutated(chance, body):
    """A body with a few pieces put in, cut out, doubled or flipped."""
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(body) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            body = body[:place] + chance.choice(PIECES) + body[place:]
        elif kind == 1:
            body = body[:place] + body[place + chance.randrange(1, 20) :]
        elif kind == 2:
            body = body[:place] + body[place : place + 30] * 2 + body[place + 30 :]
        elif kind == 3 and body:
            at = place % len(body)
            body = body[:at] + bytes([body[at] ^ (1 << chance.randrange(8))]) + body[at + 1 :]
        else:
            body += chance.randbytes(chance.randrange(40))
    return body


def request(chance, name, bodies):
    """Mostly uploads, sometimes anything."""
    if chance.random() < 0.8:
        body, kind = chance.choice(bodies)
        kind = kind if chance.random() < 0.95 else chance.choice(TEXTS)
        headers = [("content-type", kind), ("idempotency-key", f"{chance.getrandbits(64):x}")]
        method, path = "POST", f"/collections/{name}/reports"
    else:
        route = chance.choice(ROUTES)
        method = chance.choice([route.method, route.method, "HEAD", "OPTIONS", "PUT", "G\xc4T"])
        path = route.path.replace("{id}", chance.choice([name, "x", "%00", "../.."]))
        path += chance.choice(["", "", "?by=week", "?days=0", "?%ff", "?a=b&a=b", "/", "\x00"])
        body, headers = chance.choice(bodies)[0], [("content-type", "application/json")]
    if chance.random() < 0.1:
        headers.append((chance.choice(HEADERS), chance.choice(TEXTS)))
    return method, path, mutated(chance, body), headers


def memory():
    """The most memory that this process has had, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


ASKED = {"one question": {}, **{strategy: declared(strategy) for strategy in STRATEGIES}}


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("asked", ["one question", *(pytest.param(one, marks=pytest.mark.long) for one in STRATEGIES)])
def test_whatever_is_sent_the_answer_is_a_known_one(asked, capsys, tmp_path):
    service = Asker(MemoryStore(), Forgetful(), tmp_path, uploads_per_second=0, wrong_tokens_per_second=0)
    try:
        name = service.made(**ASKED[asked])
        fingerprint = service.mechanism(name).fingerprint
        data = {"fingerprint": fingerprint, "labels": {"week": "1"}, "reports": [0, 1, 2, 3] * 3, "version": 1}
        line = json.dumps({"fingerprint": fingerprint, "version": 1}, separators=(",", ":")).encode()
        bodies = [(json.dumps(data).encode(), "application/json"), (line + b"\n\0\1\2", PACKED)]
        many = service.upload(name, line + b"\n" + bytes(100_000), kind=PACKED)  # loads compiled code, once
        assert many.json["accepted"] == 100_000
        chance = random.Random(SEED)
        seen, before = {}, 0
        for number in range(COUNT):
            if number == 2_000:
                before = memory()
            sent = request(chance, name, bodies)
            answered = service.ask(*sent)
            seen[answered.status] = seen.get(answered.status, 0) + 1
            assert answered.status < 500, sent
            if answered.status >= 400 and sent[0] != "HEAD":
                assert CODES[answered.code][0] == answered.status
        grown = memory() - before
        with capsys.disabled():
            print(f"\n{COUNT:,} hostile requests: {dict(sorted(seen.items()))}, {grown / 1e6:.1f} MB more memory")
        assert {200, 400, 401, 404, 405, 415, 422} <= set(seen)
        assert grown < GROWTH
    finally:
        service.stop()
