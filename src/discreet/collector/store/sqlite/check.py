"""Checks of the files of an SQLite store: the pages, the write-ahead log, the checkpoints, and the tables.

SQLite checks the checksums of the log only when it opens a database that nobody has open, and then drops everything
after the first that is wrong. A check of a running store therefore counts itself how many frames are sound. The format
is that of https://sqlite.org/fileformat2.html#walformat and, for the index, https://sqlite.org/walformat.html.
"""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..sql.check import check_checkpoints, check_tables
from ..sql.checkpoints import Checkpoint, CheckpointLines
from ..sql.schema import SQLITE_TYPES, STEPS, Connection, statements

HEADER, FRAME = 32, 24
LITTLE, BIG = 0x377F0682, 0x377F0683
MASK = 0xFFFFFFFF
INDEX_HEADER = 48
READ_INDEX = f"import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read({2 * INDEX_HEADER}))"
MAX_TRIES = 20
"""How often the log and its index are read again because they changed meanwhile."""


class Frames(NamedTuple):
    """A number of frames, and the salts of the log that they are in, which change when it begins anew."""

    number: int
    salts: bytes


def damaged_frame(path: Path) -> str | None:
    """What is wrong with the log of a database that connections of any process may read and write meanwhile.

    The index is read first: frames that it counts are in the log, and stay as they are until the log begins anew.
    """
    for _ in range(MAX_TRIES):
        used = frames_in_use(path.with_name(f"{path.name}-shm"))
        sound = sound_frames(path.with_name(f"{path.name}-wal"))
        if used.number == 0 or (sound.number >= used.number and sound.salts == used.salts):
            return None
        if frames_in_use(path.with_name(f"{path.name}-shm")).salts == used.salts:
            return f"{path.name}-wal: frame {sound.number + 1} of {used.number} or one soon after it is damaged"
    return f"{path.name}-wal: its index cannot be read"


def sound_frames(wal: Path) -> Frames:
    """The frames, up to the last that ends a transaction, that a recovery would keep."""
    data = wal.read_bytes() if wal.exists() else b""
    nothing = Frames(0, data[16:24])
    if len(data) < HEADER:
        return nothing
    magic, _, page = struct.unpack(">III", data[:12])
    if magic not in (LITTLE, BIG) or not 512 <= page <= 65536:
        return nothing
    order = "<" if magic == LITTLE else ">"
    sums = _checksum(order, data[:24], (0, 0))
    if struct.unpack(">II", data[24:32]) != sums:
        return nothing
    salts, sound = data[16:24], 0
    for number, start in enumerate(range(HEADER, len(data) - FRAME - page + 1, FRAME + page), 1):
        frame = data[start : start + FRAME + page]
        sums = _checksum(order, frame[:8] + frame[FRAME:], sums)
        if frame[8:16] != salts or struct.unpack(">II", frame[16:24]) != sums:
            break
        if struct.unpack(">I", frame[4:8])[0]:
            sound = number
    return Frames(sound, salts)


def frames_in_use(index: Path) -> Frames:
    """The frames that the connections of a running store read, as the shared index beside the log says.

    SQLite keeps its locks on the index, and a process loses all locks on a file when it closes that file
    (https://sqlite.org/howtocorrupt.html, 2.2): so another process reads it. Its header is there twice, and is whole
    when both are the same.
    """
    if not index.exists():
        return Frames(0, b"")
    for _ in range(MAX_TRIES):
        data = subprocess.run([sys.executable, "-I", "-S", "-c", READ_INDEX, str(index)], stdout=subprocess.PIPE).stdout
        if data[:INDEX_HEADER] == data[INDEX_HEADER:]:
            break
    return Frames(int(struct.unpack("=I", data[16:20])[0]), data[32:40]) if len(data) > 40 else Frames(0, b"")


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    """SQLite's two sums modulo 2**32: each pair of words does ``first += a + second; second += b + first``."""
    pairs = np.frombuffer(data, dtype=f"{order}u4").astype(np.uint32).reshape(-1, 2)
    grown = _powers(len(pairs))
    added = np.stack([pairs[:, 0], pairs[:, 0] + pairs[:, 1]], axis=1)
    start = grown[0] @ np.array(sums, dtype=np.uint32)
    total = start + np.einsum("nij,nj->i", grown[1:], added, dtype=np.uint32)
    return int(total[0]), int(total[1])


