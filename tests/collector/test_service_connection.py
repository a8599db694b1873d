"""Laws of a connection: what is before a body is limited however it comes, and what is after it is no header."""

import asyncio
import json

import pytest
from running import post

from discreet.collector.http import connection
from discreet.collector.http.connection import (
    MAX_ARRIVING_BYTES,
    MAX_HEADER_BYTES,
    MAX_HEADERS,
    MAX_PIPELINED,
    MAX_TARGET_BYTES,
    DeadlineProtocol,
)
from wire import Wire, talk


def chunked(path, headers, body, trailers):
    """A request whose body comes in chunks, with headers after it."""
    lines = [f"POST {path} HTTP/1.1", "host: x", "transfer-encoding: chunked", *headers]
    content = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content + "\r\n".join(["0", *trailers]).encode() + b"\r\n\r\n"


def in_parts(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("size", [7, 1 << 18])
def test_a_token_after_the_body_is_no_token(service, name, size):
    path, token = f"/collections/{name}/close", f"authorization: Bearer {service.tokens['admin']}"
    assert talk(service, *in_parts(chunked(path, [], b"", [token]), size)) == ([401], False)
    assert not service.store.collections()[0].closed
    assert talk(service, *in_parts(chunked(path, [token], b"", []), size)) == ([200], False)  # a control
    assert service.store.collections()[0].closed


@pytest.mark.parametrize("size", [7, 1 << 18])
def test_a_number_after_the_body_is_no_number(service, name, size):
    data = {"fingerprint": service.mechanism(name).fingerprint, "reports": [0], "version": 1}
    path, kind, number = f"/collections/{name}/reports", "content-type: application/json", "idempotency-key: one"
    body = json.dumps(data).encode()
    assert talk(service, *in_parts(chunked(path, [kind], body, [number]), size)) == ([400], False)
    assert list(service.store.batches(name)) == []
    assert talk(service, *in_parts(chunked(path, [kind, number], body, []), size)) == ([200], False)  # a control
    assert talk(service, *in_parts(chunked(path, [kind, number], body, [number]), size)) == ([200], False)


def request_with(target="/health", headers=()):
    return "\r\n".join([f"GET {target} HTTP/1.1", *headers, "", ""]).encode()


TOO_MUCH = {
    "a long header": (431, request_with(headers=["x: " + "y" * 120_000])),
    "a long name": (431, request_with(headers=["x" * 120_000 + ": y"])),
    "many headers": (431, request_with(headers=["x: y"] * 10_000)),
    "one header more": (431, request_with(headers=["x: y"] * (MAX_HEADERS + 1))),
    "one byte more": (431, request_with(headers=["x: " + "y" * (MAX_HEADER_BYTES - len("/health") - 4)])),
    "a long address": (414, request_with("/" + "x" * 60_000)),
    "long parameters": (414, request_with("/health?" + "x" * MAX_TARGET_BYTES)),
}


@pytest.mark.parametrize("size", [1 << 20, 1 << 14, 1000])
@pytest.mark.parametrize("what", TOO_MUCH)
def test_too_much_before_a_body_is_refused_however_it_comes(service, what, size):
    status, data = TOO_MUCH[what]
    asked = service.service.metrics.requests.total()
    assert talk(service, *in_parts(data, size)) == ([status], True)
    assert service.service.metrics.requests.total() == asked


def test_as_much_as_is_allowed_is_taken(service):
    assert talk(service, request_with(headers=["x: y"] * MAX_HEADERS)) == ([200], False)
    assert talk(service, request_with(headers=["x: " + "y" * (MAX_HEADER_BYTES - len("/health") - 5)])) == (
        [200],
        False,
    )
    assert talk(service, request_with("/" + "x" * (MAX_TARGET_BYTES - 1))) == ([404], False)


@pytest.mark.parametrize("after", [b"0\r\nx: " + b"y" * 50_000, b"1;x=" + b"y" * 50_000])
def test_neither_trailers_nor_sizes_of_chunks_are_endless(service, name, after):
    head = b"POST /collections/%b/reports HTTP/1.1\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n"
    data = head % name.encode() + b"idempotency-key: one\r\n\r\n"
    assert talk(service, data, *in_parts(after, 5_000)) == ([431], True)


def test_few_requests_of_a_connection_wait_for_earlier_ones(service, monkeypatch):
    made = []
    real = connection.HttpToolsProtocol.on_headers_complete
    monkeypatch.setattr(connection.HttpToolsProtocol, "on_headers_complete", lambda one: (made.append(one), real(one)))
    assert talk(service, request_with() * 10_000) == ([], True)
    assert len(made) == MAX_PIPELINED + 1
    assert talk(service, request_with() * MAX_PIPELINED) == ([200] * MAX_PIPELINED, False)


def test_no_large_body_is_read_behind_another_request(service, name):
    whole = post(name, service.mechanism(name).fingerprint, "two", [0] * 5_000)
    assert talk(service, request_with() + whole) == ([], True)
    assert talk(service, whole) == ([200], False)


def test_bodies_that_come_at_the_same_moment_are_limited(service, name):
    whole = post(name, service.mechanism(name).fingerprint, "one", [0] * 80_000)

    async def send():
        kind = type("Protocol", (DeadlineProtocol,), {})
        wires = [Wire(service.app, kind) for _ in range(100)]
        for wire in wires:
            wire.read(whole[:-1])
        held = sum(len(wire.protocol.cycle.body) for wire in wires)
        refused = [wire.statuses for wire in wires if wire.line.closed]
        await asyncio.sleep(0)
        later = Wire(service.app, kind)  # in the next round of the event loop there is room again
        later.read(whole[:-1])
        late = later.line.closed
        for wire in [*wires, later]:
            await wire.end()
        return held, refused, late

    held, refused, late = service.run(send())
    assert 100 * len(whole) > 2 * MAX_ARRIVING_BYTES > 2 * held
    assert len(refused) > 50
    assert set(map(tuple, refused)) == {(503,)}
    assert not late
    assert service.service.bodies._held_bytes == 0


@pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/collections", 401)])
def test_the_rest_of_a_large_body_is_not_read_once_its_request_is_answered(service, path, status):
    head = f"POST {path} HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"

    async def send(size):
        wire = Wire(service.app)
        wire.read((head % size).encode() + b" " * 10_000)
        await wire.settle()
        found = wire.statuses, wire.line.paused, len(wire.protocol.cycle.body)
        await wire.end()
        return found

    assert service.run(send(10_000_000)) == ([status], True, 0)
    assert service.run(send(20_000)) == ([status], False, 0)  # a small one is, so that the connection can go on


@pytest.mark.parametrize("bad", [b"this is no request\r\n\r\n", request_with(headers=["x: y"] * 200)])
def test_a_refusal_is_never_taken_for_the_answer_to_an_earlier_request(service, name, bad):
    whole = post(name, service.mechanism(name).fingerprint, "one")
    assert talk(service, whole + bad) == ([], True)
    assert talk(service, bad) == ([431 if b"x: y" in bad else 400], True)


def test_no_single_request_leaves_a_line_in_the_log(service, caplog):
    upgrade = ["connection: upgrade, http2-settings", "upgrade: h2c", "http2-settings: AAMAAABk"]
    assert talk(service, request_with(headers=upgrade)) == ([200], True)
    assert talk(service, b"this is no request\r\n\r\n") == ([400], True)
    assert caplog.records == []
