"""Where the chains end, kept outside the database: a small file that is only added to, synced before each answer.

A database may lose its last commits without noticing: SQLite drops what follows a damaged byte of its journal, and any
database can be replaced by an older copy. The file of heads has a line for each commit, of 256 bytes: the number of the
commit, the position and the chain of the last upload, the number and the chain of the last line of the log, and a
SHA-256 of these. A line is written after its commit, so the database is never behind what the lines say.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from .disk import Appending, Disk

LINE = 256
"""Bytes of a line; a sector of a disk holds whole lines."""

MOST = 4096
"""Lines of a file; the next one begins a new file in its place."""


@dataclass(frozen=True)
class Head:
    """The ends of all chains after a commit."""

    commits: int
    position: int
    chain: bytes
    log: int
    log_chain: str

    def line(self) -> bytes:
        """The line that says it."""
        said = f"{self.commits:016d} {self.position:016d} {self.chain.hex()} {self.log:016d} {self.log_chain}"
        return f"{said} {sha256(said.encode()).hexdigest()}".ljust(LINE - 1).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> Head | None:
        """What a line says; None for one that was never written like this."""
        try:
            commits, position, chain, log, log_chain, _ = line.decode("ascii").split()
            head = cls(int(commits), int(position), bytes.fromhex(chain), int(log), log_chain)
        except ValueError:
            return None
        return head if head.line() == line else None


@dataclass(frozen=True)
class Lines:
    """What a file of heads holds: a head for each whole line, None for a damaged one, and whether its end is torn."""

    heads: tuple[Head | None, ...]
    torn: bool

    @property
    def last(self) -> Head | None:
        """The last head that can be read."""
        return next((head for head in reversed(self.heads) if head is not None), None)

    @property
    def damaged(self) -> list[int]:
        """The numbers of the lines that cannot be read, from 1."""
        return [number for number, head in enumerate(self.heads, 1) if head is None]


def read_heads(path: Path, disk: Disk) -> Lines | None:
    """What a file of heads says; None if there is none."""
    data = disk.read(path)
    if data is None:
        return None
    whole = len(data) // LINE
    return Lines(tuple(Head.of_line(data[LINE * at : LINE * at + LINE]) for at in range(whole)), len(data) % LINE != 0)


class Heads:
    """A file of heads that is written: every `keep` that returns is durable.

    After a failed write or sync nobody knows what of the file is on the disk, and syncing again proves nothing; so the
    next head goes into a new file in place of it.
    """

    def __init__(self, path: Path, disk: Disk, lines: int) -> None:
        self._path, self._disk, self._lines = path, disk, lines
        self._file: Appending | None = None

    @classmethod
    def begin(cls, path: Path, disk: Disk, head: Head) -> Heads:
        """A new file that says where the chains end now."""
        disk.replace(path, head.line())
        return cls(path, disk, 1)

    def keep(self, head: Head) -> None:
        """Add a line, durably; an `OSError` if that cannot be said."""
        if not 0 < self._lines < MOST:
            self.shut()
            self._lines = 0
            self._disk.replace(self._path, head.line())
            self._lines = 1
            return
        lines, self._lines = self._lines, 0
        if self._file is None:
            self._file = self._disk.append(self._path)
        self._file.write(head.line())
        self._file.sync()
        self._lines = lines + 1

    def shut(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
