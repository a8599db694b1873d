"""`Address`: a web address in one form only, so that a collection has one name in every ledger."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urljoin

from ..core.errors import Refused, shown
from .ledger.entries import check_invitation

MAX_ADDRESS_LENGTH = 2048
"""The most characters of an address."""

PORTS = {"http": 80, "https": 443}
FORM = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.IGNORECASE | re.ASCII | re.DOTALL)
AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*)(?::([0-9]{1,5}))?", re.ASCII)
SEGMENTS = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*", re.ASCII)
QUERY = re.compile(r"(?:[A-Za-z0-9._~!$&()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*", re.ASCII)
ABSOLUTE = re.compile(r"(?:https?:)?//", re.IGNORECASE | re.ASCII)
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)


@dataclass(frozen=True)
class Address:
    """The parts of an address: `host` in lower case, `port` as a number, `target` the path with its query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def origin(self) -> str:
        """Scheme, host and port, the last only where it is not the usual one."""
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"

    def __str__(self) -> str:
        return self.origin + self.target

    @property
    def is_loopback(self) -> bool:
        """True if it is on this machine by its form: localhost, 127.0.0.0/8 or [::1]."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False


def address_of(url: str, name: str = "url") -> Address:
    """The address that a text gives, without fragment; `Refused` unless it is https, or http on this machine.

    An address that parsers read in different ways is refused: one with a user, with empty segments or those of dots,
    with characters that must be escaped, or with a host that is a number in disguise. No error repeats the fragment,
    which may hold an invitation.
    """
    match = FORM.fullmatch(url) if isinstance(url, str) and len(url) <= MAX_ADDRESS_LENGTH else None
    url = url.partition("#")[0] if isinstance(url, str) else url
    if match is None:
        raise Refused(f"{name}={shown(url)} must be an address that begins with https://")
    scheme, authority, path, query = match[1].lower(), match[2].lower(), match[3] or "/", match[4] or ""
    host = AUTHORITY.fullmatch(authority)
    if host is None or len(host[1]) > 253:
        raise Refused(f"{name}={shown(url)} must have a host in ASCII, perhaps with a port, and nothing else before /")
    if not SEGMENTS.fullmatch(path) or not QUERY.fullmatch(query.removeprefix("?")) or _is_unclear(path):
        raise Refused(f"{name}={shown(url)} must have its characters escaped, and no segments that are empty, . or ..")
    port = PORTS[scheme] if host[2] is None else int(host[2])
    if port > 65535 or port == 0:
        raise Refused(f"{name}={shown(url)} must have a port from 1 to 65535")
    address = Address(scheme, _host(host[1], url, name), port, path + query)
    if scheme == "http" and not address.is_loopback:
        raise Refused(f"{name}={shown(url)} must be https: without it anybody on the way can read and change")
    return address


def address_beside(reference: str, base: Address, name: str) -> Address:
    """The address that a document at `base` gives, relative or not; `Refused` unless it has the same origin."""
    text = isinstance(reference, str) and len(reference) <= MAX_ADDRESS_LENGTH and reference.isprintable()
    if not text or "\\" in reference:
        raise Refused(f"{name} must be an address")
    if not ABSOLUTE.match(reference) and "//" in re.split("[?#]", reference)[0]:
        raise Refused(f"{name}={shown(reference)} must have no empty segments")
    address = address_of(urljoin(str(base), reference), name)
    if address.origin != base.origin:
        raise Refused(f"{name}={shown(reference)} must be at {base.origin}, like the collection itself")
    return address


def invitation_of(url: str) -> str | None:
    """The invitation in the fragment of a link, ``#invitation=...``, which is never sent to a server as an address."""
    name, sign, invitation = url.partition("#")[2].partition("=") if isinstance(url, str) else ("", "", "")
    return check_invitation(invitation) if name == "invitation" and sign else None


def _is_unclear(path: str) -> bool:
    """True if parsers may leave out a segment: dots, escaped or not, or nothing at all."""
    segments = path.lower().replace("%2e", ".").split("/")
    return any(segment in (".", "..") for segment in segments) or "" in segments[1:-1]


def _host(host: str, url: str, name: str) -> str:
    """A host in the one form in which hosts are compared, with numeric addresses written out."""
    try:
        if host.startswith("["):
            address = ipaddress.IPv6Address(host[1:-1])
            if address.ipv4_mapped is not None or "." in host:
                raise ValueError  # written in different ways
            return f"[{address.compressed}]"
        if NUMBER.fullmatch(host.rpartition(".")[2]):
            return str(ipaddress.IPv4Address(host))
    except ValueError:
        raise Refused(f"{name}={shown(url)} must have a host whose numbers are written out in full") from None
    return host
