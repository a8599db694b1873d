"""`hold_claim`: a lock that programs in other languages keep to as well, a file that says which process holds it.

Node has no ``flock``. So whoever writes a journal, in Python or in Node, links a file of its own to ``PATH.pid``, which
is there with all its text at once, or not at all. The text is ``NUMBER PID THREAD HOST``, with a random number. The
file of a process that has ended is removed by whoever holds a claim on just that, ``PATH.pid.NUMBER``, so that nobody
removes the one that comes after it.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...core.errors import InvalidInput

PRIVATE = 0o600
"""The mode of every file here: nobody else on the machine reads it."""

MAX_PATIENCE_SECONDS = 30.0
"""The seconds that a claim is waited for."""

STEP = 0.01
"""The seconds between two tries."""


@contextmanager
def hold_claim(path: Path) -> Iterator[None]:
    """A ``with`` block that one process at a time is in; only under a lock that excludes all others in Python.

    Where files cannot be linked, Node writes no journal, and there is nobody to exclude.
    """
    number = secrets.token_hex(8)
    draft = path.with_name(f"{path.name}-{number}")
    opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    try:
        with open(opened, "w", encoding="utf-8") as file:
            file.write(f"{number} {os.getpid()} 0 {socket.gethostname()}")
        can_link = _linked(draft, path)
    finally:
        draft.unlink()
    try:
        yield
    finally:
        if can_link:
            path.unlink()


def _linked(draft: Path, path: Path) -> bool:
    """True once the claim is there under its name; False where there are no links."""
    end = time.monotonic() + MAX_PATIENCE_SECONDS
    while True:
        try:
            os.link(draft, path)
        except FileExistsError:
            _wait_for(path, end)
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
                path.unlink()
    elif time.monotonic() > end:
        raise InvalidInput(f"the ledger is in use; if it is not, remove {path}")
    else:
        time.sleep(STEP)


def _text(path: Path) -> str:
    with suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""


def _has_ended(whose: list[str]) -> bool:
    """True if the process of a claim is known to have ended: it is of this machine, and no process has its number."""
    if len(whose) != 3 or whose[2] != socket.gethostname() or not whose[0].isascii() or not whose[0].isdigit():
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
    return False
