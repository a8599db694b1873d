"""`Profile`: what the adversary sees of a sampler: how two values write reports, against a blanket of other users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic

from ...core.domain import Alike
from ...estimation.arrays.layout import Array
from ...estimation.decoders import Decoder, decoder_of
from ...estimation.decoders.decoder import Drawn
from . import posterior
from .posterior import PosteriorRange
from .rows import MAX_LISTED, Blanket, ReportGroup, enumerate_reports


class Profile(Generic[Drawn]):
    """What reports of a sampler give away, by enumerating them; a closed form overrides what would be too much."""

    def __init__(self, sampler: Drawn) -> None:
        self.sampler = sampler

    @classmethod
    def of(cls, sampler: Drawn) -> Profile[Any]:
        """The profile of a sampler of this kind: of this class, unless a law of the kind needs another."""
        return cls(sampler)

    @cached_property
    def decoder(self) -> Decoder[Any]:
        """The decoder of the sampler, for the expected counts of its reports."""
        return decoder_of(self.sampler)

    # -- one report among those of others -----------------------------------------------------------------
    def pair_profile(self, x: int, z: int, among: Sequence[int] | None = None) -> Sequence[ReportGroup] | None:
        """What tells x from z among people who hold values in `among`, or `other_users(x)`; None where it is too much.

        Reports are grouped by the proportions in which x, z and the blanket write them. A blanket may be smaller than
        the true one, so a closed form need not know `among`.
        """
        return enumerate_reports(self, x, z, among)

    def blanket(self, among: Sequence[int]) -> Blanket:
        """From a report to its smallest probability under any of the values `among`, or to less."""
        return Blanket(len(among), lambda y: min(self.sampler.probability(v, y) for v in among))

    def other_users(self, x: int) -> Sequence[int]:
        """The values whose holders may hide one of x: all, unless reports show some of them to be no such."""
        return range(self.sampler.size)

    def collision_probability(self, x: int, z: int) -> Fraction | None:
        """At most the probability that a report of x and one of z are the same; None where they are too many."""
        sampler = self.sampler
        if 2 * sampler.outputs > MAX_LISTED:
            return None
        chances = (sampler.probability(x, y) * sampler.probability(z, y) for y in sampler.reports())
        return sum(chances, Fraction(0))

    def representative_pairs(self) -> Iterator[tuple[int, int]]:
        """One ordered pair of values for every pair profile that two different values can have."""
        firsts: dict[int, list[int]] = {}
        classes = self.sampler.class_of
        for x, number in enumerate(Alike(min(2, self.sampler.size)) if isinstance(classes, Alike) else classes):
            of = firsts.setdefault(number, [])
            if len(of) < 2:
                of.append(x)
        for own in firsts.values():
            for other in firsts.values():
                if own is not other:
                    yield own[0], other[0]
                elif len(own) > 1:
                    yield own[0], own[1]

    # -- one report by itself ---------------------------------------------------------------------------------
    def bayes_success(self, shares: Array) -> float | None:
        """How often the best guess from one report is right: sum_y max_x p_x Q(y|x); None where that is too much."""
        return posterior.bayes_success(self, shares)

    def posterior_range(self, x: int, shares: Array) -> PosteriorRange | None:
        """What a report tells of x where values follow `shares`; None where the reports are too many to look at."""
        return posterior.posterior_range(self, x, shares)
