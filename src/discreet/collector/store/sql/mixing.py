"""Mixing: stored uploads get new positions, so that nothing stored tells the order they came in, or that two are one's.

The positions of a writer's uploads, and its hash chain, follow the order of its commits over all collections. Mixed
uploads have new row hashes, with new salts, and a new chain, which both go with their new positions. Each collection
gets a run of positions of its own, so that no position tells anything of another collection's. Inside its run the
batches that are shown together stay what they are, and come in random order, as their uploads do inside of them.

Where that is not possible, because positions between them are another writer's or a large upload's, or because a
batch joins labels so that its place decides who is in it, only uploads that stand for each other change places: of one
collection, batch and day, with the same labels and as many reports.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from random import SystemRandom

from ..protocol import Groupings, Placed, Replay
from . import queries
from .checkpoints import CHAIN_START, SALT_BYTES, extend_chain, row_hash
from .forgetting import drop_tallies
from .rows import put, put_note
from .schema import Connection

MAX_MIXED_REPORTS = 1000
"""An upload of more reports is of many people, and stays where it is."""


@dataclass
class NewPlaces:
    """For each position, the one whose upload comes there; and where collections are then tallied to, if they are."""

    sources: dict[int, int] = field(default_factory=dict)
    tallied: dict[int, int | None] = field(default_factory=dict)


def unmixed(db: Connection, writer_id: int, day: str | None) -> int:
    """The most uploads of a writer that can have come since they were last mixed, be it before their day was over."""
    since = mixed_to(db, writer_id) if day is None else int(queries.note_value(db, f"seen-{writer_id}") or 0)
    return queries.checkpoint(db, writer_id).position - since


def mixed_to(db: Connection, writer_id: int) -> int:
    """The position up to which the uploads of a writer are mixed for good."""
    return _noted(db, writer_id)[0]


def mixed_at(db: Connection, writer_id: int) -> int:
    """The number of the commit of a writer that last made its chain anew; 0 if none did."""
    return _noted(db, writer_id)[1]


def _noted(db: Connection, writer_id: int) -> tuple[int, int]:
    position, commit = (queries.note_value(db, f"mixed-{writer_id}") or "0 0").split()
    return int(position), int(commit)


def tallied_to(db: Connection) -> dict[int, int]:
    """The position up to which each collection is tallied, which none of its uploads may cross."""
    return dict(db.execute("SELECT collection, position FROM tallied").fetchall())


def new_places(db: Connection, writer_id: int, last: int, groupings: Groupings) -> NewPlaces:
    """New places for the uploads of a writer since they were last mixed, up to a position.

    One that was forgotten gets none, since its content is not there to be hashed again, and neither does one of many
    people's reports, which would take long.
    """
    after, cuts, places = mixed_to(db, writer_id), tallied_to(db), NewPlaces()
    rows = db.execute(
        "SELECT position, collection FROM upload WHERE lane = ? AND position > ? AND position <= ? "
        "AND collection IS NOT NULL AND count <= ?",
        (writer_id, after, last, MAX_MIXED_REPORTS),
    ).fetchall()
    movable = {position for position, _ in rows}
    names = dict(db.execute("SELECT number, id FROM collection").fetchall())
    numbers = sorted({number for _, number in rows})
    SystemRandom().shuffle(numbers)
    runs: list[tuple[int, list[Placed], int]] = []
    for number in numbers:
        cut = max(cuts.get(number, 0), after)
        collection = _read(db, number, names[number], after, last, groupings)
        order = None if collection.is_bound or not collection.positions <= movable else collection.order(cut)
        if order is None:
            places.sources.update(mixed_order(collection.classes(movable, cut)))
        else:
            runs.append((number, order, cut))
    free = iter(sorted(upload.position for _, order, _ in runs for upload in order))
    for number, order, cut in runs:
        ends = [after]
        for upload, position in zip(order, free, strict=False):
            places.sources[position] = upload.position
            if upload.position <= cut:
                ends.append(position)
        if cuts.get(number, 0) > after:
            places.tallied[number] = None if groupings(names[number]) else max(ends)
    return places


@dataclass
class _Collection:
    """The uploads of a collection since the last mixing, in order, and the replay of the ones before."""

    uploads: list[Placed]
    replay: Replay | None
    is_closed: bool
    is_bound: bool
    """True if positions among those of the uploads say where a batch was that is gone."""

    @property
    def positions(self) -> set[int]:
        return {upload.position for upload in self.uploads}

    def order(self, cut: int) -> list[Placed] | None:
        """The uploads in a random order that leaves all batches what they are; None if none was found."""
        if self.replay is None:
            sides = [[one for one in self.uploads if (one.position <= cut) == is_before] for is_before in (True, False)]
            return [upload for side in sides for upload in _shuffled(side)]
        batches = self._batches(self.uploads)
        wanted = _contents(self.uploads, batches)
        for order in (_free_order(self.uploads, batches), _kept_order(self.uploads, batches)):
            if _contents(order, self._batches(order)) == wanted:
                return order
        return None

    def classes(self, movable: set[int], cut: int) -> dict[int, Hashable]:
        """The uploads that may change places with each other, in fewer ways; those that stand for each other alike."""
        batches = self._batches(self.uploads) if self.replay is not None else {}
        return {
            position: (batches.get(position), day, labels, reports, position <= cut)
            for position, labels, reports, day in self.uploads
            if position in movable
        }

    def _batches(self, order: Sequence[Placed]) -> dict[int, int]:
        """By position the batch of each upload that is in one, by the order in which they are whole."""
        replay, found, number = copy.deepcopy(self.replay), dict[int, int](), 0
        assert replay is not None
        for upload in order:
            for position in (batch := replay.add(upload)):
                found[position] = number
            number += bool(batch)
        for rest in replay.rest() if self.is_closed else ():
            found.update(dict.fromkeys(rest, number))
            number += 1
        return found


def _read(db: Connection, number: int, name: str, after: int, last: int, groupings: Groupings) -> _Collection:
    grouping, gone = groupings(name), queries.gone_batches(db, number)
    _, is_closed = queries.collection_state(db, name)
    if grouping is None:
        return _Collection(list(queries.placed(db, number, after, last)), None, is_closed, False)
    replay = grouping(gone)
    for upload in queries.placed(db, number, 0, after):
        replay.add(upload)
    is_bound = any(batch.position > after for batch in gone)
    return _Collection(list(queries.placed(db, number, after, last)), replay, is_closed, is_bound)


def _contents(order: Sequence[Placed], batches: dict[int, int]) -> set[tuple[frozenset[int], str]]:
    """The batches of uploads in an order: which are in each, and the day on which it is whole."""
    last = {batches[upload.position]: upload.day for upload in order if upload.position in batches}
    held: dict[int, set[int]] = {}
    for position, number in batches.items():
        held.setdefault(number, set()).add(position)
    return {(frozenset(positions), last.get(number, "")) for number, positions in held.items()}


def _shuffled(uploads: Sequence[Placed]) -> list[Placed]:
    order = list(uploads)
    SystemRandom().shuffle(order)
    return order


def _blocks(uploads: Sequence[Placed], batches: dict[int, int]) -> tuple[list[list[Placed]], list[Placed]]:
    """The uploads of each batch, in random order but for its last, in which it is whole; and those of none, by days."""
    blocks: dict[int, list[Placed]] = {}
    for upload in uploads:
        blocks.setdefault(batches.get(upload.position, -1), []).append(upload)
    waiting = sorted(_shuffled(blocks.pop(-1, ())), key=lambda upload: upload.day)
    mixed = []
    for _, block in sorted(blocks.items()):
        order, end = _shuffled(block), block[-1]
        alike = [at for at, one in enumerate(order) if (one.day, one.reports) == (end.day, end.reports)]
        order.append(order.pop(SystemRandom().choice(alike)))
        mixed.append(order)
    return mixed, waiting


def _kept_order(uploads: Sequence[Placed], batches: dict[int, int]) -> list[Placed]:
    """The batches in the order in which they were whole, and mixed inside."""
    mixed, waiting = _blocks(uploads, batches)
    return [upload for block in (*mixed, waiting) for upload in block]


def _free_order(uploads: Sequence[Placed], batches: dict[int, int]) -> list[Placed]:
    """The batches of a day in random order, but that those with several labels stay before and after the same ones.

    Those that had begun before come first.
    """
    mixed, waiting = _blocks(uploads, batches)
    here = {upload.position for upload in uploads}
    begun = {number for position, number in batches.items() if position not in here}
    order: list[Placed] = []
    for is_joint, run in groupby(mixed, lambda block: len({upload.labels for upload in block}) > 1):
        some = list(run)
        if not is_joint:
            SystemRandom().shuffle(some)
            some.sort(key=lambda block: (block[-1].day, batches[block[0].position] not in begun))
        order += [upload for block in some for upload in block]
    return order + waiting


def mixed_order(alike: dict[int, Hashable]) -> dict[int, int]:
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


def mix(db: Connection, writer_id: int, places: NewPlaces, open_day: str | None) -> bytes:
    """Give the uploads of a writer their new places; the new end of its chain."""
    after, sources = mixed_to(db, writer_id), places.sources
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
    for number, cut in places.tallied.items():
        if cut is None:
            drop_tallies(db, number)
        else:
            put(db, "tallied", {"collection": number}, position=cut)
    commit = queries.checkpoint(db, writer_id).commits + 1
    end = max(sources, default=after)
    if open_day is not None:
        ((end,),) = db.execute(
            "SELECT COALESCE(MAX(position), ?) FROM upload WHERE lane = ? AND position > ? AND position < "
            "(SELECT COALESCE(MIN(position), ?) FROM upload WHERE lane = ? AND position > ? AND day >= ?)",
            (after, writer_id, after, end + 1, writer_id, after, open_day),
        ).fetchall()
    put_note(db, f"mixed-{writer_id}", f"{end} {commit}")
    put_note(db, f"seen-{writer_id}", str(max(sources, default=after)))
    return chain
