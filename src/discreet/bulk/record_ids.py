"""64-bit record ids: whole numbers as they are, text and bytes by a keyed hash of many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .prf import BlockCipher

SIDE = 16


def hashed_ids(cipher: BlockCipher, offsets: NDArray[Any], data: NDArray[np.uint8]) -> NDArray[np.uint64]:
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
    room = np.concatenate([data, np.zeros(SIDE, dtype=np.uint8)])
    steps = -(-lengths // SIDE)
    for step in range(int(steps.max(initial=0))):
        rows = np.nonzero(steps > step)[0]
        moved = np.zeros(2 * len(rows) + 2, dtype="<u8")
        mixed = moved[:-2].reshape(-1, 2)
        begin = offsets[:-1][rows].astype(np.int64) + SIDE * step
        mixed[:] = _pieces(room, begin, lengths[rows] - SIDE * step).view("<u8") ^ state[rows]
        cipher.encrypt(moved)
        state[rows] = mixed
    return state[:, 0].copy()


def _pieces(room: NDArray[np.uint8], begin: NDArray[np.int64], left: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Sixteen bytes from each position on, with those past the end of the text set to zero."""
    pieces = np.lib.stride_tricks.sliding_window_view(room, SIDE)[begin]
    short = np.nonzero(left < SIDE)[0]
    pieces[short] *= np.arange(SIDE) < left[short, None]
    return pieces
