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
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says when a process began")


@pytest.fixture
def ended():
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", "pass"]) as process:
        process.wait()
    return process.pid


def test_a_claim_says_who_holds_it_and_leaves_nothing(tmp_path):
    path = tmp_path / "a.pid"
    with hold_claim(path):
        number, pid, thread, host, start = path.read_text().split(" ")
        assert (len(number), pid, thread, host) == (16, str(os.getpid()), "0", HOST)
        assert start.isdigit()
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


@linux
def test_the_claim_of_a_process_whose_number_another_one_has_now_is_removed(tmp_path, monkeypatch):
    path = tmp_path / "a.pid"
    start = int(disk._start_of(os.getppid()))
    path.write_text(f"0123 {os.getppid()} 0 {HOST} {start - 1}")
    with hold_claim(path):
        assert path.read_text().split(" ")[1] == str(os.getpid())
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(disk, "MAX_PATIENCE_SECONDS", 0.05)  # the control: the process that wrote it is there
    path.write_text(f"0123 {os.getppid()} 0 {HOST} {start}")
    with pytest.raises(InvalidInput, match="in use"), hold_claim(path):
        pass


@linux
def test_what_killed_processes_have_left_is_removed(tmp_path, ended):
    path, start = tmp_path / "a.pid", disk._start_of(os.getppid())
    left = {
        "a.pid-01": f"01 {ended} 0 {HOST}",
        "a.pid.02": f"02 {ended} 0 {HOST} 5",
        "a.pid-03": f"03 {os.getppid()} 0 {HOST} 5",
        "a.pid-04": "",
    }
    kept = {"a.pid-05": f"05 {os.getppid()} 0 {HOST} {start}", "a.pid-06": "", "b.pid-07": f"07 {ended} 0 {HOST}"}
    for name, text in (left | kept).items():
        (tmp_path / name).write_text(text)
    os.utime(tmp_path / "a.pid-04", (0, 0))
    with hold_claim(path):
        assert {file.name for file in tmp_path.iterdir()} == {*kept, "a.pid"}


def test_a_claim_whose_draft_was_taken_away_is_not_held(tmp_path, monkeypatch):
    def vanished(*_):
        raise FileNotFoundError

    monkeypatch.setattr(disk.os, "link", vanished)
    with pytest.raises(FileNotFoundError), hold_claim(tmp_path / "a.pid"):
        pass


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
