"""The store in SQLite: every law, what opening refuses, and that the forgotten is gone from the files."""

import os
import secrets
import sqlite3
import stat
from hashlib import sha256

import pytest

from discreet.checks import check_store
from discreet.checks.store import DAY, collection, fill, tallies, upload
from discreet.collector.store.disk import LocalDisk
from discreet.collector.store.protocol import UploadOutcome, UploadRecord
from discreet.collector.store.sql.checkpoints import Checkpoint, read_checkpoints
from discreet.collector.store.sqlite.store import SQLiteStore, accept_loss, sibling
from discreet.core.errors import InvalidInput, StoreFailed

from .stores import sqlite_from, sqlite_in


@pytest.fixture
def store(tmp_path):
    made = sqlite_in(tmp_path)
    yield made
    made.shut()


def checkpoints_of(store):
    return read_checkpoints(sibling(store.path, "heads"), LocalDisk())


def test_the_store_in_sqlite_keeps_every_law():
    done = check_store(sqlite_in, restore=sqlite_from)
    assert {"once", "threads", "forgetting", "reopening", "copies"} <= set(done)


def test_every_commit_waits_for_the_disk_and_has_its_checkpoint(store):
    ((mode,),) = store._db.execute("PRAGMA journal_mode").fetchall()
    ((synchronous,),) = store._db.execute("PRAGMA synchronous").fetchall()
    assert (mode, synchronous) == ("wal", 2)
    before = len(checkpoints_of(store).checkpoints)
    store.create(collection(), day=DAY)
    store.add([upload(1), upload(2)])
    store.refuse({("", "closed"): 1})
    assert len(checkpoints_of(store).checkpoints) == before + 3
    store.add([upload(1)])
    store.refuse({})
    assert len(checkpoints_of(store).checkpoints) == before + 3  # nothing changed: nothing is written


def test_a_second_process_is_refused(store):
    with pytest.raises(StoreFailed, match="another process has this store open"):
        SQLiteStore(store.path)


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "store.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE mine (a)")
    db.close()
    with pytest.raises(StoreFailed, match="of something else"):
        sqlite_in(tmp_path)
    assert sqlite3.connect(path).execute("SELECT name FROM sqlite_schema").fetchall() == [("mine",)]
    path.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    with pytest.raises(StoreFailed, match="not a database"):
        sqlite_in(tmp_path)


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(StoreFailed, match="No such file"):
        SQLiteStore(tmp_path / "nowhere" / "store.db")


# -- checkpoints --------------------------------------------------------------------------------------------


def test_a_store_without_its_checkpoints_does_not_open_until_the_loss_is_accepted(tmp_path):
    store = sqlite_in(tmp_path)
    fill(store)
    store.shut()
    sibling(store.path, "heads").unlink()
    with pytest.raises(StoreFailed, match="heads is missing"):
        sqlite_in(tmp_path)
    accept_loss(store.path)
    store = sqlite_in(tmp_path)
    assert store.check() == []
    store.shut()


def test_an_older_copy_put_in_place_of_the_database_is_noticed(tmp_path):
    store = sqlite_in(tmp_path)
    fill(store)
    store.back_up(tmp_path / "older")
    store.add([upload(8)])
    store.shut()
    store.path.write_bytes((tmp_path / "older").read_bytes())
    with pytest.raises(StoreFailed, match="1 commits were acknowledged and are not in the database"):
        sqlite_in(tmp_path)
    accept_loss(store.path)
    sqlite_in(tmp_path).shut()


@pytest.mark.parametrize("left", ["nothing", "a part", "zeros"])
def test_a_crash_between_a_commit_and_its_checkpoint_is_no_damage(tmp_path, left):
    store = sqlite_in(tmp_path)
    store.create(collection(), day=DAY)
    store.add([upload(1)])
    store.shut()
    path = sibling(store.path, "heads")
    data = path.read_bytes()
    torn = {"nothing": b"", "a part": data[-256:-100], "zeros": bytes(256)}[left]
    path.write_bytes(data[:-256] + torn)
    store = sqlite_in(tmp_path)
    assert store.check() == []
    assert store.add([upload(1)])[0].outcome is UploadOutcome.REPEATED
    assert store.check() == []
    store.shut()


