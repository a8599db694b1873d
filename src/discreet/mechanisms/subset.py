"""k-subset: a set of d values that holds the own value more often than any other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any

from ..arithmetic import Arithmetic
from ..errors import InvalidInput
from ..exact import ceil_div, exp_below
from .randomizer import WORD_BITS, beyond_words, check_size, too_few
from .support import SetValued

WIDE = 1 << 17
"""From this size on a draw takes two words, so that the unevenness of many draws stays invisible."""


class Subset(SetValued):
    """Report d of the k values; the own value is among them with probability d e / (d e + k - d).

    The first word decides whether the own value is in. The others are drawn from the k - 1 other
    values by Floyd's algorithm: step j takes t uniform in 0..j and adds t, or j if t is already
    in. Leaving its first step out gives d - 1 values instead of d, so both cases use the same words.
    The report is the set as a bit mask: no order exists that could leak.

    *Why private.* With equal parts, a set holding x has T/C(k-1, d-1) units and one without
    (N - T)/C(k-1, d). Parts of a word are uneven by at most one word; rho, a bound on the
    product of smallest over largest parts over all draws, is exact, and T is set for R rho instead of R.
    *Why unbiased.* g = T/N is exact; h is exact up to the unevenness, below 1e-9.

    References: Wang2016; Ye2018.
    """

    name = "subset"

    def __init__(self, size: int, epsilon: Fraction, *, d: int | None = None, word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        if size < 2:
            raise InvalidInput(f"size={size} must be at least 2 for subset selection")
        d = least_error_size(size, float(epsilon)) if d is None else d
        if isinstance(d, bool) or not isinstance(d, int) or not 1 <= d < size:
            raise InvalidInput(f"d={d} must be a whole number from 1 to {size - 1}")
        self.size, self.epsilon, self.word_bits, self.d = size, epsilon, word_bits, d
        self._inner = _plan(range(size - d, size), word_bits)
        self.words = 1 + sum(parts.words for parts in self._inner)
        space = 1 << word_bits
        fair = exp_below(epsilon) * _evenness(self._inner, word_bits) * d
        self._true = int(space * fair / (fair + size - d))
        lie = space - self._true
        if too_few(lie, word_bits) or self._true * (size - d) <= lie * d:
            raise beyond_words(epsilon, word_bits)
        # a set with x has g / C(k-1, d-1), one without (1-g) / C(k-1, d)
        g = Fraction(self._true, space)
        self.ratio = g / (1 - g) * Fraction(size - d, d) / _evenness(self._inner, word_bits)
        self._moments(g)

    @cached_property
    def _neutral(self) -> tuple[_Parts, ...]:
        return _plan(range(self.size - self.d + 1, self.size + 1), self.word_bits)

    @cached_property
    def outside_words(self) -> int:  # type: ignore[override]
        return 1 + sum(parts.words for parts in self._neutral)

    @cached_property
    def _likeliest(self) -> Fraction:
        """The largest Q(y | x), over the smallest share of y in a neutral draw."""
        even = _evenness(self._inner, self.word_bits) * _evenness(self._neutral, self.word_bits)
        return self.g * Fraction(self.size, self.d) / even

    @cached_property
    def _aside(self) -> int:
        mass = (self._likeliest / exp_below(self.epsilon)) * (1 << self.word_bits)
        units = ceil_div(mass.numerator, mass.denominator)
        if units > 1 << self.word_bits:
            raise beyond_words(self.epsilon, self.word_bits)
        return units

    @cached_property
    def shown(self) -> Fraction:  # type: ignore[override]
        return 1 - Fraction(self._aside, 1 << self.word_bits)

    @cached_property
    def outside_ratio(self) -> Fraction:  # type: ignore[override]
        return self._likeliest / (1 - self.shown)

    def _moments(self, g: Fraction) -> None:
        k, d = self.size, self.d
        self.g = g
        self.h = (g * (d - 1) + (1 - g) * d) / (k - 1)
        self.nu = Fraction(d, k)
        self.both_own = g * Fraction(d - 1, k - 1)
        self.both_other = (
            (g * (d - 1) * (d - 2) + (1 - g) * d * (d - 1)) / ((k - 1) * (k - 2)) if k > 2 else Fraction(0)
        )
        self.both_neutral = Fraction(d * (d - 1), k * (k - 1))

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        truth = ops.less(words[0], self._true * self.scale)
        members = ops.empty_set(words[0], self.size)
        first = True
        for j, t in _draws(self._inner, words[1:], ops):
            t = t + ops.at_least(t, x)
            if first:
                members = ops.insert(members, t, 1 - truth)
                first = False
                continue
            taken = ops.contains(members, t)
            last = j - 1 + ops.at_least(j - 1, x)
            members = ops.insert(members, ops.select(taken, last, t), 1)
        return ops.set_report(ops.insert(members, x, truth), self.size)

    def outside(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        shown = 1 - ops.less(words[0], self._aside * self.scale)
        members = ops.empty_set(words[0], self.size)
        for j, t in _draws(self._neutral, words[1:], ops):
            taken = ops.contains(members, t)
            members = ops.insert(members, ops.select(taken, j - 1, t), 1)
        return shown, ops.set_report(members, self.size)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        others = (y & (1 << x) - 1) | y >> x + 1 << x
        if y >> x & 1:
            return self.g * _floyd(self._inner, self.word_bits, skip=1).get(others, Fraction(0))
        return (1 - self.g) * _floyd(self._inner, self.word_bits, skip=0).get(others, Fraction(0))

    def outside_probability(self, y: int) -> Fraction:
        return (1 - self.shown) * _floyd(self._neutral, self.word_bits, skip=0).get(y, Fraction(0))

    def reports(self) -> Iterable[int]:
        return sorted(sum(1 << x for x in chosen) for chosen in combinations(range(self.size), self.d))

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs and y.bit_count() == self.d

    @property
    def set_size(self) -> int:
        return self.d

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "d": self.d}


@dataclass(frozen=True)
class _Parts:
    """Draws that share one word (or take two): the word is cut into the product of their sizes."""

    sizes: tuple[int, ...]
    words: int


def _evenness(plan: tuple[_Parts, ...], word_bits: int) -> Fraction:
    """At most the product of smallest over largest part of each word: 1 - sum(parts / words)."""
    units = 0
    for parts in plan:
        total = math.prod(parts.sizes)
        if total & (total - 1) or total > 1 << word_bits * parts.words:
            units += total << word_bits * (2 - parts.words)
    uneven = Fraction(units, 1 << 2 * word_bits)
    if uneven >= 1:
        raise InvalidInput(f"word_bits={word_bits} is too few for this many draws")
    return 1 - uneven


def _plan(sizes: Iterable[int], word_bits: int) -> tuple[_Parts, ...]:
    """Share words between draws while the parts of a word stay even to 2**-40 (of 64 bits)."""
    limit = 1 << word_bits * 3 // 8
    groups: list[list[int]] = []
    room = 0
    for size in sizes:
        if size <= room:
            groups[-1].append(size)
        else:
            groups.append([size])
            room = limit
        room //= size
    double = word_bits == WORD_BITS
    return tuple(_Parts(tuple(group), 2 if double and group[0] > WIDE else 1) for group in groups)


def _draws(plan: Iterable[_Parts], words: Sequence[Any], ops: Arithmetic) -> Iterator[tuple[int, Any]]:
    """Each draw's range and its outcome, taken from the words in turn."""
    used = 0
    for parts in plan:
        if parts.words == 2:
            yield parts.sizes[0], ops.wide_position(words[used], words[used + 1], parts.sizes[0])
        else:
            u = words[used]
            for size in parts.sizes:
                yield size, ops.position(u, size)
                u = ops.fraction(u, size)
        used += parts.words


