"""The steps on files, on this machine."""

import os
import threading
import time

import pytest

from discreet.client.ledger import disk as steps
from discreet.client.ledger.disk import SystemDisk


def test_a_file_is_made_added_to_cut_and_renamed(tmp_path):
    disk, file = SystemDisk(), tmp_path / "a"
    assert disk.read(file) is None
    disk.create(file, b"longer than the next")
    disk.create(file, b"one\n")
    disk.append(file, b"two\n")
    disk.sync(file)
    disk.cut(file, 5)
    disk.rename(file, tmp_path / "b")
    disk.sync_folder(tmp_path)
    assert (disk.read(file), disk.read(tmp_path / "b")) == (None, b"one\nt")


def test_a_write_that_takes_only_part_is_carried_on(tmp_path, monkeypatch):
    class Slow:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, content):
            return self.file.write(content[:3])

    monkeypatch.setattr(steps, "open", lambda *a, **k: Slow(open(*a, **k)), raising=False)  # noqa: SIM115
    SystemDisk().create(tmp_path / "a", b"ten bytes.")
    assert (tmp_path / "a").read_bytes() == b"ten bytes."


def test_one_thread_at_a_time_holds_the_lock(tmp_path):
    inside, most = [], []

    def work():
        for _ in range(20):
            with SystemDisk().locked(tmp_path / "lock"):
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.0005)
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 60
    assert max(most) == 1


class Windows:
    """What `msvcrt` does, in memory: gives up once, then locks."""

    LK_LOCK, LK_UNLCK = 1, 0

    def __init__(self):
        self.calls = []

    def locking(self, opened, mode, count):
        self.calls.append(mode)
        if self.calls == [1]:
            raise OSError(36, "Resource deadlock avoided")


def test_windows_locks_in_its_own_way(tmp_path, monkeypatch):
    windows = Windows()
    monkeypatch.setattr(steps, "fcntl", None)
    monkeypatch.setattr(steps, "msvcrt", windows)
    with SystemDisk().locked(tmp_path / "new" / "lock"):
        assert windows.calls == [1, 1]
    assert windows.calls == [1, 1, 0]
    SystemDisk().sync_folder(tmp_path / "no such folder")  # there is no such call, and so nothing is opened


@pytest.mark.skipif(os.name != "posix", reason="the call is macOS's")
def test_macos_is_asked_to_empty_the_cache_of_the_drive(tmp_path, monkeypatch):
    class Unix:
        F_FULLFSYNC = 51

        def fcntl(self, opened, what):
            self.asked = what

    (tmp_path / "a").write_bytes(b"")
    monkeypatch.setattr(steps, "fcntl", Unix())
    SystemDisk().sync(tmp_path / "a")
    assert steps.fcntl.asked == 51
