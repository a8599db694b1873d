"""`Randomizer`: a channel from the numbers 0 .. k-1 to whole-number reports, with an exact integer law.

A report is one integer in ``0 .. outputs-1``. A mechanism is a context with a randomizer that serves it. Everything
about a randomizer follows from its law, which is data (`discreet.mechanisms.law`): the sampler `draw` is written once
over an `Arithmetic`, the channel is stated independently by `probability`, and the conformance suite runs the one
over every word to compare it with the other. The statistics (`decode` and the moments) are linear maps on counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from ..core.arithmetic import Arithmetic
from ..core.domain import Alike
from ..core.errors import InvalidReport, shown
from ..core.exact import log_of
from .contrast import LISTED, Contrast, Floor, listed
from .law import WORD_BITS, Law
from .telling import Telling, best_guess, told_of

if TYPE_CHECKING:
    from ..contexts import Context
    from ..estimation.arrays.numeric import Array, Numeric


@dataclass(frozen=True)
class Pair:
    """An ordered pair of values and a certified bound on the ratio Q(y | x) / Q(y | z) over all reports y.

    It holds for every pair of different values with the same two labels.
    """

    x: int
    z: int
    ratio: Fraction


class Cells(NamedTuple):
    """A way to count: each of `reports` reports has a cell of its own, in order."""

    reports: int


class Sets(NamedTuple):
    """A way to count: a report is a set of values, with one cell per value and a last one for the sets.

    `members` is how many values every set holds, None where that varies.
    """

    values: int
    members: int | None


class PartLayout(NamedTuple):
    """Where each part's reports and cells begin, the kind of each part, and how each kind is counted."""

    offsets: Sequence[int]
    starts: Sequence[int]
    kind_of: Sequence[int]
    kinds: Sequence[Cells | Sets | None]
    cells: int


class Group(NamedTuple):
    """Parts of a randomizer that are alike: row i of `cells` and of `values` belongs to the part `numbers[i]`.

    Every report shows which part it belongs to, so the number of reports of each part is known exactly.
    """

    randomizer: Randomizer
    numbers: Any
    cells: Any
    values: Any


