"""`Journal`: entries in a file that are durable when `append` returns, under a lock, with a key beside them.

A line is canonical JSON with the hash of all lines before it, so that damage is noticed:
``chain = SHA-256(chain of the line before + canonical JSON of the object without "chain")``, in hexadecimal; 64 zeros
stand before the first line. A line ends with a line feed, which is written with it. So a last piece without one was
never finished, and nobody has acted upon it; anything else that does not fit is damage.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...core.canonical import canonical, loads
from ...core.errors import DamagedLedger, InvalidInput
from .account import Account
from .disk import SystemDisk
from .entries import Entry, data_of, entry_of

START = "0" * 64
"""The chain before the first line."""


def line(previous: str, data: dict[str, Any]) -> tuple[bytes, str]:
    """The line of an object after one with the chain `previous`, and its own chain."""
    chain = hashlib.sha256((previous + canonical(data)).encode()).hexdigest()
    return canonical({**data, "chain": chain}).encode() + b"\n", chain


def read_lines(content: bytes, name: str) -> tuple[list[dict[str, Any]], int, str]:
    """The objects of the whole lines of a journal, how many bytes they take, and the chain of the last.

    `DamagedLedger`, which calls it `name`, for any that is not as it was written.
    """
    *whole, rest = content.split(b"\n")
    objects, chain = [], START
    for number, written in enumerate(whole, start=1):
        data = _read(written, chain)
        if data is None:
            raise DamagedLedger(
                f"{name}, line {number} is not as it was written; nothing is spent or sent until an undamaged copy "
                "is put back"
            )
        chain = data.pop("chain")
        objects.append(data)
    if rest and _read(rest[:-1], chain) is not None:  # a whole line whose line feed became something else
        raise DamagedLedger(f"{name}, line {len(objects) + 1} does not end as it was written")
    return objects, len(content) - len(rest), chain


def _read(written: bytes, previous: str) -> dict[str, Any] | None:
    """The object of a line, with its chain; None unless it is exactly what `line` writes."""
    try:
        data = loads(written, InvalidInput)
    except InvalidInput:
        return None
    if not isinstance(data, dict) or "chain" not in data:
        return None
    rest = {key: entry for key, entry in data.items() if key != "chain"}
    return data if line(previous, rest)[0] == written + b"\n" else None


KEY_BYTES = 32
"""The length of the key that makes tags of values."""


class Journal:
    """The journal in the file `path`; ``PATH.key`` holds its key, ``PATH.lock`` and ``PATH.pid`` its lock."""

    def __init__(self, path: Path, disk: SystemDisk) -> None:
        self.path, self._disk = path, disk

    @contextmanager
    def open(self, *first: Entry) -> Iterator[OpenJournal]:
        """The journal under its lock; if there is none, it is made with the `first` entries, else `InvalidInput`.

        What the file holds is made durable before anybody acts upon it: its writer may have died before.
        """
        with self._disk.locked(beside(self.path, "lock")):
            if first and self._disk.read(self.path) is None:
                Account(first)  # which checks that they can follow each other
                create_file(self._disk, self.path, b"".join(lines_of(first)))
            account, length, chain, torn = self._parse()
            if torn:
                self._disk.cut(self.path, length)
            self._disk.sync(self.path)
            self._disk.sync_folder(self.path.parent)
            yield OpenJournal(self.path, self._disk, account, length, chain)

    def view(self) -> Account:
        """What the journal adds up to just now, to be shown and not to be acted upon: some of it may not be durable."""
        return self._parse()[0]

    def _parse(self) -> tuple[Account, int, str, bool]:
        """What the file adds up to, the length and chain of its whole lines, and whether there is more of it."""
        content = self._disk.read(self.path)
        if content is None:
            raise InvalidInput(f"{self.path} must be a ledger, and there is none")
        objects, length, chain = read_lines(content, str(self.path))
        account = Account()
        for number, data in enumerate(objects, start=1):
            try:
                account.add(entry_of(data))
            except InvalidInput as problem:
                raise DamagedLedger(f"{self.path}, line {number}: {problem}") from None
        if not objects:
            raise DamagedLedger(f"{self.path} must begin with a cap, and holds no whole line")
        return account, length, chain, length < len(content)


class OpenJournal:
    """A journal while its lock is held: what it adds up to, and the way to add to it."""

    def __init__(self, path: Path, disk: SystemDisk, account: Account, length: int, chain: str) -> None:
        self.account = account
        self._path, self._disk, self._length, self._chain = path, disk, length, chain

    def key(self) -> bytes:
        """The key that makes tags of values, made if there is none, and durable."""
        path = beside(self._path, "key")
        key = self._disk.read(path)
        if key is None:
            create_file(self._disk, path, secrets.token_bytes(KEY_BYTES))
            key = self._disk.read(path) or b""
        if len(key) != KEY_BYTES:
            raise DamagedLedger(f"{path} must hold {KEY_BYTES} bytes; without it, every value looks changed")
        self._disk.sync(path)
        self._disk.sync_folder(path.parent)
        return key

    def append(self, entry: Entry) -> None:
        """Add an entry, durable when this returns; where that fails, nothing of it stays."""
        written, chain = line(self._chain, data_of(entry))
        try:
            self._disk.append(self._path, written)
            self._disk.sync(self._path)
        except OSError:
            self._disk.cut(self._path, self._length)
            self._disk.sync(self._path)
            raise
        self.account.add(entry)
        self._length, self._chain = self._length + len(written), chain


def create_file(disk: SystemDisk, path: Path, content: bytes) -> None:
    """Create a file that is there with all its bytes, durably, or not at all; only under the lock."""
    draft = beside(path, "new")
    disk.create(draft, content)
    disk.sync(draft)
    disk.rename(draft, path)
    disk.sync_folder(path.parent)


def lines_of(entries: Iterable[Entry]) -> Iterator[bytes]:
    """The lines of entries, from the first on."""
    chain = START
    for entry in entries:
        written, chain = line(chain, data_of(entry))
        yield written


def beside(path: Path, suffix: str) -> Path:
    """The file that belongs to another one: ``PATH.suffix``."""
    return path.with_name(f"{path.name}.{suffix}")
