"""Cover reports of high-low privacy: what values that need no protection write so that nobody else stands out.

Each pure protocol has its own way to draw them, found by the class of its sampler, which knows nothing of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from ...core.arithmetic import Arithmetic
from ...core.errors import NotServed
from ...core.exact import ceil_div, exp_below
from ..law import WORD_BITS
from ..uniform.floyd import Steps, draws, evenness, is_plan, set_law, steps_of, words_of
from ..uniform.hadamard import Hadamard
from ..uniform.pure import PureSampler
from ..uniform.subset import Subset
from ..uniform.unary import Unary
from ..units import beyond_words, check_law


class CoverUnits(NamedTuple):
    """How often a value that needs no protection writes a cover report, in units that its kind of cover defines.

    For reports that are sets, `steps` says how the words of a cover report are shared out.
    """

    units: int
    steps: Steps = ()


Base = TypeVar("Base", bound=PureSampler)


class Cover(ABC, Generic[Base]):
    """Cover reports of a base: with `units` of them, every protected value is hidden at some epsilon."""

    def __init__(self, base: Base, units: CoverUnits) -> None:
        self.base, self.units = base, units
        self.check()

    @classmethod
    @abstractmethod
    def fewest(cls, base: Base, epsilon: Fraction) -> CoverUnits:
        """The fewest units with which a value that needs no protection hides every protected one."""

    def check(self) -> None:
        """Refuse units that the base cannot draw."""
        holds = self.units.units > 0 and not self.units.steps and self.disclosing >= 0
        check_law(holds, "high_low", "its neutral units must be positive and fit the words, and it must have no steps")

    @cached_property
    def disclosing(self) -> Fraction:
        """The probability that a value that needs no protection is disclosed: unless a word is below `units`."""
        return 1 - Fraction(self.units.units, 1 << self.base.word_bits)

    @property
    @abstractmethod
    def ratio(self) -> Fraction:
        """The certified largest Q(y | x) / Pr(a value that needs no protection writes y)."""

    @property
    def evenness(self) -> Fraction:
        """How far, at most, cover reports are from even ones: a factor up to 1."""
        return Fraction(1)

    @property
    def words(self) -> int:
        """The number of words that `draw` takes."""
        return self.base.words

    @abstractmethod
    def draw(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        """Whether the value is disclosed, and the cover report to write if not."""

    @abstractmethod
    def probability(self, y: int) -> Fraction:
        """Pr(a value that needs no protection is not disclosed and writes y), exactly."""


class NumberedCover(Cover[PureSampler]):
    """Every report with `units` words."""

    @classmethod
    def fewest(cls, base: PureSampler, epsilon: Fraction) -> CoverUnits:
        units = ceil_div(base.likeliest, exp_below(epsilon))
        if units * base.outputs > 1 << base.word_bits:
            raise beyond_words(epsilon, base.word_bits)
        return CoverUnits(units)

    @cached_property
    def disclosing(self) -> Fraction:
        return 1 - Fraction(self.units.units * self.base.outputs, 1 << self.base.word_bits)

    @property
    def ratio(self) -> Fraction:
        return Fraction(self.base.likeliest, self.units.units)

    def draw(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        (u,) = words[:1]
        unit = self.units.units * self.base.scale
        discloses = 1 - ops.less(u, self.base.outputs * unit)
        return discloses, ops.select(discloses, 0, ops.divide(u, unit))

    def probability(self, y: int) -> Fraction:
        return Fraction(self.units.units, 1 << self.base.word_bits) if self.base.is_report(y) else Fraction(0)


class HadamardCover(Cover[Hadamard]):
    """A column from the top bits of the word; `units` of the others, for all columns together."""

    @classmethod
    def fewest(cls, base: Hadamard, epsilon: Fraction) -> CoverUnits:
        return CoverUnits(ceil_div(2 * base.law.true, exp_below(epsilon)))

    @cached_property
    def disclosing(self) -> Fraction:
        return 1 - Fraction(self.units.units, 1 << self.base.width)

    @property
    def ratio(self) -> Fraction:
        return Fraction(2 * self.base.law.true, self.units.units)

    def draw(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        (u,) = words[:1]
        bound = self.units.units << WORD_BITS - self.base.width
        return 1 - ops.less(ops.fraction(u, self.base.outputs), bound), ops.position(u, self.base.outputs)

    def probability(self, y: int) -> Fraction:
        return (1 - self.disclosing) / self.base.outputs if self.base.is_report(y) else Fraction(0)


class SubsetCover(Cover[Subset]):
    """Below `units` a uniform set of d values."""

    @staticmethod
    def _likeliest(base: Subset, steps: Steps) -> Fraction:
        """The largest Q(y | x) divided by the smallest share of y among cover reports."""
        even = base.evenness * evenness(base.size - base.d + 1, steps, base.word_bits)
        return base.p * Fraction(base.size, base.d) / even

    @classmethod
    def fewest(cls, base: Subset, epsilon: Fraction) -> CoverUnits:
        steps = steps_of(base.size - base.d + 1, base.d, base.word_bits)
        units = ceil_div(cls._likeliest(base, steps) * (1 << base.word_bits), exp_below(epsilon))
        if units > 1 << base.word_bits:
            raise beyond_words(epsilon, base.word_bits)
        return CoverUnits(units, steps)

    def check(self) -> None:
        d = self.base.d
        holds = 0 < self.units.units <= 1 << self.base.word_bits and is_plan(self.units.steps, d)
        check_law(holds, "high_low", f"its neutral units must fit the words and its steps must make {d} draws")

    @property
    def ratio(self) -> Fraction:
        return self._likeliest(self.base, self.units.steps) / (1 - self.disclosing)

    @property
    def evenness(self) -> Fraction:
        return evenness(self.base.size - self.base.d + 1, self.units.steps, self.base.word_bits)

    @property
    def words(self) -> int:
        return 1 + words_of(self.units.steps)

    def draw(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        base, (units, steps) = self.base, self.units
        discloses = 1 - ops.less(words[0], units * base.scale)
        members = ops.empty_set(words[0], base.size)
        for j, t in draws(base.size - base.d + 1, steps, words[1:], ops):
            taken = ops.contains(members, t)
            members = ops.insert(members, ops.select(taken, j - 1, t), 1)
        return discloses, ops.set_report(members, base.size)

    def probability(self, y: int) -> Fraction:
        law = set_law(self.base.size - self.base.d + 1, self.units.steps, self.base.word_bits, skip=0)
        return (1 - self.disclosing) * law.get(y, Fraction(0))


class UnaryCover(Cover[Unary]):
    """All bits as for another value; one more word, below `units` for a cover report."""

    @classmethod
    def fewest(cls, base: Unary, epsilon: Fraction) -> CoverUnits:
        space = 1 << base.word_bits
        return CoverUnits(min(space, ceil_div(space * base.p / base.q, exp_below(epsilon))))

    @property
    def ratio(self) -> Fraction:
        return self.base.p / self.base.q / (1 - self.disclosing)

    @property
    def words(self) -> int:
        return self.base.size + 1

    def draw(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        base = self.base
        members = ops.empty_set(words[0], base.size)
        for bit in range(base.size):
            members = ops.insert(members, bit, ops.less(words[bit], base.law.other * base.scale))
        discloses = 1 - ops.less(words[base.size], self.units.units * base.scale)
        return discloses, ops.set_report(members, base.size)

    def probability(self, y: int) -> Fraction:
        return (1 - self.disclosing) * self.set_probability(y)

    def set_probability(self, y: int) -> Fraction:
        """Pr(the set y | no bit is the own one)."""
        if not self.base.is_report(y):
            return Fraction(0)
        q, on = self.base.q, y.bit_count()
        return Fraction(q**on * (1 - q) ** (self.base.size - on))


COVERS: tuple[tuple[type[PureSampler], type[Cover[Any]]], ...] = (
    (Hadamard, HadamardCover),
    (Subset, SubsetCover),
    (Unary, UnaryCover),
)
"""How cover reports of a pure protocol are drawn where they are not all numbers, each as often as any other."""


def cover_kind(base: PureSampler) -> type[Cover[Any]]:
    """The kind of cover reports that a base has."""
    known = next((cover for kind, cover in COVERS if isinstance(base, kind)), None)
    if known is None and not base.is_numbered:
        raise NotServed(f"high_low: {base.name} needs a kind of cover reports of its own in COVERS")
    return known or NumberedCover
