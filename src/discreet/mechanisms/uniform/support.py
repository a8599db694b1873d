"""Randomizers whose reports support values: one estimator and one set of moments for all of them.

A report y *supports* the values in some set; the value itself is supported with probability g,
any other value with probability h. Then ``phi_x(y) = (1{y supports x} - h) / (g - h)`` is
unbiased. A value that needs no protection either passes as it is or writes a *neutral* report, which supports
each value with probability nu (used by high-low).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ...core.arithmetic import Arithmetic
from ...core.domain import Alike
from ...core.exact import ceil_div, exp_below
from ..contrast import Contrast, hidden_by, listed, meeting, two_levels
from ..enclosed import Enclosed
from ..numbered import Numbered
from ..randomizer import Pair
from ..telling import Telling, best_guess, told_of
from ..units import beyond_words, check_law

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric


class Neutral(NamedTuple):
    """How often a value that needs no protection writes a neutral report, in units defined by its randomizer.

    For reports that are sets, `steps` says how the words of a neutral set are shared out.
    """

    units: int
    steps: tuple[tuple[int, int], ...] = ()


class Blank(NamedTuple):
    """What hides whose report a report is: drawn from a place taken evenly from `places`, it says nothing of a value.

    Each report supports `members` of the places, which write it `odds` times as often as the others do, each up to
    a factor `even`. The first places are those of the values; the others, if any, are nobody's.
    """

    places: int
    members: int
    odds: Fraction
    even: Fraction = Fraction(1)


class Supporting(Enclosed):
    """A randomizer with support probabilities g (own value), h (another value) and nu (neutral report)."""

    g: Fraction
    h: Fraction
    nu: Fraction
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

    # -- values that need no protection -----------------------------------------------------------
    @abstractmethod
    def hiding(self, epsilon: Fraction) -> Neutral:
        """The fewest neutral reports with which a value that needs no protection hides every protected one."""

    def check_neutral(self, neutral: Neutral) -> None:
        """Refuse neutral reports that this randomizer cannot draw."""
        holds = neutral.units > 0 and not neutral.steps and self.passing(neutral) >= 0
        check_law(holds, "high_low", "its neutral units must be positive and fit the words, and it must have no steps")

    @abstractmethod
    def passing(self, neutral: Neutral) -> Fraction:
        """The probability that a value that needs no protection passes as it is."""

    @abstractmethod
    def neutral_ratio(self, neutral: Neutral) -> Fraction:
        """The certified largest Q(y | x) / Pr(a value that needs no protection writes y)."""

    def neutral_even(self, neutral: Neutral) -> Fraction:
        """How far, at most, neutral reports are from the shares in them that `contrast` says: a factor up to 1."""
        return Fraction(1)

    def neutral_words(self, neutral: Neutral) -> int:
        """The number of words that `draw_neutral` takes."""
        return self.words

    @abstractmethod
    def draw_neutral(self, neutral: Neutral, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        """Whether the value passes as it is, and the neutral report to write if not."""

    @abstractmethod
    def neutral_probability(self, neutral: Neutral, y: int) -> Fraction:
        """Pr(a value that needs no protection does not pass and writes y), exactly."""

    @abstractmethod
    def push_neutral(self, mass: Any, ops: Numeric) -> Array:
        """The expected counts from `mass` neutral reports."""

    @abstractmethod
    def pull_neutral(self, weights: Array, ops: Numeric) -> Array:
        """The expected sum of cell weights of one neutral report."""

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

    def blank_shares(self, row: Contrast) -> tuple[Fraction, Fraction]:
        """At least and at most the probability that a blank report is one of a group of a contrast of this randomizer.

        The floor of a group is that of reports on the lower level, rounded down by the unevenness once.
        """
        assert self.blank is not None
        above, below = self.blank_ratios
        return row.floor * self.blank.odds / above, row.floor / self.blank.even * below

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

    def blank_means(self, ops: Numeric) -> Any:
        return float((self.nu - self.h) / (self.g - self.h))

    def blank_moments(self, ops: Numeric) -> Any:
        return self.neutral_moment

    def own_moments(self, ops: Numeric) -> Any:
        return self.v0 + self.v1 + 1

    # -- what one report tells of a person ------------------------------------------------------------
    @abstractmethod
    def guess(self, shares: Array, ops: Numeric, *, beside: float = 0.0) -> float | None:
        """As told; `beside` is the mass of somebody else, who writes neutral reports, and may be guessed as well."""

    def telling(self, x: int, shares: Array, ops: Numeric) -> Telling | None:
        found = told_of(self, x, shares, ops)
        return None if found is None else found._replace(own=float(self.g), other=float(self.h))

    # -- all values alike ---------------------------------------------------------------------------
    @abstractmethod
    def supports(self, counts: Array, ops: Numeric) -> Array:
        """How many reports support each value."""

    @property
    def labels(self) -> Sequence[int]:
        return Alike(self.size)

    @property
    def twins(self) -> Sequence[int]:
        return Alike(self.size)

    def pairs(self) -> Iterator[Pair]:
        if self.size > 1:
            yield Pair(0, 1, self.ratio)

    @cached_property
    def _gap(self) -> float:
        return float(self.g - self.h)

    @cached_property
    def v0(self) -> float:
        """n times the variance of a share when no value is x: h (1 - h) / (g - h)**2."""
        return float(self.h * (1 - self.h) / (self.g - self.h) ** 2)

    @cached_property
    def v1(self) -> float:
        """What holding x adds to the variance: (g (1 - g) - h (1 - h)) / (g - h)**2."""
        return float((self.g * (1 - self.g) - self.h * (1 - self.h)) / (self.g - self.h) ** 2)

    @cached_property
    def neutral_moment(self) -> float:
        """E[phi_x**2] of a neutral report."""
        nu, h = self.nu, self.h
        return float((nu * (1 - h) ** 2 + (1 - nu) * h * h) / (self.g - self.h) ** 2)

    def decode(self, counts: Array, ops: Numeric) -> Array:
        return (self.supports(counts, ops) - float(self.h) * self.total(counts, ops)) / self._gap

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        return self.v0 * ops.sum(shares) + (self.v1 + 1) * shares

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        return self.v1 + 1 + 0 * shares

    @abstractmethod
    def joint_moment(self, shares: Array, neutral: Any, first: Array, second: Array, ops: Numeric) -> Array:
        """E[(first . phi)(second . phi)] for `shares` of the values and `neutral` mass of neutral reports."""

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        return self.joint_moment(shares, 0.0, first, second, ops)

    def influence(self, ops: Numeric) -> float:
        return float((1 - self.h) / (self.g - self.h))


class Indexed(Numbered, Supporting):
    """A randomizer whose reports are few enough to count one by one: cell y counts report y.

    A subclass gives `supports` and its adjoint `cover`, and the two levels of its law.
    """

    low: Fraction
    high: Fraction
    likeliest: int
    """The most words that lead to any report."""

    @abstractmethod
    def cover(self, weights: Array, ops: Numeric) -> Array:
        """For each report, the sum of the weights of the values it supports."""

    # -- what hides a report: two levels ---------------------------------------------------------------
    def support_counts(self, x: int, z: int) -> tuple[int, int, int]:
        """How many reports support both x and z, x but not z, and neither; by looking at each unless overridden."""
        own, other = ([self.probability(v, y) >= self.high for y in range(self.outputs)] for v in (x, z))
        both = sum(a and b for a, b in zip(own, other, strict=True))
        return both, sum(own) - both, self.outputs - sum(own) - sum(other) + both

    @property
    def spare(self) -> Fraction:
        """The share of reports that are drawn alike whatever the value."""
        return Fraction(0)

    def contrast(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Contrast] | None:
        if among is not None and (found := listed(self, x, z, among)) is not None:
            return found
        even = Fraction(1, self.outputs)
        rows = two_levels((self.low, self.high), self.support_counts(x, z), spare=self.spare, even=even)
        return hidden_by(rows, x, z, (x,) if self.size == 1 else among)

    def guess(self, shares: Array, ops: Numeric, *, beside: float = 0.0) -> float | None:
        """As told; `beside` is the mass of somebody else, who writes neutral reports, and may be guessed as well."""
        each, share = beside / self.outputs, float(shares.max())
        if share > float(shares.min()):
            return best_guess(self, shares, ops, least=each)
        covered = int((self.cover(ops.zeros(self.size) + 1.0, ops) > 0.5).sum())
        high, low = (max(each, share * float(level)) for level in (self.high, self.low))
        return min(1.0, covered * high + (self.outputs - covered) * low + share * float(self.spare))

    def meeting(self, x: int, z: int) -> Fraction:
        """As told; words that are spare, below one in 2**40, are not counted."""
        even = Fraction(1, self.outputs)
        return meeting(two_levels((self.low, self.high), self.support_counts(x, z), even=even), self.outputs)

    # -- values that need no protection: `units` words for each neutral report, unless overridden ---------
    def hiding(self, epsilon: Fraction) -> Neutral:
        units = ceil_div(self.likeliest, exp_below(epsilon))
        if units * self.outputs > 1 << self.word_bits:
            raise beyond_words(epsilon, self.word_bits)
        return Neutral(units)

    def passing(self, neutral: Neutral) -> Fraction:
        return 1 - Fraction(neutral.units * self.outputs, 1 << self.word_bits)

    def neutral_ratio(self, neutral: Neutral) -> Fraction:
        return Fraction(self.likeliest, neutral.units)

    def draw_neutral(self, neutral: Neutral, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        (u,) = words[:1]
        unit = neutral.units * self.scale
        passes = 1 - ops.less(u, self.outputs * unit)
        return passes, ops.select(passes, 0, ops.divide(u, unit))

    def neutral_probability(self, neutral: Neutral, y: int) -> Fraction:
        return Fraction(neutral.units, 1 << self.word_bits) if self.is_report(y) else Fraction(0)

    def joint_moment(self, shares: Array, neutral: Any, first: Array, second: Array, ops: Numeric) -> Array:
        law = self.push(shares, ops) + self.push_neutral(neutral, ops)
        return ops.sum(law * self.weigh(first, ops) * self.weigh(second, ops))

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        return (self.cover(weights, ops) - float(self.h) * ops.sum(weights)) / self._gap

    def push(self, shares: Array, ops: Numeric) -> Array:
        return float(self.low) * ops.sum(shares) + float(self.high - self.low) * self.cover(shares, ops)

    def push_neutral(self, mass: Any, ops: Numeric) -> Any:
        return mass / self.outputs

    def pull(self, weights: Array, ops: Numeric) -> Array:
        return float(self.low) * ops.sum(weights) + float(self.high - self.low) * self.supports(weights, ops)

    def pull_neutral(self, weights: Array, ops: Numeric) -> Array:
        return ops.sum(weights) / self.outputs

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        supported = self.supported(self.gather(ops.row(self.outputs)[0], reports, 0, ops), ops)
        return self.outputs * (float(self.low) + float(self.high - self.low) * supported)

    def supported(self, numbers: Array, ops: Numeric) -> Array:
        """For each report a row that is 1 for the values it supports and 0 for the others."""
        return self.supports(ops.unit_rows(numbers, self.outputs), ops)
