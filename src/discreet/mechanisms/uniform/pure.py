"""Pure protocols: samplers whose reports support values (Wang2017).

A report y *supports* the values in some set; it supports the person's own value with probability p, any other value
with probability q. A value that needs no protection is disclosed or writes a *cover report*, which supports each value
with probability r (used by high-low).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

from ...core.arithmetic import Arithmetic
from ...core.domain import Alike
from ...core.exact import ceil_div
from ..enclosed import Enclosed
from ..sampler import RatioBound
from .numbered import Numbered


class Blank(NamedTuple):
    """What hides whose report a report is: drawn from a place taken evenly from `places`, it says nothing of a value.

    Each report supports `members` of the places, which write it `odds` times as often as the others do, each up to
    a factor `even`. The first places are those of the values; the others, if any, are nobody's.
    """

    places: int
    members: int
    odds: Fraction
    even: Fraction = Fraction(1)


class PureSampler(Enclosed):
    """A sampler whose reports support the own value with probability p, any other with q, and r if they are cover."""

    p: Fraction
    q: Fraction
    r: Fraction
    ratio: Fraction
    """The certified largest Q(y | x) / Q(y | z)."""
    takes_bits: ClassVar[bool] = False
    """True if its constructor takes `bits`, the most bits that a report may have."""

    @classmethod
    def worth_trying(cls, size: int, epsilon: Fraction, *, bits: int | None, mass: float | None) -> bool:
        """True if its reports can fit `bits` bits and no other base is sure to be as good.

        `mass` is the share of people whose value is sensitive, for a high-low part; None where all values are.
        """
        return True

    # -- reports of people whose value is elsewhere ---------------------------------------------------
    @property
    def blank(self) -> Blank | None:
        """How a *blank* report is drawn, that of a place taken evenly; None where it would not be uniform."""
        return None

    def blank_probability(self, y: int) -> Fraction:
        """Pr(a blank report is y), exactly (small domains): places take words in parts uneven by at most one."""
        assert self.blank is not None
        space, places = 1 << self.word_bits, self.blank.places
        ends = [ceil_div(z * space, places) for z in range(places + 1)]
        parts = (end - begin for begin, end in pairwise(ends))
        return sum((Fraction(part, space) * self.probability(z, y) for z, part in enumerate(parts)), Fraction(0))

    @cached_property
    def blank_ratios(self) -> tuple[Fraction, Fraction]:
        """The certified largest Q(y | x) / Pr(blank y) and Pr(blank y) / Q(y | x).

        In units of the lower level a blank report has ``1 + (odds - 1) q``, with q the chance of a place that it
        supports: `members` parts of the words, each rounded down for the first ratio and up for the second.
        """
        assert self.blank is not None
        (places, members, odds, even), space = self.blank, 1 << self.word_bits
        least, most = Fraction(members * (space // places), space), Fraction(members * ceil_div(space, places), space)
        return odds / (1 + (odds - 1) * least) / even, (1 + (odds - 1) * most) / even

    # -- inside a block that others may show as well --------------------------------------------------
    @property
    def hides(self) -> bool:
        return self.blank is not None

    @property
    def held_words(self) -> int:
        return 1 + self.words

    def draw_held(self, x: Any, blank: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        assert self.blank is not None
        nobody = ops.position(words[0], self.blank.places)
        return self.draw(ops.select(blank, nobody, x), words[1:], ops)

    def blank_ratios_of(self, x: int) -> tuple[Fraction, Fraction]:
        return self.blank_ratios

    @property
    def labels(self) -> Sequence[int]:
        return Alike(self.size)

    def ratio_bounds(self) -> Iterator[RatioBound]:
        if self.size > 1:
            yield RatioBound(0, 1, self.ratio)


class PureNumbered(Numbered, PureSampler):
    """A pure protocol whose reports are few enough to count one by one.

    A report that supports the value has probability `high`, any other one `low`.
    """

    low: Fraction
    high: Fraction
    likeliest: int
    """The most words that lead to any report."""
