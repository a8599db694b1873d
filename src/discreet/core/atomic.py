"""Files that appear under their name complete or not at all, and what runs that were killed have left of them."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl as _locks
except ImportError:  # not on Windows: nothing is locked there, and so nothing is cleared away
    _locks = None  # type: ignore[assignment]

fcntl: Any = _locks


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write that replaces `path` if all goes well, and leaves no trace if not.

    It is written beside the target under another name, forced to disk and renamed. Drafts that killed runs have
    left there are removed; a run that is alive holds a lock on its own. Anything other than a regular file, such
    as a device, is written directly.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:
            yield device
        return
    target = Path(os.path.realpath(path))
    _clear(target)
    try:
        opened, draft = _draft(target)
    except OSError as problem:
        raise type(problem)(problem.errno, problem.strerror, str(path)) from None
    try:
        with opened as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:
                file.close()  # Windows renames no open file
            if target.exists():
                shutil.copymode(target, draft)
            os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _draft(target: Path) -> tuple[BinaryIO, Path]:
    """A new file beside the target, and its name; where files can be locked, it is."""
    while True:
        draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        file = draft.open("xb")
        with suppress(OSError):
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.lstat(draft)):
                return file, draft
        file.close()  # another run has taken it for a stale one before it was locked


def _clear(target: Path) -> None:
    """Remove the drafts of this target that nobody holds a lock on."""
    if fcntl is None:
        return
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for draft in [entry.path for entry in entries if name.fullmatch(entry.name)]:
            with suppress(OSError):  # in use, somebody else's, or already gone
                _remove_if_stale(draft)


def _remove_if_stale(draft: str) -> None:
    opened = os.open(draft, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(opened).st_mode):
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(opened), os.lstat(draft)):
                os.unlink(draft)
    finally:
        os.close(opened)
