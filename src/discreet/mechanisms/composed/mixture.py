"""A coin chooses one of several randomizers; the report says which."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, permutations
from typing import TYPE_CHECKING, Any

from ...core.arithmetic import Arithmetic
from ...core.domain import Alike
from ...core.errors import InvalidInput
from ..contrast import Contrast
from ..kinds import randomizer_of
from ..law import Law
from ..randomizer import Pair, Randomizer
from ..tables.table import filled
from ..telling import Telling
from ..units import check_law
from .averaged import Averaged
from .high_low import HighLowResponse
from .joint import Joint

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric


@dataclass(frozen=True)
class MixtureLaw(Law):
    """The first word chooses part i with ``units[i]`` of its states; the others draw by that part's law."""

    kind = "mixture"

    units: tuple[int, ...]
    parts: tuple[Law, ...]


class Mixture(Randomizer):
    """Part i is used with ``units[i]`` of the 2**word_bits words of the first word, whatever the value is.

    Report = offset of the part + its report; when the offsets exceed 64 bits, the number of the part is a 64-bit
    word of its own above its report. Each part gives an unbiased estimate. Those of high-low parts are put together by
    least squares (`Joint`), any others are averaged value by value (`Averaged`), with weights for the shares `prior`.

    *Why private.* The part is chosen independently of the value and shown, so the ratio of two values
    is that of the part.
    *Why unbiased.* Whatever the prior is, the weights of the parts have mean one over the coin.

    References: Kairouz2016 (mixtures of extremal mechanisms); Yoon2025.
    """

    name = "mixture"

    law: MixtureLaw
    follows = MixtureLaw

    def __init__(self, parts: Sequence[Randomizer], units: Sequence[int], prior: Sequence[float]) -> None:
        self.prior = tuple(prior)
        self._follow(MixtureLaw(tuple(units), tuple(part.law for part in parts)), parts)

    def follow(self, law: MixtureLaw) -> None:
        parts = [randomizer_of(part) for part in law.parts]
        check_law(bool(parts), law.kind, "it must have at least one part")
        self.prior = (1 / parts[0].size,) * parts[0].size
        self._follow(law, parts)

    def _follow(self, law: MixtureLaw, parts: Sequence[Randomizer]) -> None:
        first, units = parts[0], law.units
        if any(part.size != first.size or part.word_bits != first.word_bits for part in parts):
            raise InvalidInput("parts must be randomizers of one size and one width of words")
        if any(not _alike(part.labels, first.labels) for part in parts):
            raise InvalidInput("parts must treat the same values alike")
        if len(units) != len(parts) or min(units) < 1 or sum(units) != 1 << first.word_bits:
            raise InvalidInput(f"units must be positive, one per part, and add up to 2**{first.word_bits}")
        self.law, self.parts, self.units = law, tuple(parts), units
        self.size, self.word_bits = first.size, first.word_bits
        self.words = 1 + max(part.words for part in parts)
        self.disjoint = all(part.disjoint for part in parts)
        bounds = [0, *accumulate(part.outputs for part in parts)]
        if bounds[-1] > 1 << 64:
            stride = 1 << 64 * max(-(-part.bits // 64) for part in parts)
            bounds = [stride * number for number in range(max(len(parts), 2) + 1)]
        self.offsets, self.outputs = tuple(bounds[: len(parts)]), bounds[-1]
        starts = [0, *accumulate(part.cells for part in parts)]
        self.starts, self.cells = tuple(starts[:-1]), starts[-1]
        self._bounds = (tuple(bound * self.scale for bound in accumulate(units)),)
        self.odds = [unit / (1 << self.word_bits) for unit in units]

    def weighted(self, prior: Sequence[float]) -> Mixture:
        return Mixture(self.parts, self.units, prior)

    def narrowed(self, word_bits: int, epsilon: Fraction | None = None) -> Mixture:
        parts = [part.narrowed(word_bits, epsilon) for part in self.parts]
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

    def contrast(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Contrast] | None:
        found: list[Contrast] = []
        for unit, part in zip(self.units, self.parts, strict=True):
            rows = part.contrast(x, z, among)
            if rows is None:
                return None
            found += (row.scaled(Fraction(unit, 1 << self.word_bits)) for row in rows)
        return found

    def meeting(self, x: int, z: int) -> Fraction | None:
        found = [
            (Fraction(unit, 1 << self.word_bits), part.meeting(x, z))
            for unit, part in zip(self.units, self.parts, strict=True)
        ]
        return (
            None if any(one is None for _, one in found) else sum((c * c * (one or 0) for c, one in found), Fraction(0))
        )

    def guess(self, shares: Array, ops: Numeric) -> float | None:
        found = [part.guess(shares, ops) for part in self.parts]
        if any(one is None for one in found):
            return None
        return sum(odds * (one or 0.0) for odds, one in zip(self.odds, found, strict=True))

    def telling(self, x: int, shares: Array, ops: Numeric) -> Telling | None:
        found = [one for part in self.parts if (one := part.telling(x, shares, ops)) is not None]
        if len(found) < len(self.parts):
            return None
        own, other = (sum(odds * one[at] for odds, one in zip(self.odds, found, strict=True)) for at in (2, 3))
        return Telling(min(one.least for one in found), max(one.most for one in found), own, other)

    def hiders(self, x: int) -> Sequence[int]:
        return self.parts[0].hiders(x)

    def contrasts(self) -> Iterator[tuple[int, int]]:
        alike = len({tuple(part.contrasts()) for part in self.parts}) == 1
        return self.parts[0].contrasts() if alike else permutations(range(self.size), 2)

    def reports(self) -> Iterable[int]:
        for offset, part in zip(self.offsets, self.parts, strict=True):
            yield from (offset + y for y in part.reports())

    def is_report(self, y: int) -> bool:
        if not 0 <= y < self.outputs:
            return False
        part, inside = self._inside(y)
        return self.parts[part].is_report(inside)

    @property
    def labels(self) -> Sequence[int]:
        return self.parts[0].labels

    def pairs(self) -> Iterator[Pair]:
        listed = [{(p.x, p.z): p.ratio for p in part.pairs()} for part in self.parts]
        for x, z in listed[0]:
            if all((x, z) in one for one in listed):
                yield Pair(x, z, max(one[x, z] for one in listed))

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        part, inside = self._inside(y)
        return [self.starts[part] + cell for cell in self.parts[part].cells_of(inside)]

    def count(self, counts: Array, reports: Array, start: Any, ops: Numeric) -> None:
        added = ops.zeros_like(counts)
        for number, mine, own in self._shared_out(reports, ops):
            self.parts[number].count(added, own, self.starts[number] + ops.pick(start, mine), ops)
        counts += added

    def gather(self, entries: Array, reports: Array, start: Any, ops: Numeric) -> Array:
        found = ops.zeros(len(reports))
        for number, mine, own in self._shared_out(reports, ops):
            begin = self.starts[number] + ops.pick(start, mine)
            found[mine] = self.parts[number].gather(entries, own, begin, ops)
        return found

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        found = ops.zeros((len(reports), self.size))
        for number, mine, own in self._shared_out(reports, ops):
            found[mine] = self.parts[number].likelihoods(own, ops)
        return found

    def _shared_out(self, reports: Array, ops: Numeric) -> Iterator[tuple[int, Array, Array]]:
        """The number of each part, the rows of its reports, and what these are inside it."""
        chosen, inside = ops.locate(reports, self.offsets, self.outputs)
        for number, part in enumerate(self.parts):
            mine = ops.where(chosen == number)
            yield number, mine, ops.narrow(inside[mine], part.bits)

    def broken_rule(self, counts: Array, ops: Numeric) -> str | None:
        rules = (part.broken_rule(own, ops) for part, own in zip(self.parts, self._slices(counts), strict=True))
        return next((f"in a part, {rule}" for rule in rules if rule is not None), None)

    def totals_of(self, ops: Numeric) -> Array:
        out = ops.integers([-1] * self.cells)
        for start, part in zip(self.starts, self.parts, strict=True):
            inside = part.totals_of(ops)
            bits = ops.where(inside >= 0)
            out[start + bits] = start + inside[bits]
        return out

    def overlaps(self, ops: Numeric) -> Array:
        out = ops.integers([1] * self.cells)
        for start, part in zip(self.starts, self.parts, strict=True):
            out[start : start + part.cells] = part.overlaps(ops)
        return out

    def _slices(self, counts: Array) -> list[Array]:
        return [counts[..., b : b + p.cells] for b, p in zip(self.starts, self.parts, strict=True)]

    @property
    def passed(self) -> Sequence[int]:
        return self.parts[0].passed

    @cached_property
    def twins(self) -> Sequence[int] | None:
        alike = self.parts[0].twins
        if alike is None or len(set(self.prior)) == 1:
            return alike
        numbers: dict[tuple[int, float], int] = {}
        return [numbers.setdefault(pair, len(numbers)) for pair in zip(alike, self.prior, strict=True)]

    def total(self, counts: Array, ops: Numeric) -> Array:
        return sum(
            (part.total(own, ops) for part, own in zip(self.parts, self._slices(counts), strict=True)), ops.zeros(1)
        )

    def _estimator(self, ops: Numeric) -> Averaged | Joint:
        if not hasattr(self, "_cached_estimator"):
            around = [part for part in self.parts if isinstance(part, HighLowResponse) and part.others]
            if len(around) == len(self.parts) and all(part.sensitive == around[0].sensitive for part in around):
                self._cached_estimator: Averaged | Joint = Joint(around, self.odds, self.prior, ops)
            else:
                self._cached_estimator = Averaged(self.parts, self.odds, self.prior, ops)
        return self._cached_estimator

    def decode(self, counts: Array, ops: Numeric) -> Array:
        return self._estimator(ops).decode(self._slices(counts), ops)

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        out = ops.zeros((*weights.shape[:-1], self.cells))
        for own, some in zip(self._slices(out), self._estimator(ops).weigh(weights, ops), strict=True):
            own[...] = some
        return out

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        return self._estimator(ops).second_moments(shares, ops)

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        return self._estimator(ops).slopes(shares, ops)

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        return self._estimator(ops).cross_moment(shares, first, second, ops)

    def push(self, shares: Array, ops: Numeric) -> Array:
        out = ops.zeros(self.cells)
        for start, odds, part in zip(self.starts, self.odds, self.parts, strict=True):
            out[start : start + part.cells] = odds * part.push(shares, ops)
        return out

    def pull(self, weights: Array, ops: Numeric) -> Array:
        terms = zip(self.odds, self.parts, self._slices(weights), strict=True)
        return sum((odds * part.pull(some, ops) for odds, part, some in terms), ops.zeros(1))

    def influence(self, ops: Numeric) -> float:
        return self._estimator(ops).influence(ops)

    @property
    def decode_cost(self) -> float:
        return sum(part.decode_cost for part in self.parts)

    def describe(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "parts": [part.describe() for part in self.parts],
            "units": [str(unit) for unit in self.units],
            "prior": list(self.prior),
        }


def _alike(one: Sequence[int], other: Sequence[int]) -> bool:
    """True if two sequences of as many labels are the same; labels that take no memory are not written out."""
    if isinstance(one, (Alike, range)) and type(one) is type(other):
        return True
    return list(one) == list(other)
