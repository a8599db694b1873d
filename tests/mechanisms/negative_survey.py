"""A mechanism that the package does not have: its law and its sampler."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet import Context
from discreet.core.arithmetic import Arithmetic
from discreet.core.errors import InvalidInput
from discreet.mechanisms.law import WORD_BITS, Law, plain_law
from discreet.mechanisms.sampler import LawExample
from discreet.mechanisms.uniform.pure import PureSampler
from discreet.mechanisms.units import Units, check_law, check_size


@dataclass(frozen=True)
class NegativeLaw(Law):
    """Each value but the own one has `high` words, the own one the rest."""

    kind = "negative"

    size: int
    high: int
    word_bits: int


class NegativeSurvey(PureSampler):
    """Report one of the k values, the own one e**epsilon times less often than each other one.

    *Why private.* A report has `low` words under the value that it names and `high <= R low` under any other,
    R <= e**epsilon.
    """

    name = "negative_survey"
    is_numbered = True
    law: NegativeLaw
    follows = NegativeLaw

    def __init__(self, size: int, epsilon: Fraction, *, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        if size < 2:
            raise InvalidInput(f"size={size} must be at least 2 for a negative survey")
        units = Units.split(word_bits, epsilon, a=size - 1, b=1)
        self.follow(NegativeLaw(size, units.high, word_bits))

    def follow(self, law: NegativeLaw) -> None:
        check_size(law.size, law.word_bits)
        space = 1 << law.word_bits
        low = space - (law.size - 1) * law.high
        check_law(0 < low < law.high, law.kind, "the own value must have some words, but fewer than any other")
        self.law, self.size, self.word_bits, self.words, self.outputs = law, law.size, law.word_bits, 1, law.size
        self.low, self.high, self.likeliest = Fraction(low, space), Fraction(law.high, space), law.high
        self.p, self.q, self.r = 1 - self.low, 1 - self.high, Fraction(law.size - 1, law.size)
        self.ratio = self.high / self.low

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        yield LawExample("law", Context.uniform(range(3), "3"), {"law": plain_law(cls(3, Fraction(2)).law)})

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        unit = self.law.high * self.scale
        other = ops.divide(words[0], unit)
        return ops.select(ops.less(words[0], (self.size - 1) * unit), other + ops.at_least(other, x), x)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        return self.low if x == y else self.high
