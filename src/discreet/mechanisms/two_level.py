"""Designs with two levels of probability and one word a report: which report, high or low, by whole units."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..arithmetic import Arithmetic
from ..exact import ceil_div, exp_below
from .randomizer import Units, beyond_words
from .support import Indexed


class TwoLevel(Indexed):
    """`many` of the reports support a value and are e**epsilon times likelier than the others; two share `shared`.

    The word is cut into units: the low reports of a value first, then its high ones, then the spare
    words, which go to reports 0, 1, ... whatever the value. A subclass says in `located` which report is
    the j-th of a value, low ones first.
    """

    def _level(self, size: int, epsilon: Fraction, word_bits: int, *, outputs: int, many: int, shared: int) -> None:
        self.size, self.epsilon, self.word_bits, self.outputs = size, epsilon, word_bits, outputs
        self.words = self.outside_words = 1
        self._many = many
        self._units = Units.split(word_bits, epsilon, a=many, b=outputs - many)
        space = 1 << word_bits
        self.low, self.high = Fraction(self._units.low, space), Fraction(self._units.high, space)
        self.g = many * self.high
        self.h = shared * self.high + (many - shared) * self.low
        self.nu = Fraction(many, outputs)
        self.ratio = self.high / self.low

    @abstractmethod
    def located(self, x: Any, j: Any, ops: Arithmetic) -> Any:
        """The j-th report of value x: the low ones come first."""

    @abstractmethod
    def is_supported(self, x: int, y: int) -> bool:
        """True if report y supports value x."""

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        low, high = self._units.low * self.scale, self._units.high * self.scale
        few = self.outputs - self._many
        is_low = ops.less(u, few * low)
        used = few * low + self._many * high
        spare = 1 - ops.less(u, used)
        j = ops.select(is_low, ops.divide(u, low), few + ops.divide(ops.select(is_low, 0, u - few * low), high))
        report = self.located(x, ops.select(spare, 0, j), ops)
        return ops.select(spare, ops.divide(ops.select(spare, u - used % (1 << 64), 0), self.scale), report)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        extra = Fraction(int(y < self._units.spare), 1 << self.word_bits)
        return (self.high if self.is_supported(x, y) else self.low) + extra

    @cached_property
    def _aside(self) -> int:
        most = self._units.high + (self._units.spare > 0)
        units = ceil_div(most, exp_below(self.epsilon))  # type: ignore[arg-type]
        if units * self.outputs > 1 << self.word_bits:
            raise beyond_words(self.epsilon, self.word_bits)
        return units

    @cached_property
    def shown(self) -> Fraction:  # type: ignore[override]
        return 1 - Fraction(self._aside * self.outputs, 1 << self.word_bits)

    @cached_property
    def outside_ratio(self) -> Fraction:  # type: ignore[override]
        return Fraction(self._units.high + (self._units.spare > 0), self._aside)

    def outside(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        (u,) = words[:1]
        unit = self._aside * self.scale
        shown = 1 - ops.less(u, self.outputs * unit)
        return shown, ops.select(shown, 0, ops.divide(u, unit))

    def outside_probability(self, y: int) -> Fraction:
        return Fraction(self._aside, 1 << self.word_bits) if self.is_report(y) else Fraction(0)
