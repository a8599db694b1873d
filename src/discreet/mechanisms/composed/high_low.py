"""High-low response: a sampler on the sensitive values; others are disclosed as often as privacy allows.

Also which subset size or difference set serves it best, given the share of people whose value is sensitive.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.errors import InvalidInput
from ..finite_geometry.difference_sets import Parameters, candidates
from ..law import Bits, Law, plain_law
from ..laws import sampler_of
from ..sampler import LawExample, RatioBound, Sampler, actual_epsilon
from ..uniform.cyclic import room
from ..uniform.cyclotomic import DifferenceFamily, families
from ..uniform.floyd import Steps
from ..uniform.pure import PureSampler
from ..uniform.randomized_response import RandomizedResponse
from ..uniform.subset import Subset
from ..units import beyond_words, check_law, too_few
from .cover import Cover, CoverUnits, cover_kind


@dataclass(frozen=True)
class HighLowLaw(Law):
    """A sensitive value follows `inner`; any other writes a cover report with `neutral` units, or is disclosed.

    The kind of `inner` determines what a unit is and how `steps` share out the words of a cover set.
    """

    kind = "high_low"

    sensitive: Bits
    inner: Law
    neutral: int
    steps: Steps


class HighLowResponse(Sampler):
    """A sensitive value writes what the inner sampler writes; any other is disclosed or writes a cover report.

    A cover report gives every inner report just the mass that hides the sensitive values:
    ``Pr(y | b) >= max_x Q(y | x) / R``. What is left over is the probability sigma of being disclosed.
    Both branches are computed from the same words and one is selected.

    *Why private.* For x sensitive: the inner ratio against sensitive values, that of cover reports against
    the others; a report that discloses a value never comes from a sensitive one.

    References: Acharya2020, Section 5 (with Hadamard); Murakami2019 (uRR with randomized response,
    uRAP with unary); He2025 (with subsets).
    """

    name = "high_low"
    law: HighLowLaw
    follows = HighLowLaw
    cover: Cover[Any]
    """The cover reports of values that are not sensitive, where there are any."""

    def __init__(self, size: int, sensitive: Sequence[int], inner: PureSampler, epsilon: Fraction) -> None:
        kind = cover_kind(inner)
        cover = kind.fewest(inner, epsilon) if len(sensitive) < size else CoverUnits(0)
        if len(sensitive) < size and inner.size == 1:
            written = int((1 - kind(inner, cover).disclosing) * 2**inner.word_bits)
            if too_few(written, inner.word_bits):
                raise beyond_words(epsilon, inner.word_bits)
        self._follow(HighLowLaw(Bits.of(sensitive, size), inner.law, cover.units, cover.steps), inner)

    def follow(self, law: HighLowLaw) -> None:
        inner = sampler_of(law.inner)
        if not isinstance(inner, PureSampler):
            raise InvalidInput(f"law of kind {law.kind!r}: its inner law must have reports that support values")
        self._follow(law, inner)

    def _follow(self, law: HighLowLaw, inner: PureSampler) -> None:
        check_law(len(law.sensitive) == inner.size, law.kind, "its inner law must have one value per sensitive value")
        self.law, self.size, self.inner = law, law.sensitive.size, inner
        self.sensitive = tuple(law.sensitive)
        chosen = set(self.sensitive)
        self.others = tuple(x for x in range(self.size) if x not in chosen)
        cover = CoverUnits(law.neutral, law.steps)
        self.disclosing = Fraction(0)
        self.words = inner.words
        check_law(bool(self.others) or cover == CoverUnits(0), law.kind, "without others nothing is neutral")
        if self.others:
            self.cover = cover_kind(inner)(inner, cover)
            self.disclosing = self.cover.disclosing
            self.words = max(inner.words, self.cover.words)
        self.word_bits = inner.word_bits
        self.base = inner.outputs if inner.outputs <= 1 << 63 else 1 << 64 * -(-inner.bits // 64)
        self.outputs = self.base + len(self.others) if self.others else inner.outputs
        self.is_numbered = inner.is_numbered and self.base == inner.outputs
        self.place = array("I", bytes(array("I").itemsize * self.size))
        self.is_other = array("B", bytes(self.size))
        for place, x in enumerate(self.sensitive):
            self.place[x] = place
        for place, x in enumerate(self.others):
            self.place[x], self.is_other[x] = place, 1

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> HighLowResponse:
        level = actual_epsilon(self) if epsilon is None else epsilon
        inner: Any = self.inner.with_word_bits(word_bits, level)
        return HighLowResponse(self.size, self.sensitive, inner, level)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        place = ops.look_up(self.place, x)
        if not self.others:
            return self.inner.draw(place, words, ops)
        other = ops.look_up(self.is_other, x)
        hidden = self.inner.draw(ops.select(other, 0, place), words, ops)
        discloses, cover = self.cover.draw(words, ops)
        written = ops.widen(ops.select(other, cover, hidden), self.bits)
        return ops.pass_on(written, ops.select(other, discloses, 0), place, self.base)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_other[x]:
            return self.inner.probability(self.place[x], y) if y < self.base else Fraction(0)
        if y < self.base:
            return self.cover.probability(y)
        return self.disclosing if y - self.base == self.place[x] else Fraction(0)

    def reports(self) -> Iterable[int]:
        yield from self.inner.reports()
        yield from (self.base + place for place in range(len(self.others)))

    def is_report(self, y: int) -> bool:
        return self.inner.is_report(y) if y < self.base else y < self.outputs

    @property
    def class_of(self) -> Sequence[int]:
        return self.is_other

    @property
    def disclosed(self) -> Sequence[int]:
        return self.others

    def ratio_bounds(self) -> Iterator[RatioBound]:
        of = self.sensitive
        yield from (RatioBound(of[p.x], of[p.z], p.ratio) for p in self.inner.ratio_bounds())
        if self.others:
            yield RatioBound(of[0], self.others[0], self.cover.ratio)

    def describe(self) -> dict[str, Any]:
        return self.inner.describe()

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        """Those that no name gives: words to spare inside, and cover reports or their draws from two words each."""
        context, sensitive, epsilon = Context.high_low(range(9), range(0, 9, 2), "1"), range(0, 9, 2), Fraction(1)
        law = cls(9, sensitive, RandomizedResponse(5, epsilon), epsilon).law
        sets = cls(9, sensitive, Subset(5, epsilon, d=2), epsilon).law
        inner: Any = law.inner
        for changed in (
            replace(law, inner=replace(inner, high=inner.high - 1, spare=inner.spare + 1)),
            replace(sets, steps=((1, 2),) * 2),
            replace(sets, inner=replace(Subset(5, epsilon, d=2).law, steps=((1, 2),) * 2)),
        ):
            yield LawExample("law", context, {"law": plain_law(changed)})


def sized(name: str, size: int, epsilon: float, mass: float, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters with the base called `name` sized for sensitive values of share `mass`; others stay as given."""
    if name == "subset" and not parameters:
        return {"d": best_subset_size(size, epsilon, mass)}
    if name == "projective":
        chosen = best_difference_set(size, epsilon, mass, bits=parameters.get("bits"))
        return {"family": chosen.family, "key": chosen.key}
    if name == "cyclotomic":
        family = best_difference_family(size, epsilon, mass, bits=parameters.get("bits"))
        return parameters if family is None else {"p": family.p, "d": family.d}
    return parameters


