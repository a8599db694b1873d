"""Claims: who holds the file is waited for, unless that process has ended."""

import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from discreet.client.ledger import disk
from discreet.client.ledger.disk import hold_claim
from discreet.core.errors import InvalidInput

HOST = socket.gethostname()


@pytest.fixture
def ended():
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", "pass"]) as process:
        process.wait()
    return process.pid


def test_a_claim_says_who_holds_it_and_leaves_nothing(tmp_path):
    path = tmp_path / "a.pid"
    with hold_claim(path):
        number, pid, thread, host = path.read_text().split(" ")
        assert (len(number), pid, thread, host) == (16, str(os.getpid()), "0", HOST)
        assert path.stat().st_mode & 0o777 == 0o600
        assert list(tmp_path.iterdir()) == [path]
    assert list(tmp_path.iterdir()) == []


def test_the_claim_of_a_process_that_has_ended_is_removed(tmp_path, ended):
    path = tmp_path / "a.pid"
    for pid in (ended, os.getpid()):
        path.write_text(f"0123 {pid} 0 {HOST}")
        path.with_name("a.pid.0123").write_text(f"4567 {ended} 0 {HOST}")  # of one that ended while it removed it
        with hold_claim(path):
            assert path.read_text().split(" ")[1] == str(os.getpid())
        assert list(tmp_path.iterdir()) == []


def test_a_claim_that_may_be_held_is_waited_for(tmp_path, monkeypatch, ended):
    path = tmp_path / "a.pid"
    monkeypatch.setattr(disk, "MAX_PATIENCE_SECONDS", 0.05)
    for held in (
        f"01 {os.getppid()} 0 {HOST}",
        f"02 {ended} 0 elsewhere",
        f"03 {ended}",
        f"04 x 0 {HOST}",
        f"05 0 0 {HOST}",
    ):
        path.write_text(held)
        with pytest.raises(InvalidInput, match="in use"), hold_claim(path):
            pass
        assert [(file, file.read_text()) for file in tmp_path.iterdir()] == [(path, held)]


def test_a_claim_is_taken_as_soon_as_it_is_free(tmp_path):
    path = tmp_path / "a.pid"
    path.write_text(f"01 {os.getppid()} 0 {HOST}")
    timer = threading.Timer(0.2, path.unlink)
    begun = time.monotonic()
    timer.start()
    with hold_claim(path):
        assert time.monotonic() - begun >= 0.2
    timer.join()


def test_where_nothing_can_be_linked_nobody_is_excluded(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(disk.os, "link", refuse)
    with hold_claim(tmp_path / "a.pid"):
        assert list(tmp_path.iterdir()) == []
