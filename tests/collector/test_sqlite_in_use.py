"""A store that is in use, and one that nothing can be written beside: a check finds damage, and nothing else."""

import sqlite3
import subprocess
import sys

import pytest
from click.testing import CliRunner

from discreet.checks.store import DAY, collection, fill, upload
from discreet.cli import main
from discreet.collector.store import opening
from discreet.collector.store.disk import LocalDisk
from discreet.collector.store.opening import check_place, copy_place
from discreet.collector.store.sqlite.store import Driver, SQLiteStore, check_files
from discreet.core.errors import StoreFailed

from .stores import LONG, sqlite_in

CHECKS = 200 if LONG else 12

SENDER = """
import itertools, sys
from discreet.checks.store import DAY, collection, upload
from discreet.collector.store.sqlite.store import SQLiteStore
store = SQLiteStore(sys.argv[1])
store.create(collection(), day=DAY)
store.add([upload(number, count=300) for number in range(500)])
for number in itertools.count(500):
    store.add([upload(number, count=number % 500)])
    if number % 20 == 0:
        store.mix()
    if number == 600:
        print("ready", flush=True)
"""


TRUNCATE = """
import sqlite3, sys
print(sqlite3.connect(sys.argv[1], timeout=0).execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
"""


@pytest.fixture
def sender(tmp_path):
    """A process that uploads without a pause; the store's path."""
    path = tmp_path / "store.db"
    process = subprocess.Popen([sys.executable, "-c", SENDER, str(path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    yield path, process
    process.kill()
    process.communicate()


def test_checks_of_a_store_in_use_find_nothing_and_then_one_flipped_bit(sender, tmp_path):
    path, process = sender
    found = [check_place(path) for _ in range(CHECKS)]
    assert process.poll() is None
    assert found == [[]] * CHECKS
    process.kill()
    process.wait()
    store = SQLiteStore(path)  # its log is in use, and nothing is written to it
    store.add([upload(10**6), upload(10**6 + 1)])
    assert check_place(path) == []
    log = path.with_name("store.db-wal")
    data = bytearray(log.read_bytes())
    data[500] ^= 1
    log.write_bytes(data)
    assert any("store.db-wal: frame 1 of" in line for line in check_place(path))  # the control
    store.shut()


def test_a_check_takes_no_lock_from_its_own_process(tmp_path):
    """A reader has a state of the database; a check beside it must not let others write over that state."""
    store = sqlite_in(tmp_path)
    store.create(collection(), day=DAY)
    store.add([upload(1)])
    with store._read() as db:
        assert db.execute("SELECT COUNT(*) FROM upload").fetchone() == (1,)
        assert store.check() == []
        done = subprocess.run([sys.executable, "-c", TRUNCATE, str(store.path)], stdout=subprocess.PIPE, text=True)
        assert done.stdout.startswith("(1, ")  # busy: the reader's lock is still there
    store.shut()


class ReadOnly(Driver):
    """SQLite in a folder that cannot be written to: it cannot open a database that needs an index of its log."""

    def connect_read_only(self, path, *, immutable=False):
        return super().connect_read_only(path, immutable=True) if immutable else Refusing()


class Refusing:
    def execute(self, sql, parameters=()):
        problem = sqlite3.OperationalError("unable to open database file")
        problem.sqlite_errorcode = 14
        raise problem

    def close(self):
        pass


def test_a_store_that_cannot_be_written_to_is_checked_and_copied(tmp_path, monkeypatch):
    store = sqlite_in(tmp_path)
    fill(store)
    store.shut()
    assert check_files(ReadOnly(), LocalDisk(), store.path) == []
    with store.path.open("r+b") as file:
        file.seek(store.path.read_bytes().index(b"upload-3") + 7)
        file.write(b"4")
    assert check_files(ReadOnly(), LocalDisk(), store.path) != []  # the control
    monkeypatch.setattr(opening, "Driver", ReadOnly)
    copy_place(str(store.path), tmp_path / "copy")
    assert [path.name for path in sorted(tmp_path.glob("*copy*"))] == ["copy", "copy.heads"]


def test_a_log_that_cannot_be_read_is_no_damage(tmp_path, monkeypatch):
    store = sqlite_in(tmp_path)
    fill(store)
    with pytest.raises(StoreFailed, match=r"store\.db-wal cannot be read where nothing can be written"):
        check_files(ReadOnly(), LocalDisk(), store.path)
    monkeypatch.setattr(opening, "Driver", ReadOnly)
    done = CliRunner().invoke(main, ["serve", "--check", "--store", str(store.path)])
    assert (done.exit_code, done.stdout) == (2, "")
    store.shut()