def high_low_error(p: float, q: float, r: float, sigma: float, *, size: int, mass: float) -> float:
    """n times the expected squared error of all shares, plus the sum of squared shares.

    For `size` sensitive values of total share `mass`, an inner sampler with support probabilities p, q and r,
    and other values that are disclosed with probability sigma:
    ``s (V0 m + (1-m)((1-sigma) M + sigma kappa**2)) + (V1 + 1) m + (1-m)/sigma``,
    M the second moment of phi over cover reports.
    """
    gap = p - q
    if gap <= 0:
        return math.inf  # epsilon is too small for doubles to tell the two apart
    v0, v1 = q * (1 - q) / gap**2, (p * (1 - p) - q * (1 - q)) / gap**2
    cover = (r * (1 - q) ** 2 + (1 - r) * q * q) / gap**2
    kappa = -(1 - sigma) * (r - q) / (sigma * gap)
    outside = (1 - sigma) * cover + sigma * kappa**2
    return size * (v0 * mass + (1 - mass) * outside) + (v1 + 1) * mass + (1 - mass) / sigma


def levels_of(a: float, b: float, own: float, shared: float, epsilon: float) -> tuple[float, float, float, float]:
    """(p, q, r, sigma) of a sampler with a high and b low reports, `own` supporting a value, `shared` two."""
    fade = math.exp(-epsilon)
    whole = a + b * fade
    p, q = own / whole, (shared + (own - shared) * fade) / whole
    return p, q, own / (a + b), -a * math.expm1(-epsilon) / whole


def subset_levels(size: int, d: int, epsilon: float) -> tuple[float, float, float, float]:
    """(p, q, r, sigma) of subsets of d of the sensitive values."""
    return levels_of(d, size - d, d, d * (d - 1) / (size - 1), epsilon)


@lru_cache(maxsize=1024)
def best_subset_size(size: int, epsilon: float, mass: float) -> int:
    """The subset size d with the least `high_low_error`, near ``s / (1 + sqrt(e (1 + m (e - 1))))``."""

    def error(d: int) -> float:
        return high_low_error(*subset_levels(size, d, epsilon), size=size, mass=mass)

    if size <= 4096:
        return min(range(1, size), key=error)
    grown = math.exp(epsilon)
    middle = size / (1 + math.sqrt(grown * (1 + mass * (grown - 1))))
    near = range(max(1, int(middle * 0.9)), min(size - 1, int(middle * 1.1) + 2) + 1)
    return min(near, key=error)


@lru_cache(maxsize=1024)
def best_difference_set(size: int, epsilon: float, mass: float, *, bits: int | None = None) -> Parameters:
    """The cyclic difference set with the least `high_low_error` that fits; ties go to the fewest reports."""
    best = min(candidates(size, bits=room(size, bits)), key=_rating(size, epsilon, mass), default=None)
    if best is None:
        raise InvalidInput(f"bits={bits} must be enough for {size} sensitive values")
    return best


@lru_cache(maxsize=1024)
def best_difference_family(
    size: int, epsilon: float, mass: float, *, bits: int | None = None
) -> DifferenceFamily | None:
    """The cyclotomic family with the least `high_low_error` that fits; None if there is none."""
    rating = _rating(size, epsilon, mass)
    return min(families(size, bits=bits), key=lambda family: rating(family.parameters), default=None)


def family_pays(size: int, epsilon: float, mass: float, *, bits: int | None = None) -> bool:
    """True if the best family has at least 1 % less error than the best difference set alone."""
    rating = _rating(size, epsilon, mass)
    several = best_difference_family(size, epsilon, mass, bits=bits)
    single = best_difference_set(size, epsilon, mass, bits=bits)
    return several is not None and 1.01 * rating(several.parameters)[0] < rating(single)[0]


def _rating(size: int, epsilon: float, mass: float) -> Callable[[Parameters], tuple[float, int]]:
    def rating(design: Parameters) -> tuple[float, int]:
        v, r = design.v, design.r
        return high_low_error(*levels_of(r, v - r, r, design.lam, epsilon), size=size, mass=mass), v

    return rating
