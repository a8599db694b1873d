"""kill -9 under load, of the process that stores and of the server: nothing acknowledged is lost or doubled."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from discreet.collector.store.opening import check_place

from .stores import LONG, numbers, postgres_in, schema_of, server, sqlite_in

KILLS = 200 if LONG else 8
MOST_SECONDS = 0.4
"""How long a process stores before it is killed, at most."""


def begin(kind, folder, first):
    where = [] if kind != "postgres" else [server().get_uri(), schema_of(folder)]
    script = Path(__file__).parent / "under_load.py"
    return subprocess.Popen(
        [sys.executable, str(script), kind, str(folder), *where, str(first)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def killed(kind, folder, first, rng, kill):
    """What a process acknowledged before it, or what it relies on, was killed."""
    process = begin(kind, folder, first)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(rng.uniform(0.01, MOST_SECONDS))
    kill(process)
    said = process.stdout.read()
    process.stdout.close()
    process.wait()
    return [int(line) for line in said[: said.rfind(b"\n") + 1].split()]


def kill_process(process):
    process.send_signal(signal.SIGKILL)


def kill_server(process):
    """Kill the server and each process of it, then the one that stores, and start the server again."""
    with psycopg.connect(server().get_uri()) as db:
        others = [pid for (pid,) in db.execute("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")]
    for pid in [server().get_pid(), *others]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    wait_until_gone([server().get_pid(), *others])
    for lock in [server().pgdata / "postmaster.pid", *server().pgdata.glob(".s.PGSQL.*")]:
        lock.unlink()  # a process that nobody has waited for still counts as running
    server().ensure_postgres_running()


def wait_until_gone(pids):
    for pid in pids:
        for _ in range(200):
            try:
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            except FileNotFoundError:
                break
            if state == "Z":
                break
            time.sleep(0.05)


def endure(kind, make, folder, kills):
    """So many kills, one after the other, of twenty on the same store; how many uploads were acknowledged."""
    total = 0
    for start in range(0, len(kills), 20):
        (folder / str(start)).mkdir()
        total += len(endure_on_one(kind, make, folder / str(start), kills[start : start + 20], random.Random(start)))
    return total


def endure_on_one(kind, make, folder, kills, rng):
    acknowledged = []
    for number, kill in enumerate(kills):
        acknowledged += killed(kind, folder, 10**6 * number, rng, kill)
        if kind == "sqlite":
            assert check_place(folder / "store.db") == []  # as it was left, before anything opens it
        store = make(folder)
        found = numbers(store)
        assert set(acknowledged) - set(found) == set()
        assert len(found) == len(set(found))
        assert store.check() == []
        store.shut()
    return acknowledged


@pytest.mark.slow
def test_killed_under_load_sqlite_loses_nothing_acknowledged_and_doubles_nothing(tmp_path):
    acknowledged = endure("sqlite", sqlite_in, tmp_path, [kill_process] * KILLS)
    print(f"sqlite: {KILLS} kills, {acknowledged} uploads acknowledged, none lost, none doubled")
    assert acknowledged > 5 * KILLS


@pytest.mark.slow
def test_killed_under_load_postgres_loses_nothing_acknowledged_and_doubles_nothing(tmp_path):
    kills = [kill_server if number % 5 == 4 else kill_process for number in range(KILLS)]
    acknowledged = endure("postgres", postgres_in, tmp_path, kills)
    print(f"postgres: {KILLS} kills, {acknowledged} uploads acknowledged, none lost, none doubled")
    assert acknowledged > 5 * KILLS


def test_the_control_that_acknowledges_before_it_has_stored_loses_when_killed(tmp_path):
    rng, acknowledged = random.Random(1), []
    for number in range(3):
        acknowledged += killed("early", tmp_path, 10**6 * number, rng, kill_process)
    store = sqlite_in(tmp_path)
    assert set(acknowledged) - set(numbers(store))
    store.shut()
