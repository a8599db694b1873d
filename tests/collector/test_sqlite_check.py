"""One flipped bit in the files of a store: `check` says so, or it hit nothing that anybody can read."""

import random
import shutil
import sqlite3
from hashlib import sha256

import pytest

from discreet.checks.store import fill, tallies, upload
from discreet.collector.store.opening import check_place
from discreet.collector.store.sql.schema import TABLES
from discreet.collector.store.sqlite import check as sqlite_check
from discreet.collector.store.sqlite.store import sibling

from .stores import LONG, sqlite_in

FLIPS = 1000 if LONG else 150
SUFFIXES = ("", "-wal", ".heads")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The bytes of a running store's files by suffix: some of it in the database, some only in the log."""
    folder = tmp_path_factory.mktemp("whole")
    store = sqlite_in(folder)
    fill(store)
    store.add([upload(number, count=number % 50) for number in range(20, 120)])
    store.invite("c", [sha256(bytes([each])).digest() for each in range(50, 90)])
    store.keep_snapshot("c", tallies(list(store.batches("c")), store.snapshot("c").revision))
    store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    for number in range(200, 230):
        store.add([upload(number, count=2000)])
    kept = {suffix: (folder / f"store.db{suffix}").read_bytes() for suffix in SUFFIXES}
    store.shut()
    assert min(map(len, kept.values())) > 5000
    return kept


def put(files, folder):
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for suffix, data in files.items():
        (folder / f"store.db{suffix}").write_bytes(data)
    return folder / "store.db"


