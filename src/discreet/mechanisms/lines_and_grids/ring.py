"""Ring response: around a ring of equal steps, the own place or one near it, fading as fast as E allows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, permutations
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
from .geometric import MAX_STEPS, places_in

LEAST = 1e-12
"""A pattern of shares of which reports show less than this part is not seen in them."""


class Circular(Sampler):
    """A sampler whose report is the own cell of a torus, moved by noise that depends on nothing."""

    is_numbered = True
    shape: tuple[int, ...]
    """The lengths of the torus."""
    places: Sequence[int]
    """The cell of every value; empty where value x is at cell x."""

    @property
    @abstractmethod
    def noise(self) -> Sequence[int]:
        """The words that lead from cell 0 to each cell."""


@dataclass(frozen=True)
class RingLaw(Law):
    """A report is `distance` steps from the own place with ``units[distance]`` words each way round the ring.

    Every place has `flat` words more, whatever the value. Value x is at ``places[x]``, or at x where `places` is
    empty. A report is a place.
    """

    kind = "ring"

    size: int
    units: tuple[int, ...]
    flat: int
    places: Row
    word_bits: int


class RingResponse(Circular):
    """The own place on a ring plus noise that fades by e**epsilon with every step, either way round.

    With R <= e**epsilon for a step, N words and f = ceil(2 R / (R - 1)) + 1 flat words, distance j has
    ``floor(w / R**j)`` words each way until that is nothing; half of that at the place opposite, where both ways meet.
    The own place has what is left, and if that is more than E allows, the flat words are more.

    *Why private.* Rounding down makes the words of distance j exceed R times those of distance j + 1 by less than 2 R,
    for which (R - 1) f makes room; the words are the same wherever the value is. The certificate compares the whole
    numbers.

    References: Ghosh2012; Chatzikokolakis2013.
    """

    name = "ring"
    law: RingLaw
    follows = RingLaw

    def __init__(self, size: int, epsilon: Fraction, *, places: Sequence[int] = (), word_bits: int = WORD_BITS) -> None:
        check_size(size, word_bits)
        if size < 3:
            raise InvalidInput(f"size={size} must be at least 3 for a ring")
        ratio, space = exp_below(epsilon), 1 << word_bits
        flat = ceil_div(2 * ratio, ratio - 1) + 1 if ratio > 1 else space
        if 4 * size * flat > space:
            raise beyond_words(epsilon, word_bits)
        fades = [Fraction(1)]
        while len(fades) <= size // 2 and fades[-1] * space > ratio:
            if len(fades) > MAX_STEPS:
                raise NotServed(
                    f"ring reaches at most {MAX_STEPS} steps; epsilon={float(epsilon):g} is too small for it"
                )
            fades.append(Fraction(int(fades[-1] / ratio * space**3), space**3))
        if 2 * (len(fades) - 1) == size:  # both ways meet at the place opposite
            fades[-1] /= 2
        scale = (space - size * flat) / (2 * sum(fades) - 1)
        near = [int(fade * scale) for fade in fades[1:]]
        own = space - size * flat - 2 * sum(near)
        if not near or too_few(near[0], word_bits):
            raise beyond_words(epsilon, word_bits)
        over = own + flat - int(ratio * (near[0] + flat))
        more = max(0, ceil_div(over, size))  # every place has the same share of what the own one must not have
        if own - more * size <= near[0]:
            raise beyond_words(epsilon, word_bits)
        self.follow(RingLaw(size, (own - more * size, *near), flat + more, Row.of(places), word_bits))

    def follow(self, law: RingLaw) -> None:
        check_size(law.size, law.word_bits)
        units, k = law.units, law.size
        shaped = 2 <= len(units) <= min(k // 2, MAX_STEPS) + 1 and min(units) >= 0 < law.flat and k > 2
        check_law(
            shaped, law.kind, "it must have units for two to half of `size` distances, none negative, and flat words"
        )
        full = 2 * sum(units) - units[0] + k * law.flat == 1 << law.word_bits
        check_law(full, law.kind, f"its words must add up to 2**{law.word_bits}")
        self.places = law.places.numbers()
        listed = not self.places or (sorted(self.places) == list(range(k)) and list(self.places) != list(range(k)))
        check_law(listed, law.kind, "its places must be all those of the ring in another order, or none")
        self.law, self.size, self.outputs, self.word_bits, self.words = law, k, k, law.word_bits, 1
        self.shape = (k,)
        self.reach = len(units) - 1
        self._ratios: dict[int, Fraction] = {}
        fading = [k * law.flat, *reversed(units), *units[1:]]
        self.bounds = tuple(bound * self.scale for bound in accumulate(fading))

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> RingResponse:
        step = rounded_log(self.ratio(1))
        return RingResponse(self.size, step if epsilon is None else epsilon, places=self.places, word_bits=word_bits)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        (u,) = words[:1]
        drawn, k = ops.rank((self.bounds,), x - x, u), self.size
        around = (ops.look_up(self.places, x) if self.places else x) + drawn + (k - self.reach - 1)
        near = around - k * (ops.at_least(around, k) + ops.at_least(around, 2 * k))
        return ops.select(ops.equal(drawn, 0), ops.divide(u, self.law.flat * self.scale), near)

    @cached_property
    def noise(self) -> Sequence[int]:
        """The words that lead to each place of the ring from place 0."""
        noise = [self.law.flat] * self.size
        for distance, unit in enumerate(self.law.units):
            noise[distance] += unit
            noise[-distance] += unit if distance else 0
        return noise

    def probability(self, x: int, y: int) -> Fraction:
        if not self.is_report(y):
            return Fraction(0)
        return Fraction(self.noise[y - (self.places[x] if self.places else x)], 1 << self.word_bits)

    # -- the certificate: every ratio of values so many steps apart --------------------------------------
    def ratio(self, steps: int) -> Fraction:
        """The certified largest Q(y | x) / Q(y | z) of values that are so many steps apart."""
        steps = min(steps, self.size - steps)
        if steps not in self._ratios:
            spend(2 * self.size, f"{self.name} of {self.size} values")
            turned = [*self.noise[steps:], *self.noise[:steps]]
            pairs = zip([*self.noise, *turned], [*turned, *self.noise], strict=True)
            self._ratios[steps] = Fraction(*largest_quotient(pairs))
        return self._ratios[steps]

    def ratio_bounds(self) -> Iterator[RatioBound]:
        max_ratio = self.max_ratios()
        yield from (RatioBound(x, z, max_ratio(x, z)) for x, z in permutations(range(self.size), 2))

    def max_ratios(self) -> Callable[[int, int], Fraction]:
        places = self.places or range(self.size)
        return lambda x, z: self.ratio(abs(places[x] - places[z]))

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}

    @classmethod
    def examples(cls) -> Iterator[LawExample]:
        yield LawExample(cls.name, Context.metric([0, 2, 1, 3, 4, 5], "ring", "1"))
        yield LawExample(cls.name, Context.metric(["a", "b", "c"], "ring", "1/3", points=[0, 1, 2], around=3))


def ring_response(context: Context) -> RingResponse:
    """The ring response of a context whose values are on a ring with equal steps."""
    ring = context.ring
    if ring is None or len(set(ring.steps)) > 1:
        raise NotServed("ring needs values around a ring, each a step of the same epsilon from the next")
    return RingResponse(len(ring.order), ring.steps[0], places=places_in(ring.order))
