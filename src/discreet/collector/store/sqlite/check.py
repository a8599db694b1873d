"""What is damaged in the files of an SQLite store: the pages, the log, the heads, and all that the tables hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ....core.errors import StoreFailed
from ..checking import check_heads, check_tables
from ..disk import Disk
from ..heads import Lines, read_heads
from ..schema import SQLITE, STEPS, Connection, statements
from .connections import Driver, translated
from .wal import frames_in_use, sound_frames

AHEAD = 1
"""The commits by which a database may be ahead of its heads: the one that a crash took the head of."""


@dataclass
class Begun:
    """A check that has fixed what it looks at."""

    driver: Driver
    path: Path
    db: Connection
    lines: Lines | None
    log: list[str]


def begin(driver: Driver, disk: Disk, path: Path) -> Begun:
    """Read the heads, and begin to look at the database; nothing is written meanwhile."""
    lines = read_heads(path.with_name(f"{path.name}.heads"), disk)
    with translated(driver, path):
        db = driver.reading(path)
        log: list[str] = []
        try:
            db.execute("BEGIN").fetchall()
            db.execute("SELECT 1 FROM sqlite_schema").fetchall()
            sound = sound_frames(path.with_name(f"{path.name}-wal"))
            used = frames_in_use(path.with_name(f"{path.name}-shm"))
            if sound < used:
                log.append(f"{path.name}-wal: frame {sound + 1} of {used} or one soon after it is damaged")
        except Exception as problem:
            if driver.code(problem) is None:
                raise
            log.append(f"{path.name}: {problem}")
        return Begun(driver, path, db, lines, log)


def finish(begun: Begun, lane: int) -> list[str]:
    """Everything that is wrong, a sentence each."""
    found = list(begun.log)
    try:
        for problem in _problems(begun, lane):
            found.append(problem)
    except StoreFailed as problem:
        found.append(str(problem))
    except Exception as problem:  # what damaged pages make of types and texts cannot be foreseen
        found.append(f"{begun.path.name}: it cannot be read: {problem}")
    finally:
        begun.db.close()
    return list(dict.fromkeys(found))


def _problems(begun: Begun, lane: int) -> Iterator[str]:
    db, name = begun.db, f"{begun.path.name}.heads"
    for (line,) in db.execute("PRAGMA integrity_check(20)").fetchall():
        if line != "ok":
            yield f"{begun.path.name}: {line}"
    yield from _schema(db, begun.path.name)
    yield from check_tables(db)
    if begun.lines is None:
        yield f"{name}: the file is missing"
    else:
        yield from check_heads(db, lane, begun.lines, name)
        yield from _ahead(db, lane, begun.lines, name)


def _schema(db: Connection, name: str) -> Iterator[str]:
    ((version,),) = db.execute("PRAGMA user_version").fetchall()
    if version != len(STEPS):
        yield f"{name}: schema version {version} is not {len(STEPS)}"
    ((mode,),) = db.execute("PRAGMA encoding").fetchall()
    if mode != "UTF-8":
        yield f"{name}: text is not in UTF-8"
    wanted = [line for step in statements(SQLITE) for line in step]
    found = db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    if sorted(line for (line,) in found) != sorted(wanted):
        yield f"{name}: its tables are not declared as they should be"


def _ahead(db: Connection, lane: int, lines: Lines, name: str) -> Iterator[str]:
    ((commits,),) = db.execute("SELECT commits FROM lane WHERE lane = ?", (lane,)).fetchall()
    last = lines.last
    if last is None:
        yield f"{name}: no line of it can be read"
    elif commits > last.commits + AHEAD:
        yield f"{name}: it ends {commits - last.commits} commits before the database"


def broken_end(db: Connection, lane: int, lines: Lines, name: str) -> list[str]:
    """What keeps a store from going on: a database that is not, or no longer, what the last heads say.

    A last line that is torn or damaged is what a crash leaves after a commit that it belonged to.
    """
    last = lines.last
    if last is None:
        return [f"{name}: no line of it can be read"]
    unreadable = len(lines.heads) - 1 - max(at for at, head in enumerate(lines.heads) if head is not None)
    written = last.commits + unreadable + lines.torn
    ((commits,),) = db.execute("SELECT commits FROM lane WHERE lane = ?", (lane,)).fetchall()
    found = list(check_heads(db, lane, Lines((last,), False), name))
    if not found and commits < written:
        found = [f"{name}: {written - commits} commits were written and are not in the database"]
    return found or list(_ahead(db, lane, lines, name))
