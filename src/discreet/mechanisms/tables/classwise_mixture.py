"""Classwise mixtures: a report shows a type, and for each class of alike values that the type marks a sub-report."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, product
from typing import Any, NamedTuple

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.exact import ceil_div
from ...core.limits import spend
from ..composed.even_cover import EvenCover, places_of
from ..law import Law, Row, plain_law
from ..laws import sampler_of
from ..sampler import LawExample, RatioBound, Sampler
from ..uniform.pure import PureSampler
from ..units import check_law, check_size
from .table import filled, largest_quotient

WEIGHT_BITS = 128
"""Bits after the point to which the certificate rounds the weight of a report, towards privacy."""


@dataclass(frozen=True)
class ClasswiseMixtureLaw(Law):
    """Value x, of class c = ``class_of[x]``, writes a report of type y with ``units[c][y]`` words.

    ``marks[y][c]`` is 0 if type y shows nothing of class c, and else i if it shows a report by the law
    ``inners[i - 1]``: that of x in its own class, that of a place drawn evenly in any other.
    """

    kind = "types"

    class_of: Row
    units: tuple[tuple[int, ...], ...]
    marks: tuple[tuple[int, ...], ...]
    inners: tuple[Law, ...]
    word_bits: int


class Subreport(NamedTuple):
    """What a type shows of one class, and where that begins among the bits of the report."""

    group: int
    cover: EvenCover
    at: int

    @property
    def inner(self) -> PureSampler:
        """The sampler of the class."""
        return self.cover.base


class ClasswiseMixture(Sampler):
    """Draw a type by the class of the value; then, for each class that it marks, a report of the class's sampler.

    In the class of the value, that report is drawn from the value; in any other it is a *cover report*, drawn from a
    place taken evenly, by the same lines from as many words. Sub-reports lie side by side in bits of their own, the
    class with the smallest number lowest, and the types one after the other; from 2**64 reports on the number of the
    type stands in a word of its own above them.

    *Why private.* Given the type, sub-reports are independent, and those of classes that hold neither x nor z have
    one law. Inside class c the ratio is that of its sampler; for x in c and z in d it is at most, over the
    types y, ``units[c][y] A / (units[d][y] / B)``, with A the certified largest ratio of a report of x to a cover
    report and B that of a cover report to one of z, both with the parts of words that places take as they are.

    References: Acharya2020 (Definition 2); Kairouz2016 (extremal channels); Wang2016 and Feldman2022 (the sets inside).
    """

    name = "types"
    law: ClasswiseMixtureLaw
    follows = ClasswiseMixtureLaw

    def __init__(self, law: ClasswiseMixtureLaw, inners: Sequence[PureSampler], masses: Sequence[float]) -> None:
        self._follow(law, inners)
        self.masses = tuple(masses)

    def follow(self, law: ClasswiseMixtureLaw) -> None:
        inners = [sampler_of(inner) for inner in law.inners]
        covered = [inner for inner in inners if isinstance(inner, PureSampler) and places_of(inner) is not None]
        check_law(len(covered) == len(inners), law.kind, "its inner laws must have cover reports")
        self._follow(law, covered)
        self.masses = tuple(len(of) / self.size for of in self.members)

    def _follow(self, law: ClasswiseMixtureLaw, inners: Sequence[PureSampler]) -> None:
        class_of, classes, types = law.class_of.numbers(), len(law.units), len(law.marks)
        check_size(len(class_of), law.word_bits)
        numbered = set(class_of) == set(range(classes))
        check_law(numbered, law.kind, f"its classes must be numbered 0 to {classes - 1} and have values")
        shape = types > 0 and {len(row) for row in law.units} == {types}
        check_law(shape, law.kind, "its units must have one row per class and one column per type")
        whole = all(min(row) >= 0 and sum(row) == 1 << law.word_bits for row in law.units)
        check_law(whole, law.kind, f"its units must not be negative and each row must add up to 2**{law.word_bits}")
        check_law(all(map(any, zip(*law.units, strict=True))), law.kind, "each type must be that of some report")
        known = {mark for row in law.marks for mark in row} - {0} == set(range(1, len(inners) + 1))
        shape = known and all(len(row) == classes for row in law.marks)
        check_law(shape, law.kind, "its marks must be one per type and class and use each of its inner laws")
        self.law, self.size, self._class_of, self.word_bits = law, len(class_of), class_of, law.word_bits
        self.inners, self.classes = tuple(inners), classes
        self.place = array("I", bytes(class_of.itemsize * self.size))
        self.members: list[list[int]] = [[] for _ in range(classes)]
        for x, group in enumerate(class_of):
            self.place[x] = len(self.members[group])
            self.members[group].append(x)
        sizes = [(len(self.members[c]), mark) for row in law.marks for c, mark in enumerate(row) if mark]
        fit = all(inners[mark - 1].size == size > 1 for size, mark in sizes)
        check_law(fit, law.kind, "a class that is marked must have several values, and an inner law for as many")
        same = all(inner.word_bits == law.word_bits for inner in inners)
        check_law(same, law.kind, "its inner laws must have its width of words")
        self._lay_out(law.marks, inners)
        self._bounds = tuple(tuple(bound * self.scale for bound in accumulate(row)) for row in law.units)

    def weighted(self, prior: Sequence[float]) -> ClasswiseMixture:
        return ClasswiseMixture(self.law, self.inners, [sum(prior[x] for x in of) for of in self.members])

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> ClasswiseMixture:
        inners: list[Any] = [inner.with_word_bits(word_bits, epsilon) for inner in self.inners]
        shift, space = self.word_bits - word_bits, 1 << word_bits
        rows = ([max(1, unit >> shift) if unit else 0 for unit in row] for row in self.law.units)
        units = tuple(tuple(filled(row, space)) for row in rows)
        laws = tuple(inner.law for inner in inners)
        return ClasswiseMixture(
            ClasswiseMixtureLaw(self.law.class_of, units, self.law.marks, laws, word_bits), inners, self.masses
        )

    # -- the layout of a report -------------------------------------------------------------------------
    def _lay_out(self, marks: Sequence[Sequence[int]], inners: Sequence[PureSampler]) -> None:
        """Give each type its reports: ``marks[y][c]`` is 0, or i if y shows class c by ``inners[i - 1]``."""
        covers = [EvenCover(inner) for inner in inners]
        self.marked: list[list[Subreport]] = []
        outputs, words, work = [], [0], 0
        for row in marks:
            at, taken, shown = 0, 0, list[Subreport]()
            for group, mark in enumerate(row):
                if mark:
                    inner = inners[mark - 1]
                    shown.append(Subreport(group, covers[mark - 1], at))
                    at, taken = at + inner.bits, taken + 1 + inner.words
                    work += inner.outputs if inner.is_numbered else inner.size
            self.marked.append(shown)
            outputs.append(shown[-1].inner.outputs << shown[-1].at if shown else 1)
            words.append(taken)
        self.words = 1 + max(words)
        spend(work + len(marks), f"{self.name} of {len(marks)} types")
        bounds = [0, *accumulate(outputs)]
        if bounds[-1] > 1 << 64:
            stride = 1 << 64 * -(-(max(outputs) - 1).bit_length() // 64)
            bounds = [stride * kind for kind in range(max(len(marks), 2) + 1)]
        self.offsets, self.outputs = tuple(bounds[: len(marks)]), bounds[-1]
        self.types = len(marks)
        single = all(len(shown) < 2 and all(mark.inner.is_numbered for mark in shown) for shown in self.marked)
        self.is_numbered = single and self.outputs < 1 << 64

    def inside(self, y: int) -> tuple[int, list[int]]:
        """The type of a report below `outputs` and its sub-reports; the highest may be any number."""
        kind = bisect_right(self.offsets, y) - 1
        inside = y - self.offsets[kind]
        shown = self.marked[kind]
        if not shown:
            return kind, [inside]
        return kind, [
            inside >> mark.at & (1 << mark.inner.bits) - 1 if mark is not shown[-1] else inside >> mark.at
            for mark in shown
        ]

    def reports(self) -> Iterable[int]:
        for offset, shown in zip(self.offsets, self.marked, strict=True):
            parts = ([part << mark.at for part in mark.inner.reports()] for mark in reversed(shown))
            yield from (offset + sum(joint) for joint in product(*parts))

    def is_report(self, y: int) -> bool:
        if not 0 <= y < self.outputs:
            return False
        kind, parts = self.inside(y)
        shown = self.marked[kind]
        if not shown:
            return parts == [0]
        return all(mark.inner.is_report(part) for mark, part in zip(shown, parts, strict=True))

    # -- the draw -------------------------------------------------------------------------------------
    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        kind = ops.rank(self._bounds, ops.look_up(self._class_of, x), words[0])
        draws = [partial(self._draw_shown, shown, ops=ops) for shown in self.marked]
        return ops.place(ops.choose(kind, draws, x, words[1:], self.bits), self.offsets, kind)

    def _draw_shown(self, shown: Sequence[Subreport], x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        own, place = ops.look_up(self._class_of, x), ops.look_up(self.place, x)
        report, used = place - place, 0
        for group, cover, at in shown:
            elsewhere = 1 - ops.equal(own, group)
            end = used + cover.words
            report = ops.beside(report, cover.draw(place, elsewhere, words[used:end], ops), at, self.bits)
            used = end
        return report

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        kind, parts = self.inside(y)
        own = self._class_of[x]
        chance = Fraction(self.law.units[own][kind], 1 << self.word_bits)
        for (group, cover, _), part in zip(self.marked[kind], parts, strict=False):
            chance *= cover.base.probability(self.place[x], part) if group == own else cover.probability(part)
        return chance

    # -- the certificate ------------------------------------------------------------------------------
    @property
    def class_of(self) -> Sequence[int]:
        return self._class_of

    def ratio_bounds(self) -> Iterator[RatioBound]:
        spend(self.types * self.classes**2, f"{self.name} of {self.types} types")
        inside = [Fraction(1)] * self.classes
        most = [[units << WEIGHT_BITS for units in row] for row in self.law.units]
        least = [list(row) for row in most]
        for kind, shown in enumerate(self.marked):
            for group, cover, _ in shown:
                inner, (above, below) = cover.base, cover.largest_ratios
                least[group][kind] = int(least[group][kind] / below)
                most[group][kind] = ceil_div(most[group][kind] * above, 1)
                if most[group][kind]:
                    inside[group] = max(inside[group], inner.ratio)
        for c, of in enumerate(self.members):
            if len(of) > 1:
                yield RatioBound(of[0], of[1], inside[c])
            for d, others in enumerate(self.members):
                worst, over = largest_quotient(zip(most[c], least[d], strict=True))
                if c != d and over:
                    yield RatioBound(of[0], others[0], Fraction(worst, over))

    @cached_property
    def _description(self) -> dict[str, Any]:
        even = all(abs(mass * self.size - len(of)) < 1e-9 for mass, of in zip(self.masses, self.members, strict=True))
        prior = [self.masses[c] / len(self.members[c]) for c in self._class_of]
        return {"name": self.name, "law": plain_law(self.law)} | ({} if even else {"prior": prior})

    def describe(self) -> dict[str, Any]:
        return self._description

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        yield LawExample("auto", Context.uniform(range(8), "2") & Context.high_low(range(8), [1, 2, 5], "1"))