def test_checkpoints_that_end_long_before_the_database_are_noticed(tmp_path):
    store = sqlite_in(tmp_path)
    fill(store)
    store.shut()
    path = sibling(store.path, "heads")
    path.write_bytes(path.read_bytes()[: -2 * 256])
    with pytest.raises(StoreFailed, match="ends 2 commits before the database"):
        sqlite_in(tmp_path)


def test_checkpoints_of_another_store_are_noticed(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        store = sqlite_in(tmp_path / name)
        fill(store)
        store.shut()
    (tmp_path / "one" / "store.db").write_bytes((tmp_path / "two" / "store.db").read_bytes())
    with pytest.raises(StoreFailed, match="the chain at position 3 was another one"):
        sqlite_in(tmp_path / "one")


def test_checkpoints_with_no_readable_line_are_noticed(tmp_path):
    store = sqlite_in(tmp_path)
    fill(store)
    store.shut()
    sibling(store.path, "heads").write_bytes(bytes(512))
    with pytest.raises(StoreFailed, match="no line of it can be read"):
        sqlite_in(tmp_path)
    assert Checkpoint.of_line(bytes(256)) is None


# -- forgetting ---------------------------------------------------------------------------------------------


def secret_upload(number, day):
    """An upload whose every part can be searched for."""
    name, reports, digest = f"id{number:05}{secrets.token_hex(8)}", secrets.token_bytes(24), secrets.token_bytes(32)
    answer = f'{{"upload":"{secrets.token_hex(12)}"}}'
    labels = (("week", f"w{number:05}{secrets.token_hex(8)}"),)
    kept = UploadRecord("c", name, digest, day, labels, reports, 24, answer)
    return kept, [name.encode(), reports, digest, answer.encode(), labels[0][1].encode()]


def found_in(folder, parts):
    """Which of these bytes are in any file of a folder."""
    data = b"\xff".join(path.read_bytes() for path in sorted(folder.iterdir()))
    return [part for part in parts if part in data]


def test_what_is_forgotten_is_in_no_file_any_more(tmp_path):
    store = sqlite_in(tmp_path)
    store.create(collection(), day=DAY)
    old, new = [], []
    for number in range(200):
        kept, parts = secret_upload(number, "2026-01-02" if number % 3 else "2026-01-09")
        store.add([kept])
        (old if number % 3 else new).extend(parts)
    large = UploadRecord("c", "large", bytes(32), "2026-01-02", (), secrets.token_bytes(3_000_000), 3_000_000, "{}")
    store.add([large])
    old += [large.reports[at : at + 64] for at in range(0, 3_000_000, 150_000)]
    store._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    assert len(found_in(tmp_path, old)) > 0.99 * len(old)  # the control: but for pieces across two pages, all is there
    store.forget(before=DAY)
    assert found_in(tmp_path, old) == []
    assert len(found_in(tmp_path, new)) == len(new)
    assert store.check() == []
    store.shut()
    assert found_in(tmp_path, old) == []


def test_deleting_rows_without_writing_the_file_anew_leaves_bytes(tmp_path, monkeypatch):
    for step in ("_make_room", "_erase"):
        monkeypatch.setattr(SQLiteStore, step, lambda self: None)
    store = sqlite_in(tmp_path)
    store.create(collection(), day=DAY)
    kept, parts = secret_upload(1, "2026-01-02")
    store.add([kept])
    store.forget(before=DAY)
    assert found_in(tmp_path, parts)  # the control of the test above: its search finds what is left
    store.shut()


def test_forgetting_that_was_cut_short_is_finished_when_the_store_opens(tmp_path, monkeypatch):
    store = sqlite_in(tmp_path)
    store.create(collection(), day=DAY)
    kept, parts = secret_upload(1, "2026-01-02")
    store.add([kept])

    def crash(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SQLiteStore, "_make_room", crash)
        with pytest.raises(KeyboardInterrupt):
            store.forget(before=DAY)
    assert found_in(tmp_path, parts)
    store._lock_file.close()
    again = sqlite_in(tmp_path)
    store.shut()
    assert found_in(tmp_path, parts) == []
    assert again.check() == []
    again.shut()


def test_a_forgotten_row_cannot_be_guessed_back(store):
    store.create(collection(), day=DAY)
    store.add([upload(1, day="2026-01-02")])
    store.forget(before=DAY)
    ((row, salt),) = store._db.execute("SELECT row_hash, salt FROM upload").fetchall()
    assert len(row) == 32
    assert salt is None  # without it, no guess of the reports can be compared with the hash
    assert checkpoints_of(store).last.chain == sha256(bytes(32) + row).digest()


# -- what is kept, and what is not --------------------------------------------------------------------------


def test_invitations_have_no_number_no_time_and_no_order(store):
    store.create(collection(), day=DAY)
    store.invite("c", [bytes([each]) * 32 for each in (3, 1, 2)])
    store.add([upload(1, invitation=bytes([2]) * 32)])
    columns = [row[1] for row in store._db.execute("PRAGMA table_info(invitation)").fetchall()]
    assert columns == ["collection", "hash", "spent", "seal"]
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        store._db.execute("SELECT rowid FROM invitation")
    assert store._db.execute("SELECT rowid FROM upload").fetchall() == [
        (1,)
    ]  # the control: where there is one, it is seen
    hashes = [row[0][0] for row in store._db.execute("SELECT hash FROM invitation").fetchall()]
    assert hashes == sorted(hashes)


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes elsewhere")
def test_no_file_with_reports_can_be_read_by_others(store, tmp_path):
    fill(store)
    store.back_up(tmp_path / "copy")
    names = ["copy", "store.db", "store.db-shm", "store.db-wal"]
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in names}
    assert modes == dict.fromkeys(names, 0o600)


