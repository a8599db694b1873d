"""Tokens: made at random, shown once, kept as hashes and compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from .store.protocol import Store

ROLES = ("admin", "analyst")
"""Who may do what: an admin makes and closes collections, an analyst reads them."""


MOST_INVITATIONS = 10_000
"""The most invitations that are made at once."""


def digest(token: str) -> bytes:
    """What is kept of a token: 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(token.encode()).digest()


def new_token(role: str) -> str:
    """A token that nobody can guess; its beginning says what it is for."""
    return f"discreet-{role}-{secrets.token_hex(32)}"


def first_tokens(store: Store) -> dict[str, str]:
    """Tokens for the roles that have none yet, which are kept from now on: shown once, at the first start."""
    return {role: rotate(store, role) for role in ROLES if store.token(role) is None}


def rotate(store: Store, role: str) -> str:
    """A new token for a role; the one before is good for nothing from now on."""
    token = new_token(role)
    store.set_token(role, digest(token))
    return token


def is_token(store: Store, role: str, offered: str) -> bool:
    """True if this is the token of the role."""
    kept = store.token(role)
    return kept is not None and hmac.compare_digest(kept, digest(offered))


def invitations(count: int) -> list[str]:
    """New invitations, each good for one upload."""
    return [secrets.token_hex(16) for _ in range(count)]
