"""Several processes in one PostgreSQL database: collisions, lost connections, and ids that others have taken."""

import threading

import psycopg
import pytest

from discreet.checks.store import DAY, collection, tallies, upload
from discreet.collector.store.postgres.store import COLLISIONS, TALLIES, PostgresConnection, PostgresStore
from discreet.collector.store.protocol import UploadOutcome
from discreet.core.errors import StoreFailed

from .stores import numbers, postgres_in, schema_of, server


@pytest.fixture
def opened(tmp_path):
    """Stores of one database, shut in the end."""
    stores = []

    def start():
        stores.append(postgres_in(tmp_path))
        return stores[-1]

    yield start
    for store in stores:
        store.shut()


@pytest.fixture
def end_connections(tmp_path):
    """Ends every connection to the server, as a restart does."""
    with psycopg.connect(server().get_uri(), autocommit=True) as db:
        yield lambda: db.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        ).fetchall()


CHANGES = {
    "create": lambda store: store.create(collection("new"), day=DAY),
    "close": lambda store: store.close("c", day=DAY),
    "add": lambda store: store.add([upload(5)]),
    "keep_snapshot": lambda store: store.keep_snapshot("c", tallies(list(store.batches("c")))),
    "refuse": lambda store: store.refuse({("c", "closed"): 1}),
    "invite": lambda store: store.invite("c", iter([bytes(32)])),
    "set_token": lambda store: store.set_token("admin", bytes(32)),
    "note_day": lambda store: store.note_day(DAY),
    "forget": lambda store: store.forget(before="2026-02-01"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_made_again_after_a_collision_and_only_so_often(opened, name, monkeypatch):
    monkeypatch.setattr(PostgresStore, "_erase", lambda self: None)
    store = opened()
    store.create(collection(), day=DAY)
    store.add([upload(1)])
    collide, left = PostgresConnection.execute, list(COLLISIONS)

    def execute(self, sql, *parameters):
        if sql == "COMMIT" and self is store._db and left:
            raise left.pop()("another process was faster")
        return collide(self, sql, *parameters)

    monkeypatch.setattr(PostgresConnection, "execute", execute)
    CHANGES[name](store)
    assert left == []
    assert store.check() == []
    left += COLLISIONS * 20
    with pytest.raises(StoreFailed, match="other processes change"):
        store.refuse({("c", "label"): 1})


def test_a_deadlock_of_two_processes_is_no_error_of_either(opened, tmp_path):
    """One holds the tallies of a collection and wants its row; the store holds the row, and wants the tallies."""
    store = opened()
    store.create(collection(), day=DAY)
    store.add([upload(1)])
    store._writer().execute("SET deadlock_timeout TO '10ms'")
    other = PostgresConnection(server().get_uri(), schema_of(tmp_path))
    other.execute("SET deadlock_timeout TO '10s'")  # so that it is the store whose transaction is ended
    waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE pid = ? AND wait_event_type = 'Lock'"
    lock_for, entered = store._lock_for, []

    def change():
        other.execute("UPDATE collection SET closed = closed")
        other.execute("COMMIT")

    thread = threading.Thread(target=change)

    def lock(db, what, number=0):
        entered.append(what)
        if not thread.ident:
            db.execute("UPDATE collection SET closed = closed")
            other.execute("BEGIN")
            other.lock(TALLIES + number)
            thread.start()
            with store._read() as reader:
                while reader.execute(waiting, (other.raw.info.backend_pid,)).fetchone() == (0,):
                    reader.execute("SELECT pg_stat_clear_snapshot()")
        lock_for(db, what, number)

    store._lock_for = lock
    store.keep_snapshot("c", tallies(list(store.batches("c"))))
    thread.join()
    other.close()
    assert entered == ["tallies", "tallies"]
    assert store.snapshot("c").position == 1


def test_a_process_whose_id_was_taken_goes_on_with_another(opened, end_connections):
    first = opened()
    first.create(collection(), day=DAY)
    first.add([upload(1, labels=(("number", "1"),))])
    end_connections()
    second = opened()
    assert second.writer_id == 0  # the id of the first, which is idle and does not know yet
    second.add([upload(2, labels=(("number", "2"),))])
    with pytest.raises(StoreFailed):
        first.ready()
    first.ready()
    assert first.writer_id == 1
    for number in range(3, 9):
        store = (first, second)[number % 2]
        assert store.add([upload(number, labels=(("number", str(number)),))])[0].outcome is UploadOutcome.STORED
    assert numbers(first) == list(range(1, 9))
    assert first.check() == second.check() == []


def test_an_id_whose_checkpoints_contradict_the_database_is_not_taken(opened, end_connections, tmp_path):
    first = opened()
    first.create(collection(), day=DAY)
    other = opened()
    other.add([upload(1)])
    other.shut()
    with psycopg.connect(server().get_uri(), autocommit=True) as db:
        db.execute(f"UPDATE {schema_of(tmp_path)}.upload SET chain = row_hash")
    end_connections()
    second = opened()
    for _ in range(2):
        with pytest.raises(StoreFailed):
            first.ready()
    second.shut()
    first.ready()  # its own id is free again
    assert first.writer_id == 0