@cache
def _powers(count: int) -> NDArray[np.uint32]:
    """The powers, from the highest down to 0, of what one pair of zeros makes of the sums."""
    powers = np.empty((count + 1, 2, 2), dtype=np.uint32)
    power = [[1, 0], [0, 1]]
    for at in range(count, -1, -1):
        powers[at] = power
        (a, b), (c, d) = power
        power = [[(a + b) & MASK, (a + 2 * b) & MASK], [(c + d) & MASK, (c + 2 * d) & MASK]]
    return powers


WRITER_ID = 0
"""The id of the one writer."""

MAX_COMMITS_AHEAD = 1
"""The commits by which a database may be ahead of its checkpoints: a crash may come between the two."""


def find_problems(
    db: Connection,
    name: str,
    before: CheckpointLines | None,
    anew: Checkpoint | None,
    after: CheckpointLines | None,
) -> Iterator[str]:
    """What is wrong with a database of this name and its checkpoints, a sentence each.

    A running store goes on: every checkpoint that was there `before` the state that this connection sees is of a
    commit in it; and the state has no more commits than the checkpoints have that were there `after` it was fixed. What
    came before the chain was made `anew`, as announced or as a new file says, is not of this state.
    """
    for (line,) in db.execute("PRAGMA integrity_check(20)").fetchall():
        if line != "ok":
            yield f"{name}: {line}"
    yield from _schema(db, name)
    yield from check_tables(db)
    if before is None or after is None:
        yield f"{name}.heads: the file is missing"
    else:
        yield from check_checkpoints(db, WRITER_ID, before, f"{name}.heads", anew or after.first)
        yield from _commits_ahead(db, after, f"{name}.heads")


def _schema(db: Connection, name: str) -> Iterator[str]:
    ((version,),) = db.execute("PRAGMA user_version").fetchall()
    if version != len(STEPS):
        yield f"{name}: schema version {version} is not {len(STEPS)}"
    ((mode,),) = db.execute("PRAGMA encoding").fetchall()
    if mode != "UTF-8":
        yield f"{name}: text is not in UTF-8"
    expected = [line for step in statements(SQLITE_TYPES) for line in step if line.startswith("CREATE")]
    rows = db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    if sorted(line for (line,) in rows) != sorted(expected):
        yield f"{name}: its tables are not declared as they should be"


def _commits_ahead(db: Connection, lines: CheckpointLines, name: str) -> Iterator[str]:
    ((commits,),) = db.execute("SELECT commits FROM lane WHERE lane = ?", (WRITER_ID,)).fetchall()
    last = lines.last
    if last is None:
        yield f"{name}: no line of it can be read"
    elif commits > last.commits + MAX_COMMITS_AHEAD:
        yield f"{name}: it ends {commits - last.commits} commits before the database"


def resume_problems(db: Connection, lines: CheckpointLines, name: str) -> list[str]:
    """Why a store cannot go on: its database contradicts the last checkpoint, or is behind it.

    A last line that is torn or damaged is what a crash leaves after a commit that it belonged to.
    """
    last = lines.last
    if last is None:
        return [f"{name}: no line of it can be read"]
    unreadable = len(lines.checkpoints) - 1 - max(at for at, each in enumerate(lines.checkpoints) if each is not None)
    written = last.commits + unreadable + lines.torn
    ((commits,),) = db.execute("SELECT commits FROM lane WHERE lane = ?", (WRITER_ID,)).fetchall()
    problems = list(check_checkpoints(db, WRITER_ID, CheckpointLines((last,), False), name, None))
    if not problems and commits < written:
        problems = [f"{name}: {written - commits} commits were written and are not in the database"]
    return problems or list(_commits_ahead(db, lines, name))
