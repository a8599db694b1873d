"""The pairs of values that an account of a mechanism is about."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

from ..errors import InvalidInput
from ..mechanisms.mechanism import Mechanism

PAIRS = 1 << 13
"""The most pairs that are compared with each other."""


def asked_pairs(mechanism: Mechanism) -> Iterator[tuple[int, int]]:
    """For every contrast a pair of values that has it and that E asks for anything; none for a contrast without one.

    A mechanism may treat values alike that the context does not: then another pair with the same labels stands in.
    """
    randomizer, closure = mechanism.randomizer, mechanism.context.closure()
    pairs = list(islice(randomizer.contrasts(), PAIRS + 1))
    if len(pairs) > PAIRS:
        raise InvalidInput(
            f"{mechanism.name}: more than {PAIRS} pairs differ in what tells them apart; ask for those that matter, by "
            "their values"
        )
    labels = randomizer.labels
    others: dict[tuple[int, int], tuple[int, int]] | None = None
    for i, j in pairs:
        if closure.at(i, j) == math.inf:
            if others is None:
                others = {(labels[x], labels[z]): (x, z) for x, z, _ in closure.generators(labels)}
            if (labels[i], labels[j]) not in others:
                continue
            i, j = others[labels[i], labels[j]]
        yield i, j
