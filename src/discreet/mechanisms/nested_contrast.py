"""What hides a report that shows a block, mostly the own one: a floor that is no larger than the true one.

A report of a block that is neither that of x nor that of z is blank for both. In the block of x the others write
blanks, and its own values at least their floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from .contrast import Contrast, merged
from .support import Supporting

if TYPE_CHECKING:
    from .nested import Nested


def nested_contrast(nested: Nested, x: int, z: int) -> Sequence[Contrast] | None:
    """The contrast of x against z, block by block; None unless the blocks of both hold bases."""
    own, other = nested.blocks.block_of[x], nested.blocks.block_of[z]
    kinds = [nested.kinds[kind] for kind in nested.law.kind_of]
    found: list[Contrast] = []
    for b, inner in enumerate(kinds):
        elsewhere, inside = (Fraction(nested.shown_units(of, b), 1 << nested.word_bits) for of in (-1, b))
        if b not in (own, other):
            worst = max(inner.blank_ratios_of(v)[1] for v in range(1 if isinstance(inner, Supporting) else inner.size))
            found.append(Contrast(min(elsewhere, inside / worst), elsewhere, elsewhere))
            continue
        if not isinstance(inner, Supporting) or inner.blank is None:
            return None
        places = [nested.blocks.place[v] for v, block in ((x, own), (z, other)) if block == b]
        rows = inner.contrast(places[0], places[-1])
        if rows is None:
            return None
        for row in rows:
            least, most = inner.blank_shares(row) if row.floor else (row.other, row.own)
            found.append(
                Contrast(
                    min(inside * row.floor, elsewhere * least) if row.floor else Fraction(0),
                    inside * row.own if b == own else elsewhere * most,
                    inside * row.other if b == other else elsewhere * least,
                )
            )
    return merged(found)
