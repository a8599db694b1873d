"""Random tokens for roles and invitations: shown once, stored as hashes, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from .store.protocol import Store

ROLES = ("admin", "analyst")
"""Who may do what: an admin makes and closes collections, an analyst reads them."""

MAX_INVITATIONS = 10_000
"""The most invitations that are made at once."""


def digest(token: str) -> bytes:
    """The hash that is stored of a token: 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(token.encode()).digest()


def new_token(role: str) -> str:
    """A random token of 256 bits; its prefix names the role."""
    return f"discreet-{role}-{secrets.token_hex(32)}"


def first_tokens(store: Store) -> dict[str, str]:
    """New tokens for the roles that have none yet; they are shown once, at the first start."""
    return {role: rotate(store, role) for role in ROLES if store.token(role) is None}


def rotate(store: Store, role: str) -> str:
    """A new token for a role, which makes the old one invalid."""
    token = new_token(role)
    store.set_token(role, digest(token))
    return token


def is_token(store: Store, role: str, offered: str) -> bool:
    """True if this is the token of the role."""
    stored = store.token(role)
    return stored is not None and hmac.compare_digest(stored, digest(offered))


def new_invitations(count: int) -> list[str]:
    """New invitations, each good for one upload."""
    return [secrets.token_hex(16) for _ in range(count)]
