"""Addresses: one form each, the same that browsers give, and none that parsers read in two ways."""

import pytest

from discreet.client.addresses import address_beside, address_of
from discreet.errors import Refused

NORMAL = {
    "https://Example.ORG": "https://example.org/",
    "HTTPS://example.org:443/a?b=c#d": "https://example.org/a?b=c",
    "https://example.org:8443/A/%7e": "https://example.org:8443/A/%7e",
    "https://example.org/a?": "https://example.org/a?",
    "https://example.org?x=/../y": "https://example.org/?x=/../y",
    "https://192.168.0.1/": "https://192.168.0.1/",
    "https://[2001:DB8:0:0::1]:443/": "https://[2001:db8::1]/",
    "http://localhost:8000/a": "http://localhost:8000/a",
    "http://LOCALHOST:80/": "http://localhost/",
    "http://127.0.0.1:9/": "http://127.0.0.1:9/",
    "http://127.8.9.1/": "http://127.8.9.1/",
    "http://[::1]:8000/": "http://[::1]:8000/",
}


@pytest.mark.parametrize("url", NORMAL)
def test_an_address_has_one_form(url):
    address = address_of(url)
    assert str(address) == NORMAL[url]
    assert address_of(str(address)) == address


REFUSED = [
    "",
    "example.org",
    "ftp://example.org/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https:example.org",
    "https:///path",
    "http://example.org/",
    "http://127.0.0.1.example.org/",
    "http://localhost.example.org/",
    "http://localhost./",
    "http://10.0.0.1/",
    "http://[::2]/",
    "http://127.1/",
    "http://0x7f.0.0.1/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "https://1.2.3.256/",
    "https://[::1/",
    "https://[1]/",
    "https://me:secret@example.org/",
    "https://me@example.org/",
    "http://example.org@localhost/",
    "http://localhost@example.org/",
    "http://localhost\\@example.org/",
    "https://exämple.org/",
    "https://example.org/a b",
    "https://example.org/ä",
    "https://example.org/a\nHost: b",
    "https://example.org/%",
    "https://example.org/%zz",
    "https://example.org/a/../b",
    "https://example.org/a/%2E%2e/b",
    "https://example.org/./",
    "https://example.org:0/",
    "https://example.org:99999/",
    "https://example.org:-1/",
    "https://exa mple.org/",
    "https://.example.org/",
    "https://" + "a" * 64 + ".org/",
    "https://" + "a." * 127 + "org/",
    "https://example.org/" + "a" * 3000,
    "https://example.org/?q='",
]


@pytest.mark.parametrize("url", REFUSED)
def test_an_address_that_is_unsafe_or_unclear_is_refused(url):
    with pytest.raises(Refused, match="url="):
        address_of(url)


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("law", "https://example.org/a/law"),
        ("/law", "https://example.org/law"),
        ("../law?v=1", "https://example.org/law?v=1"),
        ("../../../law", "https://example.org/law"),
        ("https://EXAMPLE.org:443/law#x", "https://example.org/law"),
        ("//example.org/law", "https://example.org/law"),
    ],
)
def test_an_address_beside_another_may_be_relative(reference, found):
    assert str(address_beside(reference, address_of("https://example.org/a/b"), "law")) == found


@pytest.mark.parametrize(
    "reference",
    [
        "https://other.org/law",
        "//other.org/law",
        "https://example.org:8443/law",
        "http://localhost/law",
        "https://example.org.other.org/law",
        "\\\\other.org/law",
        "https:\\\\other.org",
        "data:application/json,{}",
        "\thttps://other.org/",
        None,
        ["law"],
    ],
)
def test_an_address_at_another_origin_is_refused(reference):
    with pytest.raises(Refused, match="law"):
        address_beside(reference, address_of("https://example.org/a/b"), "law")