def test_a_copy_replaces_nothing(store, tmp_path):
    store.create(collection(), day=DAY)
    store.back_up(tmp_path / "copy")
    with pytest.raises(InvalidInput, match="a copy replaces nothing"):
        store.back_up(tmp_path / "copy")
    assert sorted(path.name for path in tmp_path.iterdir() if "copy" in path.name) == ["copy", "copy.heads"]


def test_a_copy_holds_nothing_that_was_forgotten(store, tmp_path):
    store.create(collection(), day=DAY)
    kept, parts = secret_upload(1, "2026-01-02")
    store.add([kept])
    store.forget(before=DAY)
    (tmp_path / "copies").mkdir()
    store.back_up(tmp_path / "copies" / "copy")
    assert found_in(tmp_path / "copies", parts) == []


def test_tallies_survive_when_only_the_last_of_them_changed(store):
    store.create(collection(), day=DAY)
    store.add([upload(1), upload(2, day="2026-01-09")])
    store.keep_snapshot("c", tallies(list(store.batches("c"))))
    store.add([upload(3, day="2026-01-09")])
    last = tallies(list(store.batches("c")))
    store.keep_snapshot("c", last)
    assert store.snapshot("c") == last
    assert store.check() == []


def test_a_commit_of_any_size_is_stored_whole_or_not_at_all(store):
    store.create(collection(), day=DAY)
    done = 0
    for size in (1, 3, 4, 63, 64, 65, 85, 200):
        group = [upload(number) for number in range(done, done + size)]
        assert {answer.outcome for answer in store.add(group)} == {UploadOutcome.STORED}
        assert {answer.outcome for answer in store.add(group)} == {UploadOutcome.REPEATED}
        done += size
    assert len(list(store.batches("c"))) == done
    assert store.check() == []
    writer = store._db.execute("SELECT * FROM lane").fetchall()
    taken = [(done + 500, 0, b"", b"", 1, upload(3).upload, b"", DAY, "[]", 0, "{}", b"", b"")]
    fresh = [(done + 400 + at, 0, b"", b"", 1, f"fresh-{at}", b"", DAY, "[]", 0, "{}", b"", b"") for at in range(70)]
    with pytest.raises(StoreFailed), store._change() as change:
        store._insert_rows(change.db, [*fresh, *taken])  # the last one is there already
    assert len(list(store.batches("c"))) == done
    assert store._writer().execute("SELECT * FROM lane").fetchall() == writer
    assert store.check() == []
