"""Noise that is the same at every start of a program: a constant seed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..context import Context
from ..numerics.binomial import upper_limit
from .result import Finding
from .subjects import Subject

RUN = 2048
"""Reports of one value asked of each start."""


def repeated_noise(subject: Subject, context: Context, pairs: Sequence[tuple[int, int]], level: float) -> list[Finding]:
    """A finding of epsilon = inf when two starts write the same reports though these vary and depend on the value.

    Were all reports independent, two starts would agree on m reports with chance c**m, c the chance that two
    reports agree. From the m/2 disjoint pairs of neighbours in one run c is bounded at half the `level`; if
    then c**m is below the other half, equal runs refute independence: the noise is known beforehand, and the
    report at some place is a different constant for x and for z.
    """
    for x, z in pairs[:4]:
        first, second = subject.reports(x, RUN).whole(), subject.reports(x, RUN).whole()
        if not np.array_equal(first, second):
            return []
        agree = int((first[0::2] == first[1::2]).sum())
        chance = float(upper_limit(agree, RUN // 2, level / 2))
        other = subject.reports(z, RUN).whole()
        if chance**RUN <= level / 2 and not np.array_equal(first, other):
            told = f"two starts of the program wrote the same {RUN} reports: the noise is constant"
            places = int((first != other).sum())
            return [Finding(context.values[x], context.values[z], context.at(x, z), math.inf, told, places, 0, RUN)]
    return []
