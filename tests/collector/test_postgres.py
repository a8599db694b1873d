"""The store in PostgreSQL: every law, several writers at once, and what the server must promise."""

import logging
import threading
import time
from hashlib import sha256
from zipfile import ZipFile

import psycopg
import pytest

from discreet.checks import check_store
from discreet.checks.store import DAY, collection, fill, upload
from discreet.collector.store.postgres.store import (
    UPLOADS,
    PostgresConnection,
    PostgresStore,
    restore,
    translate_errors,
)
from discreet.collector.store.protocol import UploadOutcome, UploadRecord
from discreet.core.errors import InvalidInput, StoreFailed, StoreFull

from .stores import postgres_from, postgres_in, schema_of, server


@pytest.fixture
def store(tmp_path):
    made = postgres_in(tmp_path)
    yield made
    made.shut()


@pytest.fixture
def raw(store, tmp_path):
    """A connection of somebody else to the same tables."""
    db = PostgresConnection(server().get_uri(), schema_of(tmp_path))
    yield db
    db.close()


@pytest.mark.slow
def test_the_store_in_postgres_keeps_every_law():
    assert {"once", "threads", "copies"} <= set(check_store(postgres_in, restore=postgres_from))


# -- several writers ----------------------------------------------------------------------------------------


def test_every_writer_has_an_id_and_a_free_id_is_taken_again(store, tmp_path):
    other = postgres_in(tmp_path)
    assert (store.writer_id, other.writer_id) == (0, 1)
    other.shut()
    other = postgres_in(tmp_path)
    assert other.writer_id == 1
    other.shut()
    assert sorted(path.name for path in (tmp_path / "heads").iterdir()) == ["lane-0.heads", "lane-1.heads"]


