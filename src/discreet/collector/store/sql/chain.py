"""Hash chains over stored uploads and over the public log, and checksums of other rows.

An upload has a row hash, ``SHA-256(salt + canonical JSON + newline + reports)``, and a place in a chain,
``SHA-256(chain before + row hash)``. The salt is random and forgotten with the reports: the row hash that stays keeps
the chain checkable and, without the salt, tells nothing about what was forgotten, not even to one who tries every
possible report.
"""

from __future__ import annotations

from hashlib import sha256
from json.encoder import encode_basestring as quoted

from ....core.canonical import canonical
from ..protocol import LogEntry, StoredCollection

CHAIN_START = bytes(32)
"""The hash before the first row of a chain; in the log, as 64 zeros."""

SALT_BYTES = 16
"""Random bytes of a row's salt."""

CHECKSUM_BYTES = 16


def row_hash(
    salt: bytes,
    reports: bytes,
    *,
    position: int,
    collection: str,
    upload: str,
    digest: bytes,
    day: str,
    labels: str,
    count: int,
    answer: str,
) -> bytes:
    """The hash of all that is stored of one upload; `labels` as the canonical text that is stored."""
    text = (  # what `canonical` writes of a list of these, which are all plain
        f"[{position},{quoted(collection)},{quoted(upload)},{quoted(digest.hex())},{quoted(day)},{quoted(labels)},"
        f"{count},{quoted(answer)}]\n"
    )
    hashed = sha256(salt + text.encode())
    hashed.update(reports)
    return hashed.digest()


def extend_chain(chain: bytes, row: bytes) -> bytes:
    """The hash of a chain after one more row."""
    return sha256(chain + row).digest()


def declaration_digest(collection: StoredCollection) -> str:
    """The digest in the public log: SHA-256 of the canonical JSON of ``[declared, law]``, both as text."""
    return sha256(canonical([collection.declared, collection.law]).encode()).hexdigest()


def log_entry(before: str, *, number: int, kind: str, collection: str, digest: str, day: str) -> LogEntry:
    """A line of the log; its chain is SHA-256 of the hex text before it and the canonical JSON of the rest."""
    rest = {"number": number, "kind": kind, "collection": collection, "digest": digest, "day": day}
    chain = sha256((before + canonical(rest)).encode()).hexdigest()
    return LogEntry(number, kind, collection, digest, day, chain)


def checksum(*parts: str | int | bytes | None) -> bytes:
    """A short hash stored with a row that is in no chain, so that a flipped bit in it is noticed."""
    plain = [part.hex() if isinstance(part, bytes) else part for part in parts]
    return sha256(canonical(plain).encode()).digest()[:CHECKSUM_BYTES]
