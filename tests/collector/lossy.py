"""A disk that loses what was not synced, below the very store that runs: SQLite's file layer and the store's own files.

Every write goes to a real file, so the store sees what it wrote. Beside it, the disk knows what is durable: the bytes
of a file as of its last sync, and the writes since then; a file that was made or deleted is so once its folder was
synced, which SQLite does with the first sync of a new log or journal. The power can be cut before any write or sync: an
*image* of the files is made of durable bytes and of none, some or torn pieces of what was pending. A sync can be made
to fail, after which the pending writes are gone, as a kernel drops them; and the disk can be full.
"""

import errno
import itertools
import os
from contextlib import suppress
from pathlib import Path

import apsw

from discreet.collector.store.disk import LocalDisk

SECTOR = 512
names = itertools.count()


class LossyDisk:
    """What of the files in a folder would survive; stands in for the `Driver` and the `LocalDisk` of the store."""

    def __init__(self, *, synchronous="FULL"):
        self.durable, self.pending, self.ops = {}, {}, 0
        self.there, self.named, self.unsynced = set(), set(), set()
        self.synchronous = synchronous
        self.before = lambda kind, name: None
        self.room = None
        self.name = f"lossy-{next(names)}"
        self._vfs = _VFS(self)
        self._local = LocalDisk()

    def adopt(self, folder):
        """Begin with the files of a folder, all of them durable."""
        for path in Path(folder).iterdir():
            self.durable[path.name] = bytearray(path.read_bytes())
        self.there = set(self.durable)
        self.named = set(self.durable)

    # -- what happens to files --------------------------------------------------------------------------

    def op(self, kind, name):
        self.ops += 1
        self.before(kind, name)

    def write(self, name, offset, data):
        self.op("write", name)
        self.pending.setdefault(name, []).append((offset, bytes(data)))

    def truncate(self, name, size):
        self.op("truncate", name)
        self.pending.setdefault(name, []).append((size, None))

    def sync(self, name):
        try:
            self.op("sync", name)
        except OSError:
            self.pending.pop(name, None)
            raise
        content = self.durable.setdefault(name, bytearray())
        for change in self.pending.pop(name, ()):
            _apply(content, *change)
        if name in self.unsynced:
            self.unsynced.remove(name)
            self.sync_folder()

    def opened(self, name):
        if name not in self.there:
            self.there.add(name)
            if name.endswith(("-wal", "-journal")):
                self.unsynced.add(name)

    def deleted(self, name):
        self.there.discard(name)
        self.pending.pop(name, None)

    def sync_folder(self):
        for name in self.named - self.there:
            self.durable.pop(name, None)
        self.named = set(self.there)

    def take_room(self, size):
        if self.room is not None:
            self.room -= size
            if self.room < 0:
                raise OSError(errno.ENOSPC, "No space left on device")

    def image(self, folder, rng=None):
        """What is on the disk if the power goes now: only synced bytes or, with `rng`, pieces of the others too."""
        for name in self.named:
            durable = self.durable.get(name, b"")
            content = bytearray(durable)
            pending = self.pending.get(name, [])
            keep = 0 if rng is None else rng.choice([0, rng.randrange(len(pending) + 1), len(pending)])
            scattered = rng is not None and rng.random() < 0.3
            for at, (offset, data) in enumerate(pending):
                if rng is None or not (rng.random() < 0.5 if scattered else at < keep):
                    continue
                if data is None or rng.random() < 0.7:
                    _apply(content, offset, data)
                    continue
                for start in range(0, len(data), SECTOR):  # torn: some of its sectors
                    if rng.random() < 0.5:
                        _apply(content, offset + start, data[start : start + SECTOR])
            (Path(folder) / name).write_bytes(content)

    # -- the driver of the store ------------------------------------------------------------------------

    def connect(self, path):
        db = apsw.Connection(str(path), vfs=self.name)
        db.set_busy_timeout(10_000)
        return _Insisting(db, self.synchronous)

    def connect_read_only(self, path, *, immutable=False):
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=self.name)
        db.set_busy_timeout(10_000)
        return _Insisting(db, self.synchronous)

    def error_code(self, problem):
        return getattr(problem, "extendedresult", 1) if isinstance(problem, apsw.Error) else None

    # -- the disk of the store --------------------------------------------------------------------------

    def read(self, path):
        return self._local.read(path)

    def lock(self, path):
        return self._local.lock(path)

    def remove(self, path):
        self._local.remove(path)
        self.deleted(path.name)

    def append(self, path):
        return _Appending(self, path)

    def replace(self, path, data):
        self.take_room(len(data))
        self.op("replace", path.name)
        self._local.replace(path, data)
        self.durable[path.name], self.pending[path.name] = bytearray(data), []
        self.there.add(path.name)
        self.sync_folder()


def _apply(content, offset, data):
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
        return
    content.extend(bytes(max(0, offset - len(content))))
    content[offset : offset + len(data)] = data


class _Insisting:
    """A connection that syncs as it was made to, whatever the store asks for: the control."""

    def __init__(self, db, synchronous):
        self._db, self._synchronous = db, synchronous

    def execute(self, sql, parameters=()):
        if sql.startswith("PRAGMA synchronous"):
            sql = f"PRAGMA synchronous = {self._synchronous}"
        return self._db.execute(sql, parameters)

    def executemany(self, sql, rows):
        return self._db.executemany(sql, rows)

    def close(self):
        with suppress(apsw.IOError):  # one that only reads asks for the lock that a last writer takes, in vain
            self._db.close()


class _Appending:
    def __init__(self, disk, path):
        self._disk, self._name = disk, path.name
        self._file = LocalDisk().append(path)
        self._end = path.stat().st_size
        disk.there.add(path.name)

    def write(self, data):
        self._disk.take_room(len(data))
        self._disk.write(self._name, self._end, data)
        self._file.write(data)
        self._end += len(data)

    def sync(self):
        self._disk.sync(self._name)

    def close(self):
        self._file.close()


class _VFS(apsw.VFS):
    def __init__(self, disk):
        self._disk = disk
        super().__init__(disk.name, "")

    def xOpen(self, name, flags):
        return _File(self._disk, name, flags)

    def xDelete(self, name, sync):
        self._disk.op("delete", os.path.basename(name))
        super().xDelete(name, sync)
        self._disk.deleted(os.path.basename(name))
        if sync:
            self._disk.sync_folder()


class _File(apsw.VFSFile):
    def __init__(self, disk, name, flags):
        self._disk = disk
        full = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._name = os.path.basename(full) if full else None
        super().__init__("", name, flags)
        if self._name:
            disk.opened(self._name)

    def xWrite(self, data, offset):
        if self._name:
            size = super().xFileSize()
            try:
                self._disk.take_room(max(0, offset + len(data) - size))
            except OSError:
                raise _problem(apsw.FullError, "the disk is full", apsw.SQLITE_FULL) from None
            self._disk.write(self._name, offset, data)
        super().xWrite(data, offset)

    def xTruncate(self, size):
        if self._name:
            self._disk.truncate(self._name, size)
        super().xTruncate(size)

    def xSync(self, flags):
        if self._name:
            try:
                self._disk.sync(self._name)
            except OSError:
                raise _problem(apsw.IOError, "fsync failed", apsw.SQLITE_IOERR_FSYNC) from None


def _problem(kind, text, code):
    problem = kind(text)
    problem.extendedresult = code
    return problem
