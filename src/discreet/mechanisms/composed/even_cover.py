"""Even cover reports: those of a place taken evenly, which say nothing of a value.

Whoever holds a value of another block or class writes one when a block or class that is not theirs is shown; own and
cover reports are drawn by the same lines from as many words. A base knows nothing of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from ...core.arithmetic import Arithmetic
from ...core.exact import ceil_div
from ..sampler import Sampler
from ..uniform.cyclic import Cyclic
from ..uniform.pure import PureSampler
from ..uniform.randomized_response import RandomizedResponse
from ..uniform.subset import Subset


class SupportedPlaces(NamedTuple):
    """How the reports of a base support `places` places, the first of which are its values and the others nobody's.

    Each report supports `members` of the places, which write it `odds` times as often as the others do, each up to
    a factor `even`.
    """

    places: int
    members: int
    odds: Fraction
    even: Fraction = Fraction(1)


class Covered(Protocol):
    """What a composer asks of the sampler inside a block: own and cover reports from the same words."""

    words: int

    def draw(self, x: Any, cover: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        """The report of value number x, or a cover report where the flag is 1; then x may be any number."""

    def probability(self, y: int) -> Fraction:
        """Pr(a cover report is y), exactly (small domains)."""

    def ratios(self, x: int) -> tuple[Fraction, Fraction]:
        """The certified largest Q(y | x) / Pr(cover y) and Pr(cover y) / Q(y | x)."""


def places_of(base: Sampler) -> SupportedPlaces | None:
    """The places of a base whose every report supports equally many of them; None for any other."""
    if isinstance(base, Subset):
        return SupportedPlaces(base.size, base.d, base.ratio * base.evenness, base.evenness)
    if isinstance(base, RandomizedResponse):
        return SupportedPlaces(base.size, 1, base.ratio)
    if isinstance(base, Cyclic) and len(members := {len(shifts) for shifts in base.sets}) == 1:
        return SupportedPlaces(base.law.modulus, members.pop(), base.ratio)
    return None


class EvenCover:
    """Even cover reports of a base with `places_of` it."""

    def __init__(self, base: PureSampler) -> None:
        places = places_of(base)
        assert places is not None
        self.base, self.places, self.words = base, places, 1 + base.words

    def draw(self, x: Any, cover: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        nobody = ops.position(words[0], self.places.places)
        return self.base.draw(ops.select(cover, nobody, x), words[1:], ops)

    def probability(self, y: int) -> Fraction:
        """As for any; places take words in parts that are uneven by at most one."""
        space, places = 1 << self.base.word_bits, self.places.places
        ends = [ceil_div(z * space, places) for z in range(places + 1)]
        parts = (end - begin for begin, end in pairwise(ends))
        return sum((Fraction(part, space) * self.base.probability(z, y) for z, part in enumerate(parts)), Fraction(0))

    @cached_property
    def largest_ratios(self) -> tuple[Fraction, Fraction]:
        """`ratios`, which are the same for all values.

        In units of the lower level a cover report has ``1 + (odds - 1) q``, with q the chance of a place that it
        supports: `members` parts of the words, each rounded down for the first ratio and up for the second.
        """
        (places, members, odds, even), space = self.places, 1 << self.base.word_bits
        least, most = Fraction(members * (space // places), space), Fraction(members * ceil_div(space, places), space)
        return odds / (1 + (odds - 1) * least) / even, (1 + (odds - 1) * most) / even

    def ratios(self, x: int) -> tuple[Fraction, Fraction]:
        return self.largest_ratios
