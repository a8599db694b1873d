"""Forgetting whole batches: what was shown together goes together, when the newest of it is old.

Uploads that wait were never shown, and go by themselves. So whatever was shown before and after is a sum over whole
batches. Which uploads the later batches have follows from what was shown before them, gone or not: of those that are
gone a note says how many reports they were, and where.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..protocol import GoneBatch, Grouping, Placed, Replay
from . import queries
from .rows import put_note
from .schema import Connection

MAX_AT_ONCE = 50_000
"""The uploads that one transaction forgets, but for the last batch and those that wait."""


@dataclass
class OldUploads:
    """The positions and the reports of uploads to be forgotten, the batches in them, and where later ones ended."""

    positions: list[int] = field(default_factory=list)
    reports: int = 0
    batches: list[GoneBatch] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    is_all: bool = True


def old_uploads(
    db: Connection, number: int, grouping: Grouping, gone: Sequence[GoneBatch], before: str, *, closed: bool
) -> OldUploads:
    """The uploads of a collection whose batches have none of the day `before` or later."""
    old, held, replay = OldUploads(), dict[int, Placed](), grouping(gone)
    for upload in queries.placed(db, number):
        held[upload.position] = upload
        if batch := replay.add(upload):
            _take(old, [held.pop(position) for position in batch], replay, before)
    if closed:
        for batch in replay.rest():
            _take(old, [held.pop(position) for position in batch], replay, before)
    waiting = [upload for upload in held.values() if upload.day < before]
    old.positions += [upload.position for upload in waiting]
    old.reports += sum(upload.reports for upload in waiting)
    return old


def _take(old: OldUploads, batch: Sequence[Placed], replay: Replay, before: str) -> None:
    end, count = max(upload.position for upload in batch), sum(upload.reports for upload in batch)
    is_old = max(upload.day for upload in batch) < before
    if not is_old or len(old.positions) >= MAX_AT_ONCE:
        old.is_all = old.is_all and not is_old
        old.kept.append(end)
        return
    old.positions += [upload.position for upload in batch]
    old.reports += count
    old.batches.append(GoneBatch(end, replay.period(batch[0].labels), count))


def forget_batches(db: Connection, number: int, grouping: Grouping, before: str, *, closed: bool) -> OldUploads:
    """Forget old uploads of a collection, with its tallies."""
    gone = queries.gone_batches(db, number)
    old = old_uploads(db, number, grouping, gone, before, closed=closed)
    if not old.positions:
        return old
    clear_uploads(db, old.positions)
    put_note(db, f"gone-{number}", json.dumps(merged([*gone, *old.batches], sorted(old.kept))))
    drop_tallies(db, number)
    return old


def merged(gone: Iterable[GoneBatch], kept: Sequence[int]) -> list[GoneBatch]:
    """Batches that are gone, as one where no batch that is kept ended between them; it counts from the first on.

    Between them more count as shown than were. That makes no batch that was not, and one that was ended elsewhere.
    """
    found: list[GoneBatch] = []
    last: dict[str, int] = {}
    for each in sorted(gone):
        at = last.get(each.period)
        if at is not None and bisect(kept, found[at].position) == bisect(kept, each.position):
            found[at] = found[at]._replace(reports=found[at].reports + each.reports)
            continue
        last[each.period] = len(found)
        found.append(each)
    return found


def clear_uploads(db: Connection, positions: Sequence[int]) -> None:
    """Delete of uploads all but their positions, their row hashes and their places in the chains."""
    db.executemany(f"{CLEAR} WHERE position = ?", [(position,) for position in positions])


def drop_tallies(db: Connection, number: int) -> None:
    """Delete the tallies of a collection, which can be made again."""
    for table in ("tally", "tallied"):
        db.execute(f"DELETE FROM {table} WHERE collection = ?", (number,))


CLEAR = (
    "UPDATE upload SET collection = NULL, upload = NULL, digest = NULL, day = NULL, labels = NULL, "
    "count = NULL, answer = NULL, salt = NULL, reports = NULL"
)
