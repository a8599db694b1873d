"""Upper tails of the normal distribution on arrays, accurate far out, with NumPy alone.

erfcx(x) = exp(x^2) erfc(x) for x >= 0 is computed as p(w) / (1 + 2 x), w = (x - 3.75) / (x + 3.75), where p
is a polynomial of degree 18 that interpolates (1 + 2 x) erfcx(x) at Chebyshev nodes of w in [-1, 1]. The
nodes' values come from math.erfc for small x and from the continued fraction for large x.

*References* Shepherd1981 (the change of variable).
"""

import math
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

DEGREE: Final = 18
CENTRE: Final = 3.75
FARTHEST: Final = 1e4
_ROOT_HALF: Final = math.sqrt(0.5)
_LOG_ROOT_2PI: Final = 0.5 * math.log(2 * math.pi)


def _erfcx_at(x: float) -> float:
    """exp(x^2) erfc(x) for one x >= 0, from the standard library's erfc or the continued fraction."""
    if x < 2:
        return math.exp(x * x) * math.erfc(x)
    fraction = x
    for term in range(200, 0, -1):
        fraction = x + 0.5 * term / fraction
    return 1 / (fraction * math.sqrt(math.pi))


@cache
def _coefficients() -> tuple[float, ...]:
    """The coefficients of p in powers of w, highest first."""
    nodes = np.cos(math.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    places = CENTRE * (1 + nodes) / (1 - nodes)
    heights = [(1 + 2 * x) * _erfcx_at(x) for x in places.tolist()]
    series = np.polynomial.chebyshev.Chebyshev(np.polynomial.chebyshev.chebfit(nodes, heights, DEGREE))
    powers = series.convert(kind=np.polynomial.Polynomial).coef
    return tuple(float(c) for c in powers[::-1])


def erfcx(x: FloatArray) -> FloatArray:
    """exp(x^2) erfc(x) for x >= 0, relative error below 1e-12."""
    w = (x - CENTRE) / (x + CENTRE)
    first, *others = _coefficients()
    total = np.full_like(w, first)
    for coefficient in others:
        total *= w
        total += coefficient
    total /= 1 + 2 * x
    return total


def log_upper_tail(z: FloatArray) -> FloatArray:
    """log Pr(Z > z) for z >= 0: log(erfcx(z / sqrt 2) / 2) - z^2 / 2."""
    logs: FloatArray = np.log(0.5 * erfcx(z * _ROOT_HALF)) - 0.5 * z * z
    return logs


@cache
def _tail_table() -> tuple[FloatArray, FloatArray]:
    """log Pr(Z > z), increasing, and z, from 0 to FARTHEST: in fine steps first, then geometric ones."""
    z = np.concatenate([np.arange(0, 12, 0.01), np.geomspace(12, FARTHEST, 2000)])[::-1]
    return log_upper_tail(np.ascontiguousarray(z)), np.ascontiguousarray(z)


def upper_tail_inverse(log_tail: FloatArray) -> FloatArray:
    """z >= 0 with log Pr(Z > z) = log_tail <= log(1/2): a table, then one Newton step."""
    logs, places = _tail_table()
    z = np.interp(log_tail, logs, places)
    at = log_upper_tail(z)
    slope = np.exp(-0.5 * z * z - _LOG_ROOT_2PI - at)
    refined: FloatArray = np.maximum(z + (at - log_tail) / slope, 0.0)
    return refined
