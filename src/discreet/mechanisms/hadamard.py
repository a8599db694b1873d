"""Hadamard response: one word, one row of the Hadamard matrix, no matrix."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..arithmetic import MASK, Arithmetic
from ..exact import ceil_div, exp_below
from .randomizer import WORD_BITS, beyond_words, check_size, too_few
from .support import Indexed


class Hadamard(Indexed):
    """Report one of K = 2**m columns, K > k; those where row x+1 of H_K is +1 are e**epsilon times likelier.

    Row r supports S_r = {y : parity(r & y) = 0}, half of the columns; two rows share a quarter.
    The top m bits of the word give a column v, the other bits decide truth or lie; a column on
    the wrong side is moved across by flipping the lowest set bit of r, a bijection between the halves.

    *Why private.* Each supported column has 2T units and each other one 2(2**(64-m) - T), with
    ``T = floor(2**(64-m) R / (R + 1))``, so the ratio is at most R <= e**epsilon.
    *Why unbiased.* ``p_x = c * mean(H[x+1, Y])`` with c = 1/(2g - 1), here with the exact g = T / 2**(64-m).

    References: Acharya2019; Acharya2020 (13) with row x+1, (15) and (19) simplified.
    """

    name = "hadamard"

    def __init__(self, size: int, epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        self.size, self.epsilon, self.word_bits = size, epsilon, word_bits
        self.words = self.outside_words = 1
        self.outputs = 1 << size.bit_length()
        width = word_bits - size.bit_length()
        limit = exp_below(epsilon)
        space = 1 << max(width, 0)
        self._true = int(space * limit / (limit + 1))
        lie = space - self._true
        if width < 2 or too_few(lie, width) or self._true <= lie:
            raise beyond_words(epsilon, word_bits)
        self._aside = ceil_div(2 * self._true, limit)  # type: ignore[arg-type]
        self._step = 1 << (WORD_BITS - width)
        self.g, self.h, self.nu = Fraction(self._true, space), Fraction(1, 2), Fraction(1, 2)
        self.high, self.low = 2 * self.g / self.outputs, 2 * (1 - self.g) / self.outputs
        self.ratio = self.high / self.low
        self.outside_ratio = Fraction(2 * self._true, self._aside)
        self.shown = 1 - Fraction(self._aside, space)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        row = x + 1
        lowest = row & (MASK - row + 1)
        column = ops.position(u, self.outputs)
        lie = 1 - ops.less(ops.fraction(u, self.outputs), self._true * self._step)
        return column ^ ((ops.parity(row & column) ^ lie) * lowest)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        return self.low if ((x + 1) & y).bit_count() & 1 else self.high

    def outside(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        (u,) = words[:1]
        shown = 1 - ops.less(ops.fraction(u, self.outputs), self._aside * self._step)
        return shown, ops.position(u, self.outputs)

    def outside_probability(self, y: int) -> Fraction:
        return (1 - self.shown) / self.outputs if self.is_report(y) else Fraction(0)

    def supports(self, counts: Any, ops: Any) -> Any:
        spectrum = ops.walsh_hadamard(counts)
        return (spectrum[..., :1] + spectrum[..., 1 : self.size + 1]) / 2

    def cover(self, weights: Any, ops: Any) -> Any:
        rows = ops.zeros((*weights.shape[:-1], self.outputs))
        rows[..., 1 : self.size + 1] = weights
        return (ops.sum(weights) + ops.walsh_hadamard(rows)) / 2

    @property
    def decode_cost(self) -> float:
        return float(self.outputs * (self.outputs.bit_length() - 1))

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}
