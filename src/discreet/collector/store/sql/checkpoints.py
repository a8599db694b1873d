"""Checkpoints: where the hash chains end after each commit, in a small append-only file beside the database.

A database may lose its last commits without noticing: SQLite drops what follows a damaged byte of its journal, and any
database can be replaced by an older copy. The file (``*.heads``) has a line of 256 bytes for each commit: the number of
the commit, the position and the chain of the last upload, the number and the chain of the last line of the log, and a
SHA-256 of these. A line is written after its commit and synced before the answer, so the database is never behind it.

Hash chains over stored uploads and over the public log, and checksums of other rows.

An upload has a row hash, ``SHA-256(salt + canonical JSON + newline + reports)``, and a place in a chain,
``SHA-256(chain before + row hash)``. The salt is random and forgotten with the reports: the row hash that stays keeps
the chain checkable and, without the salt, tells nothing about what was forgotten, not even to one who tries every
possible report.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from json.encoder import encode_basestring as quoted
from pathlib import Path

from ....core.canonical import canonical
from ..disk import AppendFile, LocalDisk
from ..protocol import LogEntry, Packed, StoredCollection

LINE_BYTES = 256
"""Bytes of a line; a sector of a disk holds whole lines."""

MAX_LINES = 4096
"""The most lines of a file; the next one begins a new file in its place."""


@dataclass(frozen=True)
class Checkpoint:
    """The ends of the chains after a commit."""

    commits: int
    position: int
    chain: bytes
    log: int
    log_chain: str

    def line(self) -> bytes:
        """The checkpoint as a line of the file."""
        text = f"{self.commits:016d} {self.position:016d} {self.chain.hex()} {self.log:016d} {self.log_chain}"
        return f"{text} {sha256(text.encode()).hexdigest()}".ljust(LINE_BYTES - 1).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> Checkpoint | None:
        """The checkpoint in a line; None if the line is damaged."""
        try:
            commits, position, chain, log, log_chain, _ = line.decode("ascii").split()
            checkpoint = cls(int(commits), int(position), bytes.fromhex(chain), int(log), log_chain)
        except ValueError:
            return None
        return checkpoint if checkpoint.line() == line else None


@dataclass(frozen=True)
class CheckpointLines:
    """The content of a file: a checkpoint for each whole line, None for a damaged one, and whether its end is torn."""

    checkpoints: tuple[Checkpoint | None, ...]
    torn: bool

    @property
    def last(self) -> Checkpoint | None:
        """The last checkpoint that can be read."""
        return next((each for each in reversed(self.checkpoints) if each is not None), None)

    @property
    def first(self) -> Checkpoint | None:
        """The first checkpoint, if it can be read."""
        return self.checkpoints[0] if self.checkpoints else None

    @property
    def damaged_lines(self) -> list[int]:
        """The numbers of the lines that cannot be read, from 1."""
        return [number for number, each in enumerate(self.checkpoints, 1) if each is None]


def read_checkpoints(path: Path, disk: LocalDisk) -> CheckpointLines | None:
    """The checkpoints in a file; None if there is no file."""
    data = disk.read(path)
    if data is None:
        return None
    lines = [data[at : at + LINE_BYTES] for at in range(0, len(data), LINE_BYTES)]
    torn = len(data) % LINE_BYTES != 0
    return CheckpointLines(tuple(Checkpoint.of_line(line) for line in lines[: len(lines) - torn]), torn)


def announced_checkpoint(path: Path, disk: LocalDisk) -> Checkpoint | None:
    """The checkpoint of a commit that makes the chain anew, if one was announced beside a file of checkpoints."""
    lines = read_checkpoints(_announcement(path), disk)
    return lines.last if lines else None


def _announcement(path: Path) -> Path:
    return path.with_name(f"{path.name}.next")


def valid_lines(lines: CheckpointLines | None, anew: Checkpoint | None, commits: int) -> CheckpointLines | None:
    """The lines that a database with so many commits must agree with, if the chain was, or may be, made `anew`."""
    if lines is None or anew is None or anew.commits > commits:
        return lines
    if lines.last is None or lines.last.commits < anew.commits:
        return CheckpointLines((anew,), False)
    later = tuple(each for each in lines.checkpoints if each is None or each.commits >= anew.commits)
    return CheckpointLines(later, lines.torn)


class CheckpointFile:
    """A file of checkpoints that is written: what `append` wrote is durable once it returns.

    After a failed write or sync nobody knows what of the file is on the disk, and syncing again proves nothing; so the
    next checkpoint goes into a new file in place of it.
    """

    def __init__(self, path: Path, disk: LocalDisk, lines: int) -> None:
        self._path, self._disk, self._lines = path, disk, lines
        self._file: AppendFile | None = None

    @classmethod
    def begin(cls, path: Path, disk: LocalDisk, checkpoint: Checkpoint) -> CheckpointFile:
        """A new file with the checkpoint of now."""
        disk.replace(path, checkpoint.line())
        return cls(path, disk, 1)

    def append(self, checkpoint: Checkpoint) -> None:
        """Add a line, durably; an `OSError` if that cannot be said."""
        if not 0 < self._lines < MAX_LINES:
            self.close()
            self._lines = 0
            self._disk.replace(self._path, checkpoint.line())
            self._lines = 1
            return
        lines, self._lines = self._lines, 0
        if self._file is None:
            self._file = self._disk.append(self._path)
        self._file.write(checkpoint.line())
        self._file.sync()
        self._lines = lines + 1

    def announce(self, checkpoint: Checkpoint) -> None:
        """Say, durably, what the checkpoint of a commit will be that makes the chain of earlier ones anew.

        A crash after the commit leaves a file that contradicts the database; the announcement says why.
        """
        self._disk.replace(_announcement(self._path), checkpoint.line())

    def begin_anew(self, checkpoint: Checkpoint) -> None:
        """A new file in place of this one, with the checkpoint that was announced."""
        self._lines = 0
        self.append(checkpoint)
        self._disk.remove(_announcement(self._path))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


CHAIN_START = bytes(32)
"""The hash before the first row of a chain; in the log, as 64 zeros."""

SALT_BYTES = 16
"""Random bytes of a row's salt."""

