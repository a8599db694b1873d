"""The largest ratio of any two rows of a channel, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from operator import truediv

from .sampler import RatioBound

EXACT_BITS = 1000
"""Units of at most so many bits have quotients that doubles hold without overflow."""

MARGIN = 2.0**-48
"""More than three roundings of a double can change a quotient by, twice."""


def pairs_of(
    rows: Sequence[Sequence[int]], space: int, among: Iterable[tuple[int, int]] | None = None
) -> Iterator[RatioBound]:
    """The pairs x, z of rows, each adding up to `space`, with max_y rows[x][y] / rows[z][y]; none if that is infinite.

    Both orders of all pairs, or of those `among` them. Quotients of doubles sort out the reports that are too far from
    the largest ratio to be it; the others are compared as whole numbers. One pass serves both orders.
    """
    rounded = [_rounded(row, space) for row in rows]
    for x, z in combinations(range(len(rows)), 2) if among is None else among:
        own, other = rounded[x], rounded[z]
        if own is None or other is None:
            every = range(len(rows[x]))
            found = _largest(rows[x], rows[z], every), _largest(rows[z], rows[x], every)
        else:
            quotients = list(map(truediv, own, other))
            least, most = min(quotients) * (1 + MARGIN), max(quotients) * (1 - MARGIN)
            found = (
                _largest(rows[x], rows[z], [y for y, quotient in enumerate(quotients) if quotient >= most]),
                _largest(rows[z], rows[x], [y for y, quotient in enumerate(quotients) if quotient <= least]),
            )
        yield from (
            RatioBound(*of, ratio) for of, ratio in zip(((x, z), (z, x)), found, strict=True) if ratio is not None
        )


def _rounded(row: Sequence[int], space: int) -> list[float] | None:
    """The row in doubles, each within 2**-53 of its unit; None where a quotient could overflow or divide by zero."""
    return None if space.bit_length() > EXACT_BITS or not min(row) else list(map(float, row))


def _largest(row: Sequence[int], other: Sequence[int], reports: Sequence[int]) -> Fraction | None:
    """The largest of ``row[y] / other[y]`` over these reports, exactly; None where a report has only the first."""
    worst, over = 0, 1
    for y in reports:
        if row[y] * over > worst * other[y]:
            worst, over = row[y], other[y]
            if over == 0:
                return None
    return Fraction(worst, over)
