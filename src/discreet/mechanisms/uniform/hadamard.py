"""Hadamard response: one word and one row of the Hadamard matrix, which is never written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...core.arithmetic import MASK, Arithmetic
from ...core.exact import exp_below
from ..law import WORD_BITS, Law
from ..units import beyond_words, check_law, check_size, too_few
from .pure import PureSampler


@dataclass(frozen=True)
class HadamardLaw(Law):
    """The top bits of a word choose one of ``2**bits`` columns; the other bits mean the truth if below `true`.

    ``bits`` is the length of `size` in bits, so that row `size` of the Hadamard matrix exists.
    """

    kind = "hadamard"

    size: int
    true: int
    word_bits: int


class Hadamard(PureSampler):
    """Report one of K = 2**m columns, K > k; those where row x+1 of H_K is +1 are e**epsilon times likelier.

    Row r supports S_r = {y : parity(r & y) = 0}, half of the columns; two rows share a quarter.
    The top m bits of the word give a column v, the other bits decide truth or lie; a column on
    the wrong side is moved across by flipping the lowest set bit of r, a bijection between the halves.

    *Why private.* Each supported column has 2T units and each other one 2(2**(64-m) - T), with
    ``T = floor(2**(64-m) R / (R + 1))``, so the ratio is at most R <= e**epsilon.

    References: Acharya2019; Acharya2020 (13) with row x+1, (15) and (19) simplified.
    """

    name = "hadamard"
    is_numbered = True
    law: HadamardLaw
    follows = HadamardLaw

    def __init__(self, size: int, epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        width = word_bits - size.bit_length()
        limit = exp_below(epsilon)
        space = 1 << max(width, 0)
        true = int(space * limit / (limit + 1))
        if width < 2 or too_few(space - true, width) or 2 * true <= space:
            raise beyond_words(epsilon, word_bits)
        self.follow(HadamardLaw(size, true, word_bits))

    def follow(self, law: HadamardLaw) -> None:
        check_size(law.size, law.word_bits)
        width = law.word_bits - law.size.bit_length()
        sound = width > 0 and 1 << width < 2 * law.true < 2 << width
        check_law(sound, law.kind, "its truths must be more than half of the words, but not all of them")
        self.law, self.size, self.word_bits, self.words = law, law.size, law.word_bits, 1
        self.outputs = 1 << law.size.bit_length()
        self.bound = law.true << WORD_BITS - width
        """The threshold for the bits of a word below the column, once they are moved to the top."""
        self.width = width
        self.p, self.q, self.r = Fraction(law.true, 1 << width), Fraction(1, 2), Fraction(1, 2)
        self.high, self.low = 2 * self.p / self.outputs, 2 * (1 - self.p) / self.outputs
        self.ratio = self.high / self.low

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        row = x + 1
        lowest = row & (MASK - row + 1)
        column = ops.position(u, self.outputs)
        lie = 1 - ops.less(ops.fraction(u, self.outputs), self.bound)
        return column ^ ((ops.parity(row & column) ^ lie) * lowest)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        return self.low if ((x + 1) & y).bit_count() & 1 else self.high
