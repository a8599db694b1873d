"""Blocks that may be told apart less than for certain: show a block, mostly the own one, and a report inside it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, permutations
from typing import Any

from ...core.arithmetic import Arithmetic
from ...core.domain import Leaves
from ...core.exact import ceil_div, exp_below, log_of
from ...core.limits import spend
from ..composed.blocks import BlockResponse, BlocksLaw
from ..enclosed import Enclosed
from ..law import Law, Row
from ..sampler import RatioBound, Sampler
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

    The own block then shows a report of the value by the law ``kinds[kind_of[b]]``, any other a blank one.
    """

    kind = "nested"

    block_of: Row
    kind_of: tuple[int, ...]
    kinds: tuple[Law, ...]
    units: tuple[int, ...]


class Nested(Enclosed):
    """Report a block, the own one likeliest, and inside it a report of the own value, or a blank one elsewhere.

    With A_b the largest ratio of an own report to a blank one in block b and R_b = e**epsilon / A_b, block b is shown
    with c_b by the values of other blocks and with g_b = c_b R_b by its own: ``c_b = (1 - C) / (R_b - 1)``,
    ``C = S / (1 + S)``, ``S = sum_b 1 / (R_b - 1)``. So g_b - c_b is the same for all blocks, and one word decides:
    its first part goes to the blocks whatever the value is, what is left to the own one. Inside, any
    randomizer with blank reports serves, also a nested one: a tree of blocks has one of these at every node.

    *Why private.* Inside a block the ratio is that of its randomizer. Across, a report in the own block has at most
    (g_b / c_b) A_b <= e**epsilon, one in the other's block (c_d / g_d) times the ratio of a blank to an own report,
    and in all others 1.
    *Why unbiased.* The share of a block is ``phi_b = (1{b is shown} - c_b) / (g_b - c_b)``. With D the unbiased
    estimate of the block's randomizer and beta its mean over blank reports,
    ``phi_x = (1{b is shown} D_x - c_b beta (1 - phi_b)) / g_b``.

    References: Acharya2020 (Definition 2); Kairouz2016 (randomized response over the blocks); Wang2016 and Feldman2022
    (the sets inside).
    """

    name = "nested"
    law: NestedLaw
    follows = NestedLaw

    def __init__(self, block_of: Sequence[int], inner: Sequence[Enclosed], epsilon: Fraction) -> None:
        blocks = BlockResponse(block_of, inner)
        space, limit = 1 << blocks.word_bits, exp_below(epsilon)
        most = [max(part.blank_ratios_of(x)[0] for x in range(part.size)) for part in _enclosed(blocks.kinds)]
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
        self.kinds = _enclosed(blocks.kinds)
        check_law(len(self.kinds) == len(blocks.kinds), law.kind, "its kinds must have blank reports")
        space, count = 1 << blocks.word_bits, len(law.kind_of)
        shared = len(law.units) == count > 1 and min(law.units) > 0 and sum(law.units) < space
        check_law(shared, law.kind, "it must have several blocks and units for each, that leave words for the own one")
        self.law, self.blocks, self.size, self.word_bits = law, blocks, blocks.size, blocks.word_bits
        self.truth = space - sum(law.units)
        self.words = 1 + max(part.held_words for part in self.kinds)
        self.outputs = blocks.outputs
        self._bounds = (*(bound * self.scale for bound in accumulate(law.units)), 1 << 64)

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Nested:
        kinds: list[Any] = [part.with_word_bits(word_bits, epsilon) for part in self.kinds]
        level = 2 * max(part.actual_epsilon for part in kinds) + 1 if epsilon is None else 2 * epsilon
        return Nested(self.blocks.block_of, [kinds[kind] for kind in self.law.kind_of], level)

    @property
    def is_numbered(self) -> bool:
        return all(part.is_numbered for part in self.kinds) and self.outputs <= 1 << 64

    # -- the draw -------------------------------------------------------------------------------------
    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        own = ops.look_up(self.blocks.block_of, x)
        return self._drawn(own, ops.look_up(self.blocks.place, x), x - x, words, ops)

    def _drawn(self, own: Any, place: Any, blank: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        """The report of a value at this place of the block `own`, or a blank one of that block."""
        found = ops.rank((self._bounds,), own - own, words[0])
        shown = ops.select(ops.equal(found, len(self.law.units)), own, found)
        empty = ops.select(ops.equal(shown, own), blank, 1)
        draws = [partial(_held, part, ops=ops) for part in self.kinds]
        kind = ops.look_up(self.law.kind_of, shown)
        inside = ops.choose(kind, draws, place, [empty, *words[1:]], self.bits)
        return ops.place(inside, self.blocks.offsets, shown)

    def shown_units(self, own: int, b: int) -> int:
        """The words with which the values of block `own` show block b."""
        return self.law.units[b] + (self.truth if own == b else 0)

    def probability(self, x: int, y: int) -> Fraction:
        if not 0 <= y < self.outputs:
            return Fraction(0)
        b, inside = self.blocks._inside(y)
        own = self.blocks.block_of[x]
        chance = Fraction(self.shown_units(own, b), 1 << self.word_bits)
        part = self.kinds[self.law.kind_of[b]]
        place = self.blocks.place[x]
        return chance * (part.probability(place, inside) if own == b else part.blank_probability(inside))

    # -- the certificate ------------------------------------------------------------------------------
    @cached_property
    def labels(self) -> Sequence[int]:
        return self._leaves() if self.is_wide else self.blocks.labels

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

    @property
    def actual_epsilon(self) -> Fraction:
        return Fraction(round(log_of(self.most) * 10**12), 10**12) if self.is_wide else super().actual_epsilon

    def ratio_bounds(self) -> Iterator[RatioBound]:
        if self.is_wide:
            spend(self.size**2, f"{self.name} of {self.size} values")
            yield from (RatioBound(x, z, self.leak(x, z)) for x, z in permutations(range(self.size), 2))
            return
        yield from self.blocks.ratio_bounds()
        firsts: dict[int, int] = {}
        for x, label in enumerate(self.labels):
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
        above, below = self.kinds[self.law.kind_of[b]].blank_ratios_of(self.blocks.place[x])
        odds = Fraction(self.shown_units(b, b), self.law.units[b])
        return odds * above, below / odds

    # -- inside another one: a blank report is that of nobody in the block of a value taken evenly -------
    @property
    def hides(self) -> bool:
        return True

    @property
    def held_words(self) -> int:
        return 1 + self.words

    def draw_held(self, x: Any, blank: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        held = ops.select(blank, ops.position(words[0], self.size), x)
        own = ops.look_up(self.blocks.block_of, held)
        return self._drawn(own, ops.look_up(self.blocks.place, held), blank, words[1:], ops)

    def blank_probability(self, y: int) -> Fraction:
        b, inside = self.blocks._inside(y)
        space, block_of = 1 << self.word_bits, self.blocks.block_of
        ends = [ceil_div(z * space, self.size) for z in range(self.size + 1)]
        weight = sum(ends[z + 1] - ends[z] for z in range(self.size) if block_of[z] == b)
        chance = self.law.units[b] + Fraction(weight * self.truth, space)
        return chance / space * self.kinds[self.law.kind_of[b]].blank_probability(inside)

    def blank_ratios_of(self, x: int) -> tuple[Fraction, Fraction]:
        b = self.blocks.block_of[x]
        above, below = self.kinds[self.law.kind_of[b]].blank_ratios_of(self.blocks.place[x])
        (least, most), own = self.blank_units[b], self.shown_units(b, b)
        return max(own / least * above, Fraction(1)), max(most / own * below, self._most_blank)

    @cached_property
    def blank_units(self) -> list[tuple[Fraction, Fraction]]:
        """The words with which a blank report shows each block, at least and at most."""
        space, sizes = 1 << self.word_bits, [len(of) for of in self.blocks.members]
        part = Fraction(space // self.size, space), Fraction(ceil_div(space, self.size), space)
        return [
            (units + size * part[0] * self.truth, units + size * part[1] * self.truth)
            for units, size in zip(self.law.units, sizes, strict=True)
        ]

    @cached_property
    def _most_blank(self) -> Fraction:
        """The largest Pr(blank y) / Q(y | x) in a block that is not that of x."""
        return max(most / units for (_, most), units in zip(self.blank_units, self.law.units, strict=True))

    # -- counting: as blocks ----------------------------------------------------------------------------
    def reports(self) -> Iterable[int]:
        return self.blocks.reports()

    def is_report(self, y: int) -> bool:
        return self.blocks.is_report(y)


def _most_inside(part: Enclosed) -> Fraction:
    """The largest ratio inside a block."""
    return max((pair.ratio for pair in part.ratio_bounds()), default=Fraction(1))


def _held(part: Enclosed, place: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
    """A report of `part`: blank where the first of the words is 1, else that of the value at the place."""
    return part.draw_held(place, words[0], words[1:], ops)


def _enclosed(kinds: Sequence[Sampler]) -> list[Enclosed]:
    """Those of the randomizers that have blank reports."""
    return [part for part in kinds if isinstance(part, Enclosed) and part.hides]
