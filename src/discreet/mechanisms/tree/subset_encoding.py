"""Subset encodings: reports that mark some of their places, which ones, and where a place stands among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

from ...core.arithmetic import Arithmetic
from ..composed.even_cover import EvenCover, places_of
from ..uniform.cyclic import Cyclic
from ..uniform.pure import PureSampler
from ..uniform.randomized_response import RandomizedResponse
from ..uniform.subset import Subset
from ..units import check_law


class CoverRatioBounds(NamedTuple):
    """Bounds on ratios of report probabilities: ``above[mark]`` of an own to a cover report, ``below[mark]`` back.

    `mark` says whether the report marks the own place. Between two places x and z the ratio is at most
    ``odds**(mark of x - mark of z) / even``.
    """

    above: tuple[Fraction, Fraction]
    below: tuple[Fraction, Fraction]
    odds: Fraction
    even: Fraction

    def between(self, one: int, other: int) -> Fraction:
        """The most that a report which marks x (`one`) and z (`other`), or not, is likelier from x than from z."""
        return self.odds ** (one - other) / self.even


class SubsetEncoding(ABC):
    """A sampler each of whose reports marks, of `places` places, the same number: its `members`.

    The first places are those of its values, the others, if any, nobody's.
    """

    def __init__(self, inner: PureSampler) -> None:
        self.inner, self.cover = inner, EvenCover(inner)
        self.places, self.members = self.cover.places.places, self.cover.places.members

    @abstractmethod
    def marked(self, y: int) -> list[int]:
        """The places that report y marks, in increasing order."""

    @abstractmethod
    def standing(self, y: Any, place: Any, ops: Arithmetic) -> tuple[Any, Any]:
        """1 where report y marks the place, and how many places before it are marked."""

    @property
    @abstractmethod
    def both(self) -> float:
        """The chance that the own place and another given one are marked together."""

    @cached_property
    def bounds(self) -> CoverRatioBounds:
        """What the certificate needs: in units of the lower level a cover report has 1 + (odds - 1) q.

        q is the chance of a marked place: `members` parts of the words, each rounded down for one side and up for the
        other. Spare words add a unit on both sides, which brings a ratio below one nearer to one by at most the share
        of that unit in the lower level: a part of `even`.
        """
        inner = self.inner
        (places, members, odds, even), space = self.cover.places, 1 << inner.word_bits
        spare = getattr(inner.law, "spare", 0)
        if spare:
            low: int = getattr(inner.law, "low")  # noqa: B009
            even *= Fraction(low, low + 1)
        least, most = (
            1 + (odds - 1) * Fraction(members * part, space) for part in (space // places, -(-space // places))
        )
        above = 1 / least / even, odds / least / even
        return CoverRatioBounds(above, (most / even, most / odds / even), odds, even)


class BitEncoding(SubsetEncoding):
    """Sets of values as numbers with a bit for each."""

    def marked(self, y: int) -> list[int]:
        return [c for c in range(self.places) if y >> c & 1]

    def standing(self, y: Any, place: Any, ops: Arithmetic) -> tuple[Any, Any]:
        return ops.standing(y, place, self.places)

    @property
    def both(self) -> float:
        assert isinstance(self.inner, Subset)
        return float(self.inner.both_own)


class ShiftEncoding(SubsetEncoding):
    """Reports i p + b that mark the places z with b - z mod p in the set D_i; randomized response has D = {0}."""

    def __init__(self, inner: Cyclic | RandomizedResponse) -> None:
        super().__init__(inner)
        self.modulus = inner.law.modulus if isinstance(inner, Cyclic) else inner.size
        self.sets: Sequence[Sequence[int]] = inner.sets if isinstance(inner, Cyclic) else [[0]]

    @cached_property
    def _before(self) -> Sequence[int]:
        """For each cycle i and n = 0 .. 2p, how many of D_i and D_i + p are below n."""
        table: list[int] = []
        for chosen in self.sets:
            flags = [0] * self.modulus
            for t in chosen:
                flags[t] = 1
            table += accumulate([0, *flags, *flags])
        return tuple(table)

    def marked(self, y: int) -> list[int]:
        cycle, b = divmod(y, self.modulus)
        return sorted((b - t) % self.modulus for t in self.sets[cycle])

    def standing(self, y: Any, place: Any, ops: Arithmetic) -> tuple[Any, Any]:
        p = self.modulus
        cycle = ops.divide(y, p) if len(self.sets) > 1 else y - y
        end = cycle * (2 * p + 1) + (y - cycle * p) + p
        before = ops.look_up(self._before, end - place)
        upto = ops.look_up(self._before, end - place + 1)
        return upto - before, ops.look_up(self._before, end + 1) - upto

    @property
    def both(self) -> float:
        inner = self.inner
        return float(inner.shared * inner.high) if isinstance(inner, Cyclic) else 0.0


def subset_encoding_of(inner: object, kind: str) -> SubsetEncoding:
    """What the reports of a sampler mark; a law of this `kind` that holds any other is refused."""
    if isinstance(inner, Subset):
        return BitEncoding(inner)
    shifts = isinstance(inner, (Cyclic, RandomizedResponse)) and inner.size > 1 and places_of(inner) is not None
    check_law(shifts, kind, "its inner laws must be of several values each, of sets or of cycles with as many shifts")
    assert isinstance(inner, (Cyclic, RandomizedResponse))
    return ShiftEncoding(inner)
