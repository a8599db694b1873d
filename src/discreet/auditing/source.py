"""Check that a source of randomness is fit for people: fresh at every start, no short linear recurrence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.errors import CheckFailed
from ..core.random import Source

EXAMINED_WORDS = 40_960
"""Words examined: more than twice the 19,937 bits of state of a Mersenne twister."""
MAX_DEVIATION = 24
"""How far from half the linear complexity of random bits may be; exceeded less than once in 2**40."""


def check_source(make: Callable[[], Source]) -> None:
    """Raise `CheckFailed` unless two fresh sources differ and their words follow no linear recurrence.

    A source with a constant seed repeats itself. The outputs of a Mersenne twister, of an xorshift or of any
    other generator whose steps are linear over bits satisfy a recurrence as long as the state; the shortest
    recurrence of n random bits is n/2 long, give or take a few. Whoever finds the recurrence knows all noise to come.
    Passing proves nothing more: a generator that mixes well can still be predictable.

    References: Massey1969, Matsumoto1998.
    """
    words = make().take(EXAMINED_WORDS)
    if words[:8] == make().take(8):
        raise CheckFailed("source: two fresh sources give the same words: the seed is constant")
    for place in (0, 63):
        found = linear_complexity([word >> place & 1 for word in words])
        if abs(2 * found - EXAMINED_WORDS) > 2 * MAX_DEVIATION:
            raise CheckFailed(
                f"source: bit {place} of {EXAMINED_WORDS} words follows a linear recurrence of length {found}; "
                f"that of random words is about {EXAMINED_WORDS // 2}"
            )


def linear_complexity(bits: Sequence[int]) -> int:
    """The length of the shortest linear recurrence over {0, 1} that gives these bits (Berlekamp and Massey)."""
    current = former = 1
    length, since = 0, 1
    past = 0
    for at, bit in enumerate(bits):
        past = past << 1 | bit
        if not ((current & past).bit_count() & 1):
            since += 1
        elif 2 * length > at:
            current ^= former << since
            since += 1
        else:
            current, former = current ^ former << since, current
            length, since = at + 1 - length, 1
    return length
