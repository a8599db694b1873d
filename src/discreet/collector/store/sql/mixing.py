"""Mixing: stored uploads get each other's positions, at random, so that nothing stored tells the order they came in.

The positions of a writer's uploads, and its hash chain, follow the order of its commits. Mixed uploads have new row
hashes, with new salts, and a new chain, which both go with their new positions. Only uploads that stand for each other
change places: of one collection, batch and day, with the same labels and as many reports. So a batch that was shown
keeps its reports. Tallies stay what they are: no upload crosses the position up to which any collection is tallied.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Hashable, Mapping
from random import SystemRandom

from ..protocol import BatchNumbers
from . import queries
from .checkpoints import CHAIN_START, SALT_BYTES, extend_chain, row_hash
from .rows import put_note
from .schema import Connection

MAX_MIXED_REPORTS = 1000
"""An upload of more reports is of many people, and stays where it is."""


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


def tallied_to(db: Connection) -> list[int]:
    """The positions up to which collections are tallied, which no upload may cross."""
    return sorted(position for (position,) in db.execute("SELECT position FROM tallied").fetchall())


def classes(db: Connection, writer_id: int, last: int, numbers: BatchNumbers) -> dict[int, Hashable]:
    """The uploads of a writer since they were last mixed, up to a position; those that stand for each other alike.

    One that was forgotten is not among them, since its content is not there to be hashed again, and neither is one of
    many people's reports, which would take long.
    """
    rows = db.execute(
        "SELECT position, collection, day FROM upload WHERE lane = ? AND position > ? AND position <= ? "
        "AND collection IS NOT NULL AND count <= ?",
        (writer_id, mixed_to(db, writer_id), last, MAX_MIXED_REPORTS),
    ).fetchall()
    cuts = tallied_to(db)
    days, alike = {position: day for position, _, day in rows}, dict[int, Hashable]()
    names = dict(db.execute("SELECT number, id FROM collection").fetchall())
    for number in {number for _, number, _ in rows}:
        batch_of = numbers(names[number])
        for position, labels, count in db.execute(
            "SELECT position, labels, count FROM upload WHERE collection = ? AND position <= ? ORDER BY position",
            (number, last),
        ):
            batch = batch_of(queries.parse_labels(labels), count)
            if position in days:
                alike[position] = number, batch, days[position], labels, count, bisect_left(cuts, position)
    return alike


def mixed_order(alike: Mapping[int, Hashable]) -> dict[int, int]:
    """For each position, the one whose upload comes there: a random one of those that are alike."""
    groups: dict[Hashable, list[int]] = {}
    for position in sorted(alike):
        groups.setdefault(alike[position], []).append(position)
    sources = dict[int, int]()
    for group in groups.values():
        order = group.copy()
        SystemRandom().shuffle(order)
        sources.update(zip(group, order, strict=True))
    return sources


def mix(db: Connection, writer_id: int, alike: Mapping[int, Hashable]) -> bytes:
    """Mix the uploads of a writer that are in `classes`; the new end of its chain."""
    after, sources = mixed_to(db, writer_id), mixed_order(alike)
    rows = db.execute(
        "SELECT position, row_hash FROM upload WHERE lane = ? AND position > ? ORDER BY position", (writer_id, after)
    ).fetchall()
    before = db.execute(
        "SELECT chain FROM upload WHERE lane = ? AND position <= ? ORDER BY position DESC LIMIT 1", (writer_id, after)
    ).fetchone()
    chain = bytes(before[0]) if before else CHAIN_START
    names = dict(db.execute("SELECT number, id FROM collection").fetchall())
    for position in sources:
        db.execute("UPDATE upload SET position = ? WHERE position = ?", (-position, position))
    for position, row in rows:
        if position not in sources:
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
    put_note(db, f"mixed-{writer_id}", f"{max(alike, default=after)} {commit}")
    return chain
