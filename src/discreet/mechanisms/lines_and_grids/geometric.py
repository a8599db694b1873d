"""Geometric response: along a line of equal steps, the own place or one near it, fading as fast as E allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise, permutations
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.errors import InvalidInput, NotServed
from ...core.exact import ceil_div, exp_below
from ...core.limits import spend
from ..law import WORD_BITS, Law, Row
from ..sampler import LawExample, RatioBound, Sampler, rounded_log
from ..tables.table import largest_quotient
from ..units import beyond_words, check_law, check_size, too_few

MAX_STEPS = 1 << 17
"""The most steps that a report may be away from the own place, but for the words that go to all places alike."""

MAX_ROUNDING = 3
"""How far, in words, a law may be from one ratio throughout: what rounding it up makes of it."""


@dataclass(frozen=True)
class GeometricLaw(Law):
    """A report is `distance` steps up or down from the own place with ``units[distance]`` words each way, clamped to
    the line; every place has `flat` words more, whatever the value.

    Value x is at ``places[x]``, or at x where `places` is empty. A report is a place.
    """

    kind = "geometric"

    size: int
    units: tuple[int, ...]
    flat: int
    places: Row
    word_bits: int


class Geometric(Sampler):
    """The own place on a line plus two-sided geometric noise, clamped to the ends.

    With R <= e**epsilon for a step, N words and flat = ceil(R / (R - 1)): t_j, the words that lead from a place j
    steps away to an end of the line, has ``t_1 = ceil((N - (k-2) flat) / (R+1))`` and ``t_(j+1) = ceil(t_j / R)``
    until t_j <= R flat. Then ``units[j] = t_j - t_(j+1)``, and everything further off has the flat words alone.
    One word decides: the flat ones first, those of all distances after them, from the furthest down to the furthest up.

    *Why private.* t_j <= R t_(j+1) at the ends by rounding up. In between, units[j] exceeds R units[j+1] by less than
    R, for which (R - 1) flat makes room. Neighbours have every ratio at most R, so values d steps apart R**d; the
    certificate compares the whole numbers.

    References: Ghosh2012; Chatzikokolakis2013.
    """

    name = "geometric"
    is_numbered = True
    law: GeometricLaw
    follows = GeometricLaw

    def __init__(self, size: int, epsilon: Fraction, *, places: Sequence[int] = (), word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        if size < 2:
            raise InvalidInput(f"size={size} must be at least 2 for a line")
        ratio, space = exp_below(epsilon), 1 << word_bits
        flat = ceil_div(ratio, ratio - 1) if ratio > 1 else space
        used = space - (size - 2) * flat
        if 4 * used < 3 * space:
            raise beyond_words(epsilon, word_bits)
        end = ceil_div(used, ratio + 1)
        if too_few(end, word_bits) or 2 * end >= used:
            raise beyond_words(epsilon, word_bits)
        ends = [used - end, end]
        while len(ends) < size and ends[-1] > ratio * flat:
            if len(ends) > MAX_STEPS:
                raise NotServed(
                    f"geometric reaches at most {MAX_STEPS} steps; epsilon={float(epsilon):g} is too small for it"
                )
            ends.append(-(-ends[-1] * ratio.denominator // ratio.numerator))
        units = (*(near - far for near, far in pairwise(ends)), ends[-1] - flat)
        self.follow(GeometricLaw(size, units, flat, Row.of(places), word_bits))

    def follow(self, law: GeometricLaw) -> None:
        check_size(law.size, law.word_bits)
        space, units, k = 1 << law.word_bits, law.units, law.size
        shaped = 2 <= len(units) <= min(k, MAX_STEPS + 2) and min(units) >= 0 < law.flat
        check_law(shaped, law.kind, "it must have units for two to `size` distances, none negative, and flat words")
        full = 2 * sum(units) - units[0] + k * law.flat == space
        check_law(full, law.kind, f"its words must add up to 2**{law.word_bits}")
        self.ends = list(accumulate(reversed(units), initial=law.flat))[:0:-1]
        check_law(_is_fading(self.ends, law), law.kind, "its units must fall by one ratio down to its flat words")
        self.places = law.places.numbers()
        listed = not self.places or (sorted(self.places) == list(range(k)) and list(self.places) != list(range(k)))
        check_law(listed, law.kind, "its places must be all those of the line in another order, or none")
        self.law, self.size, self.outputs, self.word_bits, self.words = law, k, k, law.word_bits, 1
        self.reach = len(units) - 1
        self._ratios: dict[int, Fraction] = {}
        fading = [k * law.flat, *reversed(units), *units[1:]]
        self.bounds = tuple(bound * self.scale for bound in accumulate(fading))

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Geometric:
        step = rounded_log(self.ratio(1))
        return Geometric(self.size, step if epsilon is None else epsilon, places=self.places, word_bits=word_bits)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        drawn = ops.rank((self.bounds,), x - x, u)
        moved = (ops.look_up(self.places, x) if self.places else x) + drawn
        least = self.reach + 1  # what a report is moved by if it is the lowest of all
        near = ops.select(ops.at_least(moved, least), moved - least, 0)
        near = ops.select(ops.at_least(near, self.size), self.size - 1, near)
        return ops.select(ops.equal(drawn, 0), ops.divide(u, self.law.flat * self.scale), near)

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        away = abs(y - self.place_of(x))
        units = (self.ends if y in (0, self.size - 1) else self.between)[away : away + 1]
        return Fraction(units[0] if units else self.law.flat, 1 << self.word_bits)

    @cached_property
    def least_units(self) -> tuple[list[int], list[int]]:
        """The fewest words with which a place between the ends, and an end, is reached from so many steps or fewer."""
        return list(accumulate(self.between, min)), list(accumulate(self.ends, min))

    def place_of(self, x: int) -> int:
        return self.places[x] if self.places else x

    # -- the certificate: every ratio of values so many steps apart --------------------------------------
    @cached_property
    def between(self) -> list[int]:
        """The words that lead so many steps away to a place that is not an end."""
        return [unit + self.law.flat for unit in self.law.units[: self.size - 1]]

    def ratio(self, steps: int) -> Fraction:
        """The certified largest Q(y | x) / Q(y | z) of values that are so many steps apart, wherever they are."""
        if steps not in self._ratios:
            self._ratios[steps] = self._largest(steps)
        return self._ratios[steps]

    def _largest(self, steps: int) -> Fraction:
        flat, reach = self.law.flat, len(self.between)
        spend(4 * (len(self.ends) + steps), f"{self.name} of {self.size} values")
        ends = [*self.ends, *[flat] * steps][: self.size]
        pairs = [*zip(ends, ends[steps:], strict=False)]
        if self.size > 2:
            both = [*self.between[:0:-1], *self.between]
            away = [*[flat] * min(steps, self.size - 1 - reach), *both, *[flat] * min(steps, self.size - 1 - reach)]
            pairs += [*zip(away, away[steps:], strict=False), *zip(away[steps:], away, strict=False)]
        return Fraction(*largest_quotient(pairs))

    def ratio_bounds(self) -> Iterator[RatioBound]:
        max_ratio = self.max_ratios()
        yield from (RatioBound(x, z, max_ratio(x, z)) for x, z in permutations(range(self.size), 2))

    def max_ratios(self) -> Callable[[int, int], Fraction]:
        places = self.places or range(self.size)
        return lambda x, z: self.ratio(abs(places[x] - places[z]))

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        yield LawExample(cls.name, Context.metric([4, 1, 3, 2, 0], "line", "1"))
        yield LawExample(cls.name, Context.metric(range(2), "line", "0.1"))


def _is_fading(ends: Sequence[int], law: GeometricLaw) -> bool:
    """True if all that lead to an end fall by one ratio from step to step, up to rounding, down to the flat words."""
    first, second = ends[:2]
    slack = MAX_ROUNDING * first
    last = len(ends) == law.size or ends[-1] * second <= law.flat * first + slack
    steps = all(abs(far * first - near * second) <= slack for near, far in pairwise(ends))
    return first > second and steps and last


def geometric_response(context: Context) -> Geometric:
    """The geometric response of a context whose values are on a line with equal steps."""
    line = context.line
    if line is None or len(set(line.steps)) > 1:
        raise NotServed("geometric needs values along a line, each a step of the same epsilon from the next")
    return Geometric(len(line.order), line.steps[0], places=places_in(line.order))


def places_in(order: Sequence[int]) -> Sequence[int]:
    """The place of each value in an order of all; none where value x is at place x."""
    places = [0] * len(order)
    for place, x in enumerate(order):
        places[x] = place
    return () if places == sorted(places) else places
