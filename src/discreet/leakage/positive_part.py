"""The mean of the positive part of a sum of n independent steps, never below the truth, at a cost free of n.

A step is ``steps[j]`` with probability ``masses[j]`` and 0 otherwise. With
``K(t) = n log(1 + sum_j q_j (e^(t l_j) - 1))`` and any theta > 0 the mean of S_+ is
``(1 / 2 pi i) int e^K(t) t^-2 dt`` along Re t = theta; computed is

    (h / 2 pi) sum_k (e^K(t_k) - (1 - |q|)^n) e^((tau t_k)^2 / 2) / t_k^2,    t_k = theta + i k h,

where the atom that no step was taken is left out, adding nothing to S_+. See `contour` for why this is not below the
mean; what rounding can have taken off is added, and so are the terms that were left out. Where there are few ways in
which the steps can come about, they are listed instead.

References: Balle2019 (the sum); Alghamdi2022 (the contour).
"""

from __future__ import annotations

import math

import numpy as np

from .contour import ULP, Reals, expm1, grid_of, least, log1p
from .counting import ways

FEW = 16
"""Up to so many kinds of step the noise is finer."""

FINE = 2.0**-10, 2.0**-8
"""The noise in widths of the sum, for few and for many kinds of step."""

FAR = 25.0
"""How far off, in units of 1 / theta, the next images of the sum are."""


def positive_part(masses: Reals, steps: Reals, n: int, *, enough: float = 0.0) -> float:
    """An upper bound on E[(L_1 + ... + L_n)_+]; any one that is at most `enough` will do.

    ``E[S_+] <= e^(K(theta) - 1) / theta`` (Chernoff) is tried first. NaN comes out only if something was NaN before.
    """
    if not (np.isfinite(masses).all() and np.isfinite(steps).all()):
        return math.nan
    masses, steps = masses[masses > 0], steps[masses > 0]
    if not (steps > 0).any():
        return 0.0
    mean = float(n * math.fsum(masses * steps))
    if not (steps < 0).any():
        return mean * (1 + 4 * ULP)
    if (few := listed(masses, steps, n)) is not None:
        return few
    kept = _Sum(masses, steps, n)
    return kept.chernoff if kept.chernoff <= enough else kept.value()


class _Sum:
    """A sum of many steps and the line that its mean is found along."""

    def __init__(self, masses: Reals, steps: Reals, n: int) -> None:
        self.masses, self.steps, self.n = masses, steps, n
        widest = float(np.abs(steps).max())
        self.theta = least(lambda t: self.cumulant(t) - 2 * math.log(t), 1e-9 / widest / n, 600 / float(steps.max()))
        self.height = self.cumulant(self.theta)
        self.chernoff = math.exp(min(700.0, self.height - 1)) / self.theta * (1 + 1e-9)

    def cumulant(self, t: float) -> float:
        """K(t) for real t."""
        with np.errstate(over="ignore"):
            inside = float(self.masses @ np.expm1(t * self.steps))
        return self.n * math.log1p(inside) if inside > -1 else -math.inf

    def deviation(self) -> float:
        """The deviation of the sum under the tilted law."""
        tilted = self.masses * np.exp(self.theta * self.steps)
        whole = 1 + float(self.masses @ np.expm1(self.theta * self.steps))
        first, second = float(tilted @ self.steps) / whole, float(tilted @ self.steps**2) / whole
        return math.sqrt(self.n * max(second - first**2, 0.0))

    def value(self) -> float:
        """The sum, with all that it may be too small by."""
        masses, steps, n, theta = self.masses, self.steps, self.n, self.theta
        deviation = self.deviation()
        about = self.height - math.log(theta**2 * math.sqrt(2 * math.pi) * (deviation + 1 / theta))
        span = FAR + max(0.0, math.log(n * float(np.abs(steps).max())) - about)
        grid = grid_of(theta, deviation, fine=FINE[len(masses) > FEW], span=span / theta)
        floor = math.fsum(masses)
        nothing = math.exp(n * math.log1p(-floor) - self.height) if floor < 1 else 0.0
        unsure = n * floor / max(1 - floor, ULP)
        rise, total, doubt = np.exp(theta * steps), 0.0, 0.0
        for weights, t in grid.nodes(len(masses)):
            turned = t[:, None] * steps
            moved = expm1(turned)
            inside = moved @ masses
            length, size = np.maximum(np.abs(1 + inside), 1e-150), (np.abs(moved) + np.abs(turned) * rise) @ masses
            loose = n * size * (1 / length + (1 + size) / length**2)  # what rounding may do to n log(1 + inside)
            grown = n * log1p(inside) - self.height
            noise = (grid.tau * t) ** 2 / 2
            factor = weights * np.exp(noise) / t**2
            terms = (np.exp(grown) - nothing) * factor
            total += float(terms.real.sum())
            rounded = 80 + 4 * (np.abs(grown) + np.abs(noise) + abs(self.height))
            sizes = np.abs(np.exp(grown)) * (8 * loose + rounded) + nothing * (8 * unsure + rounded)
            doubt += float(sizes @ np.abs(factor))
        cut = math.exp((grid.tau * theta) ** 2 / 2) * grid.cut
        scale = grid.step / (2 * math.pi) * math.exp(self.height)
        return min(self.chernoff, scale * (total + cut + ULP * doubt) * (1 + 8 * ULP))


def listed(masses: Reals, steps: Reals, n: int) -> float | None:
    """The mean of the positive part by listing how often each step is taken; None where there are too many ways."""
    if (found := ways(masses, steps, n)) is None:
        return None
    edge = 4 * (2 + len(steps)) * ULP * n * float(np.abs(steps).max())  # what rounding may have taken from a sum
    raised = np.maximum(found.sums + edge, 0)
    return math.fsum(raised * np.exp(found.logs)) * (1 + found.doubt)
