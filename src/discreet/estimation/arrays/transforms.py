"""Fast transforms over the last axis: Walsh-Hadamard and cyclic correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

STAGE = 5
"""Bits of the index that one stage of the Walsh-Hadamard transform handles."""


def walsh_hadamard(array: Any) -> NDArray[np.float64]:
    """``sum_y (-1)**popcount(r & y) a[y]`` for every r (exact for whole numbers below 2**53).

    H_K is a product of small Hadamard matrices, each for a few bits of the index, so the transform is one
    matrix product per stage: up to 32 K operations each, which matrix routines do faster than K additions per bit.
    """
    out = np.array(array, dtype=np.float64)
    shape, bits, done = out.shape, out.shape[-1].bit_length() - 1, 0
    if out.size:
        for left in range(-(-bits // STAGE), 0, -1):
            take = -(-(bits - done) // left)
            if done == 0:
                out = out.reshape(-1, 1 << take) @ _hadamard(take)
            else:
                out = _hadamard(take) @ out.reshape(-1, 1 << take, 1 << done)
            done += take
    return out.reshape(shape)


@cache
def _hadamard(bits: int) -> NDArray[np.float64]:
    """The Hadamard matrix of order 2**bits."""
    matrix = np.ones((1, 1))
    for _ in range(bits):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


class Circulant:
    """A symmetric convolution around a ring or a torus, ready to be applied and undone by real FFTs.

    Arrays have one number for each cell over their last axis, row by row over the `shape` of a torus.
    """

    def __init__(self, kernel: Any, shape: tuple[int, ...] = ()) -> None:
        self.kernel: NDArray[np.float64] = np.asarray(kernel, dtype=np.float64)
        self.shape = shape or self.kernel.shape
        self._axes = tuple(range(-len(self.shape), 0))
        self._spectrum = self._forward(self.kernel).real
        self.least = float(np.abs(self._spectrum).min())

    def _forward(self, array: Any) -> NDArray[np.complex128]:
        cells = np.asarray(array)
        spectrum: NDArray[np.complex128] = np.fft.rfftn(cells.reshape(*cells.shape[:-1], *self.shape), axes=self._axes)
        return spectrum

    def _back(self, spectrum: NDArray[Any]) -> NDArray[np.float64]:
        cells: NDArray[np.float64] = np.fft.irfftn(spectrum, s=self.shape, axes=self._axes)
        return cells.reshape(*cells.shape[: -len(self.shape)], self.kernel.size)

    def convolve(self, array: Any) -> NDArray[np.float64]:
        """The kernel convolved with the array."""
        return self._back(self._forward(array) * self._spectrum)

    def deconvolve(self, array: Any) -> NDArray[np.float64]:
        """What the kernel must be convolved with to give the array."""
        return self._back(self._forward(array) / self._spectrum)

    @cached_property
    def inverse(self) -> NDArray[np.float64]:
        """The kernel of `deconvolve`."""
        return self._back(1 / self._spectrum)


class CyclicKernel:
    """The indicator of a set of shifts, ready to be correlated and convolved by real FFTs over the last axis.

    `shape` is how the shifts are laid out: one cycle of v of them, or several of v each, in parallel on the last
    axis but one. FFTs are slow at lengths with large prime factors; where v has one, the FFT runs over
    `room` >= 2v - 1 positions, padded with zeros, and what lies beyond v is folded back.
    """

    def __init__(self, shifts: Sequence[int], shape: tuple[int, ...]) -> None:
        kernel = np.zeros(math.prod(shape))
        kernel[np.asarray(shifts, dtype=np.int64)] = 1.0
        kernel = kernel.reshape(shape)
        self.length = length = shape[-1]
        self.members = int(kernel.sum(axis=-1).max())
        self.room = length if _next_smooth(length) == length else _next_smooth(2 * length - 1)
        self._spectrum = np.fft.rfft(kernel, self.room)

    def correlate(self, array: Any) -> NDArray[np.float64]:
        """``sum of a[x + d mod v] over members d``, for every x.

        Whole numbers give whole numbers, exactly, while ``8 u log2(room) |a| sqrt(r) < 1/4`` (u = 2**-53), a
        bound on the error of the FFT; beyond it the result is left unrounded, off by at most four times that.
        """
        given = np.asarray(array)
        spread = np.fft.irfft(np.fft.rfft(given, self.room) * np.conj(self._spectrum), n=self.room)
        out = spread[..., : self.length]
        if self.room > self.length:  # the shift x of a member that wraps around is at x - v
            out[..., 1:] += spread[..., self.room - self.length + 1 :]
        if given.dtype.kind in "iu" and self._error(given) < 0.25:
            return np.asarray(np.rint(out))
        return out

    def convolve(self, array: Any) -> NDArray[np.float64]:
        """``sum of a[y - d mod v] over members d``, for every y: the adjoint of `correlate`."""
        spread = np.fft.irfft(np.fft.rfft(array, self.room) * self._spectrum, n=self.room)
        out = spread[..., : self.length]
        if self.room > self.length:
            out[..., : self.length - 1] += spread[..., self.length : 2 * self.length - 1]
        return out

    def _error(self, given: NDArray[Any]) -> float:
        largest = float(np.sqrt(np.max(np.sum(given.astype(float) ** 2, axis=-1), initial=0.0)))
        return 8 * 2.0**-53 * math.log2(max(2, self.room)) * largest * math.sqrt(self.members)


def _next_smooth(n: int) -> int:
    """The least number of at least n with no prime factor above 7."""
    least = 1 << (n - 1).bit_length()
    sevens = 1
    while sevens < least:
        fives = sevens
        while fives < least:
            odd = fives
            while odd < least:
                least = min(least, odd << (-(-n // odd) - 1).bit_length())
                odd *= 3
            fives *= 5
        sevens *= 7
    return least
