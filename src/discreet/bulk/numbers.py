"""Columns of numbers as places between the nodes of a grid, and those places as nodes, many at once.

Both do what `NumberDomain.position` and `NumberDomain.place` do one by one, to the last unit and word. From
`MIN_COMPILED_SIZE` numbers on they are compiled where Numba is installed (`discreet.bulk.number_kernels`).

*Doubles, without a float that decides wrongly.* A double v means the shortest decimal s that reads as v. In units of
``10**-D``, ``s 10**D`` is within 2**-52 of its size of the product ``v 10**D`` of doubles: half a unit in the last
place for s, and half a one for the product, in which ``10**D`` is exact. Below ``10**15 + 1`` that is less than 1/4, so
the nearest whole number of units is the floor w of the product, or w + 1: the latter if s is at least the middle
``c = (2w + 1) / (2 10**D)``. Both parts of c are whole numbers below 2**53, so one division of doubles gives R(c), the
double that c reads as. Reading never decreases, so ``v > R(c)`` says ``s > c``, and ``v < R(c)`` says ``s < c``. And if
``v = R(c)`` then ``s = c`` where c has at most 15 digits, since no two such decimals read as the same double: so
``s >= c`` exactly if ``v >= R(c)``. Only where bounds have 15 digits is ``v = R(c)`` left to be read one by one.

A float v of 32 bits decides in the same way unless c reads as v in 32 bits: then c, and with it the double R(c), is
within half a unit in the last place of v, at most 2**-24 of its size. What is nearer than 2**-23.9 of it is read one by
one, each distinct number once; that is any v of 2**22.9 units or more, and below s is less than half a unit from v.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import UnknownValue
from ..core.numbers import NumberDomain
from ..estimation.arrays.acceleration import accelerated
from .encoding import ABSENT, DomainLookup

if TYPE_CHECKING:
    Words = NDArray[np.uint64]

U = np.uint64
LOW = U(0xFFFFFFFF)
SURE = 10**14 - 2
"""Bounds of at most so many units have no middle of more than 15 digits beside them."""

NEVER, EQUAL, SINGLE = -1.0, 0.0, 2.0**-23.9
"""How near to a middle, relative to its size, a float is read one by one: small doubles, large ones, and 32 bits."""

Grid = namedtuple(
    "Grid",
    "scale lowest highest clips decimals unit first last least most absent doubtful span units inverse nodes",
)
"""A domain of numbers in 64 bits: floats, whole numbers with a sign, and words, in this order.

