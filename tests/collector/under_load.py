"""A process that stores uploads as fast as it can, through the writer, and says what was acknowledged: to be killed.

    python under_load.py KIND FOLDER [ADDRESS SCHEMA] FIRST

It prints the number of each upload once it is acknowledged. Some are sent twice, at once or later, as by impatient
senders. In `FOLDER` it finds the store, or makes it. KIND is sqlite, postgres or, as a control that acknowledges what
it has only begun to store in SQLite, early.
"""

import asyncio
import os
import random
import sys
from hashlib import sha256
from pathlib import Path

from discreet.collector.store.protocol import StoredCollection, UploadOutcome, UploadRecord
from discreet.collector.store.sqlite.store import SQLiteStore
from discreet.collector.store.writer import GroupCommitWriter

SENDERS = 20
DAY = "2026-01-05"


def numbered(number):
    """An upload that says its number in a label."""
    size, text = [1, 3, 500][number % 3], str(number)
    digest = sha256(text.encode()).digest()
    return UploadRecord("c", text, digest, DAY, (("number", text),), bytes(size), size, f'{{"accepted":{size}}}')


async def send(writer, numbers, rng, early):
    for number in numbers:
        if early:
            os.write(1, b"%d\n" % number)
        times = 2 if rng.random() < 0.2 else 1
        for answer in await asyncio.gather(*[writer.add(numbered(number)) for _ in range(times)]):
            assert answer.outcome in (UploadOutcome.STORED, UploadOutcome.REPEATED)
        if not early:
            os.write(1, b"%d\n" % number)
        if rng.random() < 0.1:
            assert (await writer.add(numbered(number))).outcome is UploadOutcome.REPEATED


async def run(store, first, early):
    rng = random.Random(first)
    writer = GroupCommitWriter(store, max_uploads=rng.choice([1, 3, 100]))
    numbers = iter(range(first, first + 10**9))
    await asyncio.gather(*[send(writer, numbers, rng, early) for _ in range(SENDERS)])


def main():
    kind, folder, *where, first = sys.argv[1:]
    if kind != "postgres":
        store = SQLiteStore(Path(folder) / "store.db")
    else:
        from discreet.collector.store.postgres.store import PostgresStore

        store = PostgresStore(where[0], checkpoints=Path(folder) / "heads", schema=where[1])
    if not store.collections():
        store.create(StoredCollection("c", "{}", "no law"), day=DAY)
    os.write(1, b"ready\n")
    asyncio.run(run(store, int(first), kind == "early"))


if __name__ == "__main__":
    main()
