"""Words by address: the same record and value always draw the same words, wherever they are computed.

An engine that may run a task twice must not randomize afresh each time: a second, independent
report would reveal more than the certificate says. Here the words of a report depend only on

    (collection key, record id: 64 bits, number of the value: 32 bits, block counter: 32 bits),

namely AES-128 under the collection key of the 16-byte block ``id | value | counter``, each
little-endian; block c gives words 2c and 2c+1 of the report, little-endian, and a report of W
words uses ceil(W / 2) blocks. A task run again gives the same reports. A changed value draws other
words, so the noise of one report is never used for another value. The collection key is derived from the whole
published law (values, context, and the whole numbers that reports are drawn by), and reports are drawn by that
law alone: under another law, however alike, a record draws independent words. AES is a permutation, so the
blocks of a collection are distinct; that distinguishes q blocks from random ones with advantage at most
``q**2 / 2**129``: 2e-23 for a hundred million of them.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from numpy.typing import NDArray

from ..core.canonical import canonical
from ..core.errors import InvalidInput, RandomnessFailure
from ..mechanisms.laws import sampler_of
from ..mechanisms.mechanism import Mechanism
from .randomizing import randomize_positions

BLOCKS_AT_ONCE = 1 << 15
"""Blocks encrypted in one call: half a megabyte, which stays in the cache."""

MIN_SECRET_BYTES = 16
"""The fewest bytes that a secret may have."""

BLOCK_BYTES = 16
"""The bytes of a block of AES."""

Words = NDArray[np.uint64]


class CollectionKey:
    """The keys of one mechanism in one collection: one for words, one to turn text into record ids; never shown.

    HKDF-SHA256 of the secret, with the mechanism's published law, byte for byte, and the collection's name as context,
    so that another law, question or wave draws independent words from the same secret.
    """

    def __init__(self, secret: bytes, mechanism: Mechanism, *, collection: str) -> None:
        if not isinstance(secret, (bytes, bytearray)) or len(secret) < MIN_SECRET_BYTES:
            size = f"{len(secret)} bytes" if isinstance(secret, (bytes, bytearray)) else type(secret).__name__
            raise InvalidInput(f"key of {size} must be at least {MIN_SECRET_BYTES} secret bytes")
        law = canonical(mechanism.description).encode()
        context = b"%d:%b%b" % (len(law), law, collection.encode())
        derived = HKDF(SHA256(), 32, salt=b"discreet addressed words 2", info=context).derive(bytes(secret))
        self._words, self._names = derived[:16], derived[16:]
        self.fingerprint = sha256(law).hexdigest()

    def words(self, ids: Any, indices: Any, words: int) -> Addressed:
        """The source whose reports, in order, are those of the records `ids` with values `indices`."""
        return Addressed(BlockCipher(self._words), ids, indices, words)

    def names(self) -> BlockCipher:
        """The permutation under which text is hashed to a record id."""
        return BlockCipher(self._names)

    def __repr__(self) -> str:
        return "<collection key>"


def randomize_records(mechanism: Mechanism, indices: Any, *, ids: Any, key: CollectionKey) -> NDArray[Any]:
    """The reports of the records `ids` (whole numbers of 64 bits) whose values have these indices.

    A cluster gives the same reports for the same key, ids and values. `InvalidInput` if the key is another mechanism's.
    """
    if key.fingerprint != mechanism.fingerprint:
        raise InvalidInput("key must be that of the mechanism: words of one law may not be used for another")
    lawful = _by_law(mechanism)
    return randomize_positions(lawful, indices, key.words(ids, indices, lawful.words))


@lru_cache(maxsize=4)
def _by_law(mechanism: Mechanism) -> Mechanism:
    """What draws by the mechanism's law and nothing else, certified for its context.

    The mechanism's own sampler may be of a class that draws otherwise by the same numbers.
    """
    return Mechanism(mechanism.context, sampler_of(mechanism.law()), served=mechanism.served)


class BlockCipher:
    """AES-128 on arrays of 16-byte blocks, each independent of the others."""

    def __init__(self, key: bytes) -> None:
        self._cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()

    def encrypt(self, padded: Words) -> None:
        """Encrypt an array of whole blocks in place, except its last two words, which are spare."""
        view = padded.view(np.uint8)
        written = self._cipher.update_into(view[:-16].data, view.data)
        if written != view.size - 16:
            raise RandomnessFailure(f"asked for {view.size - 16} bytes, got {written}; no report was made")


class Addressed:
    """A `discreet.bulk.words.Source` whose report i takes the words of record ``ids[i]`` with value ``indices[i]``."""

    def __init__(self, cipher: BlockCipher, ids: Any, indices: Any, words: int) -> None:
        self._ids, self._indices = np.asarray(ids), np.asarray(indices)
        if self._ids.shape != self._indices.shape or self._ids.ndim != 1:
            raise InvalidInput(f"ids of shape {self._ids.shape} must be one per value, {self._indices.shape}")
        if self._ids.size and (self._ids.dtype.kind not in "iu" or self._indices.dtype.kind not in "iu"):
            raise InvalidInput(f"ids of type {self._ids.dtype} must be whole numbers of at most 64 bits")
        if self._indices.size and not 0 <= int(self._indices.min()) <= int(self._indices.max()) < 1 << 32:
            raise InvalidInput("indices must be from 0 to 2**32 - 1")
        self._cipher, self._width, self._at = cipher, words, 0

    def take(self, count: int) -> list[int]:
        """The words of the next reports, as integers."""
        return [int(word) for word in self.fill(count)]

    def fill(self, count: int) -> Words:
        """The words of the next reports; whole reports only."""
        rows, left = divmod(count, self._width)
        if left or self._at + rows > len(self._ids):
            raise RandomnessFailure(
                f"asked for {count} words of {len(self._ids) - self._at} records that have {self._width} each"
            )
        out = np.empty((rows, self._width), dtype="<u8")
        step = max(1, BLOCKS_AT_ONCE // -(-self._width // 2))
        for begin in range(0, rows, step):
            part = slice(begin, min(begin + step, rows))
            there = slice(self._at + part.start, self._at + part.stop)
            out[part] = self._rows(self._ids[there], self._indices[there])
        self._at += rows
        return out.reshape(-1)

    def _rows(self, ids: NDArray[Any], indices: NDArray[Any]) -> Words:
        each = -(-self._width // 2)
        padded = np.empty(2 * len(ids) * each + 2, dtype="<u8")
        blocks = padded[:-2].reshape(len(ids), each, 2)
        counters = np.arange(each, dtype=np.uint64) << np.uint64(32)
        blocks[:, :, 0] = ids.astype(np.uint64, copy=False)[:, None]
        np.bitwise_or(indices.astype(np.uint64, copy=False)[:, None], counters, out=blocks[:, :, 1])
        self._cipher.encrypt(padded)
        return blocks.reshape(len(ids), 2 * each)[:, : self._width]


def hash_record_ids(cipher: BlockCipher, offsets: NDArray[Any], data: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The ids of the texts ``data[offsets[i]:offsets[i+1]]``: half of a CBC-MAC that begins with the length.

    ``s_0 = AES(length)``, ``s_b = AES(s_{b-1} xor block b)`` with the last block padded with zeros;
    the id is the low half of the last s. All texts advance together, so each step costs one call.

    Two of n texts get one id with probability about ``n**2 / 2**65`` (1 in 3,700 for a hundred
    million). Such a pair draws the same words where both hold the same value: each report alone keeps
    its law and its certificate, the two are merely equal instead of independent, and without the key
    nobody can tell which pair it is.
    """
    lengths = np.diff(offsets).astype(np.int64)
    padded = np.zeros(2 * len(lengths) + 2, dtype="<u8")
    state = padded[:-2].reshape(-1, 2)
    state[:, 0] = lengths
    cipher.encrypt(padded)
    room = np.concatenate([data, np.zeros(BLOCK_BYTES, dtype=np.uint8)])
    steps = -(-lengths // BLOCK_BYTES)
    for step in range(int(steps.max(initial=0))):
        rows = np.nonzero(steps > step)[0]
        moved = np.zeros(2 * len(rows) + 2, dtype="<u8")
        mixed = moved[:-2].reshape(-1, 2)
        begin = offsets[:-1][rows].astype(np.int64) + BLOCK_BYTES * step
        mixed[:] = _pieces(room, begin, lengths[rows] - BLOCK_BYTES * step).view("<u8") ^ state[rows]
        cipher.encrypt(moved)
        state[rows] = mixed
    return state[:, 0].copy()


def _pieces(room: NDArray[np.uint8], begin: NDArray[np.int64], left: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Sixteen bytes from each position on, with those past the end of the text set to zero."""
    pieces = np.lib.stride_tricks.sliding_window_view(room, BLOCK_BYTES)[begin]
    short = np.nonzero(left < BLOCK_BYTES)[0]
    pieces[short] *= np.arange(BLOCK_BYTES) < left[short, None]
    return pieces
