"""Privacy by distance along a line or around a ring, in which neighbours imply all other pairs."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from ...core.domain import Alike, Domain, Singles
from ...core.errors import InvalidContext, shown
from ...core.exact import Epsilon, exact_number, positive_finite, text_of
from ...core.fields import Fields, as_list, number, range_of, text
from ...core.limits import spend
from ..context import Context
from ..reading import epsilon_in, require_domain
from ..structure.recognition import LineStructure, RingStructure

LINE, RING = "line", "ring"
SHAPES = (LINE, RING)
"""The words for a distance between places that are single numbers."""


class LineOrRing(Context):
    """E[x, z] = epsilon * |place of x - place of z|, or the shorter way around a ring of length `around`.

    Places are exact decimals, the values themselves unless `points` gives them. E adds up along the line and along
    the shorter way around the ring, so neighbours imply all other pairs, and k values take k - 1 or k comparisons.
    """

    form = "metric"
    is_closed = is_finite = True

    def __init__(
        self,
        domain: Domain,
        shape: str,
        epsilon: object,
        *,
        points: Sequence[object] | None = None,
        around: object = None,
    ) -> None:
        if shape not in SHAPES:
            raise InvalidContext(f"distance={shape!r} must be one of {', '.join(SHAPES)}")
        self.domain, self.shape = domain, shape
        self.class_of, self.members = range(len(domain)), Singles(len(domain))
        self.level = positive_finite(epsilon)
        default = _places_of(domain) if points is None or len(points) == len(domain) else None
        if points is None and default is None:
            raise InvalidContext(f"points must be given for a {shape} of values that are not all numbers")
        exact = default if points is None else _exact(points)
        if exact is None or len(exact) != len(domain):
            raise InvalidContext(f"points must be one per value ({len(domain)})")
        same = default is not None and all(a == b for a, b in zip(exact, default, strict=True))
        self._points = None if same else exact
        length = self._length(exact, around)
        self._scale = math.lcm(
            length.denominator, *({1} if isinstance(exact, range) else {p.denominator for p in exact})
        )
        self._around = int(length * self._scale)
        self._at: Sequence[int] = exact if isinstance(exact, range) else [int(p * self._scale) for p in exact]
        if isinstance(exact, range) and self._scale > 1:
            self._at = [p * self._scale for p in exact]
        if self._around:
            self._at = [p % self._around for p in self._at]
        longest = max(abs(min(self._at)), abs(max(self._at)), self._around).bit_length()
        spend(len(domain) * (16 + longest // 32), f"{len(domain)} places")
        for x, z in pairwise(self._order):
            if self._at[x] == self._at[z]:
                raise InvalidContext(
                    f"points: {domain[x]!r} and {domain[z]!r} must not be at one place: give them one value"
                )

    def _length(self, places: Sequence[int | Fraction], around: object) -> Fraction:
        """The length of the ring; 0 for a line."""
        if self.shape == LINE:
            if around is not None:
                raise InvalidContext(f"around={shown(around)} must go with a ring: a line has no length")
            return Fraction(0)
        if around is None:
            if set(places) != set(range(len(places))):
                raise InvalidContext(
                    f"around must be given: the length of the ring, unless its places are 0 to {len(places) - 1}"
                )
            return Fraction(len(places))
        length = decimal_of(around, "around")
        if length <= 0:
            raise InvalidContext(f"around={shown(around)} must be positive: the length of the ring")
        if max(places) - min(places) >= length:
            raise InvalidContext(
                f"around={shown(around)} must be more than the {text_of(Fraction(max(places) - min(places)))} from the "
                "first place to the last: the length of the whole ring"
            )
        return length

    # -- the matrix ------------------------------------------------------------------------------
    def _apart(self, x: int, z: int) -> int:
        apart = abs(self._at[x] - self._at[z])
        return min(apart, self._around - apart) if self._around else apart

    @property
    def distance_epsilon(self) -> Fraction:
        return self.level

    @cached_property
    def _unit(self) -> Fraction:
        return self.level / self._scale

    def between(self, c: int, d: int) -> Fraction:
        return self._unit * self._apart(c, d)

    def finite(self) -> Iterator[tuple[int, int]]:
        return ((x, z) for x in range(self.size) for z in range(self.size) if x != z)

    @cached_property
    def largest(self) -> Fraction:
        """The entry between the ends of a line; on a ring, between a place and one of the two next to its opposite."""
        if not self._around:
            return self.between(self._order[0], self._order[-1])
        at = [self._at[x] for x in self._order]
        farthest = 0
        for x, place in enumerate(at):
            opposite = bisect_left(at, (2 * place + self._around) // 2 % self._around)
            for z in range(opposite - 1, opposite + 2):
                farthest = max(farthest, self._apart(self._order[x], self._order[z % self.size]))
        return self._unit * farthest

    # -- structure -------------------------------------------------------------------------------
    @cached_property
    def _order(self) -> Sequence[int]:
        """The values from one end to the other, or from the first place around the ring."""
        if isinstance(self._at, range) and self._at.step > 0:
            return range(self.size)
        return sorted(range(self.size), key=self._at.__getitem__)

    def _neighbours(self) -> Iterator[tuple[int, int]]:
        yield from pairwise(self._order)
        if self._around and self.size > 2:
            yield self._order[-1], self._order[0]

    @cached_property
    def _closest(self) -> list[tuple[int, int, Epsilon]]:
        """The two values that are nearest to each other, both ways; nothing for a single value."""
        pairs = [(0, 1)] if isinstance(self._at, range) else self._neighbours()
        x, z = min(pairs, key=lambda pair: self._apart(*pair), default=(0, 0))
        return [(x, z, self.at(x, z)), (z, x, self.at(z, x))] if self.size > 1 else []

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        if isinstance(labels, Alike):
            yield from self._closest
            return
        if isinstance(labels, range):  # no two values are alike
            entries: dict[int, Fraction] = {}
            for one, other in self._neighbours():
                apart = self._apart(one, other)
                if apart not in entries:
                    entries[apart] = self._unit * apart
                yield one, other, entries[apart]
                yield other, one, entries[apart]
            return
        nearest: dict[tuple[int, int], int] = {}
        for one, other in self._neighbours():
            apart = self._apart(one, other)
            for x, z in ((one, other), (other, one)):
                kind = labels[x], labels[z]
                if apart < nearest.get(kind, apart + 1):
                    nearest[kind] = apart
                    yield x, z, self._unit * apart

    def canonical_form(self) -> Context:
        return self if self.size > 3 else super().canonical_form()

    @cached_property
    def line(self) -> LineStructure | None:
        order = list(self._order)
        if self.size == 1:
            return None
        if self._around:
            gaps = [(self._at[z] - self._at[x]) % self._around for x, z in pairwise([*order, order[0]])]
            widest = max(range(self.size), key=gaps.__getitem__)
            if 2 * gaps[widest] < self._around:
                return None
            order = order[widest + 1 :] + order[: widest + 1]  # the ring is never crossed where it is open
        if order[0] > order[-1]:
            order.reverse()
        return LineStructure(tuple(order), tuple(self._unit * self._apart(x, z) for x, z in pairwise(order)))

    @cached_property
    def ring(self) -> RingStructure | None:
        if not self._around or self.size < 3 or self.line is not None:
            return super().ring if self.size == 3 else None
        at = self._order.index(0)
        order = [*self._order[at:], *self._order[:at]]
        if order[1] > order[-1]:
            order = [0, *order[:0:-1]]
        return RingStructure(tuple(order), tuple(self._unit * self._apart(x, z) for x, z in pairwise([*order, 0])))

    # -- in a spec -------------------------------------------------------------------------------
    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> LineOrRing:
        shape = text(fields.required("distance"), fields.name("distance"))
        points: Sequence[object] | None = None
        if fields.has("points"):
            data, name = fields.required("points"), fields.name("points")
            points = (
                range_of(data, name)
                if isinstance(data, Mapping)
                else [number(place, f"{name}[{i}]") for i, place in enumerate(as_list(data, name))]
            )
        around = None
        if shape == RING and fields.has("around"):
            around = number(fields.required("around"), fields.name("around"))
        return cls(require_domain(domain), shape, epsilon_in(fields), points=points, around=around)

    def describe(self) -> dict[str, Any]:
        entries: dict[str, Any] = {"form": self.form, "distance": self.shape, "epsilon": text_of(self.level)}
        if self._around:
            entries["around"] = text_of(Fraction(self._around, self._scale))
        if self._points is not None:
            entries["points"] = [decimal_text(Fraction(point)) for point in self._points]
        return entries

    def __repr__(self) -> str:
        return f"Context.metric({self.size} values, {self.shape!r}, epsilon={text_of(self.level)})"


def _places_of(domain: Domain) -> Sequence[Any] | None:
    """The values as places; None if they are not all numbers."""
    if domain.stored_range is not None:
        return domain.stored_range
    places = [_decimal(value) for value in domain]
    return None if None in places else places


def _exact(points: Sequence[object]) -> Sequence[Any]:
    return points if isinstance(points, range) else [decimal_of(point, "points: place") for point in points]


def decimal_of(value: object, name: str) -> Fraction:
    """A finite decimal, exactly; `InvalidContext` for anything else."""
    exact = _decimal(value)
    if exact is None:
        raise InvalidContext(f"{name} {shown(value)} must be a finite decimal")
    return exact


def _decimal(value: object) -> Fraction | None:
    return None if isinstance(value, str) and "/" in value else exact_number(value)


def decimal_text(number: Fraction) -> str:
    """The shortest exact text of a decimal that may be negative."""
    return text_of(number) if number >= 0 else "-" + text_of(-number)