def flipped(files, suffix, bit):
    data = bytearray(files[suffix])
    data[bit // 8] ^= 1 << bit % 8
    return {**files, suffix: bytes(data)}


def content(path):
    """Every row of every table, and SQLite's own opinion: all that can be read from a database."""
    db = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        rows = [db.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES]
        return (
            rows,
            db.execute("PRAGMA integrity_check").fetchall(),
            db.execute("SELECT * FROM sqlite_schema").fetchall(),
        )
    finally:
        db.close()


def test_a_whole_store_has_no_damage_and_a_check_writes_nothing(files, tmp_path):
    path = put(files, tmp_path / "copy")
    assert check_place(path) == []
    for suffix, data in files.items():
        assert (tmp_path / "copy" / f"store.db{suffix}").read_bytes() == data


@pytest.mark.slow
def test_every_flipped_bit_is_reported_or_hit_nothing_that_can_be_read(files, tmp_path):
    rng = random.Random(2)
    whole = content(put(files, tmp_path / "copy"))
    reported = dict.fromkeys(SUFFIXES, 0)
    unused = dict.fromkeys(SUFFIXES, 0)
    for _ in range(FLIPS):
        suffix = rng.choice(SUFFIXES)
        path = put(flipped(files, suffix, rng.randrange(8 * len(files[suffix]))), tmp_path / "copy")
        if check_place(path):
            reported[suffix] += 1
            continue
        unused[suffix] += 1
        assert content(path) == whole  # by all that can be read, nothing is different
    print(f"{FLIPS} flips: reported {reported}, in unused space {unused}")
    assert unused[".heads"] == unused["-wal"] == 0
    assert reported[""] > 0  # of its pages, many are free or have a newer form in the log


def test_every_flipped_bit_in_stored_rows_and_chains_is_reported(files, tmp_path):
    rng = random.Random(3)
    path = put(files, tmp_path / "copy")
    db = sqlite3.connect(path)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    values = [
        value if isinstance(value, bytes) else value.encode()
        for table in TABLES
        for row in db.execute(f"SELECT * FROM {table}").fetchall()
        for value in row
        if isinstance(value, (bytes, str)) and len(set(value)) > 5 and len(value) < 1000  # no zeros, which are anywhere
    ]
    db.execute("VACUUM")  # so that each row is in the file once
    db.close()
    data = path.read_bytes()
    places = [(data.index(value), len(value)) for value in values if value in data]
    assert len(places) > 1000
    compact = {"": data, ".heads": files[".heads"]}
    assert check_place(put(compact, tmp_path / "copy")) == []
    for _ in range(FLIPS):
        start, length = rng.choice(places)
        path = put(flipped(compact, "", 8 * start + rng.randrange(8 * length)), tmp_path / "copy")
        assert check_place(path) != []


def test_a_flipped_bit_under_a_running_store_is_reported(tmp_path):
    rng = random.Random(4)
    store = sqlite_in(tmp_path)
    fill(store)
    for number in range(30, 60):
        store.add([upload(number)])
    for suffix in ("-wal", ".heads"):
        path = tmp_path / f"store.db{suffix}"
        for _ in range(FLIPS // 5):
            at = rng.randrange(path.stat().st_size)
            with path.open("r+b") as file:
                file.seek(at)
                (byte,) = file.read(1)
                file.seek(at)
                file.write(bytes([byte ^ 1 << rng.randrange(8)]))
                file.flush()
                assert store.check() != [], (suffix, at)
                file.seek(at)
                file.write(bytes([byte]))
    assert store.check() == []
    store.shut()


def test_without_the_checkpoints_a_flipped_bit_of_the_log_goes_unnoticed(files, tmp_path, monkeypatch):
    rng = random.Random(5)
    whole = content(put(files, tmp_path / "copy"))
    for name in ("check_checkpoints", "_commits_ahead"):
        monkeypatch.setattr(sqlite_check, name, lambda *given: iter(()))
    silent = 0
    for _ in range(20):
        path = put(flipped(files, "-wal", rng.randrange(8 * len(files["-wal"]))), tmp_path / "copy")
        silent += check_place(path) == [] and content(path) != whole
    assert silent > 15  # uploads are lost, and neither SQLite nor the chains in the database know


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE upload SET reports = x'0001' WHERE position = 5", "upload at position 5: its content is not"),
        ("UPDATE upload SET day = '2026-01-06' WHERE position = 5", "upload at position 5: its content is not"),
        ("UPDATE upload SET collection = 9 WHERE position = 5", "upload at position 5: its content is not"),
        ("UPDATE upload SET lane = 4 WHERE position = 5", "upload at position 5: there is no writer 4"),
        ("DELETE FROM upload WHERE position = 5", "upload at position 6: it does not follow"),
        ("DELETE FROM upload WHERE position > 100", "writer 0: its uploads end at position 100"),
        ("UPDATE upload SET position = -position WHERE position = 5", "upload at position -5"),
        ("UPDATE log SET day = '2026-01-06' WHERE number = 2", "log: line 2 does not follow"),
        ("DELETE FROM log WHERE number = 3", "collection closed: the log says open"),
        ("UPDATE collection SET law = 'other' WHERE number = 2", "collection closed: it is not what the log says"),
        ("UPDATE collection SET closed = 0 WHERE number = 2", "collection closed: the log says closed"),
        ("DELETE FROM collection WHERE number = 2", "collections: they are not those of the log"),
        ("UPDATE invitation SET spent = 1 - spent", "invitation: an invitation does not match its checksum"),
        ("UPDATE refusal SET count = 7", "refusal: a count of refusals does not match"),
        ("UPDATE token SET digest = x'00'", "token: a token does not match"),
        ("UPDATE tallied SET position = position - 20", "tallied: a position of tallies does not match"),
        ("UPDATE tally SET counts = zeroblob(40)", "tally: a tally does not match"),
        ("UPDATE meta SET value = '7' WHERE name = 'revision'", "meta: a note does not match"),
        ("UPDATE lane SET commits = commits - 3", "commits were acknowledged and are not in the database"),
        ("UPDATE lane SET chain = zeroblob(32)", "writer 0: its uploads end at"),
        ("CREATE TABLE more (a)", "its tables are not declared as they should be"),
        ("DROP INDEX upload_once", "its tables are not declared as they should be"),
        ("PRAGMA user_version = 0", "schema version 0 is not 2"),
    ],
)
def test_every_change_by_hand_is_reported(files, tmp_path, statement, said):
    path = put(files, tmp_path / "copy")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(statement).fetchall()
    db.close()
    assert any(said in line for line in check_place(path)), check_place(path)


def test_a_chain_that_was_made_anew_after_a_change_is_reported(files, tmp_path):
    """One who can write the database can make its chains fit; the checkpoints beside it still say what they were."""
    store = sqlite_in(tmp_path)
    fill(store)
    store.shut()
    checkpoints = sibling(store.path, "heads").read_bytes()
    (tmp_path / "forged").mkdir()
    forged = sqlite_in(tmp_path / "forged")
    fill(forged)
    forged.shut()
    shutil.copy(forged.path, store.path)
    sibling(store.path, "heads").write_bytes(checkpoints)
    assert any("the chain at position" in line for line in check_place(store.path))


def test_a_file_that_is_not_there_or_no_database_is_a_sentence(files, tmp_path):
    path = put({"": b"x" * 5000, ".heads": files[".heads"]}, tmp_path / "copy")
    assert any("not a database" in line for line in check_place(path))
    path = put({"": files[""]}, tmp_path / "copy")
    assert any("heads: the file is missing" in line for line in check_place(path))
