"""Privacy by distance: the nearer two values are, the harder they are to tell apart."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any

from ...core.domain import Alike, Domain, Value, listed_values
from ...core.errors import InvalidContext, InvalidEpsilon, shown
from ...core.exact import Epsilon, epsilon_of, positive_finite, text_of
from ...core.fields import Fields, as_list, number, range_of, text
from ...core.limits import spend
from ...core.per_value import per_value
from ..context import MATRIX_LIMIT, Context
from ..reading import epsilon_in, require_domain
from ..structure.recognition import GridStructure, LineStructure
from .places import LINE, SHAPES, LineOrRing, decimal_of, decimal_text

Point = tuple[int, ...]

ENTRY_STEPS = 200
"""Steps that an entry of E costs until a mechanism is certified, beside those for the digits of its coordinates."""

MAX_COMPARED_POINTS = 512
"""The most points that are compared with each other one by one."""

MAX_GRID_SIDES = 3
"""The most coordinates of points on a grid whose entries are not gone through one by one."""

ROUNDING = Fraction(1, 10**30)
"""How far a distance may be below that of its norm: l2 is rounded down to 30 digits."""


class Metric(Context):
    """E[x, z] = epsilon * distance(x, z), with entries computed when first asked for (Chatzikokolakis2013).

    Distances must be symmetric, exact decimals (a float means the decimal it prints) or infinite. Those between
    points obey the triangle inequality (l2 up to its last digit), so that the context is its own closure.
    """

    form = "metric"

    def __init__(
        self, domain: Domain, epsilon: object, distance: Callable[[int, int], Epsilon], entries: dict[str, Any]
    ):
        self.domain, self.class_of = domain, range(len(domain))
        self.is_closed = bool(entries)
        self.level = positive_finite(epsilon)
        self.distance = distance
        self._entries = entries
        self._known: dict[tuple[int, int], Epsilon] = {}

    @property
    def distance_epsilon(self) -> Fraction:
        return self.level

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_known": {}}

    @classmethod
    def from_distance(
        cls, domain: Domain, distance: object, epsilon: object, *, points: Any = None, around: object = None
    ) -> Context:
        """Distances by a word, "line", "ring", "l1", "l2" or "linf", or by a function of two values."""
        points = per_value(domain, points, name="points", others=None)
        if isinstance(distance, str) and distance in SHAPES:
            given = None if points is None else _sequence(points, "points")
            return LineOrRing(domain, distance, epsilon, points=given, around=around)
        if around is not None:
            raise InvalidContext(f"around={shown(around)} must go with the distance 'ring'")
        if isinstance(distance, str):
            if distance not in NORMS:
                known = ", ".join((*SHAPES, *NORMS))
                raise InvalidContext(f"distance={distance!r} must be one of {known}, or a function of two values")
            places = [_coordinates(place) for place in _sequence(domain if points is None else points, "points")]
            return cls.from_points(domain, places, distance, epsilon)
        if points is not None:
            raise InvalidContext("points must go with a distance between points, not with a function of two values")
        return cls.from_function(domain, distance, epsilon)

    @classmethod
    def from_function(cls, domain: Domain, distance: Any, epsilon: object) -> Metric:
        """Distances given by a function of two values; checked to be symmetric."""
        if not callable(distance):
            raise InvalidContext(f"distance={shown(distance)} must be a function of two values that gives a number")
        return cls(domain, epsilon, MeasuredDistance(domain, distance), {})

    @classmethod
    def from_points(cls, domain: Domain, points: Sequence[Sequence[object]], norm: str, epsilon: object) -> Metric:
        """Distances between points under the norm "l1", "l2" or "linf"; l2 is rounded down to 30 digits."""
        exact = [tuple(decimal_of(c, "points: coordinate") for c in point) for point in points]
        if len(exact) != len(domain) or len({len(point) for point in exact}) > 1:
            raise InvalidContext(
                f"points must be one per value ({len(domain)}), all with the same number of coordinates"
            )
        if norm not in NORMS:
            raise InvalidContext(f"norm={norm!r} must be one of {', '.join(NORMS)}")
        written = [[decimal_text(c) for c in point] for point in exact]
        scale = math.lcm(*(c.denominator for point in exact for c in point))
        whole = [tuple(int(c * scale) for c in point) for point in exact]
        longest = max((abs(c) for point in whole for c in point), default=0).bit_length()
        context = cls(domain, epsilon, PointDistance(whole, scale, norm), {"points": written, "norm": norm})
        count = len(whole) if context.is_finite else len(whole) ** 2
        spend(count * (ENTRY_STEPS + sum(map(len, whole[:1])) * longest // 32), f"{len(whole)} points")
        return context

    @cached_property
    def _places(self) -> LineOrRing | None:
        """The same context as places on a line; None where points have several coordinates, or one is shared."""
        points = self._entries.get("points", [[]])
        if len(points[0]) != 1 or len({place for (place,) in points}) != self.size:
            return None
        return LineOrRing(self.domain, LINE, self.level, points=[place for (place,) in points], around=None)

    @cached_property
    def grid(self) -> GridStructure | None:
        distance = self.distance
        if not isinstance(distance, PointDistance) or len(distance.points[0]) < 2:
            return None
        corner = [min(column) for column in zip(*distance.points, strict=True)]
        steps = [tuple(c - least for c, least in zip(point, corner, strict=True)) for point in distance.points]
        step = math.gcd(*(c for point in steps for c in point)) or 1
        cells = tuple(tuple(c // step for c in point) for point in steps)
        return GridStructure(cells, self.level, partial(_cell_distance, step, distance.scale, distance.norm), ROUNDING)

    @cached_property
    def is_finite(self) -> bool:  # type: ignore[override]
        """True for many points that are most of the cells of a grid, whose entries are not gone through one by one."""
        return (
            self.size > MAX_COMPARED_POINTS
            and self.grid is not None
            and self.grid.is_dense
            and len(self.grid.shape) <= MAX_GRID_SIDES
        )

    @cached_property
    def largest(self) -> Fraction:
        """An upper bound for points: the entry across the box around them all, which a full grid attains."""
        distance = self.distance
        if not isinstance(distance, PointDistance):
            return super().largest
        columns = list(zip(*distance.points, strict=True))
        low, high = tuple(map(min, columns)), tuple(map(max, columns))
        return self.level * NORMS[distance.norm](low, high, distance.scale)

    @cached_property
    def line(self) -> LineStructure | None:
        return super().line if self._places is None else self._places.line

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        if self._places is not None:
            return self._places.generators(labels)
        if self.is_finite and isinstance(labels, Alike):
            x, z = self._nearest
            return iter([(x, z, self.between(x, z)), (z, x, self.between(z, x))])
        return super().generators(labels)

    @cached_property
    def _nearest(self) -> tuple[int, int]:
        assert self.grid is not None
        return self.grid.nearest()

    def canonical_form(self) -> Context:
        return self if self.is_finite else super().canonical_form()

    def between(self, c: int, d: int) -> Epsilon:
        pair = (c, d) if c < d else (d, c)
        known = self._known.get(pair)
        if known is None:
            distance = self.distance(c, d)
            known = self._known[pair] = self.level * distance if isinstance(distance, Fraction) else math.inf
        return known

    def finite(self) -> Iterator[tuple[int, int]]:
        if self.is_finite:
            spend(self.size**2 * ENTRY_STEPS, f"{self.size} points, each with each,")
        for x in range(self.size):
            for z in range(self.size):
                if x != z and isinstance(self.between(x, z), Fraction):
                    yield x, z

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Context:
        if fields.has("distance"):
            return LineOrRing.read(fields, domain)
        points = _read_points(fields.required("points"), fields.name("points"))
        norm = text(fields.optional("norm", default="l2"), fields.name("norm"))
        return cls.from_points(require_domain(domain), points, norm, epsilon_in(fields))

    def describe(self) -> dict[str, Any]:
        if self._entries:
            return {"form": self.form, "epsilon": text_of(self.level), **self._entries}
        return {"form": "matrix", "E": [[text_of(self.at(x, z)) for z in range(self.size)] for x in range(self.size)]}

    def __repr__(self) -> str:
        return f"Context.metric({self.size} values, epsilon={text_of(self.level)})"


def _sequence(data: Any, name: str) -> Sequence[object]:
    """A range as it is, any other collection as a list; `InvalidContext` for anything else."""
    return data if isinstance(data, range) else listed_values(data, name)


def _coordinates(place: Any) -> Sequence[object]:
    if isinstance(place, (str, bytes)) or not isinstance(place, Iterable):
        raise InvalidContext(f"points: {shown(place)} must be coordinates, such as (0, 1.5)")
    try:
        return list(place)
    except TypeError:  # an array without dimensions
        raise InvalidContext(f"points: {shown(place)} must be coordinates, such as (0, 1.5)") from None


def _read_points(data: object, name: str) -> list[list[str | int]]:
    """Points as lists of coordinates, or on a line: as plain numbers, or numbers given by their ends."""
    if isinstance(data, Mapping):
        return [[place] for place in range_of(data, name)]
    return [
        [number(c, f"{name}[{i}][{j}]") for j, c in enumerate(point)]
        if isinstance(point, (list, tuple))
        else [number(point, f"{name}[{i}]")]
        for i, point in enumerate(as_list(data, name))
    ]


class MeasuredDistance:
    """Distances by a function of two values, checked to be symmetric; pickled as a table of all pairs."""

    def __init__(self, domain: Domain, distance: Callable[[Value, Value], object]) -> None:
        self._domain, self._distance = domain, distance

    def __call__(self, x: int, z: int) -> Epsilon:
        one, other = self._domain[x], self._domain[z]
        there, back = self._distance(one, other), self._distance(other, one)
        try:
            exact = epsilon_of(there)
            if there is back or exact == epsilon_of(back):
                return exact
        except InvalidEpsilon:
            epsilon_of(there, name=f"distance({one!r}, {other!r})")
            epsilon_of(back, name=f"distance({other!r}, {one!r})")
        raise InvalidContext(f"distance({one!r}, {other!r})={text_of(exact)} must be the same in both directions")

    def __reduce__(self) -> tuple[Any, ...]:
        size = len(self._domain)
        if size > MATRIX_LIMIT:
            raise InvalidContext(f"size={size} must be at most {MATRIX_LIMIT} to pack every distance")
        numbers: dict[Epsilon, int] = {}
        pairs = array("I", (numbers.setdefault(self(x, z), len(numbers)) for x in range(size) for z in range(x)))
        return partial, (_stored_distance, pairs, tuple(numbers))


def _stored_distance(pairs: Sequence[int], distances: Sequence[Epsilon], x: int, z: int) -> Epsilon:
    """A distance as it was measured: `pairs` holds, value by value, its place among the different `distances`."""
    low, high = min(x, z), max(x, z)
    return distances[pairs[high * (high - 1) // 2 + low]]


@dataclass(frozen=True)
class PointDistance:
    """Distances between points under a norm; their coordinates are whole, `scale` times the true ones."""

    points: Sequence[Point]
    scale: int
    norm: str

    def __call__(self, x: int, z: int) -> Epsilon:
        return NORMS[self.norm](self.points[x], self.points[z], self.scale)


def _cell_distance(step: int, scale: int, norm: str, displacement: Point) -> Fraction:
    """How far a displacement by cells leads, `step` whole coordinates each, `scale` times the true ones."""
    moved = tuple(step * c for c in displacement)
    return NORMS[norm]((0,) * len(moved), moved, scale)


def _l2(a: Point, b: Point, scale: int) -> Fraction:
    if len(a) == 1:  # on a line it needs no root
        return Fraction(abs(a[0] - b[0]), scale)
    return _root(sum((p - q) ** 2 for p, q in zip(a, b, strict=True)), scale)


@lru_cache(maxsize=1 << 16)
def _root(squared: int, scale: int) -> Fraction:
    """The root of a sum of squared coordinates, rounded down to 30 digits; cached, as those of a grid recur."""
    return math.isqrt(squared * 10**60 // scale**2) * ROUNDING


NORMS: dict[str, Callable[[Point, Point, int], Fraction]] = {
    "l1": lambda a, b, scale: Fraction(sum(abs(p - q) for p, q in zip(a, b, strict=True)), scale),
    "l2": _l2,
    "linf": lambda a, b, scale: Fraction(max((abs(p - q) for p, q in zip(a, b, strict=True)), default=0), scale),
}
"""The distance of two points whose coordinates are whole numbers of ``1 / scale``."""
