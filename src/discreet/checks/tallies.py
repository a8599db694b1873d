"""Tallies merge in any order and count what each report says."""

from __future__ import annotations

import numpy as np

from ..bulk.words import seeded
from ..core.errors import CheckFailed
from ..estimation.decoders import decoder_of
from ..mechanisms.mechanism import Mechanism
from .words import as_integers, some_values


def check_merging(mechanism: Mechanism, *, seed: int = 1) -> None:
    """``+`` is commutative and associative, the empty tally is its zero, and any split gives the same tally."""
    values = some_values(mechanism.context.size, 60, seed)
    reports = mechanism.randomize_indices(values, seeded(seed))
    whole = mechanism.tally(reports)
    a, b, c = (mechanism.tally(part) for part in np.split(reports, [7, 30]))
    laws = {
        "a + b = b + a": a + b == b + a,
        "(a + b) + c = a + (b + c)": (a + b) + c == a + (b + c),
        "a + zero = a": a + mechanism.tally() == a == mechanism.tally() + a,
        "the parts add up to the whole": a + b + c == whole == sum([a, b, c]),
        "the order of reports does not matter": mechanism.tally(reports[::-1]) == whole,
        "n counts the reports": whole.n == len(values),
    }
    for law, holds in laws.items():
        if not holds:
            raise CheckFailed(f"{mechanism.name}: its tallies break the law: {law}")


def check_counting(mechanism: Mechanism, *, seed: int = 1) -> None:
    """Counting an array, counting a list of integers and adding up `cells_of` give the same counts."""
    values = some_values(mechanism.context.size, 60, seed)
    reports = mechanism.randomize_indices(values, seeded(seed))
    listed = as_integers(reports)
    counts = np.zeros(decoder_of(mechanism).cells, dtype=np.int64)
    for y in listed:
        for cell in decoder_of(mechanism).cells_of(y):
            counts[cell] += 1
    if not np.array_equal(mechanism.tally(reports).counts, counts):
        raise CheckFailed(f"{mechanism.name}: the tally of an array differs from the cells of its reports")
    if mechanism.tally(listed) != mechanism.tally(reports):
        raise CheckFailed(f"{mechanism.name}: the tally of a list of integers differs from that of an array")
