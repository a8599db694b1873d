"""Sources of random 64-bit words, one by one and as arrays: `secure` for people, `seeded` for simulation, `replay`.

Which words a report takes is said in `discreet.core.random`.

A secure source, and every stream reserved from it, belongs to the process that made it: in another one, however it
came there (forked, copied or pickled), it has a key of its own. A seeded source is a number: wherever it is copied to,
it goes on with the same words. NumPy and AES are imported where words are made by them, so that one person's report,
drawn from `secure`, needs neither.

>>> import discreet as dc
>>> rng = dc.random.seeded(1)
>>> rng.take(2), rng.fill(2).dtype.name
([2905076292630196203, 15788125739585974093], 'uint64')
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from ..core.errors import InvalidInput, RandomnessFailure, check_type
from ..core.random import EntropySource, ReplaySource, Source, check_length, entropy, words_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Source",
    "Stream",
    "replay",
    "secure",
    "seeded",
]

CHUNK = 1 << 20
"""Bytes encrypted at a time: few enough for the processor's cache, enough that threads seldom contend."""


class Stream(Source, Protocol):
    """A source whose words also come as arrays and can be reserved, so that threads can work on them in parallel."""

    def fill(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words as a NumPy array."""
        ...

    def fill_into(self, out: NDArray[np.uint64]) -> None:
        """Overwrite the contiguous array `out` with the next words, without a copy."""
        ...

    def reserve(self, count: int) -> Stream:
        """A stream of the next `count` words, which this one then skips."""
        ...

    def at(self, word: int) -> Stream:
        """A separate stream of the same words that starts the given number of words after the next one."""
        ...


class Keystream:
    """The words of AES-128 in counter mode under `key`, from word `start` to before word `end`, if that is given.

    The same in every process: a copy, also through pickle or a fork, goes on with the same words.
    """

    def __init__(self, key: bytes, *, start: int = 0, end: int | None = None) -> None:
        self._key, self._end = key, end
        self._lock = threading.Lock()
        self._move_to(start)

    def _move_to(self, start: int) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        counter = (start // 2).to_bytes(16, "big")
        self._next = start
        self._cipher = Cipher(algorithms.AES(self._key), modes.CTR(counter)).encryptor()
        self._cipher.update(bytes(8 * (start % 2)))

    def _after(self, count: int) -> int:
        """Where `count` more words end; those that follow reserved ones are others'."""
        end = self._next + count
        if self._end is not None and end > self._end:
            raise RandomnessFailure(f"asked for {count} of {self._end - self._next} reserved words; no report was made")
        return end

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Keystream, start=self._next, end=self._end), (self._key,)

    def at(self, word: int) -> Keystream:
        """A separate stream of the same words that starts the given number of words after the next one."""
        return Keystream(self._key, start=self._after(word), end=self._end)

    def reserve(self, count: int) -> Keystream:
        """A stream of the next `count` words, which this one skips: however they are split, the words are the same."""
        with self._lock:
            start, end = self._next, self._after(count)
            self._move_to(end)
        return Keystream(self._key, start=start, end=end)

    def take(self, count: int) -> list[int]:
        """The next `count` words as integers."""
        with self._lock:
            self._next = self._after(count)
            return words_in(check_length(self._cipher.update(bytes(8 * count)), 8 * count))

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
            self._next = self._after(out.size)
            for begin in range(0, len(view), len(zeros)):
                part = view[begin : begin + len(zeros)]
                written = self._cipher.update_into(zeros[: len(part)], part)
                if written != len(part):
                    raise RandomnessFailure(f"asked for {len(part)} random bytes, got {written}; no report was made")


@cache
def _zeros() -> memoryview:
    """The plaintext whose encryption is the stream."""
    return memoryview(bytes(CHUNK))


_forks = 0
"""How many forks are behind this process, as far as Python was told."""


def _note_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def _process() -> tuple[int, int]:
    """What tells this process from the one it was forked from.

    The process id, which also changes when C code forks, and the count of forks, since ids are used again.
    """
    return os.getpid(), _forks


class _Private:
    """A keystream of this process alone: in a fork, a copy and a pickle it becomes one under a fresh key.

    The stream and its process are one entry, replaced at once: a thread holds an old stream or a new one, never parts
    of both, and a lock that was held while the process forked is left behind with the stream that it guards.
    """

    def __init__(self, stream: Keystream | None = None) -> None:
        self._owned = None if stream is None else (_process(), stream)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    def _stream(self) -> Keystream:
        if self._owned is None or self._owned[0] != _process():
            self._owned = _process(), Keystream(entropy(16))
        return self._owned[1]

    def take(self, count: int) -> list[int]:
        return self._stream().take(count)

    def fill(self, count: int) -> NDArray[np.uint64]:
        return self._stream().fill(count)

    def fill_into(self, out: NDArray[np.uint64]) -> None:
        self._stream().fill_into(out)

    def at(self, word: int) -> _Private:
        return _Private(self._stream().at(word))

    def reserve(self, count: int) -> _Private:
        return _Private(self._stream().reserve(count))


class _Secure(_Private, EntropySource):
    """Operating-system entropy for single reports; in bulk, AES-CTR under a key drawn from it."""

    take = EntropySource.take


def secure() -> Stream:
    """The source for real people: fresh operating-system entropy, never seeded, failing closed.

    A copy of it, one sent to another process and one found there after a fork draw words of their own.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> mechanism.randomize("yes", dc.random.secure()) in mechanism.reports()
    True
    """
    return _Secure()


def seeded(seed: int) -> Stream:
    """A reproducible source for simulation and tests only: AES-128-CTR keyed by a hash of `seed`.

    A copy of it goes on with the same words, also in another process; give each process a seed of its own.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> rng = dc.random.seeded(1)
    >>> [mechanism.randomize("yes", rng) for _ in range(8)]
    [0, 1, 1, 0, 1, 1, 0, 1]
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InvalidInput(f"seed={seed!r} must be a whole number")
    return Keystream(hashlib.sha256(b"discreet seeded source " + str(seed).encode()).digest()[:16])


class ReplayStream(ReplaySource):
    """A source that gives the listed words, also as arrays, and then fails."""

    def fill(self, count: int) -> NDArray[np.uint64]:
        import numpy as np

        return np.array(self.take(count), dtype=np.uint64)


def replay(words: Iterable[int]) -> ReplayStream:
    """A source that gives the listed words and then fails: for proofs by execution and shared vectors.

    >>> import discreet as dc
    >>> rng = dc.random.replay([3, 1, 4])
    >>> rng.take(3)
    [3, 1, 4]
    >>> rng.take(1)
    Traceback (most recent call last):
        ...
    discreet.core.errors.RandomnessFailure: asked for 1 words, got 0; no report was made
    """
    check_type("words", words, Iterable, "a collection of whole numbers")
    return ReplayStream(words)


def words_of(rng: Source, count: int) -> NDArray[np.uint64]:
    """The next `count` words of any source as an array."""
    import numpy as np

    fill = getattr(rng, "fill", None)
    words: NDArray[np.uint64] = np.array(rng.take(count), dtype=np.uint64) if fill is None else fill(count)
    return words


def __dir__() -> list[str]:
    return __all__
