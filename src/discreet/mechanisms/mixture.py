"""A coin chooses one of several randomizers; the report says which."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..arithmetic import Arithmetic
from ..domain import Alike
from ..errors import InvalidInput
from .kinds import randomizer_of
from .law import Law
from .randomizer import Pair, Randomizer
from .table import filled
from .units import check_law

if TYPE_CHECKING:
    from ..statistics.numeric import Array, Numeric


@dataclass(frozen=True)
class MixtureLaw(Law):
    """The first word chooses part i with ``units[i]`` of its states; the others draw by that part's law."""

    kind = "mixture"

    units: tuple[int, ...]
    parts: tuple[Law, ...]


class Mixture(Randomizer):
    """Part i is used with ``units[i]`` of the 2**word_bits words of the first word, whatever the value is.

    Each part gives an unbiased estimate; they are averaged value by value with weights beta_i,
    ``sum_i pi_i beta_i = 1``, in inverse proportion to the parts' second moments at `prior`.

    *Why private.* The part is chosen independently of the value and shown, so the ratio of two values
    is that of the part.
    *Why unbiased.* ``phi_x = beta_ix phi_x of part i`` has mean ``sum_i pi_i beta_ix 1{x = z}``.

    References: Kairouz2016 (mixtures of extremal mechanisms).
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
            raise InvalidInput("parts: the reports of a mixture must fit 64 bits")
        self.offsets, self.outputs = tuple(bounds[:-1]), bounds[-1]
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
        chosen, inside = ops.locate(reports, self.offsets, self.outputs)
        added = ops.zeros_like(counts)
        for number, part in enumerate(self.parts):
            mine = ops.where(chosen == number)
            part.count(added, inside[mine], self.starts[number] + ops.pick(start, mine), ops)
        counts += added

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

    @property
    def twins(self) -> Sequence[int] | None:
        return self.parts[0].twins if len(set(self.prior)) == 1 else None

    def total(self, counts: Array, ops: Numeric) -> Array:
        return sum(
            (part.total(own, ops) for part, own in zip(self.parts, self._slices(counts), strict=True)), ops.zeros(1)
        )

    def weights(self, ops: Numeric) -> list[Any]:
        """beta_i for every value: the inverse of the second moment at the prior, scaled so that the mean is one."""
        if not hasattr(self, "_weights"):
            prior = ops.array(self.prior)
            exact = [1 / part.second_moments(prior, ops) for part in self.parts]
            scale = sum(odds * one for odds, one in zip(self.odds, exact, strict=True))
            self._weights = [one / scale for one in exact]
        return self._weights

    def _mixed(self, ops: Numeric, compute: Any, power: int) -> Array:
        terms = zip(self.odds, self.weights(ops), self.parts, strict=True)
        found: Array = sum(odds * beta**power * compute(part) for odds, beta, part in terms)
        return found

    def decode(self, counts: Array, ops: Numeric) -> Array:
        own = zip(self.weights(ops), self.parts, self._slices(counts), strict=True)
        found: Array = sum(beta * part.decode(some, ops) for beta, part, some in own)
        return found

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        return self._mixed(ops, lambda part: part.second_moments(shares, ops), 2)

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        return self._mixed(ops, lambda part: part.slopes(shares, ops), 2)

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        terms = zip(self.odds, self.weights(ops), self.parts, strict=True)
        return sum(
            (odds * p.cross_moment(shares, first * beta, second * beta, ops) for odds, beta, p in terms), ops.zeros(1)
        )

    def push(self, shares: Array, ops: Numeric) -> Array:
        out = ops.zeros(self.cells)
        for start, odds, part in zip(self.starts, self.odds, self.parts, strict=True):
            out[start : start + part.cells] = odds * part.push(shares, ops)
        return out

    def pull(self, weights: Array, ops: Numeric) -> Array:
        terms = zip(self.odds, self.parts, self._slices(weights), strict=True)
        return sum((odds * part.pull(some, ops) for odds, part, some in terms), ops.zeros(1))

    def influence(self, ops: Numeric) -> float:
        pairs = zip(self.weights(ops), self.parts, strict=True)
        return max(float(beta.max()) * part.influence(ops) for beta, part in pairs)

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
