"""Invitations in a journal: encrypted with its key, so that neither the journal nor what is exported of it shows them.

An invitation of n bytes is mixed (XOR) with the first n bytes of ``HMAC(key, ["invitation", upload, 0])``, ``HMAC(key,
["invitation", upload, 1])``, ..., and written in hexadecimal: HMAC-SHA256 of canonical JSON with the number of its
upload, which is used once. The chain of the journal holds it together with the rest. Without the key, which never
leaves its place, it says nothing but n.
"""

from __future__ import annotations

import hmac
import re

from ...core.canonical import canonical
from ...core.errors import InvalidInput

MAX_INVITATION_LENGTH = 128
"""The most characters of an invitation."""

FORM = re.compile(rf"[A-Za-z0-9._~-]{{1,{MAX_INVITATION_LENGTH}}}", re.ASCII)
"""An invitation: characters that need no escaping in a link or a header."""

ENCRYPTED = re.compile(rf"(?:[0-9a-f]{{2}}){{1,{MAX_INVITATION_LENGTH}}}")


def check_invitation(invitation: object) -> str:
    """An invitation as it is; `InvalidInput`, which does not repeat it, for anything that is none."""
    if not isinstance(invitation, str) or not FORM.fullmatch(invitation):
        raise InvalidInput(f"invitation must be 1 to {MAX_INVITATION_LENGTH} letters, digits, ., _, ~ or -")
    return invitation


def is_encrypted(entry: object) -> bool:
    """True if this is how a journal holds an invitation."""
    return isinstance(entry, str) and bool(ENCRYPTED.fullmatch(entry))


def encrypt(key: bytes, upload: str, invitation: str) -> str:
    """An invitation as the line of its upload holds it."""
    return _mixed(key, upload, invitation.encode()).hex()


def decrypt(key: bytes, upload: str, encrypted: str) -> str | None:
    """The invitation of an upload; None if the key is another one than it was encrypted with."""
    found = _mixed(key, upload, bytes.fromhex(encrypted)).decode("latin-1")
    return found if FORM.fullmatch(found) else None


def _mixed(key: bytes, upload: str, content: bytes) -> bytes:
    stream = b"".join(
        hmac.digest(key, canonical(["invitation", upload, block]).encode(), "sha256")
        for block in range(-(-len(content) // 32))
    )
    return bytes(byte ^ other for byte, other in zip(content, stream, strict=False))
