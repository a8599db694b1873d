"""The ratios that are promised, each from one alternating run: values against numbers, projective against Hadamard."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from cases import mechanism, values
from measure import Result, least_of

import discreet as dc
from discreet.bulk.randomizing import randomize_indices


def ratios(ks: list[int], n: int) -> Iterator[Result]:
    """Values of blocks to reports as a part of the speed by number, and how many times slower projective is."""
    rng = dc.random.secure()
    ages = dc.mechanism(dc.Context.blocks({"young": range(18, 40), "old": range(40, 120)}, "1"), "hadamard")
    shuffled = np.random.default_rng(2).permutation(1000).tolist()
    mixed = dc.mechanism(dc.Context.blocks({b: shuffled[b::4] for b in range(4)}, "1"), "hadamard")
    blocks = {f"blocks of 0 to {k - 1}": mechanism("blocks", "hadamard", k) for k in ks}
    for case, made in {**blocks, "ages in blocks": ages, "1000 values in any order": mixed}.items():
        size = made.context.size
        numbers = values(size, n)
        column = np.array(list(made.context.values))[numbers]
        works = {
            "by number": partial(made.randomize_indices, numbers, rng),
            "by value": partial(made.randomize_many, column, rng),
        }
        seconds = least_of(works)
        of = {"of by number": seconds["by number"] / seconds["by value"]}
        yield Result("ratios", f"{case}, by value", size, n, n / seconds["by value"], ratios=of)
    for k in ks:
        made_by = {name: mechanism("uniform", name, k) for name in ("hadamard", "projective")}
        numbers = values(k, n)
        run = partial(randomize_indices, indices=numbers, rng=rng, threads=1, engine="numba")
        seconds = least_of({name: partial(run, made.sampler) for name, made in made_by.items()})
        of = {"times as long as hadamard": seconds["projective"] / seconds["hadamard"]}
        yield Result("ratios", "uniform projective", k, n, n / seconds["projective"], ratios=of)
