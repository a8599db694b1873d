"""Another engine gives the reports of the reference, word for word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..bulk.randomizing import randomize_indices
from ..bulk.words import seeded
from ..core.errors import CheckFailed, UnknownValue
from ..core.random import Source
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.sampler import Sampler
from .words import as_integers, some_values

Engine = Callable[[Sampler, Any, Source], Any]
"""``engine(sampler, indices, rng)`` gives the reports of `discreet.bulk.randomizing.randomize_indices`."""


def check_engine(engine: Engine, mechanism: Mechanism, *, n: int = 4000, seed: int = 1) -> None:
    """`engine` equals the plain integers on a few reports and the NumPy reference on `n`, and refuses bad indices."""
    sampler = mechanism.sampler
    values = some_values(sampler.size, n, seed)
    few = values[: max(2, min(100, 100_000 // sampler.words))]
    alone = seeded(seed)
    expected = [mechanism.randomize_index(int(x), alone) for x in few]
    _same(mechanism, expected, as_integers(engine(sampler, few, seeded(seed))))
    reference = randomize_indices(sampler, values, seeded(seed))
    found = engine(sampler, values, seeded(seed))
    if found.dtype != reference.dtype or found.shape != reference.shape:
        raise CheckFailed(
            f"{mechanism.name}: the engine gives {found.dtype} {found.shape}, not {reference.dtype} {reference.shape}"
        )
    _same(mechanism, as_integers(reference), as_integers(found))
    for wrong in ([-1], [sampler.size], [0.5]):
        try:
            engine(sampler, wrong, seeded(seed))
        except UnknownValue:
            continue
        raise CheckFailed(f"{mechanism.name}: the engine randomizes the index {wrong[0]}, which is not in the domain")


def _same(mechanism: Mechanism, expected: list[int], found: list[int]) -> None:
    for at, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one != other:
            raise CheckFailed(f"{mechanism.name}: report {at} is {one} by the reference and {other} by the engine")
