"""The variance of the mean under the mechanisms of the literature, for each number from -1 to 1, by closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEPS = 17
"""How many values of a parameter are tried at a time."""
ROUNDS = 16
"""How often the best of them is looked at more closely."""


def duchi(x: Array, epsilon: float) -> Array:
    """One bit: B = +1 with probability (1 + t x)/2, t = tanh(epsilon/2), and B/t is unbiased (Duchi2013)."""
    return np.asarray(1 / math.tanh(epsilon / 2) ** 2 - x**2)


def laplace(x: Array, epsilon: float) -> Array:
    """Laplace noise of scale 2/epsilon."""
    return 8 / epsilon**2 + 0 * x


def piecewise(x: Array, epsilon: float, t: float | None = None) -> Array:
    """The piecewise mechanism, with t = e^(epsilon/2) unless given (Wang2019; any t: Zhao2021).

    ``(t + 1) x^2/(e - 1) + (t + e) ((t + 1)^3 + e - 1) / (3 t^2 (e - 1)^2)`` for e = e^epsilon.
    """
    t = math.exp(epsilon / 2) if t is None else t
    e = math.exp(epsilon)
    return np.asarray((t + 1) * x**2 / (e - 1) + (t + e) * ((t + 1) ** 3 + e - 1) / (3 * t**2 * (e - 1) ** 2))


def hybrid(x: Array, epsilon: float) -> Array:
    """The piecewise mechanism with probability 1 - e^(-epsilon/2) above epsilon 0.61, else one bit (Wang2019)."""
    share = 1 - math.exp(-epsilon / 2) if epsilon > 0.61 else 0.0
    return share * piecewise(x, epsilon) + (1 - share) * duchi(x, epsilon)


def three(x: Array, epsilon: float, still: float) -> Array:
    """Reports -a, 0 and a, where 0 is reported with probability w = `still` for 0, and w/e for -1 and 1 (Zhao2021).

    ``a = c / (1 - w/e)``, ``c = (e + 1)/(e - 1)``, and the variance is ``a^2 (1 - w + w (1 - 1/e) |x|) - x^2``.
    """
    e = math.exp(epsilon)
    a = (e + 1) / (e - 1) / (1 - still / e)
    return np.asarray(a**2 * (1 - still + still * (1 - 1 / e) * abs(x)) - x**2)


def three_outputs(x: Array, epsilon: float) -> Array:
    """Three outputs with the w whose variance is least for the number that has most."""
    return three(x, epsilon, _best_hybrid(epsilon, False)[1])


def best_hybrid(x: Array, epsilon: float) -> Array:
    """The piecewise mechanism of any t mixed with any three outputs, so that the variance is least where it is most."""
    t, still, share = _best_hybrid(epsilon, True)
    return share * piecewise(x, epsilon, t) + (1 - share) * three(x, epsilon, still)


def square_wave(x: Array, epsilon: float) -> Array:
    """The mean of the reports of the square wave, as they are but for a shift and a scale (Li2020).

    A number in 0..1 is reported within b of itself e^epsilon times likelier than elsewhere in -b..1+b.
    """
    e = math.exp(epsilon)
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    low, held = 1 / (2 * b * e + 1), (x + 1) / 2
    slope = 2 * b * (e - 1) * low
    mean = low * (1 + 2 * b) / 2 + slope * held
    square = low * ((1 + b) ** 3 + b**3) / 3 + (e - 1) * low * (2 * b * held**2 + 2 * b**3 / 3)
    return np.asarray(4 * (square - mean**2) / slope**2)


LITERATURE: dict[str, Callable[[Array, float], Array]] = {
    "Laplace noise": laplace,
    "one bit": duchi,
    "piecewise": piecewise,
    "hybrid": hybrid,
    "three outputs": three_outputs,
    "best hybrid": best_hybrid,
    "square wave": square_wave,
}


@cache
def _best_hybrid(epsilon: float, mixed: bool) -> tuple[float, float, float]:
    """The t, w and share of the piecewise mechanism with the least largest variance; no such share unless `mixed`."""
    e, x = math.exp(epsilon), np.linspace(0, 1, 65)
    most = e / (e + 2)  # so that no report of 1 is likelier than e times that of 0
    ends = [(0.0, epsilon), (0.0, most), (0.0, float(mixed))]
    found = (1.0, 0.0, 0.0)
    for _ in range(ROUNDS):
        logs, stills, shares = (np.linspace(*pair, STEPS if pair[0] < pair[1] else 1) for pair in ends)
        waves = np.array([piecewise(x, epsilon, math.exp(log)) for log in logs])[:, None, None, :]
        outputs = np.array([three(x, epsilon, still) for still in stills])[None, :, None, :]
        weights = shares[None, None, :, None]
        worst = (weights * waves + (1 - weights) * outputs).max(axis=-1)
        best = np.unravel_index(int(np.argmin(worst)), worst.shape)
        chosen = [float(some[at]) for some, at in zip((logs, stills, shares), best, strict=True)]
        found = (math.exp(chosen[0]), chosen[1], chosen[2])
        reach = [0.35 * (high - low) for low, high in ends]
        outer = [(0.0, epsilon), (0.0, most), (0.0, float(mixed))]
        ends = [(max(low, at - r), min(high, at + r)) for at, r, (low, high) in zip(chosen, reach, outer, strict=True)]
    return found
