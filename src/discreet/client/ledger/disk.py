"""What a journal asks of a file system, step by step, so that a crash between any two steps can be tried.

Its lock is one that programs in other languages keep to as well, a file that says which process holds it. Node has no
``flock``. So whoever writes a journal, in Python or in Node, links a file of its own to ``PATH.pid``, which is there
with all its text at once, or not at all. The text is ``NUMBER PID THREAD HOST START``, with a random number, and the
moment at which the process began where the system tells it (Linux), as another process may have its number later. The
file of a process that has ended is removed by whoever holds a claim on just that, ``PATH.pid.NUMBER``, so that nobody
removes the one that comes after it. Whoever holds the claim removes what killed processes have left beside it.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...core.errors import InvalidInput

PRIVATE = 0o600
"""The mode of every file here: nobody else on the machine reads it."""

MAX_PATIENCE_SECONDS = 30.0
"""The seconds that a claim is waited for."""

STEP = 0.01
"""The seconds between two tries."""

EMPTY_SECONDS = 3600.0
"""The age from which a draft without a text is that of a process that was killed before it wrote one."""


@contextmanager
def hold_claim(path: Path) -> Iterator[None]:
    """Hold a claim in a ``with`` block, one process at a time; only under a lock that excludes all others in Python.

    Where files cannot be linked, Node writes no journal, and there is nobody to exclude.
    """
    number = secrets.token_hex(8)
    draft = path.with_name(f"{path.name}-{number}")
    opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    try:
        with open(opened, "w", encoding="utf-8") as file:
            file.write(f"{number} {os.getpid()} 0 {socket.gethostname()} {_start_of(os.getpid())}".rstrip())
        can_link = _link(draft, path)
    finally:
        draft.unlink()
    try:
        _clear(path)
        yield
    finally:
        if can_link:
            path.unlink()


def _link(draft: Path, path: Path) -> bool:
    """True once the claim is there under its name; False where there are no links."""
    end = time.monotonic() + MAX_PATIENCE_SECONDS
    while True:
        try:
            os.link(draft, path)
        except FileExistsError:
            _wait_for(path, end)
        except FileNotFoundError:
            raise
        except OSError:
            return False
        else:
            return True


def _wait_for(path: Path, end: float) -> None:
    """Wait a moment for the claim that is there, or remove it if its process has ended."""
    other = _text(path).split(" ")
    if other[0] and _has_ended(other[1:]):
        with hold_claim(path.with_name(f"{path.name}.{other[0]}")):
            if _text(path).startswith(f"{other[0]} "):
                path.unlink(missing_ok=True)
    elif time.monotonic() > end:
        raise InvalidInput(f"the ledger is in use; if it is not, remove {path}")
    else:
        time.sleep(STEP)


def _text(path: Path) -> str:
    with suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""


def _clear(path: Path) -> None:
    """Remove the drafts and claims beside a claim, which is held, that killed processes have left."""
    for file in path.parent.iterdir():
        if not file.name.startswith((f"{path.name}-", f"{path.name}.")):
            continue
        with suppress(FileNotFoundError):
            text = _text(file)
            if _has_ended(text.split(" ")[1:]) or (not text and time.time() - file.stat().st_mtime > EMPTY_SECONDS):
                file.unlink()


def _start_of(pid: int) -> str:
    """When a process began, in ticks since the system did; nothing where the system does not tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _has_ended(whose: list[str]) -> bool:
    """True if the process of a claim is known to have ended: it is of this machine, and none has its number now."""
    if len(whose) not in (3, 4) or whose[2] != socket.gethostname() or not whose[0].isascii() or not whose[0].isdigit():
        return False
    pid = int(whose[0])
    if pid == os.getpid():
        return True  # of an earlier process with the same number, as this one holds the lock
    if os.name == "nt" or pid == 0:  # to ask is to interrupt there
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        return False
    start = _start_of(pid)
    return len(whose) == 4 and start not in ("", whose[3])


try:
    import fcntl as _unix
except ImportError:
    _unix = None  # type: ignore[assignment]
try:
    import msvcrt as _windows
except ImportError:
    _windows = None  # type: ignore[assignment]

fcntl: Any = _unix
msvcrt: Any = _windows


class SystemDisk:
    """The file system of this machine; nobody else may read its files.

    Only what `sync` and `sync_folder` have returned from survives a loss of power. Another disk overrides every step.
    """

    @contextmanager
    def locked(self, path: Path) -> Iterator[None]:
        """Hold a lock on a file for nothing else, in one thread of one process of Python or Node; it ends with it."""
        self._make_folder(path.parent)
        opened = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            _lock(opened)
            try:
                with hold_claim(path.with_suffix(".pid")):
                    yield
            finally:
                _unlock(opened)
        finally:
            os.close(opened)

    def _make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            self._make_folder(folder.parent)
            folder.mkdir(mode=0o700, exist_ok=True)
            self.sync_folder(folder.parent)

    def read(self, path: Path) -> bytes | None:
        """The bytes of a file; None if there is none."""
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None

    def create(self, path: Path, content: bytes) -> None:
        """Write a file, in place of any other of this name; not yet durable."""
        self._write(path, content, os.O_CREAT | os.O_TRUNC)

    def append(self, path: Path, content: bytes) -> None:
        """Add bytes at the end of a file; not yet durable."""
        self._write(path, content, os.O_APPEND)

    def _write(self, path: Path, content: bytes, how: int) -> None:
        opened = os.open(path, os.O_WRONLY | how | getattr(os, "O_BINARY", 0), PRIVATE)
        with open(opened, "wb", buffering=0) as file:
            rest = memoryview(content)
            while rest:
                rest = rest[file.write(rest) :]

    def cut(self, path: Path, length: int) -> None:
        """Keep only the first `length` bytes of a file; not yet durable."""
        os.truncate(path, length)

    def rename(self, old: Path, new: Path) -> None:
        """Rename a file, in place of any other of the new name; not yet durable."""
        os.replace(old, new)

    def sync(self, path: Path) -> None:
        """Return once the bytes of a file are on the disk, and not only on their way to it."""
        with open(path, "r+b", buffering=0) as file:
            if hasattr(fcntl, "F_FULLFSYNC"):  # macOS: fsync alone leaves them to the cache of the drive
                fcntl.fcntl(file.fileno(), fcntl.F_FULLFSYNC)
            else:
                os.fsync(file.fileno())

    def sync_folder(self, path: Path) -> None:
        """Return once the names in a folder are on the disk; Windows has no such call."""
        if fcntl is not None:
            opened = os.open(path, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def _lock(opened: int) -> None:
    if fcntl is not None:
        fcntl.flock(opened, fcntl.LOCK_EX)
        return
    while True:  # Windows gives up after ten seconds
        try:
            msvcrt.locking(opened, msvcrt.LK_LOCK, 1)
            return
        except OSError:
            continue


def _unlock(opened: int) -> None:
    if fcntl is None:
        os.lseek(opened, 0, os.SEEK_SET)
        msvcrt.locking(opened, msvcrt.LK_UNLCK, 1)
