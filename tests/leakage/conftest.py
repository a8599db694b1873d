"""Small shuffled batches worked out exactly."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from types import SimpleNamespace

import pytest


def multisets(rows, held):
    """The law of the shuffled reports of people who hold these values: from sorted reports to probabilities."""
    law = {(): Fraction(1)}
    for v in held:
        after = Counter()
        for seen, chance in law.items():
            for y, entry in enumerate(rows[v]):
                if entry:
                    after[tuple(sorted((*seen, y)))] += chance * entry
        law = after
    return law


def population_delta(rows, x, z, g, others):
    """sum (Pr(batch | x) - g Pr(batch | z))_+ where the others hold these values, exactly."""
    own, other = multisets(rows, [x, *others]), multisets(rows, [z, *others])
    return sum((max(chance - g * other.get(batch, 0), Fraction(0)) for batch, chance in own.items()), Fraction(0))


def worst_delta(rows, x, z, g, n, hiders):
    """The largest of these over everything that n - 1 others may hold among `hiders`."""
    return max(population_delta(rows, x, z, g, others) for others in combinations_with_replacement(hiders, n - 1))


def floor_delta(rows, x, z, g, n, hiders):
    """The floor bound by its definition, exactly, listing how often each report was drawn from the floor."""
    columns = list(zip(*rows, strict=True))
    floors = [min(column[v] for v in hiders) for column in columns]
    told = sum((max(c[x] - g * c[z], Fraction(0)) for c, m in zip(columns, floors, strict=True) if not m), Fraction(0))
    steps = Counter()
    for column, m in zip(columns, floors, strict=True):
        if m:
            steps[(column[x] - g * column[z]) / m] += m
    steps[Fraction(0)] += 1 - sum(floors)
    sums = {Fraction(0): Fraction(1)}
    for _ in range(n):
        after = Counter()
        for height, chance in sums.items():
            for step, mass in steps.items():
                after[height + step] += chance * mass
        sums = after
    return told + sum((chance * height for height, chance in sums.items() if height > 0), Fraction(0)) / n


@pytest.fixture(scope="session")
def exactly():
    """Small batches worked out in full."""
    return SimpleNamespace(population_delta=population_delta, worst_delta=worst_delta, floor_delta=floor_delta)