`least` and `most` are the whole numbers at its ends; `absent` stands for no place, `doubtful` for one to be found.
"""


def grid_of(domain: NumberDomain) -> Grid:
    """The domain packed for arrays."""
    scale = 10**domain.decimals
    signed = scale, domain.first, domain.last, -(-domain.first // scale), domain.last // scale
    beyond, span = (domain.positions, domain.positions + 1), domain.last - domain.first
    floats = map(float, (scale, domain.first, domain.last))
    words = map(U, (*beyond, span, domain.units, 2**32 // domain.units, domain.nodes))
    return Grid._make((*floats, domain.clip, domain.decimals, *map(np.int64, signed), *words))


class NumberLookup(DomainLookup):
    """Finds the places of numbers; what is written is read as what is held."""

    def __init__(self, domain: NumberDomain, *, written: bool = False) -> None:
        super().__init__(domain, written=written)
        self._numbers, self._grid, self.absent = domain, grid_of(domain), domain.positions
        self._type = np.dtype(np.min_scalar_type(domain.positions + 1) if domain.positions < LOW else np.int64)
        self._width = NEVER if max(-domain.first, domain.last) <= SURE else EQUAL

    def number(self, value: object) -> int:
        try:
            return self._numbers.position(value)
        except UnknownValue:
            return ABSENT

    def _of_list(self, values: Sequence[Any]) -> NDArray[Any]:
        return self.of_floats(np.array(values)) if set(map(type, values)) == {float} else super()._of_list(values)

    def _of_distinct(self, array: NDArray[Any]) -> NDArray[Any]:
        known = array.dtype.kind == "f" and array.itemsize in (4, 8)
        return self.of_floats(array) if known else super()._of_distinct(array)

    def of_integers(self, array: NDArray[Any]) -> NDArray[Any]:
        places = np.empty(len(array), dtype=self._type)
        if array.dtype == np.uint64:
            array = np.minimum(array, U(2**63 - 1)).astype(np.int64)
        if accelerated(len(array)):
            from .number_kernels import place_wholes

            place_wholes(np.ascontiguousarray(array), self._grid, places)
        else:
            _place_wholes(array, self._grid, places)
        return places

    def of_floats(self, array: NDArray[Any]) -> NDArray[Any]:
        """The places of floats, each of which means the shortest decimal that it prints."""
        array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
        places = np.empty(len(array), dtype=self._type)
        width = self._width if array.itemsize == 8 else SINGLE
        if accelerated(len(array)):
            from .number_kernels import place_doubles as fill
        else:
            fill = _place_doubles
        if fill(array, self._grid, width, places):
            rows = np.flatnonzero(places == self._grid.doubtful)
            distinct, numbers = np.unique(array[rows], return_inverse=True)
            found = np.array([self.number(value) for value in distinct], dtype=np.int64)
            places[rows] = np.where(found == ABSENT, self.absent, found)[numbers]
        return places

    def of_texts(
        self, offsets: NDArray[Any], data: NDArray[np.uint8], others: Callable[[NDArray[np.int64]], NDArray[Any]]
    ) -> NDArray[Any]:
        """The places of the texts ``data[offsets[i]:offsets[i+1]]``; `others` finds those of rows not plain."""
        from .number_kernels import place_texts

        places = np.empty(len(offsets) - 1, dtype=self._type)
        if place_texts(offsets, data, U(10) ** np.arange(19, dtype=U), self._grid, places):
            rows = np.flatnonzero(places == self._grid.doubtful)
            found = others(rows).astype(np.int64)
            places[rows] = np.where(found == ABSENT, self.absent, found)
        return places


def _place_wholes(x: NDArray[Any], grid: Grid, out: NDArray[Any]) -> None:
    """Write the place of each whole number."""
    low, high = int(grid.least), int(grid.most)
    inside = (x >= low) & (x <= high)
    out[...] = np.where(inside, x, low).astype(np.int64) * grid.unit - grid.first
    outer = np.where(x > high, grid.span, U(0)) if grid.clips else grid.absent
    np.copyto(out, outer, where=~inside, casting="unsafe")


def _place_doubles(x: NDArray[Any], grid: Grid, width: float, out: NDArray[Any]) -> int:
    """Write the place of each float; returns how many are left to be found one by one."""
    with np.errstate(invalid="ignore", over="ignore"):
        values = x.astype(np.float64)
        whole = np.floor(values * grid.scale)
        middle = (2 * whole + 1) / (2 * grid.scale)
        whole += values >= middle
        held = np.minimum(np.maximum(whole, grid.lowest), grid.highest)
        known = np.isfinite(values) if grid.clips else whole == held
        near = np.abs(whole - held) <= 1 + np.abs(width * whole)
        doubt = (np.abs(values - middle) <= width * np.abs(values)) & near
    out[...] = np.where(known, held, grid.lowest).astype(np.int64) - grid.first
    out[~known], out[doubt] = grid.absent, grid.doubtful
    return int(np.count_nonzero(doubt))


def place(grid: Grid, positions: NDArray[Any], words: Words | None) -> NDArray[np.uint32]:
    """The node of every number: the upper one where its word u is below ``floor(2**64 r / den)``.

    That is where the high word of ``u den + den - 1`` is below r: u is below the floor if u + 1 is at most the
    quotient, ``(u + 1) den - 1 < 2**64 r``.
    """
    given = positions.astype(U)
    nodes, rest = np.divmod(np.minimum(given, grid.span), grid.units)
    if words is None:
        nodes += U(2) * rest >= grid.units
    else:
        low = (words & LOW) * grid.units + (grid.units - U(1))
        nodes += (words >> U(32)) * grid.units + (low >> U(32)) >> U(32) < rest
    beyond = given > grid.span
    nodes[beyond] = given[beyond] - grid.span - U(1) + grid.nodes
    return np.asarray(nodes, dtype=np.uint32)


def compiled_place(grid: Grid, positions: NDArray[Any], words: Words | None) -> NDArray[np.uint32]:
    """The same in one compiled pass."""
    from .number_kernels import place_nearest, place_nodes

    nodes = np.empty(len(positions), dtype=np.uint32)
    if words is None:
        place_nearest(np.ascontiguousarray(positions), grid, nodes)
    else:
        place_nodes(np.ascontiguousarray(positions), words, grid, nodes)
    return nodes
