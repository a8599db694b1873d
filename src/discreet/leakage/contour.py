"""Sums along a line in the complex plane: an expectation from its transform, never below the truth.

Both sums here have the form f(0) with ``f(a) e^(theta a)`` the Fourier transform of F on the line Re t = theta. Three
things are done to it, each of which can only raise it or is added in full: noise of deviation tau is put on top (the
mean of a convex function rises), the integral becomes a sum with a step (Poisson: f(0) plus values of f that are not
negative), and the sum is cut off where the noise has made its terms small.

References: Alghamdi2022 (the contour).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Complexes = NDArray[np.complex128]

ULP = 2.0**-53
"""The largest relative error of one operation."""

NODES = 1 << 17
"""The most terms of a sum: beyond them there is more noise instead."""

REACH = 9.5
"""Where a sum is cut off, in units of 1 / tau."""

CHUNK = 1 << 18
"""Entries of an array that are worked on at once."""

GOLDEN = (math.sqrt(5) - 1) / 2


class Grid(NamedTuple):
    """Where a sum is taken: the line, the noise, the distance of its terms and how many there are on each side."""

    theta: float
    tau: float
    step: float
    many: int

    @property
    def cut(self) -> float:
        """A bound on the weights ``e^(-(tau u)^2 / 2) / u^2`` of all terms that are left out, on both sides."""
        u = (self.many + 1) * self.step
        return 2 * math.exp(-((self.tau * u) ** 2) / 2) / u**2 * (1 + 1 / (self.step * self.tau**2 * u))

    def nodes(self, width: int) -> Iterator[tuple[Reals, Complexes]]:
        """The weights of the terms, two for each that stands for its mirror image as well, and their places."""
        each = max(1, CHUNK // max(1, width))
        for first in range(0, self.many + 1, each):
            number = np.arange(first, min(first + each, self.many + 1))
            places = np.asarray(self.theta + 1j * self.step * number, dtype=np.complex128)
            yield np.where(number == 0, 1.0, 2.0), places


def grid_of(theta: float, deviation: float, *, fine: float, span: float) -> Grid:
    """The grid for a tilted deviation: noise of `fine` times its width, and a period of at least `span`."""
    tau = fine * (deviation + 1 / theta)
    step = 2 * math.pi / max(9 * deviation, span)
    count = math.ceil(REACH / (tau * step))
    if count > NODES:
        count, tau = NODES, REACH / (step * NODES)
    return Grid(theta, tau, step, count)


def least(curve: Callable[[float], float], low: float, high: float, *, steps: int = 44) -> float:
    """A place near the minimum of a curve with one valley over positive numbers, by golden section of the logarithm."""
    a, d = math.log(low), math.log(high)
    b, c = d - GOLDEN * (d - a), a + GOLDEN * (d - a)
    at_b, at_c = curve(math.exp(b)), curve(math.exp(c))
    for _ in range(steps):
        if at_b <= at_c:
            d, c, at_c = c, b, at_b
            b = d - GOLDEN * (d - a)
            at_b = curve(math.exp(b))
        else:
            a, b, at_b = b, c, at_c
            c = a + GOLDEN * (d - a)
            at_c = curve(math.exp(c))
    return math.exp(b if at_b <= at_c else c)


def expm1(z: Complexes) -> Complexes:
    """e^z - 1 without loss where z is small."""
    x, y = z.real, z.imag
    half = np.sin(y / 2)
    return np.asarray((np.expm1(x) * np.cos(y) - 2 * half * half) + 1j * (np.exp(x) * np.sin(y)))


def log1p(z: Complexes) -> Complexes:
    """log(1 + z) without loss where z is small."""
    a, b = z.real, z.imag
    square = np.maximum(2 * a + a * a + b * b, -1 + 2.0**-1000)
    with np.errstate(divide="ignore"):
        return np.asarray(0.5 * np.log1p(square) + 1j * np.arctan2(b, 1 + a))
