"""`Journal`: entries in a file that are durable when `append` returns, under a lock, with a key beside them.

The lines of a journal: canonical JSON, each with the hash of all before it, read so that damage is noticed.

``chain = SHA-256(chain of the line before + canonical JSON of the object without "chain")``, in hexadecimal; 64 zeros
stand before the first line. A line ends with a line feed, which is written with it. So a last piece without one was
never finished, and nobody has acted upon it; anything else that does not fit is damage.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.canonical import canonical, loads
from ...core.errors import DamagedLedger, InvalidInput
from .account import Account
from .disk import Disk
from .entries import Budget, Cap, Entry, data_of, entry_of

START = "0" * 64
"""The chain before the first line."""


def line(previous: str, data: dict[str, Any]) -> tuple[bytes, str]:
    """The line of an object after one with the chain `previous`, and its own chain."""
    chain = hashlib.sha256((previous + canonical(data)).encode()).hexdigest()
    return canonical({**data, "chain": chain}).encode() + b"\n", chain


@dataclass(frozen=True)
class Lines:
    """What a journal holds: its objects, how many bytes they take, and the chain of the last."""

    data: tuple[dict[str, Any], ...]
    length: int
    chain: str


def read_lines(content: bytes, name: str) -> Lines:
    """The whole lines of a journal; `DamagedLedger`, which calls it `name`, for any that is not as it was written."""
    *whole, rest = content.split(b"\n")
    found, chain = [], START
    for number, written in enumerate(whole, start=1):
        data = _read(written, chain)
        if data is None:
            raise DamagedLedger(
                f"{name}, line {number} is not as it was written; nothing is spent or sent until an undamaged copy "
                "is put back"
            )
        chain = data.pop("chain")
        found.append(data)
    if rest and _read(rest[:-1], chain) is not None:  # a whole line whose line feed became something else
        raise DamagedLedger(f"{name}, line {len(found) + 1} does not end as it was written")
    return Lines(tuple(found), len(content) - len(rest), chain)


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

    def __init__(self, path: Path, disk: Disk) -> None:
        self.path, self._disk = path, disk
        self._lock, self._key = beside(path, "lock"), beside(path, "key")

    @contextmanager
    def created(self, cap: Cap, *budgets: Budget) -> Iterator[OpenJournal]:
        """The journal under its lock, made with this cap and these budgets if there is none."""
        with self._disk.locked(self._lock):
            if self._disk.read(self.path) is None:
                Account([cap, *budgets])  # which checks that they can follow each other
                self._make(self.path, b"".join(lines_of([cap, *budgets])))
            yield self._read()

    @contextmanager
    def opened(self) -> Iterator[OpenJournal]:
        """The journal under its lock; `InvalidInput` if there is none."""
        with self._disk.locked(self._lock):
            yield self._read()

    def viewed(self) -> Account:
        """What the journal adds up to just now, to be shown and not to be acted upon: some of it may not be durable."""
        return self._parsed()[0]

    def _read(self) -> OpenJournal:
        """What the file holds, made durable before anybody acts upon it: its writer may have died before."""
        account, length, chain, torn = self._parsed()
        if torn:
            self._disk.cut(self.path, length)
        self._disk.sync(self.path)
        self._disk.sync_folder(self.path.parent)
        return OpenJournal(self, account, length, chain)

    def _parsed(self) -> tuple[Account, int, str, bool]:
        """What the file adds up to, the length and chain of its whole lines, and whether there is more of it."""
        content = self._disk.read(self.path)
        if content is None:
            raise InvalidInput(f"{self.path} must be a ledger, and there is none")
        found = read_lines(content, str(self.path))
        account = Account()
        for number, data in enumerate(found.data, start=1):
            try:
                account.add(entry_of(data))
            except InvalidInput as problem:
                raise DamagedLedger(f"{self.path}, line {number}: {problem}") from None
        if not found.data:
            raise DamagedLedger(f"{self.path} must begin with a cap, and holds no whole line")
        return account, found.length, found.chain, found.length < len(content)

    def _make(self, path: Path, content: bytes) -> None:
        """A file that is there with all its bytes, durably, or not at all; only under the lock."""
        draft = beside(path, "new")
        self._disk.create(draft, content)
        self._disk.sync(draft)
        self._disk.rename(draft, path)
        self._disk.sync_folder(path.parent)

    def key(self) -> bytes:
        """The key, made if there is none, and durable; only under the lock."""
        key = self._disk.read(self._key)
        if key is None:
            self._make(self._key, secrets.token_bytes(KEY_BYTES))
            key = self._disk.read(self._key) or b""
        if len(key) != KEY_BYTES:
            raise DamagedLedger(f"{self._key} must hold {KEY_BYTES} bytes; without it, every value looks changed")
        self._disk.sync(self._key)
        self._disk.sync_folder(self._key.parent)
        return key

    def extend(self, content: bytes, length: int) -> None:
        """More bytes after the first `length`, durable when this returns; where that fails, none of them stay."""
        try:
            self._disk.append(self.path, content)
            self._disk.sync(self.path)
        except OSError:
            self._disk.cut(self.path, length)
            self._disk.sync(self.path)
            raise


class OpenJournal:
    """A journal while its lock is held: what it adds up to, and the way to add to it."""

    def __init__(self, journal: Journal, account: Account, length: int, chain: str) -> None:
        self.account = account
        self._journal, self._length, self._chain = journal, length, chain

    def key(self) -> bytes:
        """The key that makes tags of values."""
        return self._journal.key()

    def append(self, entry: Entry) -> None:
        """Add an entry; it is durable when this returns."""
        written, chain = line(self._chain, data_of(entry))
        self._journal.extend(written, self._length)
        self.account.add(entry)
        self._length, self._chain = self._length + len(written), chain


def lines_of(entries: Iterable[Entry]) -> Iterator[bytes]:
    """The lines of entries, from the first on."""
    chain = START
    for entry in entries:
        written, chain = line(chain, data_of(entry))
        yield written


def beside(path: Path, suffix: str) -> Path:
    """The file that belongs to another one: ``PATH.suffix``."""
    return path.with_name(f"{path.name}.{suffix}")
