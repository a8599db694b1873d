"""Mixing: stored uploads get each other's positions, at random, so that nothing stored tells the order they came in.

The positions of a writer's uploads, and its hash chain, follow the order of its commits. Mixed uploads have new row
hashes, with new salts, and a new chain, which both go with their new positions. Tallies stay what they are: no upload
crosses the position up to which any collection is tallied.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Sequence
from random import SystemRandom

from . import queries
from .checkpoints import CHAIN_START, SALT_BYTES, extend_chain, row_hash
from .rows import put_note
from .schema import Connection


def unmixed(db: Connection, writer_id: int) -> int:
    """The most uploads of a writer that can have come since its uploads were last mixed."""
    return queries.checkpoint(db, writer_id).position - mixed_to(db, writer_id)


def mixed_to(db: Connection, writer_id: int) -> int:
    """The position up to which the uploads of a writer are mixed."""
    return _noted(db, writer_id)[0]


def mixed_at(db: Connection, writer_id: int) -> int:
    """The number of the commit of a writer that last made its chain anew; 0 if none did."""
    return _noted(db, writer_id)[1]


def _noted(db: Connection, writer_id: int) -> tuple[int, int]:
    position, commit = (queries.note_value(db, f"mixed-{writer_id}") or "0 0").split()
    return int(position), int(commit)


def mixed_order(positions: Sequence[int], cuts: Sequence[int]) -> list[int]:
    """The positions in random order, each still on its side of every cut; a position at a cut is before it."""
    groups: dict[int, list[int]] = {}
    for position in positions:
        groups.setdefault(bisect_left(cuts, position), []).append(position)
    for group in groups.values():
        SystemRandom().shuffle(group)
    return [position for _, group in sorted(groups.items()) for position in group]


def mix(db: Connection, writer_id: int) -> bytes:
    """Mix all uploads of a writer that came since the last time; the new end of its chain.

    One that was forgotten keeps its place, since its content is not there to be hashed again.
    """
    after = mixed_to(db, writer_id)
    rows = db.execute(
        "SELECT position, collection IS NOT NULL FROM upload WHERE lane = ? AND position > ? ORDER BY position",
        (writer_id, after),
    ).fetchall()
    movable = [position for position, is_stored in rows if is_stored]
    cuts = sorted(position for (position,) in db.execute("SELECT position FROM tallied").fetchall())
    sources = dict(zip(movable, mixed_order(movable, cuts), strict=True))
    before = db.execute(
        "SELECT chain FROM upload WHERE lane = ? AND position <= ? ORDER BY position DESC LIMIT 1", (writer_id, after)
    ).fetchone()
    chain = bytes(before[0]) if before else CHAIN_START
    names = dict(db.execute("SELECT number, id FROM collection").fetchall())
    db.execute(
        "UPDATE upload SET position = -position WHERE lane = ? AND position > ? AND collection IS NOT NULL",
        (writer_id, after),
    )
    for position, is_stored in rows:
        if not is_stored:
            (row,) = db.execute("SELECT row_hash FROM upload WHERE position = ?", (position,)).fetchone()
            chain = extend_chain(chain, bytes(row))
            db.execute("UPDATE upload SET chain = ? WHERE position = ?", (chain, position))
            continue
        number, upload, digest, day, labels, count, answer, reports = db.execute(
            "SELECT collection, upload, digest, day, labels, count, answer, reports FROM upload WHERE position = ?",
            (-sources[position],),
        ).fetchone()
        salt = os.urandom(SALT_BYTES)
        hashed = row_hash(position, names[number], upload, bytes(digest), day, labels, count, answer, salt, reports)
        chain = extend_chain(chain, hashed)
        db.execute(
            "UPDATE upload SET position = ?, row_hash = ?, chain = ?, salt = ? WHERE position = ?",
            (position, hashed, chain, salt, -sources[position]),
        )
    commit = queries.checkpoint(db, writer_id).commits + 1
    put_note(db, f"mixed-{writer_id}", f"{rows[-1][0] if rows else after} {commit}")
    return chain