CHECKSUM_BYTES = 16


def row_hash(
    position: int, collection: str, upload: str, digest: bytes, day: str, labels: str, count: int, answer: str,
    salt: bytes, reports: Packed,
) -> bytes:  # fmt: skip
    """The hash of all that is stored of one upload; `labels` as the canonical text that is stored."""
    text = (  # what `canonical` writes of a list of these, which are all plain
        f"[{position},{quoted(collection)},{quoted(upload)},{quoted(digest.hex())},{quoted(day)},{quoted(labels)},"
        f"{count},{quoted(answer)}]\n"
    )
    hashed = sha256(salt + text.encode())
    hashed.update(reports)
    return hashed.digest()


def extend_chain(chain: bytes, row: bytes) -> bytes:
    """The hash of a chain after one more row."""
    return sha256(chain + row).digest()


def declaration_digest(collection: StoredCollection) -> str:
    """The digest in the public log: SHA-256 of the canonical JSON of ``[declared, law]``, both as text."""
    return sha256(canonical([collection.declared, collection.law]).encode()).hexdigest()


def log_entry(before: str, number: int, kind: str, collection: str, digest: str, day: str) -> LogEntry:
    """A line of the log; its chain is SHA-256 of the hex text before it and the canonical JSON of the rest."""
    rest = {"number": number, "kind": kind, "collection": collection, "digest": digest, "day": day}
    chain = sha256((before + canonical(rest)).encode()).hexdigest()
    return LogEntry(number, kind, collection, digest, day, chain)


def checksum(*parts: str | int | bytes | None) -> bytes:
    """A short hash stored with a row that is in no chain, so that a flipped bit in it is noticed."""
    plain = [part.hex() if isinstance(part, bytes) else part for part in parts]
    return sha256(canonical(plain).encode()).digest()[:CHECKSUM_BYTES]
