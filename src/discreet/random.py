"""Sources of random 64-bit words: `secure` for people, `seeded` for simulation, `replay` for proofs.

A mechanism uses a fixed number W of words per report, so report i of a source takes words
``[iW, (i+1)W)`` whatever the values and outcomes are, one at a time or in bulk.
Words are never thrown away and never shared between reports.
"""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from .errors import InvalidInput, RandomnessFailure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MASK = (1 << 64) - 1
CHUNK = 1 << 20
"""Bytes encrypted at a time: few enough for the processor's cache, enough that threads seldom contend."""


class Source(Protocol):
    """Where words come from; both methods take the next words of the same stream."""

    def take(self, count: int) -> list[int]:
        """The next `count` words as integers (standard library only)."""
        ...

    def fill(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words as a NumPy array."""
        ...


class Stream(Source, Protocol):
    """A source whose words can be reserved, so that threads can work on them in parallel."""

    def reserve(self, count: int) -> Keystream:
        """A source of the next `count` words, which this one then skips."""
        ...


def _integers(data: bytes, count: int) -> list[int]:
    if len(data) != 8 * count:
        raise RandomnessFailure(f"asked for {8 * count} random bytes, got {len(data)}; no report was made")
    return [int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data), 8)]


class Keystream:
    """The words of AES-128 in counter mode under `key`, from word `start` on."""

    def __init__(self, key: bytes, *, start: int = 0) -> None:
        self._key = key
        self._lock = threading.Lock()
        self._move_to(start)

    def _move_to(self, start: int) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        counter = (start // 2).to_bytes(16, "big")
        self._next = start
        self._cipher = Cipher(algorithms.AES(self._key), modes.CTR(counter)).encryptor()
        self._cipher.update(bytes(8 * (start % 2)))

    def at(self, word: int) -> Keystream:
        """A separate stream of the same words that starts the given number of words after the next one."""
        return Keystream(self._key, start=self._next + word)

    def reserve(self, count: int) -> Keystream:
        """A stream of the next `count` words, which this one skips: however they are split, the words are the same."""
        with self._lock:
            reserved = self.at(0)
            self._move_to(self._next + count)
        return reserved

    def take(self, count: int) -> list[int]:
        """The next `count` words as integers."""
        with self._lock:
            self._next += count
            return _integers(self._cipher.update(bytes(8 * count)), count)

    def fill(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words, encrypted straight into a new array."""
        import numpy as np

        out = np.empty(count, dtype="<u8")
        self.fill_into(out)
        return out

    def fill_into(self, out: NDArray[np.uint64]) -> None:
        """Overwrite the contiguous array `out` with the next words, without a copy."""
        if not out.size:
            return
        zeros, view = _zeros(), out.data.cast("B")
        with self._lock:
            self._next += out.size
            for begin in range(0, len(view), len(zeros)):
                part = view[begin : begin + len(zeros)]
                written = self._cipher.update_into(zeros[: len(part)], part)
                if written != len(part):
                    raise RandomnessFailure(f"asked for {len(part)} random bytes, got {written}; no report was made")


@cache
def _zeros() -> memoryview:
    """The plaintext whose encryption is the stream."""
    return memoryview(bytes(CHUNK))


class _Secure:
    """Operating-system entropy for single reports; in bulk, AES-CTR under a key drawn from it."""

    def __init__(self) -> None:
        self._stream: Keystream | None = None
        _live.add(self)

    def take(self, count: int) -> list[int]:
        try:
            return _integers(os.urandom(8 * count), count)
        except (OSError, NotImplementedError) as failure:
            raise RandomnessFailure(
                f"the operating system gave no randomness ({failure}); no report was made"
            ) from failure

    def _keyed(self) -> Keystream:
        if self._stream is None:
            low, high = self.take(2)
            self._stream = Keystream(low.to_bytes(8, "little") + high.to_bytes(8, "little"))
        return self._stream

    def fill(self, count: int) -> NDArray[np.uint64]:
        return self._keyed().fill(count)

    def fill_into(self, out: NDArray[np.uint64]) -> None:
        self._keyed().fill_into(out)

    def reserve(self, count: int) -> Keystream:
        return self._keyed().reserve(count)

    def forget(self) -> None:
        """Drop the key, so that a forked child never repeats its parent's words."""
        self._stream = None


_live: weakref.WeakSet[_Secure] = weakref.WeakSet()


def _forget_keys() -> None:
    for source in list(_live):
        source.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_keys)


def secure() -> Stream:
    """The source for real people: fresh operating-system entropy, never seeded, fork-safe, failing closed."""
    return _Secure()


def seeded(seed: int) -> Stream:
    """A reproducible source for simulation and tests only: AES-128-CTR keyed by a hash of `seed`."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InvalidInput(f"seed={seed!r} must be a whole number")
    return Keystream(hashlib.sha256(b"discreet seeded source " + str(seed).encode()).digest()[:16])


class _Replay:
    def __init__(self, words: Iterable[int]) -> None:
        self._words = iter(words)

    def take(self, count: int) -> list[int]:
        taken = [word for _, word in zip(range(count), self._words, strict=False)]
        if len(taken) != count:
            raise RandomnessFailure(f"asked for {count} words, got {len(taken)}; no report was made")
        return taken

    def fill(self, count: int) -> Any:
        import numpy as np

        return np.array(self.take(count), dtype=np.uint64)


def replay(words: Iterable[int]) -> Source:
    """A source that gives the listed words and then fails: for proofs by execution and shared vectors."""
    return _Replay(words)
