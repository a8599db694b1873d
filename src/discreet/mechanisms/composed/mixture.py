"""A coin chooses one of several samplers; the report says which."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.domain import Alike
from ...core.errors import InvalidInput
from ..law import Law
from ..laws import sampler_of
from ..sampler import LawExample, RatioBound, Sampler
from ..tables.table import filled
from ..units import check_law


@dataclass(frozen=True)
class MixtureLaw(Law):
    """The first word chooses part i with ``units[i]`` of its states; the others draw by that part's law."""

    kind = "mixture"

    units: tuple[int, ...]
    parts: tuple[Law, ...]


class Mixture(Sampler):
    """Part i is used with ``units[i]`` of the 2**word_bits words of the first word, whatever the value is.

    Report = offset of the part + its report; when the offsets exceed 64 bits, the number of the part is a 64-bit
    word of its own above its report. Each part gives an unbiased estimate. Those of high-low parts are put together by
    least squares (`Joint`), any others are averaged value by value (`Averaged`), with weights for the shares `prior`.

    *Why private.* The part is chosen independently of the value and shown, so the ratio of two values
    is that of the part.

    References: Kairouz2016 (mixtures of extremal mechanisms); Yoon2025.
    """

    name = "mixture"

    law: MixtureLaw
    follows = MixtureLaw

    def __init__(self, parts: Sequence[Sampler], units: Sequence[int], prior: Sequence[float]) -> None:
        self.prior = tuple(prior)
        self._follow(MixtureLaw(tuple(units), tuple(part.law for part in parts)), parts)

    def follow(self, law: MixtureLaw) -> None:
        parts = [sampler_of(part) for part in law.parts]
        check_law(bool(parts), law.kind, "it must have at least one part")
        self.prior = (1 / parts[0].size,) * parts[0].size
        self._follow(law, parts)

    def _follow(self, law: MixtureLaw, parts: Sequence[Sampler]) -> None:
        first, units = parts[0], law.units
        if any(part.size != first.size or part.word_bits != first.word_bits for part in parts):
            raise InvalidInput("parts must be samplers of one size and one width of words")
        if any(not _alike(part.class_of, first.class_of) for part in parts):
            raise InvalidInput("parts must treat the same values alike")
        if len(units) != len(parts) or min(units) < 1 or sum(units) != 1 << first.word_bits:
            raise InvalidInput(f"units must be positive, one per part, and add up to 2**{first.word_bits}")
        self.law, self.parts, self.units = law, tuple(parts), units
        self.size, self.word_bits = first.size, first.word_bits
        self.words = 1 + max(part.words for part in parts)
        bounds = [0, *accumulate(part.outputs for part in parts)]
        if bounds[-1] > 1 << 64:
            stride = 1 << 64 * max(-(-part.bits // 64) for part in parts)
            bounds = [stride * number for number in range(max(len(parts), 2) + 1)]
        self.offsets, self.outputs = tuple(bounds[: len(parts)]), bounds[-1]
        self._bounds = (tuple(bound * self.scale for bound in accumulate(units)),)

    def weighted(self, prior: Sequence[float]) -> Mixture:
        return Mixture(self.parts, self.units, prior)

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Mixture:
        parts = [part.with_word_bits(word_bits, epsilon) for part in self.parts]
        units = [max(1, unit >> self.word_bits - word_bits) for unit in self.units]
        return Mixture(parts, filled(units, 1 << word_bits), self.prior)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        chosen = ops.rank(self._bounds, x - x, words[0])
        draws = [partial(part.draw, ops=ops) for part in self.parts]
        return ops.place(ops.choose(chosen, draws, x, words[1:], self.bits), self.offsets, chosen)

    def _inside(self, y: int) -> tuple[int, int]:
        part = bisect_right(self.offsets, y) - 1
        return part, y - self.offsets[part]

    def probability(self, x: int, y: int) -> Fraction:
        if not 0 <= y < self.outputs:
            return Fraction(0)
        part, inside = self._inside(y)
        return Fraction(self.units[part], 1 << self.word_bits) * self.parts[part].probability(x, inside)

    def reports(self) -> Iterable[int]:
        for offset, part in zip(self.offsets, self.parts, strict=True):
            yield from (offset + y for y in part.reports())

    def is_report(self, y: int) -> bool:
        if not 0 <= y < self.outputs:
            return False
        part, inside = self._inside(y)
        return self.parts[part].is_report(inside)

    @property
    def class_of(self) -> Sequence[int]:
        return self.parts[0].class_of

    def ratio_bounds(self) -> Iterator[RatioBound]:
        listed = [{(p.x, p.z): p.ratio for p in part.ratio_bounds()} for part in self.parts]
        for x, z in listed[0]:
            if all((x, z) in one for one in listed):
                yield RatioBound(x, z, max(one[x, z] for one in listed))

    @property
    def disclosed(self) -> Sequence[int]:
        return self.parts[0].disclosed

    def describe(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "parts": [part.describe() for part in self.parts],
            "units": [str(unit) for unit in self.units],
            "prior": list(self.prior),
        }

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        parts = [{"name": "subset", "d": 1}, {"name": "subset", "d": 2}]
        context = Context.high_low(range(6), [0, 2, 3, 5], "1")
        yield LawExample(cls.name, context, {"parts": parts, "units": [2**62, 3 * 2**62]})


def _alike(one: Sequence[int], other: Sequence[int]) -> bool:
    """True if two sequences of as many labels are the same; labels that take no memory are not written out."""
    if isinstance(one, (Alike, range)) and type(one) is type(other):
        return True
    return list(one) == list(other)
