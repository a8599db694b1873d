"""Fast transforms over the last axis: Walsh-Hadamard and cyclic correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def walsh_hadamard(array: Any) -> NDArray[np.float64]:
    """``sum_y (-1)**popcount(r & y) a[y]`` for every r, in K log K additions (exact below 2**53)."""
    out = np.array(array, dtype=np.float64)
    *batch, length = out.shape
    half = 1
    while half < length:
        pairs = out.reshape(*batch, length // (2 * half), 2, half)
        first, second = pairs[..., 0, :], pairs[..., 1, :]
        difference = first - second
        first += second
        second[...] = difference
        half *= 2
    return out


class CyclicKernel:
    """The indicator of some members of Z_v, ready to be correlated and convolved by real FFTs over the last axis."""

    def __init__(self, members: Sequence[int], length: int) -> None:
        kernel = np.zeros(length)
        kernel[np.asarray(members, dtype=np.int64)] = 1.0
        self.length, self.members = length, len(members)
        self._spectrum = np.fft.rfft(kernel)

    def correlate(self, array: Any) -> NDArray[np.float64]:
        """``sum of a[x + d mod v] over members d``, for every x.

        Whole numbers give whole numbers, exactly, while ``8 u log2(v) |a| sqrt(r) < 1/4`` (u = 2**-53), a
        bound on the error of the FFT; beyond it the result is left as it comes, off by at most four times that.
        """
        given = np.asarray(array)
        out = np.fft.irfft(np.fft.rfft(given) * np.conj(self._spectrum), n=self.length)
        if given.dtype.kind in "iu" and self._error(given) < 0.25:
            return np.asarray(np.rint(out))
        return out

    def convolve(self, array: Any) -> NDArray[np.float64]:
        """``sum of a[y - d mod v] over members d``, for every y: the adjoint of `correlate`."""
        return np.fft.irfft(np.fft.rfft(array) * self._spectrum, n=self.length)

    def _error(self, given: NDArray[Any]) -> float:
        largest = float(np.sqrt(np.max(np.sum(given.astype(float) ** 2, axis=-1))))
        return 8 * 2.0**-53 * math.log2(max(2, self.length)) * largest * math.sqrt(self.members)
