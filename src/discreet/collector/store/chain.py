"""Hashes that hold what is stored together: of a row, of a chain of rows, of the public log.

An upload has a row hash, ``SHA-256(salt + canonical JSON + newline + reports)``, and a place in a chain,
``SHA-256(chain before + row hash)``. The salt is random and forgotten with the reports: the row hash that stays keeps
the chain checkable and, without the salt, tells nothing about what was forgotten, not even to one who tries every
possible report.
"""

from __future__ import annotations

from hashlib import sha256
from json.encoder import encode_basestring as quoted

from ...core.canonical import canonical
from .protocol import Collection, LogEntry

START = bytes(32)
"""What the first row of a chain follows; in the log, as 64 zeros."""

SALT = 16
"""Random bytes of a row's salt."""

SEAL = 16
"""Bytes of a seal."""


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


def follow(chain: bytes, row: bytes) -> bytes:
    """The chain after one more row."""
    return sha256(chain + row).digest()


def declaration_digest(collection: Collection) -> str:
    """The digest in the public log: SHA-256 of the canonical JSON of ``[declared, law]``, both as text."""
    return sha256(canonical([collection.declared, collection.law]).encode()).hexdigest()


def log_entry(before: str, *, number: int, kind: str, collection: str, digest: str, day: str) -> LogEntry:
    """A line of the log; its chain is SHA-256 of the hex text before it and the canonical JSON of the rest."""
    rest = {"number": number, "kind": kind, "collection": collection, "digest": digest, "day": day}
    chain = sha256((before + canonical(rest)).encode()).hexdigest()
    return LogEntry(number, kind, collection, digest, day, chain)


def seal(*parts: str | int | bytes | None) -> bytes:
    """A short hash kept beside a row that no chain holds, so that a flipped bit in it is noticed."""
    plain = [part.hex() if isinstance(part, bytes) else part for part in parts]
    return sha256(canonical(plain).encode()).digest()[:SEAL]
