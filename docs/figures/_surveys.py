"""Simulated surveys that the pictures of estimators share: four shapes of shares, all made with the same mechanism."""

from collections.abc import Callable
from typing import Any

import numpy as np

import discreet as dc

K, N = 50, 20_000

SHAPES = {
    "even": np.ones(K),
    "Zipf": 1 / np.arange(1, K + 1),
    "a few hold nearly all": 0.8 ** np.arange(K),
    "two levels": np.arange(K) % 2.0,
}
"""Shares up to a factor; of two levels, every other value is held by nobody."""

WAYS: dict[str, Callable[[Any], Any]] = {
    "unbiased": dc.estimate,
    "projected": dc.project,
    "likelihood": dc.likelihood,
    "shrunk": dc.shrink,
}

MECHANISM = dc.mechanism(dc.Context.uniform(range(K), epsilon="1"))


def shares_of(shape: str) -> np.ndarray:
    """The true shares of a shape."""
    return SHAPES[shape] / SHAPES[shape].sum()


def tally(truth: np.ndarray, seed: int) -> dc.Tally:
    """The tally of a survey of N people."""
    held = np.random.default_rng(seed).choice(K, size=N, p=truth)
    return MECHANISM.tally(MECHANISM.randomize_indices(held, dc.random.seeded(seed)))


def estimated(shape: str, surveys: int, ways: tuple[str, ...] = tuple(WAYS)) -> dict[str, np.ndarray]:
    """The shares that each of these ways makes of each of so many surveys: a row a survey."""
    tallies = [tally(shares_of(shape), seed) for seed in range(surveys)]
    return {way: np.array([WAYS[way](one).shares for one in tallies]) for way in ways}
