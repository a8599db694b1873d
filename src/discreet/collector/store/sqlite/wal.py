"""Reads SQLite's write-ahead log to tell how much of it a recovery would keep.

SQLite checks the checksums of the log only when it opens a database that nobody has open, and then drops everything
after the first that is wrong. A check of a running store therefore counts itself how many frames are sound. The format
is that of https://sqlite.org/fileformat2.html#walformat and, for the index, https://sqlite.org/walformat.html.
"""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HEADER, FRAME = 32, 24
LITTLE, BIG = 0x377F0682, 0x377F0683
MASK = 0xFFFFFFFF


def sound_frames(wal: Path) -> int:
    """How many frames, up to the last that ends a transaction, a recovery would keep."""
    data = wal.read_bytes() if wal.exists() else b""
    if len(data) < HEADER:
        return 0
    magic, _, page = struct.unpack(">III", data[:12])
    if magic not in (LITTLE, BIG) or not 512 <= page <= 65536:
        return 0
    order = "<" if magic == LITTLE else ">"
    sums = _checksum(order, data[:24], (0, 0))
    if struct.unpack(">II", data[24:32]) != sums:
        return 0
    salts, kept = data[16:24], 0
    for number, start in enumerate(range(HEADER, len(data) - FRAME - page + 1, FRAME + page), 1):
        frame = data[start : start + FRAME + page]
        sums = _checksum(order, frame[:8] + frame[FRAME:], sums)
        if frame[8:16] != salts or struct.unpack(">II", frame[16:24]) != sums:
            break
        if struct.unpack(">I", frame[4:8])[0]:
            kept = number
    return kept


def frames_in_use(index: Path) -> int:
    """How many frames the connections of a running store read, as the shared index beside the log says."""
    data = index.read_bytes()[:48] if index.exists() else b""
    return int(struct.unpack("=I", data[16:20])[0]) if len(data) == 48 else 0


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    """SQLite's two sums modulo 2**32: each pair of words does ``first += a + second; second += b + first``."""
    pairs = np.frombuffer(data, dtype=f"{order}u4").astype(np.uint32).reshape(-1, 2)
    grown = _powers(len(pairs))
    added = np.stack([pairs[:, 0], pairs[:, 0] + pairs[:, 1]], axis=1)
    start = grown[0] @ np.array(sums, dtype=np.uint32)
    total = start + np.einsum("nij,nj->i", grown[1:], added, dtype=np.uint32)
    return int(total[0]), int(total[1])


@cache
def _powers(count: int) -> NDArray[np.uint32]:
    """The powers, from the highest down to 0, of what one pair of zeros makes of the sums."""
    powers = np.empty((count + 1, 2, 2), dtype=np.uint32)
    power = [[1, 0], [0, 1]]
    for at in range(count, -1, -1):
        powers[at] = power
        (a, b), (c, d) = power
        power = [[(a + b) & MASK, (a + 2 * b) & MASK], [(c + d) & MASK, (c + 2 * d) & MASK]]
    return powers