def test_the_same_uploads_sent_to_several_writers_at_once_are_stored_once(store, tmp_path):
    store.create(collection(), day=DAY)
    store.invite("c", [bytes([each]) * 32 for each in range(40)])
    stores = [store, postgres_in(tmp_path), postgres_in(tmp_path)]
    outcomes = {number: [] for number in range(40)}

    def send(one, start):
        for at in range(0, 40, 5):
            group = [(start + at + each) % 40 for each in range(5)]
            answers = one.add([upload(number, invitation=bytes([number]) * 32) for number in group])
            for number, answer in zip(group, answers, strict=True):
                outcomes[number].append(answer.outcome)

    threads = [threading.Thread(target=send, args=(one, start)) for one, start in zip(stores, (0, 3, 20), strict=True)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for found in outcomes.values():
        assert sorted(each.value for each in found) == ["repeated", "repeated", "stored"]
    assert len(list(store.batches("c"))) == 40
    assert store.invitations("c") == (40, 40)
    assert store.check() == []
    for other in stores[1:]:
        other.shut()


def test_a_reader_that_goes_on_after_a_position_misses_no_upload_that_was_on_its_way(store, raw, tmp_path, monkeypatch):
    """A writer has taken position 1 and is slow; another has committed position 2."""
    store.create(collection(), day=DAY)
    raw.execute("BEGIN")
    raw.lock(UPLOADS, "pg_advisory_xact_lock_shared")
    raw.execute("SELECT nextval('upload_position')").fetchall()
    store.add([upload(2)])
    with monkeypatch.context() as patched:
        patched.setattr(PostgresStore, "_last_position", lambda self: 1 << 62)
        assert [batch.position for batch in store.batches("c")] == [2]  # the control: 1 would be missed for ever
    found = []
    reader = threading.Thread(target=lambda: found.extend(store.batches("c")))
    reader.start()
    time.sleep(0.2)
    assert found == []
    assert reader.is_alive()  # it waits for the slow one
    raw.execute("ROLLBACK")
    reader.join()
    assert [batch.position for batch in found] == [2]


def test_a_collection_is_not_closed_while_an_upload_is_on_its_way(store, raw):
    store.create(collection(), day=DAY)
    raw.execute("BEGIN")
    raw.lock(UPLOADS, "pg_advisory_xact_lock_shared")
    closing = threading.Thread(target=lambda: store.close("c", day=DAY))
    closing.start()
    time.sleep(0.2)
    assert closing.is_alive()
    raw.execute("COMMIT")
    closing.join()
    assert store.add([upload(1)])[0].outcome is UploadOutcome.CLOSED


# -- what the server must promise ---------------------------------------------------------------------------


def test_commits_wait_for_the_disk_even_where_that_is_turned_off(store, tmp_path):
    hasty = f"{server().get_uri()}&options=-csynchronous_commit%3Doff"
    with psycopg.connect(hasty) as db:
        assert db.execute("SHOW synchronous_commit").fetchone() == ("off",)  # the control
    made = PostgresStore(hasty, checkpoints=tmp_path / "heads", schema=schema_of(tmp_path))
    assert made._writer().execute("SHOW synchronous_commit").fetchone() == ("on",)
    made.shut()


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_does_not_sync_is_refused(tmp_path, setting):
    with psycopg.connect(server().get_uri(), autocommit=True) as db:
        try:
            _set(db, setting, "off")
            with pytest.raises(StoreFailed, match=f"{setting} = off"):
                postgres_in(tmp_path)
        finally:
            _set(db, setting, "on")
    postgres_in(tmp_path).shut()


def _set(db, setting, value):
    db.execute(f"ALTER SYSTEM SET {setting} = {value}")
    db.execute("SELECT pg_reload_conf()")
    for _ in range(100):
        if db.execute(f"SHOW {setting}").fetchone() == (value,):
            return
        time.sleep(0.05)


def test_a_lost_connection_is_said_and_the_next_upload_goes_through(store, raw):
    store.create(collection(), day=DAY)
    store.add([upload(1)])
    raw.execute("SELECT pg_terminate_backend(?)", (store._writer().raw.info.backend_pid,))
    with pytest.raises(StoreFailed, match="PostgreSQL: "):
        store.add([upload(2)])
    assert [each.outcome for each in store.add([upload(1), upload(2)])] == [
        UploadOutcome.REPEATED,
        UploadOutcome.STORED,
    ]
    assert store.writer_id == 0
    assert store.check() == []


def test_a_server_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(StoreFailed, match="PostgreSQL: connection"):
        PostgresStore(f"postgresql:///none?host={tmp_path}", checkpoints=tmp_path)


def test_a_schema_is_a_plain_name(tmp_path):
    with pytest.raises(InvalidInput, match="must be a name"):
        PostgresStore(server().get_uri(), checkpoints=tmp_path, schema='x"; DROP SCHEMA public; --')


def test_a_full_disk_of_the_server_is_said():
    with pytest.raises(StoreFull, match="no room"), translate_errors():
        raise psycopg.errors.DiskFull("could not extend file")


def test_checkpoints_that_cannot_be_written_are_said(store, tmp_path):
    store.create(collection(), day=DAY)

    class Full:
        def append(self, checkpoint):
            raise OSError(28, "No space left on device")

        def close(self):
            pass

    checkpoints, store._checkpoints = store._checkpoints, Full()
    with pytest.raises(StoreFull, match="No space left"):
        store.add([upload(1)])
    store._checkpoints = checkpoints
    assert store.add([upload(1)])[0].outcome is UploadOutcome.REPEATED  # it was committed, and now has its head
    assert store.check() == []


# -- checking -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE upload SET reports = '\\x0001' WHERE position = 2", "upload at position 2: its content is not"),
        ("UPDATE upload SET chain = row_hash WHERE position = 3", "upload at position 3: it does not follow"),
        ("DELETE FROM upload WHERE position = 3", "writer 0: its uploads end at position 2"),
        ("UPDATE log SET digest = chain WHERE number = 1", "log: line 1 does not follow"),
        ("UPDATE invitation SET spent = 1 - spent", "invitation: an invitation does not match its checksum"),
        ("UPDATE tally SET counts = '\\x00'", "tally: a tally does not match"),
    ],
)
def test_every_change_by_hand_is_reported(store, raw, statement, said):
    fill(store)
    raw.execute(statement)
    assert any(said in line for line in store.check()), store.check()


