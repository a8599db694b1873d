"""Byte strings as rows of an array: what an audit looks at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput

Cached = TypeVar("Cached")

END = 256
"""The code of a position beyond the end of a string."""
MAX_REPORT_BYTES = 1 << 16
"""The most bytes that a report may have."""
MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)
WORD_BYTES = bytes(c if chr(c).isalnum() or c in b"_-.+%:/" else 32 for c in range(128)) + bytes([32]) * 128
"""A translation table that turns everything that separates words into spaces."""


@dataclass(eq=False)
class Strings:
    """Byte strings, one per row, padded with zeros; `lengths` says where each ends."""

    rows: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    items: Sequence[bytes] | None = None
    _cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, items: Sequence[bytes]) -> Strings:
        """The strings of a list."""
        lengths = np.fromiter((len(item) for item in items), dtype=np.int64, count=len(items))
        width = max(1, int(lengths.max(initial=0)))
        if width > MAX_REPORT_BYTES:
            raise InvalidInput(
                f"report: {width} bytes must be at most {MAX_REPORT_BYTES}, the most that an audit reads"
            )
        flat = np.frombuffer(b"".join(items), dtype=np.uint8)
        if bool((lengths == width).all()):
            return cls(flat.reshape(len(items), width), lengths, items)
        rows = np.zeros((len(items), width), dtype=np.uint8)
        rows[np.arange(width) < lengths[:, None]] = flat
        return cls(rows, lengths, items)

    @classmethod
    def packed(cls, data: bytes, width: int) -> Strings:
        """Strings of one width, stored one after the other."""
        rows = np.frombuffer(data, dtype=np.uint8).reshape(-1, width)
        return cls(rows, np.full(len(rows), width, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        """The length of the longest string."""
        return int(self.rows.shape[1])

    @cached_property
    def level(self) -> bool:
        """True if all strings have the same length."""
        return bool((self.lengths == self.width).all())

    def byte(self, place: int) -> NDArray[np.int64]:
        """The byte at a position of every string, counted from the end if negative; `END` beyond it."""
        if self.level and -self.width <= place < self.width:
            return self.rows[:, place].astype(np.int64)
        at = np.full(len(self), place) if place >= 0 else self.lengths + place
        inside = (at >= 0) & (at < self.lengths)
        codes = self.rows[np.arange(len(self)), np.where(inside, at, 0)].astype(np.int64)
        return np.where(inside, codes, END)

    def head(self, count: int) -> NDArray[np.uint64]:
        """The first `count` bytes (at most 8) as one number, with zeros beyond the end."""
        part = np.zeros((len(self), 8), dtype=np.uint8)
        most = min(count, self.width)
        part[:, :most] = self.rows[:, :most]
        return part.view("<u8")[:, 0]

    def tail(self, count: int) -> NDArray[np.uint64]:
        """The last `count` bytes (at most 8) as one number, with zeros before the beginning."""
        part = np.zeros((len(self), 8), dtype=np.uint8)
        for back in range(1, count + 1):
            code = self.byte(-back)
            part[:, count - back] = np.where(code == END, 0, code)
        return part.view("<u8")[:, 0]

    def whole(self) -> NDArray[np.uint64]:
        """One number for every string: the string itself up to 7 bytes, a 64-bit mix of it beyond."""
        short = self.head(7) | (self.lengths.astype(np.uint64) << np.uint64(56))
        if self.width <= 7:
            return short
        columns = -(-self.width // 8)
        padded = np.zeros((len(self), 8 * columns), dtype=np.uint8)
        padded[:, : self.width] = self.rows
        mixed = self.lengths.astype(np.uint64)
        for column, word in enumerate(padded.view("<u8").T):
            further = (mixed ^ word) * MIX
            mixed = np.where(8 * column < self.lengths, further ^ (further >> SHIFT), mixed)
        return np.where(self.lengths <= 7, short, mixed)

    def is_text(self) -> bool:
        """True if every byte is printable ASCII, a space or a tab."""
        plain = ((self.rows >= 32) & (self.rows < 127)) | (self.rows == 9)
        return bool((plain | (np.arange(self.width) >= self.lengths[:, None])).all())

    @cached_property
    def words(self) -> list[list[bytes]]:
        """The words of every string: runs of letters, digits and ``_-.+%:/``."""
        return [item.translate(WORD_BYTES).split() for item in self.items or ()]

    def cached(self, key: Hashable, make: Callable[[], Cached]) -> Cached:
        """The result of `make`, computed once for these strings and this key."""
        if key not in self._cache:
            self._cache[key] = make()
        cached: Cached = self._cache[key]
        return cached

    def words_among(self, some: frozenset[bytes]) -> list[frozenset[bytes]]:
        """Which of `some` words every string has."""
        return self.cached(some, lambda: [some.intersection(words) for words in self.words])
