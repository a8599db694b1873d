"""Probabilities in whole units of word space, rounded towards privacy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..core.errors import InvalidEpsilon, InvalidInput
from ..core.exact import ceil_div, exp_below
from .law import WORD_BITS


@dataclass(frozen=True)
class Units:
    """A two-level law in whole units of word space: each low report gets `low`, each high one `high`.

    With a high and b low reports, R <= e**epsilon and N = 2**word_bits words:
    ``low = ceil(N / (R a + b))`` and ``high = floor((N - b low) / a)``, so high <= R low exactly.
    The `spare` = N - b low - a high words go to reports 0, 1, ... whatever the value is,
    which adds the same unit to both sides of every ratio; they are fewer than the reports.
    """

    low: int
    high: int
    spare: int

    @classmethod
    def fine(cls, word_bits: int, epsilon: Fraction, *, a: int, b: int) -> Units:
        """A law like that of `split`, for so many low reports that rounding them all up would open a visible gap.

        ``low = floor(N / (R a + b))`` and ``high = floor(R low)``; as many units as can go to every
        report alike, and the spare words are fewer than the reports.
        """
        space = 1 << word_bits
        limit = exp_below(epsilon)
        low = int(space / (limit * a + b))
        high = int(limit * low)
        each, spare = divmod(space - b * low - a * high, a + b)
        if too_few(low, word_bits) or high <= low:
            raise beyond_words(epsilon, word_bits)
        return cls(low + each, high + each, spare)

    @classmethod
    def split(cls, word_bits: int, epsilon: Fraction, *, a: int, b: int) -> Units:
        """The law that favours `a` reports over `b` others as much as `epsilon` allows."""
        space = 1 << word_bits
        limit = exp_below(epsilon)
        low = ceil_div(space, limit * a + b)
        high = (space - b * low) // a
        if b and (too_few(low, word_bits) or high <= low):
            raise beyond_words(epsilon, word_bits)
        return cls(low, high, space - b * low - a * high)


def too_few(units: int, word_bits: int) -> bool:
    """True if a law has so few units that rounding opens a visible gap: fewer than 256 in words of 64 bits."""
    return units * units < 1 << word_bits // 4


def beyond_words(epsilon: Fraction, word_bits: int) -> InvalidEpsilon:
    """The error for an epsilon that words of this width cannot certify without a visible gap."""
    return InvalidEpsilon(
        f"epsilon={float(epsilon):g} is beyond what words of {word_bits} bits can certify for this many values"
    )


def check_size(size: int, word_bits: int) -> None:
    """Raise `InvalidInput` for a size or word width that no sampler can have."""
    if size < 1:
        raise InvalidInput(f"size={size} must be at least 1")
    if not 1 <= word_bits <= WORD_BITS:
        raise InvalidInput(f"word_bits={word_bits} must be from 1 to {WORD_BITS}")


def check_law(holds: bool, kind: str, must: str) -> None:
    """Raise `InvalidInput` for a law whose numbers contradict each other; `must` says what must hold."""
    if not holds:
        raise InvalidInput(f"law of kind {kind!r}: {must}")