def test_a_server_that_lost_its_last_commit_is_noticed_by_the_checkpoints_of_this_machine(store, raw, tmp_path):
    fill(store)
    before = raw.execute("SELECT commits, position, chain FROM lane").fetchone()
    store.add([upload(8)])
    store.shut()
    raw.execute("DELETE FROM upload WHERE position > ?", (before[1],))
    raw.execute("UPDATE lane SET commits = ?, position = ?, chain = ?", before)
    with pytest.raises(StoreFailed, match="1 commits were acknowledged and are not in the database"):
        postgres_in(tmp_path)
    (tmp_path / "heads" / "lane-0.heads").rename(tmp_path / "kept")
    accepted = postgres_in(tmp_path)
    assert accepted.check() == []  # the control: without the checkpoints, the tables alone fit together
    accepted.shut()


# -- what is kept, and what is not --------------------------------------------------------------------------


def secrets(store, day):
    """What is in the reports and digests of five uploads of a day, which are stored."""
    found = [sha256(f"{day}{number}{time.time_ns()}".encode()).digest() for number in range(10)]
    pairs = enumerate(zip(found[::2], found[1::2], strict=True))
    store.add([UploadRecord("c", f"{day}{n}", digest, day, (), reports, 32, "{}") for n, (reports, digest) in pairs])
    return found


def kept(folder, parts):
    """How many of these are in any file of a folder of the server; its journal has cut a few of them in two."""
    data = b"".join(held(path) for path in (server().pgdata / folder).rglob("*") if path.is_file())
    return sum(part in data for part in parts)


