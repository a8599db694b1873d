"""The optimal mechanism for two values: Warner's response, Mangat's response and everything in between."""

from __future__ import annotations

import math
from fractions import Fraction

from ...contexts import Context
from ...core.errors import NotServed
from ...core.exact import Epsilon, ceil_div, exp_below
from ..law import WORD_BITS
from ..units import beyond_words, too_few
from .table import Table


def binary_response(epsilon: tuple[Epsilon, Epsilon], *, word_bits: int = WORD_BITS, name: str = "binary") -> Table:
    """The channel on two values that no other can beat, for any utility that respects data processing.

    With A = e**E[1,2] and B = e**E[2,1] and N words, value 2 reports 1 with
    ``x = ceil(N (B-1)/(AB-1))`` words and value 1 reports 2 with ``y = ceil(N (A-1)/(AB-1))``.
    Limits: A = inf gives x = 0, y = ceil(N/B) (Mangat); both infinite the identity; both zero
    epsilons equal rows; A = B is Warner's randomized response.

    *Why private.* ``N - y <= A x`` and ``N - x <= B y`` hold at the exact solution, and rounding x
    and y up only helps; A and B are rationals below the exponentials.

    References: Acharya2020, Theorem 2 (with its limits), Warner1965, Mangat1994.
    """
    space = 1 << word_bits
    second_lies, first_lies = _lies(epsilon, space)
    for claimed, lies in zip(epsilon, (second_lies, first_lies), strict=True):
        if lies and isinstance(claimed, Fraction) and too_few(lies, word_bits):
            raise beyond_words(claimed, word_bits)
    rows = [[space - first_lies, first_lies], [second_lies, space - second_lies]]
    return Table(rows, word_bits=word_bits, name=name)


def optimal(context: Context) -> Table:
    """The optimal sampler for the two values of a context."""
    return binary_response(_levels(context, "binary"))


def warner(context: Context) -> Table:
    """Warner's randomized response, at the smaller of the two epsilons."""
    least = min(_levels(context, "warner"))
    return binary_response((least, least), name="warner")


def mangat(context: Context) -> Table:
    """Mangat's response, for a first value that is not sensitive."""
    levels = _levels(context, "mangat")
    if isinstance(levels[0], Fraction):
        raise NotServed("mechanism='mangat' needs E[first, second] = inf: the first value is not sensitive")
    return binary_response(levels, name="mangat")


def _levels(context: Context, name: str) -> tuple[Epsilon, Epsilon]:
    if context.size != 2:
        raise NotServed(f"mechanism={name!r} needs exactly two values; the context has {context.size}")
    return context.at(0, 1), context.at(1, 0)


def _lies(epsilon: tuple[Epsilon, Epsilon], space: int) -> tuple[int, int]:
    forward, backward = epsilon
    if forward == backward == 0:
        return space // 2, space - space // 2
    if forward == math.inf:
        return 0, 0 if backward == math.inf else ceil_div(space, _exp(backward))
    if backward == math.inf:
        return ceil_div(space, _exp(forward)), 0
    a, b = _exp(forward), _exp(backward)
    if a * b == 1:
        raise beyond_words(Fraction(max(forward, backward)), space.bit_length() - 1)
    return ceil_div(space * (b - 1), a * b - 1), ceil_div(space * (a - 1), a * b - 1)


def _exp(epsilon: Epsilon) -> Fraction:
    assert isinstance(epsilon, Fraction)
    return exp_below(epsilon)
