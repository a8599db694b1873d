"""`Randomizer`: a channel from the numbers 0 .. k-1 to whole-number reports, with exact integer law.

A report is one integer in ``0 .. outputs-1``. A mechanism is a context with a randomizer that
serves it. The sampler `draw` is written once over an `Arithmetic`, the law is stated
independently by `probability`, and the conformance suite runs the one over every word to
compare it with the other. The statistics (`decode` and the moments) are linear maps on counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ..arithmetic import Arithmetic
from ..errors import InvalidEpsilon, InvalidInput, InvalidReport
from ..exact import ceil_div, exp_below

WORD_BITS = 64


@dataclass(frozen=True)
class Pair:
    """An ordered pair of values and a certified bound on the largest ratio Q(y | x) / Q(y | z) over reports y.

    It holds for every pair of different values with the same two labels.
    """

    x: int
    z: int
    ratio: Fraction


class Randomizer(ABC):
    """A channel on 0 .. size-1 using `words` 64-bit words a report.

    `word_bits` below 64 restricts the words to multiples of ``2**(64 - word_bits)``: the same
    code on a word space small enough to run in full, which is how the law is proved by execution.
    """

    name: ClassVar[str]
    size: int
    word_bits: int
    words: int
    outputs: int
    cells: int
    disjoint: bool
    """True when every report adds to exactly one cell."""

    # -- the law --------------------------------------------------------------------------------
    @abstractmethod
    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        """The report of value number `x` made from `words`; no branch or word depends on x or the outcome."""

    @abstractmethod
    def probability(self, x: int, y: int) -> Fraction:
        """Pr(report y | value x), exactly, for every integer y."""

    @abstractmethod
    def reports(self) -> Iterable[int]:
        """Every report that can occur, in order (small domains)."""

    @abstractmethod
    def is_report(self, y: int) -> bool:
        """True if this randomizer can have written `y`."""

    @property
    def labels(self) -> Sequence[int]:
        """The class of each value: `pairs` bounds two values by their classes. Each its own, unless overridden."""
        return range(self.size)

    @abstractmethod
    def pairs(self) -> Iterator[Pair]:
        """One pair for each ordered pair of labels with a bounded ratio; pairs not covered are unbounded."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The name and every parameter that the law depends on besides the context."""

    # -- counting ---------------------------------------------------------------------------------
    @abstractmethod
    def cells_of(self, y: int) -> Sequence[int]:
        """The tally cells that one report `y` adds one to."""

    @abstractmethod
    def count(self, counts: Any, reports: Any, start: Any, ops: Any) -> None:
        """Add an array of reports to `counts`, their cells beginning at `start` (one number or one a report).

        `InvalidReport` if one of them cannot occur; then nothing has been added.
        """

    @abstractmethod
    def total(self, counts: Any, ops: Any) -> Any:
        """The number of reports behind the counts."""

    def totals_of(self, ops: Any) -> Any:
        """For each cell that counts members of sets, the cell that counts the sets; -1 for every other cell."""
        return ops.integers([-1] * self.cells)

    # -- statistics: arrays in, arrays out, over the last axis, so that like blocks go in one call ------
    @abstractmethod
    def decode(self, counts: Any, ops: Any) -> Any:
        """Unbiased counts of the values: the sum of phi_x(y) over reports, E[phi_x(Y) | z] = 1{x = z}."""

    @abstractmethod
    def second_moments(self, shares: Any, ops: Any) -> Any:
        """E[phi_x(Y)**2] for every x when values follow `shares` (which may add up to less than one)."""

    @abstractmethod
    def slopes(self, shares: Any, ops: Any) -> Any:
        """How E[phi_x(Y)**2] grows with the share of x when the rest keeps its total."""

    @abstractmethod
    def cross_moment(self, shares: Any, first: Any, second: Any, ops: Any) -> Any:
        """E[(first . phi(Y)) (second . phi(Y))] when values follow `shares`."""

    @abstractmethod
    def push(self, shares: Any, ops: Any) -> Any:
        """The expected count of each cell from one report when values follow `shares`."""

    @abstractmethod
    def pull(self, weights: Any, ops: Any) -> Any:
        """The expected sum of the weights of the cells that a report of each value adds to: the adjoint of `push`."""

    @abstractmethod
    def influence(self, ops: Any) -> float:
        """The most people's worth of share that one crafted report can put on a single value."""

    @property
    def decode_cost(self) -> float:
        """Additions, roughly, from counts to shares."""
        return float(self.cells)

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        """What its parts were made for; empty where `describe` tells the law in full."""
        return ()

    # -- derived ------------------------------------------------------------------------------------
    @property
    def bits(self) -> int:
        """Bits that hold any report."""
        return max(1, (self.outputs - 1).bit_length())

    @property
    def scale(self) -> int:
        """What one unit of the law is worth in 64-bit words: ``2**(64 - word_bits)``."""
        return 1 << (WORD_BITS - self.word_bits)

    def check_report(self, y: int) -> int:
        """`y` itself, or `InvalidReport` if this randomizer cannot have written it."""
        if isinstance(y, bool) or not isinstance(y, int) or not self.is_report(y):
            raise InvalidReport(f"report={y!r} is none that {self.name} on {self.size} values can write")
        return y


