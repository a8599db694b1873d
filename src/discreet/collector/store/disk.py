"""Files beside a database; tests replace `LocalDisk` with a disk that loses or fails."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...core.documents import replacing
from ...core.errors import StoreFailed, StoreFull

try:
    import fcntl as _locks
except ImportError:  # not on Windows: there, nothing keeps a second process away
    _locks = None  # type: ignore[assignment]

fcntl: Any = _locks


class AppendFile:
    """A file that only grows."""

    def __init__(self, path: Path) -> None:
        self._opened = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, data: bytes) -> None:
        """Add bytes at the end."""
        while data:
            data = data[os.write(self._opened, data) :]

    def sync(self) -> None:
        """Return once all that was written survives the loss of power."""
        os.fsync(self._opened)

    def close(self) -> None:
        """Close the file."""
        os.close(self._opened)


class LocalDisk:
    """The file system of this machine."""

    def read(self, path: Path) -> bytes | None:
        """All bytes of a file; None if there is none."""
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None

    def append(self, path: Path) -> AppendFile:
        """A file to add to, created with a durable name if it is not there."""
        new = not path.exists()
        file = AppendFile(path)
        if new:
            sync_folder(path.parent)
        return file

    def replace(self, path: Path, data: bytes) -> None:
        """Put a file with these bytes in place of another, durably: at any time there is either, whole."""
        with replacing(path) as file:
            file.write(data)
        sync_folder(path.parent)

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there."""
        path.unlink(missing_ok=True)

    def lock(self, path: Path) -> Any:
        """An open file whose lock ends with the process; `StoreFailed` while another process holds it."""
        file = path.open("ab")
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                raise StoreFailed(f"{path.name}: another process has this store open; SQLite serves one") from None
        return file


class DraftFolder:
    """A folder beside a place for files that hold reports and are not kept; made when it is first asked for.

    Its process holds a lock in it, and has it before the folder gets its name: so a process that starts at that moment,
    and removes what killed ones left, never takes a named folder for one of those. If it takes one without its name,
    another is made.
    """

    def __init__(self, beside: Path) -> None:
        self._beside, self._prefix = beside.parent, f"{beside.name}.drafts-"
        self._unnamed = f"{beside.name}.new-drafts-"
        self._path: Path | None = None
        self._lock: Any = None
        for left in (*self._beside.glob(f"{self._prefix}*"), *self._beside.glob(f"{self._unnamed}*")):
            with suppress(StoreFailed, OSError), LocalDisk().lock(left / "lock"):
                shutil.rmtree(left)

    def path(self) -> Path:
        """The folder, which nobody else can read."""
        self._beside.mkdir(parents=True, exist_ok=True)
        while self._path is None:
            made = Path(tempfile.mkdtemp(prefix=self._unnamed, dir=self._beside))
            with suppress(FileNotFoundError, StoreFailed):  # a process that starts has just removed it
                self._lock = LocalDisk().lock(made / "lock")
                self._path = made.rename(self._beside / made.name.replace(self._unnamed, self._prefix, 1))
        return self._path

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)
            self._lock.close()
            self._path = None


def sync_folder(folder: Path) -> None:
    """Make the names of a folder durable."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def translate_file_errors(name: str) -> Iterator[None]:
    """Turn errors of files into `StoreFull` and `StoreFailed`, which begin with a name."""
    try:
        yield
    except OSError as problem:
        full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
        raise (StoreFull if full else StoreFailed)(f"{name}: {problem.strerror or problem}") from problem
