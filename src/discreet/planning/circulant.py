"""Sets of shifts for circulant response that serve linear queries: intervals, sets with their spectrum, and both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..core.errors import NotServed
from ..core.exact import approx
from ..core.limits import spend
from ..estimation.arrays.layout import Array
from ..estimation.decoders import decoder_of
from ..mechanisms.uniform.circulant import Circulant, interval
from .objective import Objective

MAX_VALUES = 512
"""The largest domain for which sets are searched for."""
MAX_ENTRIES = 1 << 21
"""The most entries of the channel of sets that are searched for."""

WIDTHS = (0.25, 0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0, 2.8)
"""The widths of intervals that are tried, as multiples of the default."""
STRETCH = 1.2
"""How many shifts there are for each value where sets are coloured."""
CYCLES = 8
"""How many sets are coloured together."""
BESIDE = ((0.6, 8), (0.7, 0), (0.7, 4), (0.85, 8))
"""The widths of intervals beside coloured sets, as multiples of the default, and how many there are of them."""
MIN_WIDTH = 3
"""The fewest shifts of a set that is coloured; smaller ones have no spectrum to speak of."""
MIN_RANK = 1.5
"""The least effective rank of queries for which sets are coloured; for a single one intervals are as good."""
MAX_EPSILON = 32.0
"""The largest epsilon for which sets are searched for: above it every report shows its value."""
MAX_SWAPS = 2000
"""The most shifts that are exchanged in all."""


class Sets(NamedTuple):
    """The parameters of a circulant response."""

    modulus: int
    sets: list[Sequence[int]]


def circulant_for(size: int, epsilon: Fraction, objective: Objective, shares: Array) -> Circulant:
    """The circulant response with the least error found for the queries of an objective, at these shares.

    With the channel Q and the Gram matrix G of the queries less their means it is ``trace(G M**-1)``,
    ``M = Q diag(Q^T p)**-1 Q^T``, the least that any unbiased estimate has; or that in the worst case, if the objective
    asks for it. Of several targets each counts by how far it is above its least.
    """
    level = approx(epsilon)
    if not 2 < size <= MAX_VALUES or level > MAX_EPSILON:
        raise NotServed(f"circulant response is not searched for {size} values at epsilon {level:g}")
    spend(size**3 // 8, "sets of shifts for a query")
    away = [rows - (rows @ shares)[:, None] for _, rows in objective.weights]  # a constant adds no error
    grams = [rows.T @ rows for rows in away]
    tried = [*_intervals(size, level)]
    errors = [_errors(size, level, one, grams, shares) for one in tried]
    least = np.min(errors, axis=0)
    if not 0 < least.min() <= least.max() < math.inf:
        raise NotServed(f"circulant response cannot be compared in doubles at epsilon {level:g}")
    if max(map(_rank, grams)) >= MIN_RANK:
        together = np.sum([own / of for own, of in zip(grams, least, strict=True)], axis=0)
        coloured_ones = _coloured_for(size, level, [*grams, together] if len(grams) > 1 else grams)
        for one in [*coloured_ones, *(_mixed(size, level, together) if len(grams) > 1 else ())]:
            tried.append(one)
            errors.append(_errors(size, level, one, grams, shares))
    made = [Circulant(size, epsilon, modulus=one.modulus, sets=one.sets) for one in tried]
    if objective.worst:
        errors = [objective.errors(decoder_of(one), shares) for one in made]
    sums = (np.array(errors) / np.min(errors, axis=0)).sum(axis=1)
    return made[int(np.argmin(sums))]


def _intervals(size: int, epsilon: float) -> Iterator[Sets]:
    """Intervals of several widths about the default."""
    for width in sorted({_width(size, epsilon, times) for times in WIDTHS}):
        yield Sets(*interval(size, width))


def _width(size: int, epsilon: float, times: float) -> int:
    """So many times the width of the default interval, in shifts."""
    return max(1, min(round(size * math.exp(-epsilon / 3) * times), size - 1))


def _coloured_for(size: int, epsilon: float, grams: Sequence[Array]) -> Iterator[Sets]:
    """The coloured sets for queries with each Gram matrix, if they can have its spectrum."""
    modulus = math.ceil(STRETCH * size)
    for gram in grams:
        yield from _coloured_within(size, epsilon, modulus, gram, CYCLES)


def _mixed(size: int, epsilon: float, gram: Array) -> Iterator[Sets]:
    """Intervals, for what is smooth in the queries, beside coloured sets of the same modulus, for the rest."""
    for times, beside in BESIDE:
        modulus, one = interval(size, _width(size, epsilon, times))
        for _, sets in _coloured_within(size, epsilon, modulus, gram, CYCLES + beside):
            yield Sets(modulus, [*one * beside, *sets])


def _coloured_within(size: int, epsilon: float, modulus: int, gram: Array, cycles: int) -> Iterator[Sets]:
    """Coloured sets of this modulus, if they can have a spectrum and `cycles` sets are not too many to compare."""
    width = round(modulus / (1 + math.exp(epsilon)))
    if width >= MIN_WIDTH and size * modulus * cycles <= MAX_ENTRIES:
        yield Sets(modulus, coloured(modulus, width, _spectrum(_centred(gram), modulus)))


def _centred(gram: Array) -> Array:
    """The Gram matrix of the queries less their means."""
    rows = gram - gram.mean(axis=0)
    return np.asarray(rows - rows.mean(axis=1)[:, None])


def _rank(gram: Array) -> float:
    """How many queries of equal weight, all different, have a Gram matrix as flat as this."""
    centred = _centred(gram)
    return float(np.trace(centred) ** 2 / (centred**2).sum())


def _errors(size: int, epsilon: float, chosen: Sets, grams: Sequence[Array], shares: Array) -> tuple[float, ...]:
    """trace(G M**-1) for every G, infinite where the reports do not tell all values apart."""
    from scipy.linalg import cho_solve, toeplitz  # which nothing needs before a query is given
    from scipy.linalg.lapack import dpotrf

    modulus, sets = chosen
    total = sum(map(len, sets))
    low = 1 / (total * math.expm1(epsilon) + modulus * len(sets))
    rows = []
    for one in sets:
        column = np.full(modulus, low)
        column[list(one)] = low * math.exp(epsilon)
        rows.append(toeplitz(column[-np.arange(size)], column))  # row x is the column moved on by x places
    channel = np.concatenate(rows, axis=1)
    information = (channel / (shares @ channel)) @ channel.T
    factor, failed = dpotrf(information, lower=True)
    diagonal = factor.diagonal()
    if failed or diagonal.min() < 1e-7 * diagonal.max():
        return (math.inf,) * len(grams)
    inverse = cho_solve((factor, True), np.eye(size))
    return tuple(float((inverse * gram).sum()) for gram in grams)


def _spectrum(centred: Array, modulus: int) -> Array:
    """How much of each frequency of Z_modulus, from 1 to its half, the queries ask for."""
    asked = np.fft.fft(np.fft.fft(centred, modulus, axis=0).T, modulus, axis=0)
    diagonal = asked[np.arange(modulus), -np.arange(modulus)].real
    return np.asarray(np.maximum(diagonal[1 : modulus // 2 + 1], 0.0))


def coloured(modulus: int, width: int, spectrum: Array) -> list[Sequence[int]]:
    """Sets of `width` shifts whose mean power spectrum |D(w)|^2 is large where the queries ask for much.

    They start above a threshold of noise with the power ``spectrum**(1/2)``, the best there is where the power is free,
    and shifts are exchanged while ``sum_w spectrum_w / mean |D_j(w)|**2`` falls. The noise is the same at every call.
    """
    noise = np.random.default_rng(modulus)
    frequencies = np.arange(1, modulus // 2 + 1)
    sets = np.zeros((CYCLES, modulus), dtype=bool)
    for own in sets:
        colours = np.fft.rfft(noise.standard_normal(modulus))
        colours[0], colours[1:] = 0.0, colours[1:] * spectrum**0.25
        own[np.argsort(np.fft.irfft(colours, modulus))[-width:]] = True
    waves = np.exp(-2j * np.pi * np.outer(np.arange(modulus), frequencies) / modulus)
    powers = [sets[j] @ waves for j in range(CYCLES)]
    mean = sum(abs(power) ** 2 for power in powers) / CYCLES
    cost, idle = float((spectrum / mean).sum()), 0
    for _ in range(MAX_SWAPS):
        j = int(noise.integers(CYCLES))
        leaving = int(noise.choice(np.flatnonzero(sets[j])))
        others = np.flatnonzero(~sets[j])
        moved = powers[j] - waves[leaving] + waves[others]
        means = mean + (abs(moved) ** 2 - abs(powers[j]) ** 2) / CYCLES
        costs = (spectrum / np.maximum(means, 1e-12)).sum(axis=1)
        least = int(np.argmin(costs))
        if costs[least] >= cost * (1 - 1e-9):
            if (idle := idle + 1) > 2 * CYCLES * width:
                break
            continue
        sets[j, [leaving, others[least]]] = False, True
        powers[j], mean, cost, idle = moved[least], means[least], float(costs[least]), 0
    return [np.flatnonzero(own).tolist() for own in sets]
