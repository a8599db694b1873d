"""The mechanisms that are measured, at epsilon 1, and values for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import discreet as dc

BLOCK = 250
"""Values of a block; and one value in ten is sensitive."""


def mechanism(form: str, name: str, k: int) -> dc.Mechanism:
    """A mechanism by the form of its context and the name of its base."""
    if form == "uniform":
        context = dc.Context.uniform(range(k), "1")
    elif form == "blocks":
        context = dc.Context.blocks({b: range(b * BLOCK, min(k, (b + 1) * BLOCK)) for b in range(-(-k // BLOCK))}, "1")
    else:
        context = dc.Context.high_low(range(k), range(k // 10), "1")
    return dc.mechanism(context, name)


def values(k: int, n: int, *, seed: int = 1) -> NDArray[Any]:
    """Numbers of values, all equally often, in the smallest type."""
    return np.random.default_rng(seed).integers(0, k, n, dtype=np.min_scalar_type(k - 1))


HOT = [
    ("uniform", "hadamard"),
    ("blocks", "hadamard"),
    ("high_low", "hadamard"),
    ("uniform", "randomized_response"),
    ("uniform", "projective"),
    ("blocks", "projective"),
]
"""Reports of one word from one random word."""

SETS = [("uniform", "subset"), ("uniform", "unary")]
"""Reports that are sets of values, from many words."""
