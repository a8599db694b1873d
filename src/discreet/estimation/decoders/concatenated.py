"""Reports that show a part and what is reported inside it: counting for all such laws, and the decoder of blocks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ...mechanisms.composed.blocks import BlockResponse
from ..arrays.layout import Array, Cells, PartLayout, look_up, pick
from ..arrays.reports import count_cells, count_parts, gather_cells, gather_parts, locate, narrow
from .decoder import Counter, Decoder, Drawn, Group
from .registry import decoder_of


class PartReports(NamedTuple):
    """The reports of all parts of one kind: their rows, the part of each, and the report inside it."""

    kind: int
    rows: Array
    parts: Array
    reports: Array


class Concatenated(Decoder[Drawn]):
    """A decoder of reports "offset of the part + inner report": the cells of the parts lie one after the other.

    Part i is counted by ``kinds[kind_of[i]]``. From 2**64 reports on, the number of the part is a 64-bit word of its
    own above the inner report.
    """

    def concatenate(
        self, kinds: Sequence[Counter], kind_of: Sequence[int], offsets: Sequence[int], outputs: int
    ) -> None:
        """Lay the parts out, one after the other."""
        self.kinds, self.kind_of, self.offsets, self.outputs = kinds, kind_of, offsets, outputs
        starts = [0, *accumulate(kinds[kind].cells for kind in kind_of)]
        self.starts, self.cells = tuple(starts[:-1]), starts[-1]
        self.disjoint = all(part.disjoint for part in kinds)

    @cached_property
    def _layout(self) -> PartLayout:
        return PartLayout(self.offsets, self.starts, self.kind_of, [part.layout for part in self.kinds], self.cells)

    @cached_property
    def is_plain(self) -> bool:
        """True if the cell of a report is the report itself."""
        return self.disjoint and tuple(self.offsets) == self.starts and None not in self._layout.kinds

    @property
    def layout(self) -> Cells | None:
        return Cells(self.outputs) if self.is_plain else None

    def cells_of(self, y: int) -> Sequence[int]:
        part = bisect_right(self.offsets, y) - 1
        return [self.starts[part] + cell for cell in self.kinds[self.kind_of[part]].cells_of(y - self.offsets[part])]

    def split(self, reports: Array) -> Iterator[PartReports]:
        """The reports by kind of part, in the order of the kinds."""
        part, inside = locate(reports, self.offsets, self.outputs)
        kind = look_up(self.kind_of, part)
        for number, own in enumerate(self.kinds):
            rows = np.flatnonzero(kind == number)
            yield PartReports(number, rows, part[rows], narrow(inside[rows], own.bits))

    def count(self, counts: Array, reports: Array, start: Any) -> None:
        if self.is_plain:
            count_cells(counts, reports, start, self.outputs)
            return
        if count_parts(counts, reports, start, self._layout):
            return
        added = np.zeros_like(counts)
        for kind, rows, parts, inside in self.split(reports):
            self.kinds[kind].count(added, inside, look_up(self.starts, parts) + pick(start, rows))
        counts += added

    def gather(self, entries: Array, reports: Array, start: Any) -> Array:
        if self.is_plain:
            return gather_cells(entries, reports, start, self.outputs)
        if (sums := gather_parts(entries, reports, start, self._layout)) is not None:
            return sums
        sums = np.zeros(len(reports))
        for kind, rows, parts, inside in self.split(reports):
            sums[rows] = self.kinds[kind].gather(entries, inside, look_up(self.starts, parts) + pick(start, rows))
        return sums

    @cached_property
    def part_cells(self) -> list[Array]:
        """For each kind the cells of its parts, one row each."""
        kind_of, starts = np.asarray(self.kind_of), np.asarray(self.starts)
        return [starts[kind_of == number, None] + np.arange(part.cells) for number, part in enumerate(self.kinds)]

    def total(self, counts: Array) -> Array:
        parts = zip(self.kinds, self.part_cells, strict=True)
        return sum((part.total(counts[..., cells]).sum(axis=-2) for part, cells in parts), np.zeros(1))

    def inconsistency(self, counts: Array) -> str | None:
        rules = (
            part.inconsistency(counts[..., cells]) for part, cells in zip(self.kinds, self.part_cells, strict=True)
        )
        return next((f"in a part, {rule}" for rule in rules if rule is not None), None)

    def set_totals(self) -> Array:
        totals = np.full(self.cells, -1)
        for part, cells in zip(self.kinds, self.part_cells, strict=True):
            inside = part.set_totals()
            members = np.flatnonzero(inside >= 0)
            totals[cells[:, members]] = cells[:, inside[members]]
        return totals

    def overlaps(self) -> Array:
        overlaps = np.ones(self.cells, dtype=np.int64)
        for part, cells in zip(self.kinds, self.part_cells, strict=True):
            overlaps[cells] = part.overlaps()
        return overlaps


class BlocksDecoder(Concatenated[BlockResponse]):
    """Block by block, all blocks of one kind in one call.

    *Why unbiased.* The estimator of a block is the inner one on the reports of that block, and the block's own total is
    known exactly.
    """

    kinds: Sequence[Decoder[Any]]

    def __init__(self, sampler: BlockResponse) -> None:
        super().__init__(sampler)
        kinds = [decoder_of(part) for part in sampler.kinds]
        self.concatenate(kinds, sampler.kind_of, sampler.offsets, sampler.outputs)

    @property
    def layout(self) -> None:
        return None

    @cached_property
    def _groups(self) -> list[Group]:
        kind_of, members = np.asarray(self.kind_of), self.sampler.members
        numbers = [np.flatnonzero(kind_of == kind) for kind in range(len(self.kinds))]
        return [
            Group(part, blocks, cells, np.array([members[block] for block in blocks]))
            for part, blocks, cells in zip(self.kinds, numbers, self.part_cells, strict=True)
        ]

    def groups(self) -> Sequence[Group]:
        return self._groups

    @cached_property
    def ranks(self) -> Array:
        """The number of each block among those of its kind, in the order of `groups`."""
        ranks = np.zeros(len(self.kind_of), dtype=np.int64)
        for group in self._groups:
            ranks[group.numbers] = np.arange(len(group.numbers))
        return ranks

    @cached_property
    def exchangeable(self) -> Sequence[int] | None:
        inside = [part.exchangeable for part in self.kinds]
        numbers: dict[tuple[int, int], int] = {}
        classes = []
        for block, place in zip(self.sampler.block_of, self.sampler.place, strict=True):
            kind = self.kind_of[block]
            alike = inside[kind]
            if alike is None:
                return None
            classes.append(numbers.setdefault((kind, alike[place]), len(numbers)))
        return classes

    def likelihoods(self, reports: Array) -> Array:
        rows = np.zeros((len(reports), self.size))
        for (kind, mine, blocks, inside), group in zip(self.split(reports), self._groups, strict=True):
            rows[mine[:, None], group.values[self.ranks[blocks]]] = self.kinds[kind].likelihoods(inside)
        return rows

    def _by_value(self, compute: Callable[[Group], Array]) -> Array:
        out = np.zeros(self.size)
        for group in self._groups:
            out[group.values] = compute(group)
        return out

    def decode(self, counts: Array) -> Array:
        return self._by_value(lambda group: group.decoder.decode(counts[group.cells]))

    def decode_adjoint(self, weights: Array) -> Array:
        out = np.zeros((*weights.shape[:-1], self.cells))
        for part, _, cells, values in self._groups:
            out[..., cells] = part.decode_adjoint(weights[..., values])
        return out

    def second_moments(self, shares: Array) -> Array:
        return self._by_value(lambda group: group.decoder.second_moments(shares[group.values]))

    def second_moment_derivative(self, shares: Array) -> Array:
        return self._by_value(lambda group: group.decoder.second_moment_derivative(shares[group.values]))

    def expected_counts(self, shares: Array) -> Array:
        out = np.zeros(self.cells)
        for part, _, cells, values in self._groups:
            out[cells] = part.expected_counts(shares[values])
        return out

    def expected_counts_adjoint(self, weights: Array) -> Array:
        return self._by_value(lambda group: group.decoder.expected_counts_adjoint(weights[group.cells]))

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        total = np.zeros(1)
        for part, _, _, values in self._groups:
            moments = part.cross_moment(shares[values], first[..., values], second[..., values])
            total = total + moments.sum(axis=-2)
        return total

    def reach(self) -> tuple[Array, Array]:
        elsewhere = 0.0 if len(self.kind_of) > 1 else np.nan  # reports of other blocks
        ends = [part.reach() for part in self.kinds]
        sides = zip(self._groups, ends, strict=True)
        least, most = np.zeros(self.size), np.zeros(self.size)
        for group, (low, high) in sides:
            least[group.values], most[group.values] = np.fmin(low, elsewhere), np.fmax(high, elsewhere)
        return least, most

    def square_sums(self, counts: Array) -> Array | None:
        sums = np.zeros(self.size)
        for group in self._groups:
            inside = group.decoder.square_sums(counts[group.cells])
            if inside is None:
                return None
            sums[group.values] = inside
        return sums

    @property
    def decode_cost(self) -> float:
        return sum(self.kinds[kind].decode_cost for kind in self.kind_of)
