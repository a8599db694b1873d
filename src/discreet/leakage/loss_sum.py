"""What independent reports about one value give away together, never below the truth.

With P and R the laws of a report under x and z, losses log(P/R), and ``K(t) = sum_i T_i log sum_y P_i^(1+t) R_i^-t``,

    delta(epsilon) = 1 - prod (1 - b_i)^T_i + (1 / 2 pi i) int e^(K(t) - t epsilon) / (t (t + 1)) dt,

b being the probability of reports that z never writes. The integral is a sum as in `contour`; the noise on top is one
more release, Gaussian, with the factor ``e^(tau^2 t (t + 1) / 2)``, which can only raise delta. Where there are few
ways in which the losses can come about, they are listed instead.

References: Alghamdi2022 (the contour); Kairouz2015 (composition of pairs of laws).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .divergence import LISTED, Ways, ways
from .profiles.rows import Row
from .smallest_epsilon import ULP, Reals, grid_of, least

FEW = 16
"""Up to so many kinds of loss the noise is finer."""

FINE = 2.0**-10, 2.0**-8
"""The noise in widths of the sum, for few and for many kinds of loss."""

FAR = 25.0
"""How far off, in units of 1 / theta, the next images of the sum are."""


class Losses(NamedTuple):
    """The probability under x of each loss, the losses, and `told`, the probability of what z never writes."""

    masses: Reals
    losses: Reals
    told: float


class Release(NamedTuple):
    """A pair of laws and how often it is drawn from."""

    losses: Losses
    times: int


def losses_of(rows: Sequence[Row]) -> Losses:
    """The losses of x against z, each to the last digit."""
    masses: dict[Fraction, Fraction] = {}
    for row in rows:
        if row.own and row.other:
            beyond = (row.own - row.other) / row.other
            masses[beyond] = masses.get(beyond, Fraction(0)) + row.own
    told = sum((row.own for row in rows if not row.other), Fraction(0))
    logs = [math.log1p(float(beyond)) for beyond in masses]
    return Losses(np.array([float(mass) for mass in masses.values()]), np.array(logs), float(told) * (1 + 4 * ULP))


def composed_delta(releases: Sequence[Release], epsilon: float, *, enough: float = 0.0) -> float:
    """The certified delta of x against z at `epsilon` after all releases, or any that is at most `enough`."""
    if not epsilon >= 0 or not all(_finite(release.losses) for release in releases):
        return math.nan
    kept = math.fsum(times * math.log1p(-part.told) if part.told < 1 else -math.inf for part, times in releases)
    told = -math.expm1(kept) * (1 + 8 * ULP)
    most = math.fsum(times * float(part.losses.max(initial=0.0)) for part, times in releases)
    if epsilon == math.inf or most * (1 + 8 * ULP) <= epsilon:
        return told
    if (few := _listed(releases)) is not None:
        edge = 16 * ULP * (most + epsilon + 1)
        gained = -np.expm1(np.minimum(epsilon - few.sums - edge, 0.0))
        return min(1.0, told + math.fsum(gained * np.exp(few.logs)) * (1 + few.doubt))
    rest = _Sum(releases, epsilon)
    return min(1.0, told + (rest.chernoff if told + rest.chernoff <= enough else rest.value()))


def _finite(part: Losses) -> bool:
    return bool(np.isfinite(part.masses).all() and np.isfinite(part.losses).all() and math.isfinite(part.told))


def _listed(releases: Sequence[Release]) -> Ways | None:
    """The sums of all losses by listing; None where there are too many."""
    found = Ways(np.zeros(1), np.zeros(1), 0.0)
    for part, times in releases:
        whole = float(part.masses.sum())
        one = ways(part.masses / whole, part.losses, times) if whole else None
        if one is None or len(one.sums) * len(found.sums) > LISTED:
            return None
        sums = (found.sums[:, None] + one.sums).ravel()
        logs = (found.logs[:, None] + one.logs).ravel() + times * math.log(whole)
        found = Ways(sums, logs, found.doubt + one.doubt + 8 * ULP * (times + 1))
    return found


class _Sum:
    """The losses of many releases and the line that delta is found along."""

    def __init__(self, releases: Sequence[Release], epsilon: float) -> None:
        self.releases, self.epsilon = [release for release in releases if len(release.losses.masses)], epsilon
        steepest = max(float(np.abs(part.losses).max()) for part, _ in self.releases)
        self.theta = least(lambda t: self.cumulant(t) - math.log(t) - math.log1p(t), 1e-9, 600 / max(steepest, 1e-9))
        self.height = self.cumulant(self.theta)
        theta = self.theta
        bend = theta * math.log(theta) - (1 + theta) * math.log1p(theta)
        self.chernoff = math.exp(min(0.0, self.height + bend)) * (1 + 1e-9)

    def cumulant(self, t: float) -> float:
        """K(t) - t epsilon for real t."""
        with np.errstate(over="ignore"):
            grown = [times * math.log(float(part.masses @ np.exp(t * part.losses))) for part, times in self.releases]
        return math.fsum(grown) - t * self.epsilon

    def deviation(self) -> float:
        """The deviation of the sum of losses under the tilted law."""
        spread = 0.0
        for part, times in self.releases:
            tilted = part.masses * np.exp(self.theta * part.losses)
            tilted = tilted / tilted.sum()
            mean = float(tilted @ part.losses)
            spread += times * float(tilted @ (part.losses - mean) ** 2)
        return math.sqrt(spread)

    def value(self) -> float:
        """The sum, with all that it may be too small by."""
        theta, epsilon, deviation = self.theta, self.epsilon, self.deviation()
        about = self.height - math.log(theta * (theta + 1) * math.sqrt(2 * math.pi) * (deviation + 1 / theta))
        width = max(len(part.masses) for part, _ in self.releases)
        grid = grid_of(theta, deviation, fine=FINE[width > FEW], span=(FAR + max(0.0, -about)) / theta)
        total, doubt = 0.0, 0.0
        for weights, t in grid.nodes(width):
            grown, loose = -t * epsilon - self.height, np.abs(t) * epsilon
            for part, times in self.releases:
                turned = t[:, None] * part.losses
                inside = np.exp(turned) @ part.masses
                size = (1 + np.abs(turned)) @ (part.masses * np.exp(theta * part.losses))
                loose = loose + times * size / np.maximum(np.abs(inside), 1e-300)
                with np.errstate(divide="ignore"):
                    grown = grown + times * np.log(inside)
            factor = weights * np.exp(grid.tau**2 * t * (t + 1) / 2) / (t * (t + 1))
            terms = np.exp(grown) * factor
            total += float(terms.real.sum())
            doubt += float(np.abs(terms) @ (8 * loose + 80 + 4 * np.abs(grid.tau * t) ** 2 + 4 * abs(self.height)))
        cut = math.exp(grid.tau**2 * theta * (theta + 1) / 2) * grid.cut
        scale = grid.step / (2 * math.pi) * math.exp(self.height)
        return min(self.chernoff, scale * (total + cut + ULP * doubt) * (1 + 8 * ULP))
