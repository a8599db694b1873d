"""Circulant response: cyclic response by any sets of shifts, for queries of ordered values such as their mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from ...contexts import Context
from ...core.errors import InvalidInput, shown
from ..law import WORD_BITS
from ..sampler import LawExample
from ..units import check_size
from .cyclic import Cyclic

MAX_CYCLES = 64
"""The most sets of shifts."""

MAX_REPORTS = 1 << 24
"""The most reports, each of which has a place in the table that reports are drawn from."""


class Circulant(Cyclic):
    """Report i v + (x + t mod v), where each t in the set D_i is e**epsilon times likelier than the other shifts.

    The channel is a part of circulant matrices side by side. Values that are near each other share reports where the
    sets have runs, so that what is asked of their order costs less than with sets that treat all values alike: one
    interval for a mean, sets whose spectrum is that of the query for cumulative shares and ranges. The sets are those
    of `sets` with the modulus v = `modulus`, or one interval of about ``k e**(-epsilon / 3)`` shifts with
    ``v = k + d - 1``, whose estimate of a mean has at most 9 % more variance than the best there is for even shares.

    *Why private.* As `Cyclic`: whatever the sets are.

    References: Li2020 (Square Wave), Duchi2013 (one bit about a mean), McKenna2020 (queries of ordered values).
    """

    name = "circulant"

    def __init__(
        self,
        size: int,
        epsilon: Fraction,
        *,
        modulus: int | None = None,
        sets: Iterable[Iterable[int]] | None = None,
        word_bits: int = WORD_BITS,
    ) -> None:
        check_size(size, word_bits)
        if size < 2:
            raise InvalidInput(f"size={size} must be at least 2 for circulant response")
        if (modulus is None) != (sets is None):
            raise InvalidInput("circulant needs both of modulus and sets, or neither")
        if modulus is None or sets is None:
            modulus, sets = interval(size, max(1, min(round(size * math.exp(-float(epsilon) / 3)), size - 1)))
        self.shift(size, epsilon, word_bits, modulus=modulus, shifts=_checked(modulus, sets, size))

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "modulus": self.law.modulus, "sets": self.sets}

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        yield LawExample(cls.name, Context.uniform(range(5), "1"), {"modulus": 8, "sets": [range(4)]})
        yield LawExample(cls.name, Context.uniform(range(6), "2"), {"modulus": 7, "sets": [[0, 1], [0, 2, 3]]})


def interval(size: int, width: int) -> tuple[int, list[Sequence[int]]]:
    """The modulus and the sets of one interval of `width` shifts that no report wraps around."""
    return size + width - 1, [range(width)]


def _checked(modulus: object, sets: Iterable[Iterable[int]], size: int) -> list[list[int]]:
    """The sets, each as a list; `InvalidInput` unless they are shifts below `modulus` that a law can be made of."""
    if isinstance(modulus, bool) or not isinstance(modulus, int) or modulus < size:
        raise InvalidInput(f"modulus={shown(modulus)} must be a whole number, at least the number of values, {size}")
    try:
        listed = [list(one) for one in sets]
    except TypeError:
        raise InvalidInput("sets must be lists of shifts") from None
    if not 1 <= len(listed) <= MAX_CYCLES:
        raise InvalidInput(f"sets: {len(listed)} sets must be from 1 to {MAX_CYCLES}")
    if modulus * len(listed) > MAX_REPORTS:
        raise InvalidInput(f"modulus={modulus} for {len(listed)} sets must give at most {MAX_REPORTS} reports")
    for number, one in enumerate(listed):
        if any(isinstance(t, bool) or not isinstance(t, int) or not 0 <= t < modulus for t in one):
            raise InvalidInput(f"sets[{number}] must be whole numbers from 0 to {modulus - 1}")
        if len(set(one)) != len(one):
            raise InvalidInput(f"sets[{number}] must hold each shift once")
    if not 0 < sum(map(len, listed)) < modulus * len(listed):
        raise InvalidInput("sets must hold some of the shifts, and not all of them")
    return listed
