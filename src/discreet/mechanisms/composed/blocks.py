"""A sampler inside every block; the block itself is shown."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.domain import Alike
from ...core.errors import InvalidInput
from ..law import Law, Row
from ..laws import sampler_of
from ..sampler import LawExample, RatioBound, Sampler
from ..units import check_law


@dataclass(frozen=True)
class BlocksLaw(Law):
    """Value x is in block ``block_of[x]``, whose reports are drawn by the law ``kinds[kind_of[block]]``."""

    kind = "blocks"

    block_of: Row
    kind_of: tuple[int, ...]
    kinds: tuple[Law, ...]


class BlockResponse(Sampler):
    """Report the block and what the block's own sampler reports for the position inside it.

    Report = offset of the block + inner report; when the offsets exceed 64 bits, the block number
    is a 64-bit word of its own above the inner report. A block of one value reports only the block.

    *Why private.* Inside a block the ratio is the inner sampler's; across blocks E is infinite.

    References: Acharya2020, Section 6 (with Hadamard inside, (19) simplified: c * mean(H[i+1, Y2] 1{Y1 = j})).
    """

    name = "blocks"
    law: BlocksLaw
    follows = BlocksLaw

    def __init__(self, block_of: Sequence[int], inner: Sequence[Sampler]) -> None:
        numbers: dict[int, int] = {}
        from_law: dict[Law, int] = {}
        kinds: list[Sampler] = []
        for part in inner:
            if id(part) not in numbers:
                numbers[id(part)] = from_law.setdefault(part.law, len(kinds))
                if len(from_law) > len(kinds):
                    kinds.append(part)
        kind_of = tuple(numbers[id(part)] for part in inner)
        self._follow(BlocksLaw(Row.of(block_of), kind_of, tuple(kind.law for kind in kinds)), kinds)

    def follow(self, law: BlocksLaw) -> None:
        self._follow(law, [sampler_of(kind) for kind in law.kinds])

    def _follow(self, law: BlocksLaw, kinds: Sequence[Sampler]) -> None:
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
            raise InvalidInput("inner: each block needs a sampler of the block's size")
        self.words = max(part.words for part in self.kinds)
        self._lay_out()

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> BlockResponse:
        kinds = [part.with_word_bits(word_bits, epsilon) for part in self.kinds]
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
        weighted = BlockResponse.__new__(BlockResponse)
        weighted._follow(self.law, kinds)
        return weighted

    def _lay_out(self) -> None:
        bounds = [0, *accumulate(part.outputs for part in self.inner)]
        if bounds[-1] > 1 << 64:
            stride = 1 << 64 * max(-(-part.bits // 64) for part in self.kinds)
            bounds = [stride * block for block in range(max(len(self.inner), 2) + 1)]
        self.offsets = tuple(bounds[: len(self.inner)])
        self.outputs = bounds[-1]

    @cached_property
    def members(self) -> list[list[int]]:
        """The numbers of each block's values, in order of their position."""
        members: list[list[int]] = [[] for _ in self.inner]
        for x, block in enumerate(self.block_of):
            members[block].append(x)
        return members

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        block = ops.look_up(self.block_of, x)
        kind = ops.look_up(self.kind_of, block)
        draws = [partial(part.draw, ops=ops) for part in self.kinds]
        inside = ops.choose(kind, draws, ops.look_up(self.place, x), words, self.bits)
        return ops.place(inside, self.offsets, block)

    def inside(self, y: int) -> tuple[int, int]:
        block = bisect_right(self.offsets, y) - 1
        return block, y - self.offsets[block]

    def probability(self, x: int, y: int) -> Fraction:
        if not 0 <= y < self.outputs:
            return Fraction(0)
        block, inside = self.inside(y)
        if block != self.block_of[x]:
            return Fraction(0)
        return self.inner[block].probability(self.place[x], inside)

    def reports(self) -> Iterable[int]:
        for offset, part in zip(self.offsets, self.inner, strict=True):
            yield from (offset + y for y in part.reports())

    def is_report(self, y: int) -> bool:
        if not 0 <= y < self.outputs:
            return False
        block, inside = self.inside(y)
        return self.inner[block].is_report(inside)

    @cached_property
    def class_of(self) -> Sequence[int]:
        if all(isinstance(part.class_of, Alike) for part in self.kinds):
            return self.block_of
        numbers: dict[tuple[int, int], int] = {}
        inside = [part.class_of for part in self.inner]
        return [
            numbers.setdefault((block, inside[block][self.place[x]]), len(numbers))
            for x, block in enumerate(self.block_of)
        ]

    def ratio_bounds(self) -> Iterator[RatioBound]:
        known = [list(part.ratio_bounds()) for part in self.kinds]
        for of, kind in zip(self.members, self.kind_of, strict=True):
            yield from (RatioBound(of[p.x], of[p.z], p.ratio) for p in known[kind])

    @cached_property
    def disclosed(self) -> Sequence[int]:
        known = [part.disclosed for part in self.kinds]
        return sorted(of[x] for of, kind in zip(self.members, self.kind_of, strict=True) for x in known[kind])

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

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        blocks: dict[Hashable, Sequence[int]] = {
            "many": range(0, 15, 3),
            "one": [1],
            "two": [2, 4],
            "more": range(15, 20),
        }
        inner = ["subset", {"name": "hadamard"}, "randomized_response", {"name": "subset", "d": 1}]
        yield LawExample("mixed", Context.blocks(blocks, "1"), {"inner": inner})
