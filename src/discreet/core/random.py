"""Sources of random 64-bit words: what one person's report is drawn from, with the standard library alone.

A mechanism uses a fixed number W of words per report, so report i of a source takes words
``[iW, (i+1)W)`` whatever the values and outcomes are, one at a time or in bulk.
Words are never thrown away and never shared between reports.
Sources whose words also come as arrays are in `discreet.bulk.words`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from time import perf_counter_ns
from typing import Protocol

from .errors import InvalidInput, RandomnessFailure


class Source(Protocol):
    """A source of random 64-bit words. One that also serves many reports at once has ``fill(count)``, for arrays."""

    def take(self, count: int) -> list[int]:
        """The next `count` words as integers (standard library only)."""
        ...


class EntropySource:
    """Fresh entropy of the operating system, never seeded, failing closed: the source for one person's report."""

    def take(self, count: int) -> list[int]:
        """The next `count` words as integers."""
        return words_in(entropy(8 * count))


class ReplaySource:
    """A source that gives the listed words and then fails."""

    def __init__(self, words: Iterable[int]) -> None:
        self._words = iter(words)

    def take(self, count: int) -> list[int]:
        """The next `count` words; `RandomnessFailure` if fewer are left."""
        taken = [word for _, word in zip(range(count), self._words, strict=False)]
        if len(taken) != count:
            raise RandomnessFailure(f"asked for {count} words, got {len(taken)}; no report was made")
        return taken


def entropy(count: int) -> bytes:
    """Bytes from the operating system, all of them or `RandomnessFailure`."""
    try:
        return check_length(os.urandom(count), count)
    except (OSError, NotImplementedError) as failure:
        raise RandomnessFailure(f"the operating system gave no randomness ({failure}); no report was made") from failure


def check_length(data: bytes, count: int) -> bytes:
    """The same bytes; `RandomnessFailure` unless there are `count` of them."""
    if len(data) != count:
        raise RandomnessFailure(f"asked for {count} random bytes, got {len(data)}; no report was made")
    return data


def words_in(data: bytes) -> list[int]:
    """The 64-bit words in bytes, lowest byte first."""
    return [int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data), 8)]


def pause(begun: int) -> None:
    """Wait a random while, at most as long as has passed since `begun`, a reading of `perf_counter_ns`."""
    part = int.from_bytes(entropy(2), "little")  # of 2**16
    now = perf_counter_ns()
    until = now + ((now - begun) * part >> 16)
    while perf_counter_ns() < until:
        pass


def check_source(rng: object) -> None:
    """Refuse what is not a source of words, such as a generator of NumPy, which is not made for privacy."""
    in_bulk = hasattr(rng, "take") and hasattr(rng, "fill") and not hasattr(rng, "__array__")
    if not in_bulk and not isinstance(rng, EntropySource | ReplaySource):
        raise InvalidInput(f"rng of type {type(rng).__name__} must be a source of words, such as dc.random.secure()")
