"""Laws of strict reading: what a body, a header or an address may be, and that everything else is refused."""

import json

import pytest

from discreet.collector.http.upload_decoder import PACKED
from discreet.collector.settings import Settings
from discreet.core.errors import InvalidInput

GOOD = '"fingerprint":"%s","reports":[0],"version":1'


def body(service, name, text):
    return ("{" + text % service.mechanism(name).fingerprint + "}").encode()


@pytest.mark.parametrize(
    "text",
    [
        GOOD + ',"version":1',
        GOOD + ',"reports":[0]',
        GOOD + ',"labels":{"week":"1"},"labels":{"week":"1"}',
        GOOD + ',"labels":{"week":"1","week":"2"}',
        GOOD + ',"\\u0076ersion":1',
        GOOD + ',"other":1',
        GOOD + ',"labels":[]',
        GOOD + ',"labels":null',
        GOOD.replace('"version":1', '"version":1.0'),
        GOOD.replace('"version":1', '"version":true'),
        GOOD.replace('"version":1', '"version":2'),
        GOOD.replace('"reports":[0]', '"reports":0'),
        GOOD.replace('"reports":[0]', '"reports":[NaN]'),
        GOOD.replace('"reports":[0]', '"reports":[0,]'),
        GOOD.replace('"reports":[0]', '"reports":[01]'),
        GOOD.replace('"reports":[0]', '"reports":[1e999]'),
        GOOD.replace('"reports":[0]', '"reports":["\\ud800"]'),
        GOOD.replace('"reports":[0]', '"reports":' + "[" * 5000 + "]" * 5000),
        GOOD.replace('"reports":[0]', '"reports":[' + "9" * 100_000 + "]"),
        '"fingerprint":"%s","version":1',
        '"fingerprint":1,"reports":["%s"],"version":1',
    ],
)
def test_a_body_that_is_not_exactly_an_upload_is_refused(service, name, text):
    answered = service.upload(name, body(service, name, text))
    assert (answered.status, answered.code) == (400, "json")
    assert list(service.store.batches(name)) == []


def test_a_text_that_looks_like_a_key_is_no_repetition(service, name):
    answered = service.upload(name, body(service, name, GOOD.replace("[0]", '[0,"version"]')))
    assert answered.json["refused"] == [[1, "form"]]


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xef\xbb\xbf{}", b"[]", b"null", b"{", b"\0" * 100])
def test_what_is_no_json_object_is_refused(service, name, data):
    assert service.upload(name, data).code == "json"


@pytest.mark.parametrize(
    "line",
    [
        '{"fingerprint":"%s","version":1}',
        '{"version":1,"fingerprint":"%s"}\n',
        '{"fingerprint": "%s","version":1}\n',
        '{"fingerprint":"%s","version":1,"version":1}\n',
        '{"fingerprint":"%s","reports":[],"version":1}\n',
        "%s\n",
        "\n%s",
    ],
)
def test_the_line_before_packed_reports_is_canonical(service, name, line):
    data = (line % service.mechanism(name).fingerprint).encode() + b"\0"
    assert service.upload(name, data, kind=PACKED).code == "json"


def test_packed_reports_are_whole(service):
    wide = '[domain]\nsize = 1000\n[context]\nform = "uniform"\nepsilon = "1"\n[mechanism]\nname = "hadamard"\n'
    name = service.made(spec=wide, words=None)
    line = b'{"fingerprint":"%s","version":1}\n' % service.mechanism(name).fingerprint.encode()
    assert service.upload(name, line + b"\0\0\0", kind=PACKED).code == "json"
    assert service.upload(name, line + b"\0\0", kind=PACKED).status == 200


@pytest.mark.parametrize("number", ["", "a" * 65, "a b", "é", "a/b", "a\n"])
def test_the_number_of_an_upload_is_plain(service, name, number):
    assert service.send(name, [0], number=number).code == "header"


def test_the_number_of_an_upload_is_needed(service, name):
    data = body(service, name, GOOD)
    path = f"/collections/{name}/reports"
    assert service.ask("POST", path, data, [("content-type", "application/json")]).code == "header"


@pytest.mark.parametrize("header", ["content-type", "content-length", "idempotency-key", "invitation", "authorization"])
def test_headers_that_come_twice_are_refused(service, name, header):
    answered = service.send(name, [0], headers=[(header, "1"), (header, "1")])
    assert (answered.status, answered.code) == (400, "header")


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "json"]
)
def test_other_types_of_bodies_are_refused(service, name, kind):
    answered = service.upload(name, body(service, name, GOOD), kind=kind)
    assert (answered.status, answered.code) == (415, "media_type")


def test_the_charset_may_be_said_and_no_encoding(service, name):
    data = body(service, name, GOOD)
    assert service.upload(name, data, kind="Application/JSON; charset=UTF-8").status == 200
    assert service.upload(name, data, headers=[("content-encoding", "gzip")]).code == "media_type"


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("parts", [1, 2, 30])
def test_large_bodies_are_refused(make, announced, parts):
    service = make(body_bytes=10_000)
    name = service.made()
    headers = [("content-type", "application/json"), ("idempotency-key", "one")]
    headers += [("content-length", str(1000 * parts + 10_001))] if announced else []
    chunks = [b" " * 10_001] + [b" " * 1000] * parts
    answered = service.ask("POST", f"/collections/{name}/reports", b"", headers, chunks=chunks)
    assert (answered.status, answered.code) == (413, "too_large")
    assert answered.headers["connection"] == "close"
    assert service.service.bodies._held_bytes == 0