def held(path):
    """The bytes of a file; of one that the running server has just deleted, none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


@pytest.fixture
def nothing_is_deleted(raw):
    """A checkpoint keeps every file of the journal for later, and none begins by itself.

    With room for a few files their order on disk would decide which are kept.
    """
    for size in ("min_wal_size = '128MB'", "max_wal_size = '8GB'"):
        raw.execute(f"ALTER SYSTEM SET {size}")
    raw.execute("SELECT pg_reload_conf()")
    wait_for(raw, "128MB")
    yield
    for size in ("min_wal_size = '32MB'", "max_wal_size = '64MB'"):  # as in `server`
        raw.execute(f"ALTER SYSTEM SET {size}")
    raw.execute("SELECT pg_reload_conf()")
    wait_for(raw, "32MB")


def wait_for(raw, size):
    """Return when the server has read its settings again."""
    for _ in range(1000):
        if raw.execute("SELECT current_setting('min_wal_size')").fetchone() == (size,):
            return
        time.sleep(0.01)
    raise AssertionError(f"min_wal_size is not {size}")


@pytest.mark.usefixtures("nothing_is_deleted")
def test_what_is_forgotten_is_in_no_file_of_the_server_any_more(store, raw):
    store.create(collection(), day=DAY)
    old, new = secrets(store, "2026-01-02"), secrets(store, "2026-01-09")
    raw.execute("CHECKPOINT")
    assert kept("base", old) == 10  # the control
    assert kept("pg_wal", old) > 5
    store.forget(before=DAY)
    raw.execute("CHECKPOINT")
    assert (kept("base", old), kept("pg_wal", old), kept(".", old)) == (0, 0, 0)
    assert kept("base", new) == 10
    assert store.check() == []


@pytest.mark.usefixtures("nothing_is_deleted")
def test_files_that_the_server_keeps_for_later_are_written_over(store, raw):
    store.create(collection(), day=DAY)
    old = secrets(store, "2026-01-02")
    for _ in range(2):
        raw.execute("SELECT pg_logical_emit_message(false, 'discreet', '')")
        raw.execute("SELECT pg_switch_wal()")
        raw.execute("CHECKPOINT")
    assert kept("pg_wal", old) > 5  # the control: a checkpoint has renamed the file, and left its bytes
    store.forget(before=DAY)
    assert kept("pg_wal", old) == 0


@pytest.mark.usefixtures("nothing_is_deleted")
def test_a_role_that_may_not_clear_the_journal_forgets_all_the_same(store, raw, tmp_path, caplog):
    caplog.set_level("INFO", "discreet.collector")
    logging.getLogger("discreet.collector").propagate = True
    raw.execute("CREATE ROLE plain LOGIN")
    try:
        raw.execute(f"ALTER SCHEMA {raw.schema} OWNER TO plain")
        for (name,) in raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = ?", (raw.schema,)).fetchall():
            raw.execute(f"ALTER TABLE {name} OWNER TO plain")
        raw.execute("ALTER SEQUENCE upload_position OWNER TO plain")
        raw.execute("GRANT CREATE, TEMPORARY ON DATABASE postgres TO plain")
        place = server().get_uri().replace("postgres:@", "plain:@")
        theirs = PostgresStore(place, checkpoints=tmp_path / "theirs", schema=raw.schema)
        theirs.create(collection(), day=DAY)
        old = secrets(theirs, "2026-01-02")
        assert theirs.forget(before=DAY) == 5 * 32
        assert kept("base", old) == 0
        assert kept("pg_wal", old) > 5
        assert "PostgreSQL's journal holds forgotten reports" in caplog.text
        raw.execute("GRANT pg_checkpoint, pg_monitor TO plain")  # as the documentation says
        raw.execute("GRANT EXECUTE ON FUNCTION pg_switch_wal() TO plain")
        old += secrets(theirs, "2026-01-03")
        theirs.forget(before=DAY)
        assert kept("pg_wal", old) == 0
        theirs.shut()
    finally:
        raw.execute("REASSIGN OWNED BY plain TO postgres")
        raw.execute("DROP OWNED BY plain")
        raw.execute("DROP ROLE plain")


def test_nothing_in_a_closed_collection_joins_an_invitation_to_an_upload(store, raw):
    joined = "SELECT COUNT(*) FROM invitation i JOIN upload u ON i.xmin = u.xmin"
    store.create(collection(), day=DAY)
    store.invite("c", [bytes([each]) * 32 for each in range(10)])
    for number in (7, 3, 5):
        store.add([upload(number, invitation=bytes([number]) * 32)])
    assert raw.execute(joined).fetchone() == (3,)  # the control: PostgreSQL notes which transaction wrote a row
    store.close("c", day=DAY)
    assert raw.execute(joined).fetchone() == (0,)
    assert raw.execute("SELECT COUNT(DISTINCT xmin::text) FROM invitation").fetchone() == (1,)
    hashes = [row[0] for row in raw.execute("SELECT hash FROM invitation ORDER BY ctid").fetchall()]
    assert hashes == sorted(hashes)
    assert store.invitations("c") == (10, 3)
    assert store.check() == []


# -- copies -------------------------------------------------------------------------------------------------


def test_a_copy_is_restored_only_where_nothing_is(store, tmp_path):
    fill(store)
    store.back_up(tmp_path / "copy")
    with pytest.raises(InvalidInput, match="a copy replaces nothing"):
        store.back_up(tmp_path / "copy")
    with pytest.raises(InvalidInput, match="is there already"):
        restore(tmp_path / "copy", server().get_uri(), schema=schema_of(tmp_path))
    (tmp_path / "other").write_bytes(b"something else")
    with pytest.raises(StoreFailed, match="is no copy of a store"):
        restore(tmp_path / "other", server().get_uri(), schema="elsewhere")
    assert "elsewhere" not in server().psql("\\dn")


def test_a_copy_that_cannot_be_restored_leaves_nothing(store, tmp_path):
    fill(store)
    store.back_up(tmp_path / "copy")
    data = (tmp_path / "copy").read_bytes()
    with ZipFile(tmp_path / "copy") as archive:
        at = archive.getinfo("log").header_offset - 80  # before its end, the collections
    (tmp_path / "damaged").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(StoreFailed, match="damaged"):
        restore(tmp_path / "damaged", server().get_uri(), schema="halfway")
    assert "halfway" not in server().psql("\\dn")