class Randomizer(ABC):
    """A channel on 0 .. size-1 using `words` 64-bit words per report, drawn by its `law`.

    `word_bits` below 64 restricts the words to multiples of ``2**(64 - word_bits)``: the same
    code on a word space small enough to run through completely, which is how the law is proved by execution.
    """

    name: ClassVar[str]
    follows: ClassVar[type[Law]]
    """The kind of law that it draws by."""
    law: Law
    size: int
    word_bits: int
    words: int
    outputs: int
    cells: int
    disjoint: bool
    """True when every report adds to exactly one cell."""

    # -- the law --------------------------------------------------------------------------------
    @abstractmethod
    def follow(self, law: Any) -> None:
        """Adopt a law and work everything else out from it; `InvalidInput` if it contradicts itself."""

    @classmethod
    def of_law(cls, law: Law) -> Self:
        """The randomizer that draws by this law."""
        made = cls.__new__(cls)
        made.follow(law)
        return made

    def weighted(self, prior: Sequence[float]) -> Self:
        """This randomizer with its estimates weighted for the shares `prior`, where they depend on any."""
        return self

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
        """The class of each value, by which `pairs` bounds two values; a class of its own each unless overridden."""
        return range(self.size)

    @abstractmethod
    def pairs(self) -> Iterator[Pair]:
        """One pair per ordered pair of labels with a bounded ratio; pairs that are not covered are unbounded."""

    def leaks(self) -> Callable[[int, int], Fraction | None]:
        """From two different values x, z to a certified bound on the ratio Q(y | x) / Q(y | z); None without one.

        It says what `pairs` says, which takes too long to list where every two values have a ratio of their own.
        """
        labels = self.labels
        known = {(labels[pair.x], labels[pair.z]): pair.ratio for pair in self.pairs()}
        return lambda x, z: known.get((labels[x], labels[z]))

    def proved(self, context: Context) -> tuple[int, int, Fraction] | None:
        """A pair of values of the context and its certified ratio, where all entries are proved at once.

        None, unless overridden, where they are gone through one by one; `PrivacyViolation` where the proof fails.
        """
        return None

    # -- what hides a report among others ------------------------------------------------------------
    def contrast(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[Contrast] | None:
        """What tells x from z among people who hold values in `among`, or in `hiders(x)`; None where it is too much.

        Reports are grouped by the proportions in which x, z and the floor of those who hide write them. A floor may be
        smaller than the true one, so a closed form need not know `among`.
        """
        return listed(self, x, z, among)

    def meeting(self, x: int, z: int) -> Fraction | None:
        """At most the probability that a report of x and one of z are the same; None where they are too many."""
        if 2 * self.outputs > LISTED:
            return None
        return sum((self.probability(x, y) * self.probability(z, y) for y in self.reports()), Fraction(0))

    def hiders(self, x: int) -> Sequence[int]:
        """The values whose holders may hide one of x: all, unless reports show some of them to be no such."""
        return range(self.size)

    def floor(self, among: Sequence[int]) -> Floor:
        """From a report to its smallest probability under any of the values `among`, or to less."""
        return Floor(len(among), lambda y: min(self.probability(v, y) for v in among))

    def contrasts(self) -> Iterator[tuple[int, int]]:
        """One ordered pair of values for every contrast that two different values can have."""
        firsts: dict[int, list[int]] = {}
        for x, label in enumerate(self.labels if not isinstance(self.labels, Alike) else Alike(min(2, self.size))):
            of = firsts.setdefault(label, [])
            if len(of) < 2:
                of.append(x)
        for own in firsts.values():
            for other in firsts.values():
                if own is not other:
                    yield own[0], other[0]
                elif len(own) > 1:
                    yield own[0], own[1]

    # -- what one report tells of a person -----------------------------------------------------------
    def guess(self, shares: Array, ops: Numeric) -> float | None:
        """How often the best guess from one report is right: sum_y max_x p_x Q(y|x); None where that is too much."""
        return best_guess(self, shares, ops)

    def telling(self, x: int, shares: Array, ops: Numeric) -> Telling | None:
        """What a report tells of x where values follow `shares`; None where the reports are too many to look at."""
        return told_of(self, x, shares, ops)

    def describe(self) -> dict[str, Any]:
        """Its name and parameters, which is how a spec asks for it if it can be named at all; the rest is in `law`."""
        return {"name": self.name}

    def narrowed(self, word_bits: int, epsilon: Fraction | None = None) -> Randomizer:
        """The same idea with words of `word_bits` bits, at `epsilon` or at the epsilon that its own law realises.

        This default serves constructors ``type(r)(size, epsilon, word_bits=..., **parameters)`` with the parameters
        that `describe` gives besides the name; any other randomizer brings its own.
        """
        parameters = {key: entry for key, entry in self.describe().items() if key != "name"}
        level = self.realised if epsilon is None else epsilon
        make: Any = type(self)
        made: Randomizer = make(self.size, level, word_bits=word_bits, **parameters)
        return made

    @property
    def realised(self) -> Fraction:
        """The largest epsilon between any two values, to 12 places: for display and for trials at other widths."""
        worst = max((pair.ratio for pair in self.pairs()), default=Fraction(1))
        return Fraction(round(log_of(worst) * 10**12), 10**12)

    @property
    def identifies(self) -> bool:
        """False where rounding to few words leaves nothing to estimate some values from."""
        return True

    # -- structure --------------------------------------------------------------------------------
    def groups(self, ops: Numeric) -> Sequence[Group]:
        """The parts whose reports can be told apart, with like parts grouped: one part unless overridden."""
        return [Group(self, ops.integers([0]), ops.row(self.cells), ops.row(self.size))]

    @property
    def passed(self) -> Sequence[int]:
        """The values, in order, that some reports show as they are; none unless overridden."""
        return ()

    @property
    def twins(self) -> Sequence[int] | None:
        """Equal numbers for values that can be swapped without changing a moment; None where there are none."""
        return None

    # -- counting ---------------------------------------------------------------------------------
    @property
    def counted(self) -> Cells | Sets | None:
        """How a compiled pass can count its reports; None where only `count` can."""
        return None

    @abstractmethod
    def cells_of(self, y: int) -> Sequence[int]:
        """The tally cells that are increased by one by a report `y`."""

    @abstractmethod
    def count(self, counts: Array, reports: Array, start: Any, ops: Numeric) -> None:
        """Add an array of reports to `counts`, their cells beginning at `start` (one number, or one per report).

        `InvalidReport` if one of them cannot occur; then nothing has been added.
        """

    def gather(self, entries: Array, reports: Array, start: Any, ops: Numeric) -> Array:
        """For every report the sum of the entries of the cells that `count` would increase: the adjoint of `count`.

        `InvalidReport` if one of them cannot occur. This default writes the counts of every report out.
        """
        found, cells = ops.zeros(len(reports)), ops.row(self.cells)
        for rows in ops.slabs(len(reports), self.cells):
            own, begin = ops.row(len(found[rows]))[0] * self.cells, ops.as_column(ops.pick(start, rows))
            counts = ops.zeros(len(own) * self.cells)
            self.count(counts, reports[rows], own, ops)
            found[rows] = (counts.reshape(len(own), self.cells) * entries[begin + cells]).sum(axis=-1)
        return found

    @abstractmethod
    def total(self, counts: Array, ops: Numeric) -> Array:
        """The number of reports behind the counts."""

    def broken_rule(self, counts: Array, ops: Numeric) -> str | None:
        """A rule that counts of reports obey and these do not; None if some reports have exactly these counts.

        The counts, over the last axis, are not negative, and none is above the number of reports. A randomizer with
        a cell for each report, all of which can occur, needs no other rule.
        """
        return None

    def totals_of(self, ops: Numeric) -> Array:
        """For each cell that counts members of sets, the cell that counts the sets; -1 for every other cell."""
        return ops.integers([-1] * self.cells)

    def overlaps(self, ops: Numeric) -> Array:
        """For each cell, to how many cells a report that adds to it adds in all, a set counted as one: 1 for most."""
        return ops.integers([1] * self.cells)

    # -- statistics: arrays in, arrays out, over the last axis, so that one call serves all like blocks -
    @abstractmethod
    def decode(self, counts: Array, ops: Numeric) -> Array:
        """Unbiased counts of the values: the sum of phi_x(y) over reports, E[phi_x(Y) | z] = 1{x = z}."""

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        """The adjoint of `decode`, a weight per cell: ``decode(counts) . weights = counts . weigh(weights)``.

        The sum of it over the cells of a report is the report's score, which has mean ``weights[x]`` for a person who
        holds x. This default decodes every cell by itself.
        """
        found = ops.zeros((*weights.shape[:-1], self.cells))
        for units, cells in ops.units(self.cells):
            found[..., cells] = weights @ self.decode(units, ops).T
        return found

    def once(self, ops: Numeric) -> Array:
        """A weight per cell that adds up to one over the cells of any report: the adjoint of `total`."""
        found: Array = (self.totals_of(ops) < 0) / self.overlaps(ops)
        return found

    @abstractmethod
    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        """E[phi_x(Y)**2] for every x when values follow `shares` (which may add up to less than one)."""

    @abstractmethod
    def slopes(self, shares: Array, ops: Numeric) -> Array:
        """How E[phi_x(Y)**2] grows with the share of x when the rest keeps its total."""

    @abstractmethod
    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        """E[(first . phi(Y)) (second . phi(Y))] when values follow `shares`, for weights or for rows of weights."""

    @abstractmethod
    def push(self, shares: Array, ops: Numeric) -> Array:
        """The expected count of each cell from one report when values follow `shares`."""

    @abstractmethod
    def pull(self, weights: Array, ops: Numeric) -> Array:
        """The expected sum of the weights of the cells that a report of each value adds to: the adjoint of `push`."""

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        """Pr(report | value), a row for each report and a column for each value, up to a factor a row.

        `InvalidReport` if a report cannot occur. This default pulls every report by itself where each has a cell of its
        own, and works the probabilities out exactly, one by one, elsewhere: fast forms override it.
        """
        if not self.disjoint:
            whole = [self.check_report(y) for y in ops.whole_numbers(reports)]
            return ops.array([[float(self.probability(x, y)) for x in range(self.size)] for y in whole])
        return self.pull(ops.unit_rows(self.gather(ops.row(self.cells)[0], reports, 0, ops), self.cells), ops)

    @abstractmethod
    def influence(self, ops: Numeric) -> float:
        """The most people's worth of share that one crafted report can put on a single value."""

    @property
    def decode_cost(self) -> float:
        """Roughly how many additions it takes to turn counts into shares."""
        return float(self.cells)

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
            raise InvalidReport(f"report={shown(y)} cannot occur under {self.name} on {self.size} values")
        return y
