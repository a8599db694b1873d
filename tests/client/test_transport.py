"""What goes over the wire, and what a collector cannot make the client do."""

import ssl
from datetime import UTC, datetime, timedelta

import pytest

from discreet.client import HttpTransport, Request
from discreet.client.addresses import address_of
from discreet.core.errors import Unreachable


def get(url, *, limit=1000, seconds=5.0, **more):
    return HttpTransport(seconds=seconds, **more).send(Request("GET", address_of(url), {"Accept": "x/y"}), limit=limit)


def test_a_request_has_no_header_that_was_not_asked_for(collector, url):
    get(url)
    headers = {"Content-Type": "application/json", "Idempotency-Key": "00"}
    address = address_of(f"{url}/reports?x=1")
    HttpTransport().send(Request("POST", address, headers, b"{}"), limit=10)
    first, second = collector.seen
    host = url.split("/")[2]
    assert first.headers == {"host": host, "accept": "x/y"}
    assert second.headers == {
        "host": host,
        "content-type": "application/json",
        "idempotency-key": "00",
        "content-length": "2",
    }
    assert (second.path, second.body) == ("/survey/reports?x=1", b"{}")


def test_proxies_of_the_environment_are_not_used(url, monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")
    assert get(url).status == 200


def test_no_more_is_read_than_was_asked_for(collector, url, Reply):
    collector.replies["/survey"] = [Reply(body=b"x" * 100)]
    whole, cut = get(url, limit=100), get(url, limit=99)
    assert (whole.body, whole.whole) == (b"x" * 100, True)
    assert (cut.body, cut.whole) == (b"x" * 99, False)


def test_a_redirect_is_an_answer_like_any_other(collector, url, Reply):
    collector.replies["/survey"] = [Reply(302, {"Location": "/survey/law"})]
    assert get(url).status == 302
    assert len(collector.seen) == 1


@pytest.mark.parametrize(
    "reply",
    [
        {"wait": 30.0},
        {"body": b"x" * 1000, "dribble": 0.05},
        {"body": b"x" * 10, "cut": True},
    ],
    ids=["a collector that hangs", "one that dribbles", "one that breaks off"],
)
def test_an_answer_that_is_not_whole_in_time_is_none(collector, url, Reply, reply):
    collector.replies["/survey"] = [Reply(**reply)]
    with pytest.raises(Unreachable, match="could not be reached"):
        get(url, seconds=0.3)


def test_a_slow_answer_is_said_to_be_late(collector, url, Reply):
    collector.replies["/survey"] = [Reply(body=b"x" * 1000, dribble=0.05)]
    with pytest.raises(Unreachable, match=r"no whole answer within 0\.3 seconds"):
        get(url, seconds=0.3)


def test_nobody_there_is_unreachable(collector):
    with collector.serving() as address:
        pass
    with pytest.raises(Unreachable, match=r"could not be reached: .*refused"):
        get(address)


def test_what_is_no_http_is_unreachable():
    import socket
    import threading

    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"220 smtp ready\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(Unreachable, match="smtp"):
            get(f"http://127.0.0.1:{server.getsockname()[1]}/")
        thread.join()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of 127.0.0.1 that it has signed itself, and its key, in one file."""
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.now(UTC)
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(alternative, critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


def test_a_certificate_is_checked(collector, certificate):
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate)
    with collector.serving(tls=server) as url:
        assert url.startswith("https://")
        with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
            get(url)
        trusted = ssl.create_default_context(cafile=certificate)
        assert get(url, tls=trusted).status == 200
        assert [seen.headers["accept"] for seen in collector.seen] == ["x/y"]
