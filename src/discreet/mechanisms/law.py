"""Laws as data: the whole numbers by which a report is drawn, with no behaviour of their own.

Every sampler has a law: a frozen dataclass of whole numbers, tuples of them, sets (`Bits`), rows (`Row`) and laws.
Samplers, compiled kernels, certificates and fingerprints are all made from it. What a law cannot say, such as why
a set of shifts gives accurate shares, its sampler works out; privacy never depends on that.
"""

from __future__ import annotations

import base64
import sys
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any, ClassVar

from ..core.canonical import EXACT

WORD_BITS = 64


@dataclass(frozen=True)
class Law:
    """The base of all laws; `kind` is the name of a law wherever it is written."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class Bits:
    """A set of numbers below `size`: bit i of `bits` says whether i is a member."""

    size: int
    bits: int

    @classmethod
    def of(cls, members: Iterable[int], size: int) -> Bits:
        """The set with these members."""
        flags = bytearray(size // 8 + 1)
        for i in members:
            flags[i >> 3] |= 1 << (i & 7)
        return cls(size, int.from_bytes(flags, "little"))

    def __iter__(self) -> Iterator[int]:
        """The members in increasing order."""
        for at, byte in enumerate(self.bits.to_bytes(-(-self.size // 8), "little")):
            while byte:
                lowest = byte & -byte
                yield 8 * at + lowest.bit_length() - 1
                byte ^= lowest

    def __len__(self) -> int:
        return self.bits.bit_count()


@dataclass(frozen=True)
class Row:
    """A long row of numbers below 2**32, kept as their bytes, 4 each, the lowest first."""

    packed: bytes

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Row:
        """The row of these numbers."""
        return cls(_little(array("I", numbers)).tobytes())

    def numbers(self) -> array[int]:
        """The numbers, in an array of the caller's own."""
        row = array("I")
        row.frombytes(self.packed)
        return _little(row)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers())

    def __len__(self) -> int:
        return len(self.packed) // 4


def _little(row: array[int]) -> array[int]:
    """The row as this machine would hold it if the lowest byte came first."""
    if sys.byteorder == "big":
        row.byteswap()
    return row


def plain_law(law: Law) -> dict[str, Any]:
    """A law as JSON data: its kind and all its fields, each with exactly one way to be written.

    Whole numbers are numbers below 2**53 and decimal text from there on; a set is the base64 of its bytes, the
    lowest first; a long row of numbers is its runs, ``[number, how often]``.
    """
    return {"kind": law.kind, **{field.name: _plain(getattr(law, field.name)) for field in fields(law)}}


def _plain(entry: Any) -> Any:
    if isinstance(entry, int):
        return entry if -EXACT < entry < EXACT else str(entry)
    if isinstance(entry, tuple):
        return [_plain(part) for part in entry]
    if isinstance(entry, Law):
        return plain_law(entry)
    if isinstance(entry, Bits):
        packed = entry.bits.to_bytes(-(-entry.size // 8), "little")
        return {"size": entry.size, "bits": base64.b64encode(packed).decode()}
    if isinstance(entry, Row):
        return {"runs": [[number, len(list(run))] for number, run in groupby(entry)]}
    raise TypeError(f"a law must hold whole numbers, sets, rows and laws, not {type(entry).__name__}")
