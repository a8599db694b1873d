"""What the machine itself can do: random words, copied bytes, sums over reports, each in this very run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from measure import Result, least

from discreet.bulk.randomizing import BUFFER
from discreet.bulk.words import Keystream

WORDS = 1 << 23


@dataclass(frozen=True)
class Limits:
    """Rates a second of one core."""

    words: float
    """64-bit words of AES-128-CTR into a buffer that stays in the cache."""
    copied: float
    """Bytes copied from memory to memory."""
    summed: dict[str, float]
    """Reports that `np.sum` adds up, by type."""


def limits() -> Limits:
    """The rates, measured now."""
    stream, buffer = Keystream(bytes(16)), np.empty(BUFFER, dtype=np.uint64)

    def words() -> None:
        for _ in range(WORDS // BUFFER):
            stream.fill_into(buffer)

    source = np.ones(1 << 27, dtype=np.uint8)
    target = np.empty_like(source)
    summed = {}
    for kind in ("u2", "u4"):
        reports = np.ones(1 << 24, dtype=kind)
        summed[kind] = len(reports) / least(reports.sum)
    return Limits(WORDS / least(words), len(source) / least(lambda: np.copyto(target, source)), summed)


def told(found: Limits) -> list[Result]:
    """The limits as lines of the table."""
    section = "the machine, one core"
    return [
        Result(section, "AES-128-CTR words", 0, WORDS, found.words, "words/s"),
        Result(section, "memory copied", 0, 1 << 27, found.copied, "bytes/s"),
        *(Result(section, f"np.sum of {kind}", 0, 1 << 24, rate) for kind, rate in found.summed.items()),
    ]
