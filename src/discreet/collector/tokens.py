"""Tokens: which roles there are, who holds one, and whether an offered one is good for a route.

Each role has one token of its own, and any number of named ones, for all collections or for one. Tokens are random,
shown once, stored as hashes, and compared in constant time. A named token is a row of the store under its name, and
good only while the list of names has it: whatever processes do at once, one that was revoked stays so.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from ..core.canonical import canonical
from ..core.errors import InvalidInput, StoreFailed, shown
from .store.protocol import Store

ROLES = ("admin", "analyst", "metrics")
"""Who may do what: an admin makes and closes collections, an analyst reads them, metrics are for a monitor."""

FIRST_ROLES = ("admin", "analyst")
"""The roles that a collector cannot do without."""

ACCEPTED_ROLES = {"metrics": ("metrics", "analyst")}
"""The roles whose tokens are good for a route, where that is not its own alone: an analyst sees more than metrics."""

MAX_TOKENS = 1_000
"""The most named tokens."""

NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}", re.ASCII)
"""What the name of a token must look like."""

TOKEN = re.compile(rf"discreet-(?:{'|'.join(ROLES)})-(?:({NAME.pattern})-)?[0-9a-f]{{64}}", re.ASCII)

NAMES = "names"
"""The row with the list of names; that of a named token begins with a slash, which no role does."""


@dataclass(frozen=True)
class NamedToken:
    """What is known of a named token beside its hash."""

    name: str
    role: str
    collection: str | None
    """The one collection that it is good for; None for all, and for what is about no collection."""
    day: str
    """The day it was made."""


def digest(token: str) -> bytes:
    """The hash that is stored of a token: 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(token.encode()).digest()


def first_tokens(store: Store) -> dict[str, str]:
    """New tokens for the first roles, where they have none yet; they are shown once, at the first start."""
    return {role: rotate(store, role) for role in FIRST_ROLES if store.token(role) is None}


def rotate(store: Store, role: str) -> str:
    """A new random token of 256 bits for a role, which makes the old one invalid; named ones stay."""
    token = f"discreet-{role}-{secrets.token_hex(32)}"
    store.set_token(role, digest(token))
    return token


def make_token(store: Store, name: str, role: str, collection: str | None = None) -> str:
    """A new token with a name, for one collection or for all."""
    if not NAME.fullmatch(name):
        raise InvalidInput(f"name={shown(name)} must be 1 to 40 of a-z, 0-9, _, . and -, the first a letter or digit")
    if role not in ROLES:
        raise InvalidInput(f"role={shown(role)} must be one of {', '.join(ROLES)}")
    if collection is not None and role == "metrics":
        raise InvalidInput("collection must not be given for metrics, which are about all collections")
    if collection is not None and collection not in {one.id for one in store.collections()}:
        raise InvalidInput(f"collection={shown(collection)} must be the id of a collection")
    if any(one.name == name for one in list_tokens(store)):
        raise InvalidInput(f"name={shown(name)} must not be that of a token; revoke that one first")
    names = _names(store)
    if name not in names and len(names) >= MAX_TOKENS:
        raise InvalidInput(f"there are {len(names)} names of tokens; at most {MAX_TOKENS} are kept")
    token = f"discreet-{role}-{name}-{secrets.token_hex(32)}"
    about = {"role": role, "collection": collection, "day": datetime.now(UTC).date().isoformat()}
    store.set_token(NAMES, canonical(sorted({*names, name})).encode())
    store.set_token(f"/{name}", canonical({**about, "digest": digest(token).hex()}).encode())
    if not is_token(store, role, collection, token):  # another process wrote the list of names at the same time
        raise StoreFailed("the token could not be stored; try again")
    return token


def revoke_token(store: Store, name: str) -> None:
    """Make a named token invalid, for good."""
    if _row(store, name) is None:
        raise InvalidInput(f"name={shown(name)} must be that of a token")
    store.set_token(f"/{name}", b"")


def list_tokens(store: Store) -> list[NamedToken]:
    """The named tokens that are good, by name; no secrets."""
    rows = ((name, _row(store, name)) for name in _names(store))
    return [NamedToken(name, row["role"], row["collection"], row["day"]) for name, row in rows if row is not None]


def is_token(store: Store, role: str, collection: str | None, offered: str) -> bool:
    """True if this token may be used for a role's routes about a collection; None for those that are about none."""
    found = TOKEN.fullmatch(offered)
    if found is None:
        return False
    if found[1] is None:
        stored = store.token(role)
        return stored is not None and hmac.compare_digest(stored, digest(offered))
    row = _row(store, found[1])
    if row is None or not hmac.compare_digest(bytes.fromhex(row["digest"]), digest(offered)):
        return False
    return row["role"] == role and row["collection"] in (None, collection) and found[1] in _names(store)


def _names(store: Store) -> list[str]:
    stored = store.token(NAMES)
    return json.loads(stored) if stored else []


def _row(store: Store, name: str) -> dict[str, str] | None:
    """What is stored of a named token; None if there is none, or it was revoked."""
    stored = store.token(f"/{name}")
    return json.loads(stored) if stored else None
