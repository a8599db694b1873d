"""Noise on a torus: the cells of a grid, wrapped around at its edges, and a displacement that fades with distance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate, permutations, product
from typing import TYPE_CHECKING, Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.errors import NotServed, PrivacyViolation
from ...core.exact import exp_below, within
from ...core.limits import spend
from ..law import WORD_BITS, Law, Row
from ..sampler import LawExample, RatioBound
from ..tables.metric import BITS, faded
from ..tables.table import largest_quotient
from ..units import check_law, check_size
from .ring import Circular

if TYPE_CHECKING:
    from ...contexts.structure.recognition import GridStructure


CLOSE = Fraction(1, 1 << 190)
"""More than `exp_below` may lie below the exponential, relative to it."""

Cell = tuple[int, ...]


def shorter(shape: Sequence[int]) -> Iterator[Cell]:
    """The displacements that go the shorter way round along every side: all others are mirror images of these."""
    return product(*(range(side // 2 + 1) for side in shape))


def faded_by(grid: GridStructure, shape: Sequence[int]) -> dict[Cell, int]:
    """e**-E of each of the `shorter` displacements, rounded down, in units of 2**-BITS."""
    fade = cache(faded)
    return {cell: fade(grid.epsilon(cell)) for cell in shorter(shape)}


def fades_closely(units: Mapping[Cell, int], weights: Mapping[Cell, int], grid: GridStructure) -> bool:
    """True if units that follow e**-E this closely keep every ratio within e**E of the displacement.

    With ``K W + c - s <= u <= K W + c`` for the units u of every displacement, W its e**-E, and E(z) at most
    E(y) + E(t) for the step t from y to z, ``u(y) / u(z) <= (K W + c) / (K W e**-E(t) + c - s)``. That is at most
    e**E(t) if ``e**E(t) (c - s) >= c``, which holds for all steps if it does for the least E. Distances that are
    rounded and exponentials that are bounded from below move K W by a part of at most `CLOSE` and twice the rounding.
    K is taken from the largest and the least weight, c and s from all units: whole numbers decide.
    """
    first, last = max(weights, key=weights.__getitem__), min(weights, key=weights.__getitem__)
    if weights[first] == weights[last]:
        return False
    slope = (units[first] - units[last] << BITS) // (weights[first] - weights[last])
    most = max(unit - (slope * weights[cell] >> BITS) for cell, unit in units.items())
    least = min(unit - (slope * (weights[cell] + 1) >> BITS) - 1 for cell, unit in units.items())
    nearest = min(grid.epsilon(cell) for cell in weights if any(cell))
    part = CLOSE + 2 * grid.level * grid.rounding
    return slope > 0 and least > 0 and exp_below(nearest) * least >= most + part * slope


MAX_CELLS = 1 << 17
"""The most cells."""

FEW_CELLS = 1 << 9
"""Up to so many cells any two displacements are compared, all symmetric ones at once."""

MAX_COMPARED_CELLS = 1 << 12
"""Up to so many cells they still are where the proof for all of them at once fails."""

CELL_STEPS = 150
"""Steps that it takes to prove that a displacement fades as it must."""

FINEST = 44
"""The first attempt takes 2**-44 of the words for all cells alike, the next ones four times as much each."""


@dataclass(frozen=True)
class TorusLaw(Law):
    """A report is the own cell moved by displacement t with ``units[t]`` words; `spare` words go to reports 0, 1, ...

    Cells and displacements are numbered row by row over the `shape`, each coordinate modulo its side; value x is at
    ``cells[x]``.
    """

    kind = "torus"

    shape: tuple[int, ...]
    units: tuple[int, ...]
    spare: int
    cells: Row
    word_bits: int


class Torus(Circular):
    """The own cell plus a displacement, each coordinate modulo its side, e**-E as likely as none.

    *Why private.* The way around a torus is never longer than across the grid, so e**-E of the displacement, by the
    triangle inequality, leaves every ratio within e**E. Rounded to words, the displacements are mixed with even ones
    until the whole numbers hold, and the certificate compares them: values have one ratio for each displacement. On
    more than `FEW_CELLS` cells it proves them all at once, as units that follow e**-E closely (`fades_closely`).

    References: Chatzikokolakis2013.
    """

    name = "torus"
    law: TorusLaw
    follows = TorusLaw

    def follow(self, law: TorusLaw) -> None:
        cells = law.cells.numbers()
        check_size(len(cells), law.word_bits)
        sides = bool(law.shape) and min(law.shape) > 0 and math.prod(law.shape) == len(law.units) <= MAX_CELLS
        check_law(sides, law.kind, f"it must have units for every cell of its shape, at most {MAX_CELLS}")
        spread = min(law.units) > 0 and 0 <= law.spare < len(law.units)
        full = spread and sum(law.units) + law.spare == 1 << law.word_bits
        check_law(full, law.kind, f"its words must be positive and add up to 2**{law.word_bits}")
        even = all(unit == law.units[fold(t, law.shape)] for t, unit in enumerate(law.units))
        check_law(even, law.kind, "a displacement and its mirror image along any side must have the same units")
        placed = len(set(cells)) == len(cells) and max(cells) < len(law.units)
        check_law(placed, law.kind, "its values must be in different cells of its shape")
        self.law, self.size, self.places, self.shape = law, len(cells), cells, law.shape
        self.outputs, self.word_bits, self.words = len(law.units), law.word_bits, 1
        self._ratios: dict[int, Fraction] = {}
        self._bounds = (tuple(bound * self.scale for bound in accumulate((*law.units, law.spare))),)

    @property
    def noise(self) -> Sequence[int]:
        return self.law.units

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Torus:
        units = [max(1, unit >> self.word_bits - word_bits) for unit in self.law.units]
        more, spare = divmod((1 << word_bits) - sum(units), len(units))
        law = TorusLaw(self.shape, tuple(unit + more for unit in units), spare, self.law.cells, word_bits)
        return Torus.from_law(law)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        drawn = ops.rank(self._bounds, x - x, u)
        spare = ops.equal(drawn, self.outputs)
        moved = self._sum(ops.look_up(self.places, x), ops.select(spare, 0, drawn), ops)
        used = ((1 << self.word_bits) - self.law.spare) * self.scale
        return ops.select(spare, ops.divide(u - used % (1 << 64), self.scale), moved)

    def _sum(self, cell: Any, moved: Any, ops: Arithmetic) -> Any:
        """The cell that a displacement leads to."""
        left, report = self.outputs, cell - cell
        for side in self.shape:
            left //= side
            a, b = ops.divide(cell, left), ops.divide(moved, left)
            cell, moved = cell - a * left, moved - b * left
            report = report + (a + b - side * ops.at_least(a + b, side)) * left
        return report

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        extra = int(y < self.law.spare)
        return Fraction(self.law.units[displacement(y, self.places[x], self.shape)] + extra, 1 << self.word_bits)

    # -- the certificate: one ratio for each displacement ------------------------------------------------
    def ratio(self, x: int, z: int) -> Fraction:
        """The certified largest Q(y | x) / Q(y | z)."""
        apart = fold(displacement(self.places[x], self.places[z], self.shape), self.shape)
        if apart not in self._ratios:
            self._ratios[apart] = _largest(self.law.units, apart, self.shape)
        return self._ratios[apart]

    def ratio_bounds(self) -> Iterator[RatioBound]:
        spend(self.size**2, f"{self.name} of {self.size} values")
        yield from (RatioBound(x, z, self.ratio(x, z)) for x, z in permutations(range(self.size), 2))

    def max_ratios(self) -> Callable[[int, int], Fraction]:
        return self.ratio

    def prove(self, context: Context) -> tuple[int, int, Fraction] | None:
        grid = context.grid
        if grid is None or not grid.is_dense or self.outputs <= FEW_CELLS or not self._lies_as(grid.cells):
            return None
        spend(CELL_STEPS * self.outputs, f"{self.name} of {self.outputs} cells")
        units = {cell: self.law.units[_number(cell, self.shape)] for cell in shorter(self.shape)}
        if not fades_closely(units, faded_by(grid, self.shape), grid):
            if self.outputs <= MAX_COMPARED_CELLS:
                return None
            raise PrivacyViolation(f"{self.name}: its displacements cannot be proved to fade as E asks")
        x, z = grid.nearest()
        return x, z, self.ratio(x, z)

    def _lies_as(self, cells: Sequence[Sequence[int]]) -> bool:
        """True if the values lie as these cells do, up to a displacement that all have in common."""
        if len(cells[0]) != len(self.shape) or len(cells) != self.size:
            return False
        moved = {
            displacement(place, _number(cell, self.shape), self.shape)
            for place, cell in zip(self.places, cells, strict=True)
        }
        return len(moved) == 1

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        for norm in ("l1", "l2", "linf"):
            yield LawExample(cls.name, Context.metric([(0, 3), (2, 1), (4, 5), (0, 1)], norm, "1"))


def torus_response(context: Context) -> Torus:
    """The noise on a torus of a context whose values are cells of a grid with an even distance between them."""
    grid = context.grid
    if grid is None:
        raise NotServed("torus needs values on a grid, with distances between points that are whole steps apart")
    shape, size = grid.shape, math.prod(grid.shape)
    if size > MAX_CELLS or not grid.is_dense:
        raise NotServed(f"torus needs a grid of at most {MAX_CELLS} cells, one in sixteen of them a value")
    spend(size * size // 4 if size <= FEW_CELLS else CELL_STEPS * size, f"a torus of {size} cells")
    weights = faded_by(grid, shape)
    numbers = {_number(cell, shape): cell for cell in weights}
    folded = [numbers[fold(t, shape)] for t in range(size)]
    total = sum(weights[cell] for cell in folded)
    space = 1 << WORD_BITS
    for halvings in range(FINEST, 0, -2):
        left = ((1 << halvings) - 1) * space
        row = {cell: (left * weight // total + space // size >> halvings) for cell, weight in weights.items()}
        if min(row.values()) > 0 and _certified(row, folded, weights, grid):
            units = [row[cell] for cell in folded]
            more, spare = divmod(space - sum(units), size)
            cells = Row.of(_number(cell, shape) for cell in grid.cells)
            return Torus.from_law(TorusLaw(shape, tuple(unit + more for unit in units), spare, cells, WORD_BITS))
    raise NotServed("torus: no displacements could be certified for this E")


def _certified(row: dict[Cell, int], folded: Sequence[Cell], weights: dict[Cell, int], grid: GridStructure) -> bool:
    """True if these units of the shorter displacements keep every ratio within what E allows."""
    if len(folded) > FEW_CELLS:
        return fades_closely(row, weights, grid)
    units = [row[cell] for cell in folded]
    return all(within(_largest(units, _number(t, grid.shape), grid.shape), grid.epsilon(t)) for t in row if any(t))


def _coordinates(t: int, shape: Sequence[int]) -> Iterator[int]:
    left = math.prod(shape)
    for side in shape:
        left //= side
        yield t // left % side


def _number(cell: Sequence[int], shape: Sequence[int]) -> int:
    number = 0
    for coordinate, side in zip(cell, shape, strict=True):
        number = number * side + coordinate % side
    return number


def displacement(y: int, x: int, shape: Sequence[int]) -> int:
    """The displacement from cell x to cell y."""
    return _number([a - b for a, b in zip(_coordinates(y, shape), _coordinates(x, shape), strict=True)], shape)


def fold(t: int, shape: Sequence[int]) -> int:
    """The displacement with every coordinate taken the shorter way round: the same in one direction or the other."""
    return _number([min(c, side - c) for c, side in zip(_coordinates(t, shape), shape, strict=True)], shape)


def shifted(apart: int, shape: Sequence[int]) -> list[int]:
    """For every displacement the one that is further on by `apart`."""
    further = [0]
    for step, side in zip(_coordinates(apart, shape), shape, strict=True):
        moved = [*range(step, side), *range(step)]
        further = [number * side + coordinate for number in further for coordinate in moved]
    return further


def _largest(units: Sequence[int], apart: int, shape: Sequence[int]) -> Fraction:
    """The largest ratio of the units of any displacement to those of one further on by `apart`.

    Units that are the same for mirror images have the same ratios to one further back.
    """
    others = (units[other] for other in shifted(apart, shape))
    return Fraction(*largest_quotient(zip(units, others, strict=True)))
