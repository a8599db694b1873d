"""The log of SQLite, counted as SQLite counts it."""

import random
import shutil
import sqlite3

import pytest

from discreet.collector.store.sqlite.check import frames_in_use, sound_frames


@pytest.fixture
def log(tmp_path):
    """A database with a log of a few transactions, open."""
    db = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE t (a)")
    for size in (1, 10_000, 20, 5000):
        db.execute("INSERT INTO t VALUES (randomblob(?))", (size,))
    yield tmp_path / "a.db"
    db.close()


def kept_by_sqlite(source, folder, flip=None):
    """How many rows SQLite has after it opened a copy, with a byte of its log changed."""
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{source}{suffix}", f"{folder / 'a.db'}{suffix}")
    if flip is not None:
        data = bytearray((folder / "a.db-wal").read_bytes())
        data[flip // 8] ^= 1 << flip % 8
        (folder / "a.db-wal").write_bytes(data)
    sound = sound_frames(folder / "a.db-wal").number
    db = sqlite3.connect(folder / "a.db")
    try:
        ((kept,),) = db.execute("SELECT COUNT(*) FROM sqlite_schema").fetchall()
        rows = db.execute("SELECT COUNT(*) FROM t").fetchall()[0][0] if kept else -1
        return sound, frames_in_use(folder / "a.db-shm").number, rows
    finally:
        db.close()


def test_all_frames_of_a_log_are_sound_and_in_use(log, tmp_path):
    sound, used, rows = kept_by_sqlite(log, tmp_path / "copy")
    assert sound == used == frames_in_use(tmp_path / "a.db-shm").number > 8
    assert rows == 4


def test_with_any_bit_flipped_as_many_frames_are_sound_as_sqlite_keeps(log, tmp_path):
    rng = random.Random(1)
    size = (tmp_path / "a.db-wal").stat().st_size
    lost = 0
    for number in range(60):
        sound, used, rows = kept_by_sqlite(log, tmp_path / str(number), rng.randrange(8 * size))
        assert sound == used
        lost += rows < 4
    assert lost > 50  # and SQLite says nothing of it


def test_no_log_has_no_frames(tmp_path):
    assert sound_frames(tmp_path / "none").number == frames_in_use(tmp_path / "none").number == 0
    (tmp_path / "short").write_bytes(b"x")
    assert sound_frames(tmp_path / "short").number == frames_in_use(tmp_path / "short").number == 0
    (tmp_path / "other").write_bytes(bytes(100))
    assert sound_frames(tmp_path / "other").number == 0