def test_a_body_may_come_in_parts(service, name):
    data = body(service, name, GOOD)
    headers = [("content-type", "application/json"), ("idempotency-key", "one")]
    parts = [data[i : i + 7] for i in range(0, len(data), 7)]
    assert service.ask("POST", f"/collections/{name}/reports", b"", headers, chunks=parts).status == 200


def test_large_bodies_together_are_limited(make):
    service = make(body_bytes=1 << 16, bodies_bytes=1 << 16)
    name = service.made()
    bodies = service.service.bodies

    async def receive():
        return {"type": "http.request", "body": b" " * 50_000}

    held = service.run(bodies.read({}, receive))
    headers = [("content-type", "application/json"), ("idempotency-key", "one")]
    for parts in ([b" " * 5_000] * 4, [b" " * 20_000]):
        answered = service.ask("POST", f"/collections/{name}/reports", b"", headers, chunks=parts)
        assert (answered.status, answered.code) == (503, "busy")
    bodies.release(held)
    assert service.ask("POST", f"/collections/{name}/reports", b"", headers, chunks=parts).code == "json"
    assert bodies._held_bytes == 0


def test_a_body_is_held_until_its_upload_is_stored(service, name, monkeypatch):
    held = []
    add = service.service.writer.add

    async def watch(upload):
        held.append(service.service.bodies._held_bytes)
        return await add(upload)

    monkeypatch.setattr(service.service.writer, "add", watch)
    data = body(service, name, GOOD.replace("[0]", "[" + "0," * 5_000 + "0]"))
    assert service.upload(name, data).status == 200
    assert held == [len(data)]
    assert service.service.bodies._held_bytes == 0


def test_all_bodies_together_have_room_for_one():
    with pytest.raises(InvalidInput, match="bodies_bytes=65536 must be at least body_bytes=65537"):
        Settings(body_bytes=65_537, bodies_bytes=65_536)


@pytest.mark.parametrize("path", ["/x", "/collections/", "/collections/x/y", "//health", "/health/", "/collections//"])
def test_unknown_addresses_are_not_found(service, path):
    answered = service.get(path)
    assert (answered.status, answered.code) == (404, "not_found")


def test_unknown_collections_are_not_found(service):
    assert service.get("/collections/0123456789abcdef").code == "not_found"
    assert service.upload("0123456789abcdef", {}).code == "not_found"


@pytest.mark.parametrize(("method", "path"), [("PUT", "/health"), ("DELETE", "/collections"), ("POST", "/health")])
def test_other_methods_are_refused_and_the_right_ones_said(service, method, path):
    answered = service.ask(method, path)
    assert (answered.status, answered.code) == (405, "method")
    assert "GET" in answered.headers["allow"]


@pytest.mark.parametrize(
    "query", ["x=1", "by=week&by=week", "by", "%zz=1;", "=", "&".join(f"a{i}=1" for i in range(20))]
)
def test_parameters_are_known_and_come_once(service, name, query):
    assert service.get(f"/collections/{name}/shares?{query}", role="analyst").code == "parameter"
    assert service.get(f"/health?{query}").code == "parameter"


@pytest.mark.parametrize(
    "query",
    [
        "method=x",
        "confidence=0",
        "confidence=1",
        "confidence=nan",
        "confidence=x",
        "by=x",
        "days=0",
        "days=x",
        "days=-1",
    ],
)
def test_parameters_have_their_values(service, name, query):
    assert service.get(f"/collections/{name}/shares?{query}", role="analyst").code == "parameter"


def test_problems_are_of_their_type_and_repeat_no_value(service, name):
    answered = service.send(name, [0], labels={"week": "secret-text"})
    assert answered.headers["content-type"] == "application/problem+json"
    assert set(answered.json) == {"type", "title", "status", "code", "detail"}
    assert answered.json["status"] == answered.status
    assert b"secret-text" not in answered.content


def test_an_error_that_nobody_foresaw_is_answered_and_not_shown(service, name, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("secret-text")

    monkeypatch.setattr(service.service.catalogue.get(name).decoder, "decode", broken)
    answered = service.send(name, [0])
    assert (answered.status, answered.code) == (500, "failed")
    assert b"secret-text" not in answered.content


def test_other_kinds_of_connections_are_left_alone(service):
    async def nothing(*_):
        raise AssertionError

    assert service.run(service.app({"type": "websocket"}, nothing, nothing)) is None


def test_a_sender_who_leaves_gets_no_answer(service, name):
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    headers = [(b"content-type", b"application/json"), (b"idempotency-key", b"one")]
    scope = {"type": "http", "method": "POST", "path": f"/collections/{name}/reports", "headers": headers}
    service.run(service.app({**scope, "query_string": b""}, receive, send))
    assert sent == []


def test_every_answer_has_the_headers_that_browsers_need(service, name):
    for answered in (service.get("/health"), service.get("/x"), service.send(name, [0]), service.get("/metrics")):
        assert answered.headers["x-content-type-options"] == "nosniff"
        assert answered.headers["referrer-policy"] == "no-referrer"
        assert answered.headers["cache-control"] == "no-store"
        assert answered.headers["content-security-policy"].startswith("default-src 'none'")
        assert json.loads(answered.content)