@dataclass(frozen=True)
class Units:
    """A two-level law in whole units of word space: each low report gets `low`, each high one `high`.

    With a high and b low reports, R <= e**epsilon and N = 2**word_bits words:
    ``low = ceil(N / (R a + b))`` and ``high = floor((N - b low) / a)``, so high <= R low exactly.
    The `spare` = N - b low - a high words go to reports 0, 1, ... whatever the value is,
    which adds the same unit to both sides of every ratio; they are fewer than the reports.
    """

    low: int
    high: int
    spare: int

    @classmethod
    def fine(cls, word_bits: int, epsilon: Fraction, *, a: int, b: int) -> Units:
        """A law as `split`, for so many low reports that rounding up all of them would open a visible gap.

        ``low = floor(N / (R a + b))`` and ``high = floor(R low)``; as many units as can go to every
        report alike, and the spare words are fewer than the reports.
        """
        space = 1 << word_bits
        limit = exp_below(epsilon)
        low = int(space / (limit * a + b))
        high = int(limit * low)
        each, spare = divmod(space - b * low - a * high, a + b)
        if too_few(low, word_bits) or high <= low:
            raise beyond_words(epsilon, word_bits)
        return cls(low + each, high + each, spare)

    @classmethod
    def split(cls, word_bits: int, epsilon: Fraction, *, a: int, b: int) -> Units:
        """The law that favours `a` reports over `b` others as much as `epsilon` allows."""
        space = 1 << word_bits
        limit = exp_below(epsilon)
        low = ceil_div(space, limit * a + b)  # type: ignore[arg-type]
        high = (space - b * low) // a
        if b and (too_few(low, word_bits) or high <= low):
            raise beyond_words(epsilon, word_bits)
        return cls(low, high, space - b * low - a * high)


def too_few(units: int, word_bits: int) -> bool:
    """True if rounding a law of so few units opens a visible gap: fewer than 256 in words of 64 bits."""
    return units * units < 1 << word_bits // 4


def beyond_words(epsilon: Fraction, word_bits: int) -> InvalidEpsilon:
    """The error for an epsilon that words of this width cannot certify without a visible gap."""
    return InvalidEpsilon(
        f"epsilon={float(epsilon):g} is beyond what words of {word_bits} bits can certify for this many values"
    )


def check_size(size: int, word_bits: int) -> None:
    """Refuse a size or word width that no randomizer can have."""
    if size < 1:
        raise InvalidInput(f"size={size} must be at least 1")
    if not 1 <= word_bits <= WORD_BITS:
        raise InvalidInput(f"word_bits={word_bits} must be from 1 to {WORD_BITS}")
