"""Noise that is the same at every start of a program: a constant seed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context
from ..estimation.tails import binomial_upper
from .result import Finding
from .subjects import Subject

RUN_LENGTH = 2048
"""Reports of one value requested from each start."""
MAX_TRIED = 6
"""How many values, and pairs per value, are tried."""


def find_repeated_noise(
    subject: Subject, context: Context, pairs: Sequence[tuple[int, int]], level: float
) -> list[Finding]:
    """A finding of epsilon = inf if two starts write the same reports although these vary and depend on the value.

    Were all reports independent, two starts would agree on m reports of a value with chance c**m, c the chance
    that two reports agree. From the m/2 disjoint pairs of neighbours in one run c is bounded at half the level; if
    then c**m is below the other half, equal runs refute independence: the noise is known beforehand, and the
    report at some position is a different constant for x and for z. A value whose reports do not vary shows nothing,
    and the next is tried; the `level` is shared among those tried.
    """
    tried = list(dict.fromkeys(value for pair in pairs for value in pair))[:MAX_TRIED]
    for value in tried:
        first, second = (
            subject.reports(value, RUN_LENGTH).whole(),
            subject.reports(value, RUN_LENGTH).whole(),
        )
        if not np.array_equal(first, second):
            return []
        agree = int((first[0::2] == first[1::2]).sum())
        share = level / 2 / len(tried)
        if float(binomial_upper(agree, RUN_LENGTH // 2, share)) ** RUN_LENGTH <= share:
            return _finding(subject, context, pairs, value, first)
    return []


def _finding(
    subject: Subject, context: Context, pairs: Sequence[tuple[int, int]], value: int, first: NDArray[np.uint64]
) -> list[Finding]:
    """The first pair of this value and another whose constant reports differ."""
    for x, z in [pair for pair in pairs if value in pair][:MAX_TRIED]:
        other = subject.reports(z if value == x else x, RUN_LENGTH).whole()
        if places := int((first != other).sum()):
            event = f"two starts of the program wrote the same {RUN_LENGTH} reports: the noise is constant"
            return [
                Finding(
                    context.values[x],
                    context.values[z],
                    context.at(x, z),
                    math.inf,
                    event,
                    places,
                    0,
                    RUN_LENGTH,
                )
            ]
    return []
