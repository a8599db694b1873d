"""Projective geometry response as a cyclic difference set: subset selection's accuracy in log k bits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...core.errors import InvalidInput
from ...core.exact import approx
from ..finite_geometry.difference_sets import best, build, describe
from ..law import WORD_BITS
from ..units import check_size
from .cyclic import Cyclic

SLACK = 0.005
"""A set with fewer reports is taken when its error is within half a percent of the least."""


def room(size: int, limit: int | None = None) -> int:
    """The most bits that a report may take: log2(k) + 8, or 24 if k has at most 21 bits, and never above `limit`."""
    bits = (size - 1).bit_length()
    most = min(bits + 8, max(24, bits + 3))
    return most if limit is None else min(most, max(0, limit))


class Projective(Cyclic):
    """Report y = x + t mod v, where each t in a cyclic difference set D is e**epsilon times likelier than the rest.

    D has r elements in Z_v, v >= k, and every non-zero difference occurs lambda times, so any two
    values share lambda supporting reports. The hyperplanes of projective geometry (Singer) have
    r/v near 1/q; the set is chosen by the closed-form error, so r/v is near 1/(1 + e), among those whose
    reports fit `bits`, or is the one of a `family` and `key`.

    *Why private.* As `Cyclic`: whatever D is.

    References: Feldman2022; Singer1938.
    """

    name = "projective"
    takes_bits = True

    def __init__(
        self,
        size: int,
        epsilon: Fraction,
        *,
        family: str | None = None,
        key: Sequence[int] = (),
        bits: int | None = None,
        word_bits: int = WORD_BITS,
    ) -> None:
        check_size(size, word_bits)
        if size < 2:
            raise InvalidInput(f"size={size} must be at least 2 for projective response")
        if family is None:
            chosen = best(size, approx(epsilon), bits=room(size, bits), slack=SLACK)
        else:
            chosen = describe(family, tuple(key))
        if chosen.v < size:
            raise InvalidInput(f"{family} {tuple(key)} has {chosen.v} reports; it must have one per value, {size}")
        self.parameters = chosen
        self.shift(size, epsilon, word_bits, modulus=chosen.v, shifts=[build(chosen)], shared=chosen.lam)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "family": self.parameters.family, "key": list(self.parameters.key)}
