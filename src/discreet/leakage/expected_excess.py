"""The expectation behind shuffling and repetition: that of an excess over epsilon, never below the truth.

S is a sum of independent steps: ``steps[j]`` with probability ``masses[j]``, 0 otherwise. The excess s = S - epsilon
counts as ``phi(s) = (1 - e^(-c s)) / c`` where it is positive: s itself for c = 0, as shuffled reports ask for, and
1 - e^-s for c = 1, as losses of several releases do. With ``K(t) = sum_i n_i log(1 + sum_j q_j (e^(t l_j) - 1))`` and
any theta > 0

    E[phi(S - epsilon)] = (1 / 2 pi i) int e^(K(t) - t epsilon) / (t (t + c)) dt    along Re t = theta;

computed is, with t_k = theta + i k h,

    (h / 2 pi) sum_k e^(K(t_k) - t_k epsilon) e^(tau^2 t_k (t_k + c) / 2) / (t_k (t_k + c)),

where ``e^(K(t) - K(theta))`` is the characteristic function of S under the law tilted by e^(theta S).

Three things are done here, each of which can only raise it or is added in full: noise of deviation tau is put on top
(the mean of a convex function rises), the integral becomes a sum with a step (Poisson: images that are not negative are
added), and the sum is cut off where the noise has made its terms small. What rounding can have taken off is added. The
atom of no step at all, where there is one, adds nothing to S_+ and is left out. The cost is free of the number of
steps. Where there are few ways in which they can come about, they are listed instead.

References: Balle2019 (the sum); Alghamdi2022 (the contour); Kairouz2015 (composition of pairs of laws).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Complexes = NDArray[np.complex128]

ULP = 2.0**-53
"""The largest relative error of one operation."""

MAX_LISTED_SUMS = 1 << 17
"""The most sums that are listed."""

MAX_TERMS = 1 << 17
"""The most terms of a sum along the contour: beyond them there is more noise instead."""

CUT_OFF = 9.5
"""Where a sum is cut off, in units of 1 / tau."""

CHUNK = 1 << 18
"""Entries of an array that are worked on at once."""

FEW_STEPS = 16
"""Up to so many different steps the noise is finer."""

FINE = 2.0**-10, 2.0**-8
"""The noise in widths of the sum, for few and for many different steps."""

PERIOD = 25.0
"""How far off, in units of 1 / theta, the next images of the sum are."""


class Steps(NamedTuple):
    """Independent draws, `times` of them, of ``steps[j]`` with probability ``masses[j]``, and of 0 otherwise."""

    masses: Reals
    steps: Reals
    times: int

    @property
    def largest_sum(self) -> float:
        """What no sum of them exceeds, either way."""
        return self.times * float(np.abs(self.steps).max())


class ListedSums(NamedTuple):
    """Possible sums, the logarithm of the probability of each, and the relative error that a probability may have."""

    sums: Reals
    logs: Reals
    doubt: float


def expected_excess(parts: Sequence[Steps], epsilon: float = 0.0, *, c: int = 0, enough: float = 0.0) -> float:
    """An upper bound on E[phi(S - epsilon)], of which any will do that is at most `enough`."""
    if (listed := list_sums(parts)) is not None:
        # what rounding may have taken from a sum
        kinds = sum(len(part.steps) for part in parts)
        edge = 4 * (3 + kinds) * ULP * (math.fsum(part.largest_sum for part in parts) + epsilon + c)
        over = np.maximum(listed.sums - epsilon + edge, 0.0)
        return math.fsum((-np.expm1(-over) if c else over) * np.exp(listed.logs)) * (1 + listed.doubt)
    integral = ContourSum(parts, epsilon, c)
    return integral.chernoff if integral.chernoff <= enough else integral.value()


def list_sums(parts: Sequence[Steps]) -> ListedSums | None:
    """The sums of all draws, one for every way to share them out; None where there are too many."""
    whole = ListedSums(np.zeros(1), np.zeros(1), 0.0)
    for part in parts:
        listed = _list_sums(*part)
        if listed is None or len(listed.sums) * len(whole.sums) > MAX_LISTED_SUMS:
            return None
        sums, logs = ((a[:, None] + b).ravel() for a, b in zip(whole[:2], listed[:2], strict=True))
        whole = ListedSums(sums, logs, whole.doubt + listed.doubt)
    return whole


def _list_sums(masses: Reals, steps: Reals, n: int) -> ListedSums | None:
    missed = 1 - math.fsum(masses)
    kinds, count = len(masses) - (missed <= 4 * ULP), 1
    for i in range(1, kinds + 1):
        count = count * (n + i) // i
        if count > MAX_LISTED_SUMS:
            return None
    if missed > 4 * ULP:
        masses, steps = np.append(masses, missed), np.append(steps, 0.0)
    factorials = _log_factorials(n)
    logs = np.log(masses)
    sums, chances, left = np.zeros(1), np.full(1, factorials[n]), np.array([n])
    for step, log in zip(steps[:-1], logs[:-1], strict=True):
        counts = np.concatenate([np.arange(most + 1) for most in left])
        often = left + 1
        sums = np.repeat(sums, often) + counts * step
        chances = np.repeat(chances, often) + counts * log - factorials[counts]
        left = np.repeat(left, often) - counts
    sums, chances = sums + left * steps[-1], chances + left * logs[-1] - factorials[left]
    unsure = 1 / missed if missed > 4 * ULP else 1.0
    doubt = 8 * ULP * (n * (float(np.abs(logs).max()) + 4 + unsure) + 4 * float(factorials[n]) + 64)
    return ListedSums(np.asarray(sums), np.asarray(chances), doubt)


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> Reals:
    return np.array([math.lgamma(i + 1) for i in range(n + 1)])


class ContourSum:
    """The sum along the line Re t = theta through the saddle, where Chernoff's bound is least."""

    def __init__(self, parts: Sequence[Steps], epsilon: float = 0.0, c: int = 0) -> None:
        from scipy.optimize import minimize_scalar

        self.parts, self.epsilon, self.c = parts, epsilon, c
        self.largest = math.fsum(part.largest_sum for part in parts)
        ends = 1e-9 / self.largest, 600 / max(float(part.steps.max()) for part in parts)
        saddle = minimize_scalar(
            lambda s: self.cumulant(math.exp(s)) - s - math.log(math.exp(s) + c),
            bounds=[math.log(end) for end in ends],
            method="bounded",
        )
        self.theta = theta = math.exp(saddle.x)
        self.height = self.cumulant(theta)
        self.tilted = list[Reals]()
        self.doubt = theta * epsilon  # what rounding may do to the height, in units of ULP
        for masses, steps, times in parts:
            raised = np.expm1(theta * steps)
            whole = 1 + float(masses @ raised)
            self.tilted.append(np.asarray(masses * (1 + raised) / whole))
            self.doubt += times * float(masses @ np.abs(raised) / whole + self.tilted[-1] @ np.abs(theta * steps))
        bend = theta * math.log(theta) - (1 + theta) * math.log1p(theta) if c else -1 - math.log(theta)
        self.chernoff = math.exp(min(700.0, self.height + bend)) * (1 + 1e-9)

    def cumulant(self, t: float) -> float:
        """K(t) - t epsilon for real t."""
        with np.errstate(over="ignore"):
            inside = [float(part.masses @ np.expm1(t * part.steps)) for part in self.parts]
        if min(inside) <= -1:
            return -math.inf
        grown = (part.times * math.log1p(at) for part, at in zip(self.parts, inside, strict=True))
        return math.fsum(grown) - t * self.epsilon

    def deviation(self) -> float:
        """The deviation of the sum under the tilted law."""
        variance = 0.0
        for (_, steps, times), tilted in zip(self.parts, self.tilted, strict=True):
            variance += times * max(float(tilted @ steps**2) - float(tilted @ steps) ** 2, 0.0)
        return math.sqrt(variance)

    def grid(self) -> tuple[float, float, int]:
        """The deviation of the noise, the distance of the terms, and how many there are on each side."""
        theta, width = self.theta, self.deviation() + 1 / self.theta
        near = self.height - math.log(theta * (theta + self.c) * math.sqrt(2 * math.pi) * width)
        far = PERIOD + max(0.0, (0.0 if self.c else math.log(self.largest)) - near)
        tau = FINE[max(len(part.masses) for part in self.parts) > FEW_STEPS] * width
        step = 2 * math.pi / max(9 * (width - 1 / theta), far / theta)
        count = math.ceil(CUT_OFF / (tau * step))
        return (tau, step, count) if count <= MAX_TERMS else (CUT_OFF / (step * MAX_TERMS), step, MAX_TERMS)

    def value(self) -> float:
        """The sum, with all that it may be too small by."""
        theta, c, (tau, step, count) = self.theta, self.c, self.grid()
        nothing, unsure = self._atom()
        total, doubt = 0.0, 0.0
        chunk = max(1, CHUNK // max(len(part.masses) for part in self.parts))
        for start in range(0, count + 1, chunk):
            numbers = np.arange(start, min(start + chunk, count + 1))
            u = step * numbers
            t = theta + 1j * u
            grown, loose = -1j * u * self.epsilon, u * self.epsilon + self.doubt
            for (_, steps, times), tilted in zip(self.parts, self.tilted, strict=True):
                turned = u[:, None] * steps
                sines, halves = np.sin(turned), np.sin(turned / 2) ** 2
                inside = sines @ tilted * 1j - 2 * (halves @ tilted)
                length = np.maximum(np.abs(1 + inside), 1e-150)
                size = (2 * halves + np.abs(sines)) @ (tilted * (1 + np.abs(theta * steps))) + np.abs(turned) @ tilted
                loose = loose + times * size * (1 / length + (1 + size) / length**2)  # rounding of n log(1 + inside)
                grown = grown + times * log1p(np.asarray(inside, dtype=np.complex128))
            noise = tau**2 * t * (t + c) / 2
            factor = np.where(numbers == 0, 1.0, 2.0) * np.exp(noise) / (t * (t + c))  # twice: for the mirror image
            total += float(((np.exp(grown) - nothing) * factor).real.sum())
            rounded = 80 + 4 * (np.abs(grown) + np.abs(noise) + abs(self.height))
            doubts = np.abs(np.exp(grown)) * (8 * loose + rounded) + nothing * (8 * unsure + rounded)
            doubt += float(doubts @ np.abs(factor))
        end = (count + 1) * step  # beyond it weights are at most e^(-(tau u)^2 / 2) / u^2, on both sides
        cut = 2 * math.exp(-((tau * end) ** 2) / 2) / end**2 * (1 + 1 / (step * tau**2 * end))
        cut *= math.exp(tau**2 * theta * (theta + c) / 2)
        scale = step / (2 * math.pi) * math.exp(self.height)
        return min(self.chernoff, scale * (total + cut + ULP * doubt) * (1 + 8 * ULP))

    def _atom(self) -> tuple[float, float]:
        """The probability of no step at all, over the height, and its doubt; 0 where there is none or epsilon."""
        taken = [math.fsum(part.masses) for part in self.parts]
        if self.epsilon or max(taken) >= 1 - 4 * ULP:
            return 0.0, 0.0
        logs = math.fsum(part.times * math.log1p(-mass) for part, mass in zip(self.parts, taken, strict=True))
        unsure = math.fsum(part.times * mass / (1 - mass) for part, mass in zip(self.parts, taken, strict=True))
        return math.exp(logs - self.height), unsure


def log1p(z: Complexes) -> Complexes:
    """log(1 + z) without loss where z is small."""
    a, b = z.real, z.imag
    square = np.maximum(2 * a + a * a + b * b, -1 + 2.0**-1000)
    with np.errstate(divide="ignore"):
        return np.asarray(0.5 * np.log1p(square) + 1j * np.arctan2(b, 1 + a))
