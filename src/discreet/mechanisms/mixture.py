"""A coin, then one of several randomizers; the report says which."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from ..arithmetic import Arithmetic
from ..errors import InvalidInput
from .randomizer import Pair, Randomizer


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

    def __init__(self, parts: Sequence[Randomizer], units: Sequence[int], prior: Sequence[float]) -> None:
        first = parts[0]
        if any(part.size != first.size or part.word_bits != first.word_bits for part in parts):
            raise InvalidInput("parts must be randomizers of one size and one width of words")
        if any(list(part.labels) != list(first.labels) for part in parts):
            raise InvalidInput("parts must treat the same values alike")
        if len(units) != len(parts) or min(units) < 1 or sum(units) != 1 << first.word_bits:
            raise InvalidInput(f"units must be positive, one a part, and add up to 2**{first.word_bits}")
        self.parts, self.units, self.prior = tuple(parts), tuple(units), tuple(prior)
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

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        chosen = ops.rank(self._bounds, x - x, words[0])
        return ops.place(ops.dispatch(chosen, self.parts, x, words[1:], self.bits), self.offsets, chosen)

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

    def count(self, counts: Any, reports: Any, start: Any, ops: Any) -> None:
        chosen, inside = ops.locate(reports, self.offsets, self.outputs)
        added = ops.zeros_like(counts)
        for number, part in enumerate(self.parts):
            mine = ops.where(chosen == number)
            part.count(added, inside[mine], self.starts[number] + ops.pick(start, mine), ops)
        counts += added

    def totals_of(self, ops: Any) -> Any:
        out = ops.integers([-1] * self.cells)
        for start, part in zip(self.starts, self.parts, strict=True):
            inside = part.totals_of(ops)
            bits = ops.where(inside >= 0)
            out[start + bits] = start + inside[bits]
        return out

    def _slices(self, counts: Any) -> list[Any]:
        return [counts[..., b : b + p.cells] for b, p in zip(self.starts, self.parts, strict=True)]

    def total(self, counts: Any, ops: Any) -> Any:
        return sum(part.total(own, ops) for part, own in zip(self.parts, self._slices(counts), strict=True))

    def weights(self, ops: Any) -> list[Any]:
        """beta_i for every value: the second moment's inverse at the prior, scaled so that the mean is one."""
        if not hasattr(self, "_weights"):
            prior = ops.array(self.prior)
            exact = [1 / part.second_moments(prior, ops) for part in self.parts]
            scale = sum(odds * one for odds, one in zip(self.odds, exact, strict=True))
            self._weights = [one / scale for one in exact]
        return self._weights

    def _mixed(self, ops: Any, compute: Any, power: int) -> Any:
        terms = zip(self.odds, self.weights(ops), self.parts, strict=True)
        return sum(odds * beta**power * compute(part) for odds, beta, part in terms)

    def decode(self, counts: Any, ops: Any) -> Any:
        own = zip(self.weights(ops), self.parts, self._slices(counts), strict=True)
        return sum(beta * part.decode(some, ops) for beta, part, some in own)

    def second_moments(self, shares: Any, ops: Any) -> Any:
        return self._mixed(ops, lambda part: part.second_moments(shares, ops), 2)

    def slopes(self, shares: Any, ops: Any) -> Any:
        return self._mixed(ops, lambda part: part.slopes(shares, ops), 2)

    def cross_moment(self, shares: Any, first: Any, second: Any, ops: Any) -> Any:
        terms = zip(self.odds, self.weights(ops), self.parts, strict=True)
        return sum(odds * p.cross_moment(shares, first * beta, second * beta, ops) for odds, beta, p in terms)

    def push(self, shares: Any, ops: Any) -> Any:
        out = ops.zeros(self.cells)
        for start, odds, part in zip(self.starts, self.odds, self.parts, strict=True):
            out[start : start + part.cells] = odds * part.push(shares, ops)
        return out

    def pull(self, weights: Any, ops: Any) -> Any:
        terms = zip(self.odds, self.parts, self._slices(weights), strict=True)
        return sum(odds * part.pull(some, ops) for odds, part, some in terms)

    def influence(self, ops: Any) -> float:
        pairs = zip(self.weights(ops), self.parts, strict=True)
        return max(float(beta.max()) * part.influence(ops) for beta, part in pairs)

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        return tuple(epsilon for part in self.parts for epsilon in part.epsilons)

    @property
    def decode_cost(self) -> float:
        return sum(part.decode_cost for part in self.parts)

    def describe(self) -> dict[str, Any]:
        told = [part.describe() for part in self.parts]
        return {
            "name": self.name,
            "parts": told,
            "units": [str(unit) for unit in self.units],
            "prior": list(self.prior),
        }
