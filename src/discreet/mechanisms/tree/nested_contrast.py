"""What hides a report that shows a block, mostly the own one: a floor that is no larger than the true one.

A report of a block that is neither that of x nor that of z is blank for both. In the block of x the others write
blanks, and its own values at least their floor. A block that holds blocks itself is gone through in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ..contrast import Contrast, merged
from ..enclosed import Enclosed
from ..uniform.support import Supporting

if TYPE_CHECKING:
    from .nested import Nested

ONE = Fraction(1)


class Inside(NamedTuple):
    """Reports of a block: the floor of its own values, of x and of z there, and of a blank at least and at most."""

    floor: Fraction
    own: Fraction
    other: Fraction
    least: Fraction
    most: Fraction


def nested_contrast(nested: Nested, x: int, z: int) -> Sequence[Contrast] | None:
    """The contrast of x against z, block by block; None unless the innermost blocks of both hold bases."""
    rows = _between(nested, x, z)
    return None if rows is None else merged(Contrast(row.floor, row.own, row.other) for row in rows)


def _inside(part: Enclosed, x: int | None, z: int | None) -> list[Inside] | None:
    """The groups of a block's reports, for x and z that are in it; what is said of one that is not means nothing."""
    from .nested import Nested

    some = x if x is not None else z
    if some is None:
        places = range(1 if isinstance(part, Supporting) else part.size)
        return [Inside(1 / max(part.blank_ratios_of(v)[1] for v in places), ONE, ONE, ONE, ONE)]
    if isinstance(part, Nested):
        return _between(part, x, z)
    if not isinstance(part, Supporting) or part.blank is None:
        return None
    rows = part.contrast(some, some if z is None else z)
    return None if rows is None else list(_of_base(part, rows))


def _of_base(part: Supporting, rows: Sequence[Contrast]) -> Iterator[Inside]:
    for row in rows:
        blank = part.blank_shares(row) if row.floor else (row.other, row.own)  # spare words are told, and hide nobody
        yield Inside(row.floor, row.own, row.other, *blank)


def _between(nested: Nested, x: int | None, z: int | None) -> list[Inside] | None:
    """The groups of all reports, by the block that they show."""
    space, block_of, place = 1 << nested.word_bits, nested.blocks.block_of, nested.blocks.place
    own, other = (None if v is None else block_of[v] for v in (x, z))
    found: list[Inside] = []
    plain: dict[int, list[Inside] | None] = {}
    for b, kind in enumerate(nested.law.kind_of):
        inner = nested.kinds[kind]
        if b in (own, other):
            rows = _inside(inner, *(None if v is None or block_of[v] != b else place[v] for v in (x, z)))
        else:
            rows = plain[kind] if kind in plain else plain.setdefault(kind, _inside(inner, None, None))
        if rows is None:
            return None
        elsewhere, inside = (Fraction(nested.shown_units(of, b), space) for of in (-1, b))
        least, most = (entry / space for entry in nested.blank_units[b])
        found += [
            Inside(
                min(inside * row.floor, elsewhere * row.least),
                inside * row.own if b == own else elsewhere * row.most,
                inside * row.other if b == other else elsewhere * row.least,
                least * row.least,
                most * row.most,
            )
            for row in rows
        ]
    return found
