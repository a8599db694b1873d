"""Adaptive composition: a second release about the same value, chosen by the report of the first (Proposition 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from operator import or_
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.errors import InvalidInput, InvalidReport, check_type
from ..law import Law
from ..laws import sampler_of
from ..mechanism import Mechanism
from ..sampler import Sampler
from ..tables.table import WrittenOut
from ..units import check_law
from .compose import MAX_ENTRIES, units_of


@dataclass(frozen=True)
class AdaptiveLaw(Law):
    """The first words draw a report y by `first`, the others one by ``seconds[choice[y]]``, for the same value."""

    kind = "adaptive"

    first: Law
    seconds: tuple[Law, ...]
    choice: tuple[int, ...]


class Adaptive(WrittenOut):
    """Both reports as one: ``y * (most outputs of any second) + y'``, each drawn from its own words.

    *Why private.* ``Q(y|x) Q_y(y'|x) / (Q(y|z) Q_y(y'|z))`` is a product of two bounded ratios, the second that of the
    release that y chose; the certificate does not rely on this but compares the entries.

    References: Acharya2020 (Proposition 2).
    """

    name = "adaptive"
    law: AdaptiveLaw
    follows = AdaptiveLaw

    def __init__(self, first: Sampler, seconds: Sequence[Sampler], choice: Sequence[int]) -> None:
        law = AdaptiveLaw(first.law, tuple(second.law for second in seconds), tuple(choice))
        self._follow(law, first, tuple(seconds))

    def follow(self, law: AdaptiveLaw) -> None:
        self._follow(law, sampler_of(law.first), tuple(sampler_of(second) for second in law.seconds))

    def _follow(self, law: AdaptiveLaw, first: Sampler, seconds: tuple[Sampler, ...]) -> None:
        check_law(bool(seconds), law.kind, "it must have at least one second law")
        if any(one.size != first.size or one.word_bits != first.word_bits for one in seconds):
            raise InvalidInput("all samplers must have the same values and words of the same width")
        self.law, self.first, self.seconds = law, first, seconds
        self.width = max(second.outputs for second in seconds)
        self.size, self.word_bits = first.size, first.word_bits
        self.words = first.words + max(second.words for second in seconds)
        self.outputs = first.outputs * self.width
        if self.outputs * self.size > MAX_ENTRIES:
            raise InvalidInput(f"{self.size} x {self.outputs} entries are too many to write out")
        check_law(
            len(law.choice) == first.outputs and all(0 <= kind < len(seconds) for kind in law.choice),
            law.kind,
            f"its choice must be {first.outputs} numbers below {len(seconds)}, one per report of the first",
        )
        self.space = 1 << self.word_bits * self.words
        self.rows = tuple(self._row(x) for x in range(self.size))
        self._check_rows()

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Adaptive:
        seconds = [second.with_word_bits(word_bits, epsilon) for second in self.seconds]
        return Adaptive(self.first.with_word_bits(word_bits, epsilon), seconds, self.law.choice)

    def _row(self, x: int) -> tuple[int, ...]:
        after = []
        for second in self.seconds:
            spare = self.words - self.first.words - second.words
            law = [unit << self.word_bits * spare for unit in units_of(second, x)]
            after.append(law + [0] * (self.width - len(law)))
        first = units_of(self.first, x)
        return tuple(a * b for a, kind in zip(first, self.law.choice, strict=True) for b in after[kind])

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        one = self.first.draw(x, words[: self.first.words], ops)
        draws = [partial(second.draw, ops=ops) for second in self.seconds]
        chosen = ops.look_up(self.law.choice, one)
        return one * self.width + ops.choose(chosen, draws, x, words[self.first.words :], self.bits)

    def split(self, report: int) -> tuple[int, int]:
        """The two reports."""
        return divmod(report, self.width)

    def join(self, first: int, second: int) -> int:
        """The joint report of two that were made one after the other; `InvalidReport` if they cannot follow so."""
        report = self.first.check_report(first) * self.width + second
        if not self.seconds[self.law.choice[first]].is_report(second):
            raise InvalidReport(f"second={second!r} cannot follow the first report {first}")
        return report

    def describe(self) -> dict[str, Any]:
        seconds = [second.describe() for second in self.seconds]
        return {"name": self.name, "first": self.first.describe(), "seconds": seconds}

    @classmethod
    def examples(cls) -> Iterator[Mechanism]:
        from ..build import mechanism

        context = Context.uniform(range(3), "1")
        response, hadamard = (mechanism(context, name) for name in ("randomized_response", "hadamard"))
        yield adaptive(response, lambda y: hadamard if y else response)


def adaptive(first: Mechanism, second: Mapping[int, Mechanism] | Callable[[int], Mechanism]) -> Mechanism:
    """The mechanism that reports by `first`, then by the mechanism that `second` gives for that report, as one.

    `second` is a function of the first report or maps every one that can occur; its mechanisms are over the same
    values. The pair is certified for ``first.context + (E of the second, the larger entry over all reports)``, and a
    tally of pairs is estimated jointly: unbiased, with exact errors. Small domains only: the pair is written out.

    >>> import discreet as dc
    >>> first, mild, strict = (dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon=e)) for e in ("1", "2", "1/2"))
    >>> both = dc.adaptive(first, {0: mild, 1: strict})
    >>> str(both.context.epsilon("yes", "no")), len(both.reports())
    ('3', 4)

    References: Acharya2020 (Proposition 2).
    """
    check_type("first", first, Mechanism, "a mechanism")
    if not isinstance(second, Mapping) and not callable(second):
        raise InvalidInput(f"second of type {type(second).__name__} must be a function of the first report, or map it")
    chosen: dict[int, Mechanism] = {}
    for y in first.reports():
        if isinstance(second, Mapping) and y not in second:
            raise InvalidInput(f"second must have a mechanism for every report of the first; {y} has none")
        follower = second[y] if isinstance(second, Mapping) else second(y)
        if not isinstance(follower, Mechanism):
            raise InvalidInput(f"second: what follows report {y} must be a mechanism, not {type(follower).__name__}")
        if follower.context.domain != first.context.domain:
            raise InvalidInput("mechanisms can be composed only over the same values in the same order")
        chosen[y] = follower
    kinds = {follower.fingerprint: follower for follower in chosen.values()}
    numbers = {fingerprint: number for number, fingerprint in enumerate(kinds)}
    choice = [numbers[chosen[y].fingerprint] if y in chosen else 0 for y in range(first.sampler.outputs)]
    joint = Adaptive(first.sampler, [follower.sampler for follower in kinds.values()], choice)
    return Mechanism(first.context + reduce(or_, (follower.context for follower in kinds.values())), joint)
