"""Fast transforms over the last axis: Walsh-Hadamard and cyclic correlation."""

from __future__ import annotations

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


def cyclic_correlation(array: Any, kernel: Any) -> NDArray[np.float64]:
    """``sum_y a[y] kernel[(y - x) mod v]`` for every shift x, by real FFTs over the last axis."""
    length = np.shape(array)[-1]
    spectrum = np.fft.rfft(array) * np.conj(np.fft.rfft(kernel))
    return np.fft.irfft(spectrum, n=length)


def cyclic_convolution(array: Any, kernel: Any) -> NDArray[np.float64]:
    """``sum_x a[x] kernel[(y - x) mod v]`` for every y: the adjoint of `cyclic_correlation`."""
    length = np.shape(array)[-1]
    return np.fft.irfft(np.fft.rfft(array) * np.fft.rfft(kernel), n=length)
