"""A randomizer inside every block; the block itself is shown."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ...core.arithmetic import Arithmetic
from ...core.domain import Alike
from ...core.errors import InvalidInput
from ..contrast import Contrast
from ..kinds import randomizer_of
from ..law import Law, Row
from ..randomizer import Group, Pair, PartLayout, Randomizer
from ..telling import Telling
from ..units import check_law

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric


@dataclass(frozen=True)
class BlocksLaw(Law):
    """Value x is in block ``block_of[x]``, whose reports are drawn by the law ``kinds[kind_of[block]]``."""

    kind = "blocks"

    block_of: Row
    kind_of: tuple[int, ...]
    kinds: tuple[Law, ...]


class BlockResponse(Randomizer):
    """Report the block and what the block's own randomizer reports for the position inside it.

    Report = offset of the block + inner report; when the offsets exceed 64 bits, the block number
    is a 64-bit word of its own above the inner report. A block of one value reports only the block.

    *Why private.* Inside a block the ratio is the inner randomizer's; across blocks E is infinite.
    *Why unbiased.* The estimator of a block is the inner one on the reports of that block, and the
    block's own total is known exactly.

    References: Acharya2020, Section 6 (with Hadamard inside, (19) simplified: c * mean(H[i+1, Y2] 1{Y1 = j})).
    """

    name = "blocks"
    law: BlocksLaw
    follows = BlocksLaw

    def __init__(self, block_of: Sequence[int], inner: Sequence[Randomizer]) -> None:
        numbers: dict[int, int] = {}
        of_law: dict[Law, int] = {}
        kinds: list[Randomizer] = []
        for part in inner:
            if id(part) not in numbers:
                numbers[id(part)] = of_law.setdefault(part.law, len(kinds))
                if len(of_law) > len(kinds):
                    kinds.append(part)
        kind_of = tuple(numbers[id(part)] for part in inner)
        self._follow(BlocksLaw(Row.of(block_of), kind_of, tuple(kind.law for kind in kinds)), kinds)

    def follow(self, law: BlocksLaw) -> None:
        self._follow(law, [randomizer_of(kind) for kind in law.kinds])

    def _follow(self, law: BlocksLaw, kinds: Sequence[Randomizer]) -> None:
        used = bool(kinds) and set(law.kind_of) == set(range(len(kinds)))
        check_law(used, law.kind, "each block must be of one of its kinds, and each kind that of a block")
        width = kinds[0].word_bits
        check_law(all(part.word_bits == width for part in kinds), law.kind, "its kinds must have one width of words")
        blocks, block_of = len(law.kind_of), law.block_of.numbers()
        check_law(max(block_of, default=0) < blocks, law.kind, f"its blocks must be numbered below {blocks}")
        self.law, self.size, self.block_of, self.word_bits = law, len(block_of), block_of, width
        self.kinds, self.kind_of = list(kinds), law.kind_of
        self.inner = tuple(self.kinds[kind] for kind in law.kind_of)
        sizes = [0] * blocks
        self.place = array("I", bytes(self.block_of.itemsize * self.size))
        for x, block in enumerate(self.block_of):
            self.place[x] = sizes[block]
            sizes[block] += 1
        if sizes != [part.size for part in self.inner]:
            raise InvalidInput("inner: each block needs a randomizer of the block's size")
        self.words = max(part.words for part in self.kinds)
        self.disjoint = all(part.disjoint for part in self.kinds)
        self._lay_out()

    def narrowed(self, word_bits: int, epsilon: Fraction | None = None) -> BlockResponse:
        kinds = [part.narrowed(word_bits, epsilon) for part in self.kinds]
        return BlockResponse(self.block_of, [kinds[kind] for kind in self.kind_of])

    def weighted(self, prior: Sequence[float]) -> BlockResponse:
        """Each kind weighted for the shares inside its blocks, added up over blocks of the same kind."""
        inside = [[0.0] * part.size for part in self.kinds]
        for x, block in enumerate(self.block_of):
            inside[self.kind_of[block]][self.place[x]] += prior[x]
        kinds = [
            part.weighted([share / sum(held) for share in held]) if sum(held) > 0 else part
            for part, held in zip(self.kinds, inside, strict=True)
        ]
        made = BlockResponse.__new__(BlockResponse)
        made._follow(self.law, kinds)
        return made

    def _lay_out(self) -> None:
        bounds = [0, *accumulate(part.outputs for part in self.inner)]
        if bounds[-1] > 1 << 64:
            stride = 1 << 64 * max(-(-part.bits // 64) for part in self.kinds)
            bounds = [stride * block for block in range(max(len(self.inner), 2) + 1)]
        self.offsets = tuple(bounds[: len(self.inner)])
        self.outputs = bounds[-1]
        starts = [0, *accumulate(part.cells for part in self.inner)]
        self.starts = tuple(starts[:-1])
        self.cells = starts[-1]

    @cached_property
    def members(self) -> list[list[int]]:
        """The numbers of each block's values, in order of their position."""
        found: list[list[int]] = [[] for _ in self.inner]
        for x, block in enumerate(self.block_of):
            found[block].append(x)
        return found

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        block = ops.look_up(self.block_of, x)
        kind = ops.look_up(self.kind_of, block)
        draws = [partial(part.draw, ops=ops) for part in self.kinds]
        inside = ops.choose(kind, draws, ops.look_up(self.place, x), words, self.bits)
        return ops.place(inside, self.offsets, block)

    def _inside(self, y: int) -> tuple[int, int]:
        block = bisect_right(self.offsets, y) - 1
        return block, y - self.offsets[block]

    def probability(self, x: int, y: int) -> Fraction:
        if not 0 <= y < self.outputs:
            return Fraction(0)
        block, inside = self._inside(y)
        if block != self.block_of[x]:
            return Fraction(0)
        return self.inner[block].probability(self.place[x], inside)

    # -- what hides a report: the others of the block, as many as are known to be in it ---------------------
    def hiders(self, x: int) -> Sequence[int]:
        return self.members[self.block_of[x]]

    def contrast(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Contrast] | None:
        block = self.block_of[x]
        if self.block_of[z] != block:
            return [Contrast(Fraction(0), Fraction(1), Fraction(0)), Contrast(Fraction(0), Fraction(0), Fraction(1))]
        inside = None if among is None else [self.place[v] for v in among if self.block_of[v] == block]
        rows = self.inner[block].contrast(self.place[x], self.place[z], inside)
        if rows is None or inside is None or among is None or len(inside) == len(among):
            return rows
        return [row._replace(floor=Fraction(0)) for row in rows]  # who is in another block hides nobody here

    def meeting(self, x: int, z: int) -> Fraction | None:
        block = self.block_of[x]
        return self.inner[block].meeting(self.place[x], self.place[z]) if self.block_of[z] == block else Fraction(0)

    # -- what one report tells of a person ------------------------------------------------------------------
    def guess(self, shares: Array, ops: Numeric) -> float | None:
        total, known = 0.0, dict[tuple[int, bytes], float | None]()
        for block, of in enumerate(self.members):
            inside = shares[ops.integers(of)]
            key = self.kind_of[block], inside.tobytes()
            if key not in known:
                known[key] = self.inner[block].guess(inside, ops)
            one = known[key]
            if one is None:
                return None
            total += one
        return total

    def telling(self, x: int, shares: Array, ops: Numeric) -> Telling | None:
        block = self.block_of[x]
        inside = shares[ops.integers(self.members[block])]
        return self.inner[block].telling(self.place[x], inside / max(float(inside.sum()), 1e-300), ops)

    def contrasts(self) -> Iterator[tuple[int, int]]:
        known = [list(part.contrasts()) for part in self.kinds]
        for of, kind in zip(self.members, self.kind_of, strict=True):
            yield from ((of[x], of[z]) for x, z in known[kind])

    def reports(self) -> Iterable[int]:
        for offset, part in zip(self.offsets, self.inner, strict=True):
            yield from (offset + y for y in part.reports())

    def is_report(self, y: int) -> bool:
        if not 0 <= y < self.outputs:
            return False
        block, inside = self._inside(y)
        return self.inner[block].is_report(inside)

    @cached_property
    def labels(self) -> Sequence[int]:
        if all(isinstance(part.labels, Alike) for part in self.kinds):
            return self.block_of
        numbers: dict[tuple[int, int], int] = {}
        inside = [part.labels for part in self.inner]
        return [
            numbers.setdefault((block, inside[block][self.place[x]]), len(numbers))
            for x, block in enumerate(self.block_of)
        ]

    def pairs(self) -> Iterator[Pair]:
        known = [list(part.pairs()) for part in self.kinds]
        for of, kind in zip(self.members, self.kind_of, strict=True):
            yield from (Pair(of[p.x], of[p.z], p.ratio) for p in known[kind])

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        block, inside = self._inside(y)
        return [self.starts[block] + cell for cell in self.inner[block].cells_of(inside)]

    @cached_property
    def _layout(self) -> PartLayout:
        kinds = [part.counted for part in self.kinds]
        return PartLayout(self.offsets, self.starts, self.kind_of, kinds, self.cells)

    @cached_property
    def _plain(self) -> bool:
        """True if the cell of a report is the report itself."""
        return self.disjoint and self.offsets == self.starts and None not in self._layout.kinds

    def count(self, counts: Array, reports: Array, start: Any, ops: Numeric) -> None:
        if self._plain:
            ops.count_cells(counts, reports, start, self.outputs)
            return
        if ops.count_parts(counts, reports, start, self._layout):
            return
        added = ops.zeros_like(counts)
        for part, mine, block, own in self.shared_out(reports, ops):
            part.count(added, own, ops.look_up(self.starts, block) + ops.pick(start, mine), ops)
        counts += added

    def gather(self, entries: Array, reports: Array, start: Any, ops: Numeric) -> Array:
        if self._plain:
            return ops.gather_cells(entries, reports, start, self.outputs)
        if (summed := ops.gather_parts(entries, reports, start, self._layout)) is not None:
            return summed
        found = ops.zeros(len(reports))
        for part, mine, block, own in self.shared_out(reports, ops):
            found[mine] = part.gather(entries, own, ops.look_up(self.starts, block) + ops.pick(start, mine), ops)
        return found

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        found = ops.zeros((len(reports), self.size))
        groups = self.groups(ops)
        for (part, mine, block, own), (_, _, _, values) in zip(self.shared_out(reports, ops), groups, strict=True):
            found[mine[:, None], values[ops.look_up(self.ranks, block)]] = part.likelihoods(own, ops)
        return found

    @cached_property
    def ranks(self) -> Sequence[int]:
        """The number of each block among those of its kind, in the order of `groups`."""
        seen = [0] * len(self.kinds)
        found = []
        for kind in self.kind_of:
            found.append(seen[kind])
            seen[kind] += 1
        return found

    def shared_out(self, reports: Array, ops: Numeric) -> Iterator[tuple[Randomizer, Array, Array, Array]]:
        """For each kind of block, the rows of its reports, their blocks, and what they are inside these."""
        block, inside = ops.locate(reports, self.offsets, self.outputs)
        kind = ops.look_up(self.kind_of, block)
        for number, part in enumerate(self.kinds):
            mine = ops.where(kind == number)
            yield part, mine, block[mine], ops.narrow(inside[mine], part.bits)

    def total(self, counts: Array, ops: Numeric) -> Array:
        total = ops.zeros(1)
        for part, _, cells, _ in self.groups(ops):
            total += part.total(counts[cells], ops).sum()
        return total

    def broken_rule(self, counts: Array, ops: Numeric) -> str | None:
        rules = (part.broken_rule(counts[cells], ops) for part, _, cells, _ in self.groups(ops))
        return next((f"in a block, {rule}" for rule in rules if rule is not None), None)

    def totals_of(self, ops: Numeric) -> Array:
        out = ops.integers([-1] * self.cells)
        for part, _, cells, _ in self.groups(ops):
            inside = part.totals_of(ops)
            bits = ops.where(inside >= 0)
            out[cells[:, bits]] = cells[:, inside[bits]]
        return out

    def overlaps(self, ops: Numeric) -> Array:
        out = ops.integers([1] * self.cells)
        for part, _, cells, _ in self.groups(ops):
            out[cells] = part.overlaps(ops)
        return out

    def groups(self, ops: Numeric) -> Sequence[Group]:
        if not hasattr(self, "_cached_groups"):
            groups = []
            for number, part in enumerate(self.kinds):
                blocks = [block for block, kind in enumerate(self.kind_of) if kind == number]
                starts = ops.integers([self.starts[block] for block in blocks])
                cells = starts[:, None] + ops.row(part.cells)
                values = ops.integers([self.members[block] for block in blocks])
                groups.append(Group(part, ops.integers(blocks), cells, values))
            self._cached_groups = groups
        return self._cached_groups

    @cached_property
    def passed(self) -> Sequence[int]:
        known = [part.passed for part in self.kinds]
        return sorted(of[x] for of, kind in zip(self.members, self.kind_of, strict=True) for x in known[kind])

    @cached_property
    def twins(self) -> Sequence[int] | None:
        inside: list[Sequence[int]] = []
        for part in self.kinds:
            if part.twins is None:
                return None
            inside.append(part.twins)
        numbers: dict[tuple[int, int], int] = {}
        of_kind = [self.kind_of[block] for block in self.block_of]
        found = zip(of_kind, self.place, strict=True)
        return [numbers.setdefault((kind, inside[kind][place]), len(numbers)) for kind, place in found]

    def decode(self, counts: Array, ops: Numeric) -> Array:
        return self._each(ops, lambda part, cells, values: part.decode(counts[cells], ops))

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        out = ops.zeros((*weights.shape[:-1], self.cells))
        for part, _, cells, values in self.groups(ops):
            out[..., cells] = part.weigh(weights[..., values], ops)
        return out

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        return self._each(ops, lambda part, cells, values: part.second_moments(shares[values], ops))

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        return self._each(ops, lambda part, cells, values: part.slopes(shares[values], ops))

    def pull(self, weights: Array, ops: Numeric) -> Array:
        return self._each(ops, lambda part, cells, values: part.pull(weights[cells], ops))

    def push(self, shares: Array, ops: Numeric) -> Array:
        out = ops.zeros(self.cells)
        for part, _, cells, values in self.groups(ops):
            out[cells] = part.push(shares[values], ops)
        return out

    def _each(self, ops: Numeric, compute: Callable[[Randomizer, Array, Array], Array]) -> Array:
        out = ops.zeros(self.size)
        for part, _, cells, values in self.groups(ops):
            out[values] = compute(part, cells, values)
        return out

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        total = ops.zeros(1)
        for part, _, _, values in self.groups(ops):
            found = part.cross_moment(shares[values], first[..., values], second[..., values], ops)
            total = total + found.sum(axis=-2)
        return total

    def influence(self, ops: Numeric) -> float:
        return max(part.influence(ops) for part in self.kinds)

    @property
    def decode_cost(self) -> float:
        return sum(self.kinds[kind].decode_cost for kind in self.kind_of)

    def describe(self) -> dict[str, Any]:
        described = [part.describe() for part in self.kinds]
        several = [one for one, part in zip(described, self.kinds, strict=True) if part.size > 1] or described
        if all(one == several[0] for one in several):
            return several[0]
        names = {one["name"] for one in several}
        return {
            "name": names.pop() if len(names) == 1 else "mixed",
            "inner": [described[kind] for kind in self.kind_of],
        }
