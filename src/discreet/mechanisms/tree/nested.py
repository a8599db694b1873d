"""Blocks that may be told apart less than for certain: show a block, mostly the own one, and a report inside it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, permutations
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.domain import Leaves
from ...core.exact import ceil_div, exp_below
from ...core.limits import spend
from ..composed.blocks import BlockResponse, BlocksLaw
from ..composed.even_cover import Covered, EvenCover, places_of
from ..law import Law, Row
from ..sampler import LawExample, RatioBound, Sampler, actual_epsilon
from ..uniform.pure import PureSampler
from ..units import beyond_words, check_law, too_few

PAIR = 20
"""Steps that it takes to certify two blocks against each other."""

VALUE = 32
"""Steps that it takes to find a value among many blocks."""

FEW = 256
"""Up to so many innermost blocks are certified against each other one by one."""


@dataclass(frozen=True)
class NestedLaw(Law):
    """Block b is shown with ``units[b]`` words whatever the value is, and the own block with all words left.

    The own block then shows a report of the value by the law ``kinds[kind_of[b]]``, any other a cover report.
    """

    kind = "nested"

    block_of: Row
    kind_of: tuple[int, ...]
    kinds: tuple[Law, ...]
    units: tuple[int, ...]


class Nested(Sampler):
    """Report a block, the own one likeliest, and inside it a report of the own value, or a cover report elsewhere.

    With A_b the largest ratio of an own to a cover report in block b and R_b = e**epsilon / A_b, block b is shown
    with c_b by the values of other blocks and with g_b = c_b R_b by its own: ``c_b = (1 - C) / (R_b - 1)``,
    ``C = S / (1 + S)``, ``S = sum_b 1 / (R_b - 1)``. So g_b - c_b is the same for all blocks, and one word decides:
    its first part goes to the blocks whatever the value is, what is left to the own one. Inside, any
    sampler with cover reports serves, also a nested one: a tree of blocks has one of these at every node.

    *Why private.* Inside a block the ratio is that of its sampler. Across, a report in the own block has at most
    (g_b / c_b) A_b <= e**epsilon, one in the other's block (c_d / g_d) times the ratio of a cover to an own report,
    and in all others 1.

    References: Acharya2020 (Definition 2); Kairouz2016 (randomized response over the blocks); Wang2016 and Feldman2022
    (the sets inside).
    """

    name = "nested"
    law: NestedLaw
    follows = NestedLaw

    def __init__(self, block_of: Sequence[int], inner: Sequence[Sampler], epsilon: Fraction) -> None:
        blocks = BlockResponse(block_of, inner)
        space, limit = 1 << blocks.word_bits, exp_below(epsilon)
        covers = [cover for part in blocks.kinds if (cover := cover_of(part)) is not None]
        most = [max(cover.ratios(x)[0] for x in range(p.size)) for cover, p in zip(covers, blocks.kinds, strict=True)]
        odds = [limit / ratio - 1 for ratio in most]
        if min(odds) <= 0:
            raise beyond_words(epsilon, blocks.word_bits)
        each = [1 / odd for odd in odds]
        truth = int((space - len(inner)) / (1 + sum(each[kind] for kind in blocks.kind_of)))
        units = [ceil_div(truth * each[kind], 1) for kind in blocks.kind_of]
        more, first = divmod(space - truth - sum(units), len(units))
        if too_few(min(units), blocks.word_bits) or too_few(truth, blocks.word_bits):
            raise beyond_words(epsilon, blocks.word_bits)
        shared = tuple(unit + more + (b < first) for b, unit in enumerate(units))
        law = NestedLaw(blocks.law.block_of, blocks.law.kind_of, blocks.law.kinds, shared)
        self._follow(law, blocks)

    def follow(self, law: NestedLaw) -> None:
        blocks = BlockResponse.__new__(BlockResponse)
        blocks.follow(BlocksLaw(law.block_of, law.kind_of, law.kinds))
        self._follow(law, blocks)

    def _follow(self, law: NestedLaw, blocks: BlockResponse) -> None:
        self.kinds = blocks.kinds
        self.covers = [cover for part in self.kinds if (cover := cover_of(part)) is not None]
        check_law(len(self.covers) == len(self.kinds), law.kind, "its kinds must have cover reports")
        space, count = 1 << blocks.word_bits, len(law.kind_of)
        shared = len(law.units) == count > 1 and min(law.units) > 0 and sum(law.units) < space
        check_law(shared, law.kind, "it must have several blocks and units for each, that leave words for the own one")
        self.law, self.blocks, self.size, self.word_bits = law, blocks, blocks.size, blocks.word_bits
        self.truth = space - sum(law.units)
        self.words = 1 + max(cover.words for cover in self.covers)
        self.outputs = blocks.outputs
        self.is_numbered = all(part.is_numbered for part in self.kinds) and self.outputs <= 1 << 64
        self._bounds = (*(bound * self.scale for bound in accumulate(law.units)), 1 << 64)

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Nested:
        kinds: list[Any] = [part.with_word_bits(word_bits, epsilon) for part in self.kinds]
        level = 2 * max(map(actual_epsilon, kinds)) + 1 if epsilon is None else 2 * epsilon
        return Nested(self.blocks.block_of, [kinds[kind] for kind in self.law.kind_of], level)

    # -- the draw -------------------------------------------------------------------------------------
    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        own = ops.look_up(self.blocks.block_of, x)
        return self.draw_from(own, ops.look_up(self.blocks.place, x), x - x, words, ops)

    def draw_from(self, own: Any, place: Any, cover: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        """The report of a value at this place of the block `own`, or a cover report of that block."""
        drawn = ops.rank((self._bounds,), own - own, words[0])
        shown = ops.select(ops.equal(drawn, len(self.law.units)), own, drawn)
        empty = ops.select(ops.equal(shown, own), cover, 1)
        draws = [partial(_draw_inside, cover, ops=ops) for cover in self.covers]
        kind = ops.look_up(self.law.kind_of, shown)
        inside = ops.choose(kind, draws, place, [empty, *words[1:]], self.bits)
        return ops.place(inside, self.blocks.offsets, shown)

    def shown_units(self, own: int, b: int) -> int:
        """The words with which the values of block `own` show block b."""
        return self.law.units[b] + (self.truth if own == b else 0)

    def probability(self, x: int, y: int) -> Fraction:
        if not 0 <= y < self.outputs:
            return Fraction(0)
        b, inside = self.blocks.inside(y)
        own = self.blocks.block_of[x]
        chance = Fraction(self.shown_units(own, b), 1 << self.word_bits)
        kind, place = self.law.kind_of[b], self.blocks.place[x]
        if own == b:
            return chance * self.kinds[kind].probability(place, inside)
        return chance * self.covers[kind].probability(inside)

    # -- the certificate ------------------------------------------------------------------------------
    @cached_property
    def class_of(self) -> Sequence[int]:
        return self._leaves() if self.is_wide else self.blocks.class_of

    @cached_property
    def is_wide(self) -> bool:
        """True for so many innermost blocks that they are certified against all others at once, not one by one."""
        return self.innermost > FEW

    @cached_property
    def innermost(self) -> int:
        """How many innermost blocks there are."""
        inside = [part.innermost if isinstance(part, Nested) else 1 for part in self.kinds]
        return sum(inside[kind] for kind in self.law.kind_of)

    def max_ratios(self) -> Callable[[int, int], Fraction | None]:
        return self.leak if self.is_wide else super().max_ratios()

    def ratio_bounds(self) -> Iterator[RatioBound]:
        if self.is_wide:
            spend(self.size**2, f"{self.name} of {self.size} values")
            yield from (RatioBound(x, z, self.leak(x, z)) for x, z in permutations(range(self.size), 2))
            return
        yield from self.blocks.ratio_bounds()
        firsts: dict[int, int] = {}
        for x, label in enumerate(self.class_of):
            firsts.setdefault(label, x)
        spend(PAIR * len(firsts) ** 2, f"{self.name} of {len(self.law.units)} blocks")
        bounds = [(x, self.blocks.block_of[x], *self._across(x)) for x in firsts.values()]
        for x, own, above, _ in bounds:
            for z, other, _, below in bounds:
                if own != other:
                    yield RatioBound(x, z, max(above, below))

    # -- many blocks: one bound for all values that part here, of equal blocks only one is looked at ------------
    def leak(self, x: int, z: int) -> Fraction:
        """A certified bound on Q(y | x) / Q(y | z), the same for all values that part below one node of the tree."""
        b = self.blocks.block_of[x]
        if b != self.blocks.block_of[z]:
            return self.most
        part = self.kinds[self.law.kind_of[b]]
        if isinstance(part, Nested):
            return part.leak(self.blocks.place[x], self.blocks.place[z])
        return _most_inside(part)

    @cached_property
    def most(self) -> Fraction:
        """The largest ratio of any two values here, in different blocks or in one."""
        first: dict[tuple[int, int], int] = {}
        for b, kind in enumerate(zip(self.law.kind_of, self.law.units, strict=True)):
            first.setdefault(kind, b)
        spend(PAIR * sum(len(self.blocks.members[b]) for b in first.values()), f"{self.name} of {len(first)} kinds")
        across = (max(self._across(x)) for b in first.values() for x in self.blocks.members[b])
        return max(*across, *(part.most if isinstance(part, Nested) else _most_inside(part) for part in self.kinds))

    def path(self, x: int) -> tuple[int, ...]:
        """The blocks around a value, from the outermost inwards."""
        b = self.blocks.block_of[x]
        part = self.kinds[self.law.kind_of[b]]
        return (b, *part.path(self.blocks.place[x])) if isinstance(part, Nested) else (b,)

    def _leaves(self) -> Leaves:
        spend(VALUE * self.size, f"{self.name} of {self.size} values")
        paths = [self.path(x) for x in range(self.size)]
        numbers = array("I", bytes(4 * self.size))
        for number, x in enumerate(sorted(range(self.size), key=paths.__getitem__)):
            numbers[x] = number
        return Leaves(numbers, paths)

    def _across(self, x: int) -> tuple[Fraction, Fraction]:
        """The largest Q(y | x) / Q(y | z) and Q(y | z) / Q(y | x) in the block of x, for z in any other."""
        b = self.blocks.block_of[x]
        above, below = self.covers[self.law.kind_of[b]].ratios(self.blocks.place[x])
        odds = Fraction(self.shown_units(b, b), self.law.units[b])
        return odds * above, below / odds

    # -- counting: as blocks ----------------------------------------------------------------------------
    def reports(self) -> Iterable[int]:
        return self.blocks.reports()

    def is_report(self, y: int) -> bool:
        return self.blocks.is_report(y)

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        towns: dict[Hashable, Any] = {"fr": {"x": ["a", "b"], "y": ["c"]}, "us": {"x": ["d"]}}
        yield LawExample(cls.name, Context.nested(towns, ["1", "2", "3"]))
        yield LawExample(cls.name, Context.nested({"p": [0, 1, 2], "q": [3, 4], "r": [5]}, ["1", "3"]))


def _most_inside(part: Sampler) -> Fraction:
    """The largest ratio inside a block."""
    return max((pair.ratio for pair in part.ratio_bounds()), default=Fraction(1))


def _draw_inside(cover: Covered, place: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
    """A report inside a block: a cover report where the first word is 1, else that of the value at the place."""
    return cover.draw(place, words[0], words[1:], ops)


def cover_of(part: Sampler) -> Covered | None:
    """The cover reports of what is inside a block; None where it has none."""
    if isinstance(part, Nested):
        return NestedCover(part)
    return EvenCover(part) if isinstance(part, PureSampler) and places_of(part) is not None else None


class NestedCover:
    """Cover reports of nested blocks inside another one: nobody's in the block of a value taken evenly."""

    def __init__(self, base: Nested) -> None:
        self.base, self.words = base, 1 + base.words

    def draw(self, x: Any, cover: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        blocks = self.base.blocks
        held = ops.select(cover, ops.position(words[0], self.base.size), x)
        own = ops.look_up(blocks.block_of, held)
        return self.base.draw_from(own, ops.look_up(blocks.place, held), cover, words[1:], ops)

    def probability(self, y: int) -> Fraction:
        base, block_of = self.base, self.base.blocks.block_of
        b, inside = base.blocks.inside(y)
        space = 1 << base.word_bits
        ends = [ceil_div(z * space, base.size) for z in range(base.size + 1)]
        weight = sum(ends[z + 1] - ends[z] for z in range(base.size) if block_of[z] == b)
        chance = base.law.units[b] + Fraction(weight * base.truth, space)
        return chance / space * base.covers[base.law.kind_of[b]].probability(inside)

    def ratios(self, x: int) -> tuple[Fraction, Fraction]:
        base = self.base
        b = base.blocks.block_of[x]
        above, below = base.covers[base.law.kind_of[b]].ratios(base.blocks.place[x])
        (least, most), own = self.units[b], base.shown_units(b, b)
        return max(own / least * above, Fraction(1)), max(most / own * below, self._most)

    @cached_property
    def units(self) -> list[tuple[Fraction, Fraction]]:
        """The words with which a cover report shows each block, at least and at most."""
        base, sizes = self.base, [len(of) for of in self.base.blocks.members]
        space = 1 << base.word_bits
        part = Fraction(space // base.size, space), Fraction(ceil_div(space, base.size), space)
        return [
            (units + size * part[0] * base.truth, units + size * part[1] * base.truth)
            for units, size in zip(base.law.units, sizes, strict=True)
        ]

    @cached_property
    def _most(self) -> Fraction:
        """The largest Pr(cover y) / Q(y | x) in a block that is not that of x."""
        return max(most / units for (_, most), units in zip(self.units, self.base.law.units, strict=True))
