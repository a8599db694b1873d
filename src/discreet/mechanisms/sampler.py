"""`Sampler`: draws whole-number reports of the numbers 0 .. k-1 by a law of exact integers.

A report is one integer in ``0 .. outputs-1``. A mechanism is a context with a sampler that serves it. Everything
follows from the law, which is data (`discreet.mechanisms.law`): `draw` is written once over an `Arithmetic`, the
channel is stated independently by `probability`, and the conformance suite runs the one over every word to compare it
with the other. How reports are decoded is no business of a person's device: see `discreet.estimation.decoders`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from ..core.arithmetic import Arithmetic
from ..core.errors import InvalidReport, shown
from ..core.exact import log_of
from .law import WORD_BITS, Law

if TYPE_CHECKING:
    from ..contexts import Context
    from .mechanism import Mechanism


@dataclass(frozen=True)
class RatioBound:
    """An ordered pair of values and a certified bound on the ratio Q(y | x) / Q(y | z) over all reports y.

    It holds for every pair of different values of the same two classes (`Sampler.class_of`).
    """

    x: int
    z: int
    ratio: Fraction


class LawExample(NamedTuple):
    """A mechanism to check: its name, the context that it serves, and its parameters."""

    name: str
    context: Context
    parameters: Mapping[str, Any] = MappingProxyType({})


class Sampler(ABC):
    """A channel on 0 .. size-1 using `words` 64-bit words per report, drawn by its `law`.

    A new one states `follow`, `draw`, `probability` and `ratio_bounds`; the rest has defaults, which compounds and
    large domains override. `word_bits` below 64 restricts the words to multiples of ``2**(64 - word_bits)``: the same
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
    is_numbered: bool = False
    """True if every number below `outputs` is a report that stands for itself, so that each can have a cell."""

    # -- the law and its reports ----------------------------------------------------------------------
    @classmethod
    def from_law(cls, law: Law) -> Self:
        """The sampler that draws by this law."""
        sampler = cls.__new__(cls)
        sampler.follow(law)
        return sampler

    @abstractmethod
    def follow(self, law: Any) -> None:
        """Adopt a law and work everything else out from it; `InvalidInput` if it contradicts itself."""

    @abstractmethod
    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        """The report of value number `x` drawn from `words`; no branch or word depends on x or the outcome."""

    @abstractmethod
    def probability(self, x: int, y: int) -> Fraction:
        """Pr(report y | value x), exactly, for every integer y."""

    def is_report(self, y: int) -> bool:
        """True if this sampler can have written `y`: any number below `outputs` unless overridden."""
        return 0 <= y < self.outputs

    def reports(self) -> Iterable[int]:
        """Every report that can occur, in order (small domains)."""
        return range(self.outputs) if self.is_numbered else filter(self.is_report, range(self.outputs))

    @property
    def disclosed(self) -> Sequence[int]:
        """The values, in order, that some reports show as they are; none unless overridden."""
        return ()

    # -- the proof ------------------------------------------------------------------------------------
    @property
    def class_of(self) -> Sequence[int]:
        """The class of each value, by which `ratio_bounds` bounds two values; a class of its own each by default."""
        return range(self.size)

    @abstractmethod
    def ratio_bounds(self) -> Iterator[RatioBound]:
        """A bound for each ordered pair of classes whose ratio is bounded; that of any other pair is not."""

    def max_ratios(self) -> Callable[[int, int], Fraction | None]:
        """From two different values x, z to a certified bound on the ratio Q(y | x) / Q(y | z); None without one.

        It says what `ratio_bounds` lists, which takes too long where every two values have a ratio of their own.
        """
        class_of = self.class_of
        known = {(class_of[pair.x], class_of[pair.z]): pair.ratio for pair in self.ratio_bounds()}
        return lambda x, z: known.get((class_of[x], class_of[z]))

    def prove(self, context: Context) -> tuple[int, int, Fraction] | None:
        """A pair of values of the context and its certified ratio, where all entries are proved at once.

        None, unless overridden, where they are gone through one by one; `PrivacyViolation` where the proof fails.
        """
        return None

    # -- what a class alone can say to those who build, publish and check mechanisms ----------------------
    def describe(self) -> dict[str, Any]:
        """Its name and parameters, which is how a spec asks for it if it can be named at all; the rest is in `law`."""
        return {"name": self.name}

    def weighted(self, prior: Sequence[float]) -> Self:
        """This sampler with its estimates weighted for the shares `prior`, where they depend on any.

        The law does not say for which shares it was chosen, so that compounds must hand them to their parts.
        """
        return self

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Sampler:
        """The same idea with words of `word_bits` bits, at `epsilon` or at the epsilon that its own law realises.

        The checks run it over every word. This default serves constructors
        ``type(r)(size, epsilon, word_bits=..., **parameters)`` with the parameters that `describe` gives besides the
        name; any other sampler brings its own.
        """
        parameters = {key: entry for key, entry in self.describe().items() if key != "name"}
        make: Any = type(self)
        narrow: Sampler = make(self.size, epsilon or actual_epsilon(self), word_bits=word_bits, **parameters)
        return narrow

    @classmethod
    def examples(cls) -> Iterator[LawExample | Mechanism]:
        """Small mechanisms that take every way through its law: those that checks and test vectors are made of.

        A base needs none: it is tried in contexts of several forms because it is registered as one.
        """
        return iter(())

    # -- derived --------------------------------------------------------------------------------------
    @property
    def bits(self) -> int:
        """Bits that hold any report."""
        return max(1, (self.outputs - 1).bit_length())

    @property
    def scale(self) -> int:
        """What one unit of the law is worth in 64-bit words: ``2**(64 - word_bits)``."""
        return 1 << (WORD_BITS - self.word_bits)

    def check_report(self, y: int) -> int:
        """`y` itself, or `InvalidReport` if this sampler cannot have written it."""
        if isinstance(y, bool) or not isinstance(y, int) or not self.is_report(y):
            raise InvalidReport(f"report={shown(y)} cannot occur under {self.name} on {self.size} values")
        return y

    @cached_property
    def attachments(self) -> dict[str, Any]:
        """What others keep with this sampler, such as its decoder: for as long as it lives, and not in its copies.

        A table elsewhere could not let go of it, as a decoder refers to its sampler.
        """
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: entry for name, entry in vars(self).items() if name != "attachments"}


def rounded_log(ratio: Fraction) -> Fraction:
    """log(ratio) to 12 places: for display and for trials at other widths, never for a proof."""
    return Fraction(round(log_of(ratio) * 10**12), 10**12)


def actual_epsilon(sampler: Sampler) -> Fraction:
    """The largest epsilon between any two values, to 12 places."""
    return rounded_log(max((pair.ratio for pair in sampler.ratio_bounds()), default=Fraction(1)))