@lru_cache(maxsize=32)
def _floyd(plan: tuple[_Parts, ...], word_bits: int, *, skip: int) -> dict[int, Fraction]:
    """The exact law of the set that Floyd's algorithm builds from these words (small cases only)."""
    sizes = [size for parts in plan for size in parts.sizes]
    weights = []
    for parts in plan:
        total, space = math.prod(parts.sizes), 1 << word_bits * parts.words
        weights.append([ceil_div((i + 1) * space, total) - ceil_div(i * space, total) for i in range(total)])
    law: dict[int, int] = {}
    for joint in product(*(range(len(part)) for part in weights)):
        chosen: list[int] = []
        for parts, index in zip(plan, joint, strict=True):
            digits = []
            for size in reversed(parts.sizes):
                index, digit = divmod(index, size)
                digits.append(digit)
            chosen += reversed(digits)
        members = 0
        for size, t in list(zip(sizes, chosen, strict=True))[skip:]:
            members |= 1 << (size - 1 if members >> t & 1 else t)
        weight = math.prod(part[i] for part, i in zip(weights, joint, strict=True))
        law[members] = law.get(members, 0) + weight
    space = 1 << word_bits * sum(parts.words for parts in plan)
    return {members: Fraction(weight, space) for members, weight in law.items()}


def total_error(size: int, d: int, epsilon: float) -> float:
    """n times the expected squared error of all shares, less the terms that do not depend on d.

    ``(k-1)**2 / (e-1)**2 * (e**2 / (k-d) + 1/d)`` (Wang2016, corrected), scaled by e**-2 to stay finite.
    """
    shrink = -math.expm1(-epsilon)
    return (size - 1) ** 2 / shrink**2 * (1 / (size - d) + math.exp(-2 * epsilon) / d)


def least_error_size(size: int, epsilon: float) -> int:
    """k#: the set size with the smallest expected squared error, next to k / (1 + e**epsilon)."""
    return _best(size, epsilon, lambda d: -total_error(size, d, epsilon), size / (1 + math.exp(epsilon)))


def most_information_size(size: int, epsilon: float) -> int:
    """k*: the set size with the largest mutual information at the uniform prior (Wang2016, Theorem 2.1)."""
    odds = epsilon * math.exp(epsilon) - math.expm1(epsilon)
    middle = size * odds / (math.expm1(epsilon) ** 2) if epsilon < 300 else 1.0
    return _best(size, epsilon, lambda d: information(size, d, epsilon), middle)


def information(size: int, d: int, epsilon: float) -> float:
    """I(X; Y) in nats at the uniform prior: ``log(k / (d e + k - d)) + d e epsilon / (d e + k - d)``."""
    share = d / (d + (size - d) * math.exp(-epsilon))
    return math.log(size / (d + (size - d) * math.exp(-epsilon))) - epsilon + share * epsilon


def _best(size: int, epsilon: float, gain: Any, middle: float) -> int:
    near = {min(max(1, math.floor(middle) + step), size - 1) for step in (-1, 0, 1, 2)}
    return max(sorted(near), key=gain)
