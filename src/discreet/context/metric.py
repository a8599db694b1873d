"""Privacy by distance: the nearer two values are, the harder they are to tell apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..domain import Domain, Value
from ..errors import InvalidContext
from ..exact import Epsilon, epsilon_of, positive_finite, text_of
from ..fields import Fields, listed, number, text
from .context import Context
from .reading import epsilon_in, given

Point = tuple[Fraction, ...]


class Metric(Context):
    """E[x, z] = epsilon * distance(x, z), with entries computed on demand (Chatzikokolakis2013).

    Distances must be symmetric, exact decimals (a float means the decimal it prints) or infinite.
    """

    form = "metric"

    def __init__(
        self, domain: Domain, epsilon: object, distance: Callable[[int, int], Epsilon], entries: dict[str, Any]
    ):
        self.domain = domain
        self.level = positive_finite(epsilon)
        self.distance = distance
        self._entries = entries

    @classmethod
    def measured(cls, domain: Domain, distance: Callable[[Value, Value], object], epsilon: object) -> Metric:
        """Distances given by a function of two values; checked to be symmetric."""
        known: dict[tuple[int, int], Epsilon] = {}

        def measure(x: int, z: int) -> Epsilon:
            if (x, z) not in known:
                name = f"distance({domain[x]!r}, {domain[z]!r})"
                there = epsilon_of(distance(domain[x], domain[z]), name=name)
                if there != epsilon_of(distance(domain[z], domain[x]), name=name):
                    raise InvalidContext(f"{name}={text_of(there)} must be the same in both directions")
                known[x, z] = known[z, x] = there
            return known[x, z]

        return cls(domain, epsilon, measure, {})

    @classmethod
    def of_points(cls, domain: Domain, points: Sequence[Sequence[object]], norm: str, epsilon: object) -> Metric:
        """Distances between points under the norm "l1", "l2" or "linf"; l2 is rounded down to 30 digits."""
        exact = [tuple(_coordinate(c) for c in point) for point in points]
        if len(exact) != len(domain) or len({len(point) for point in exact}) > 1:
            raise InvalidContext(
                f"points must be one per value ({len(domain)}), all with the same number of coordinates"
            )
        if norm not in NORMS:
            raise InvalidContext(f"norm={norm!r} must be one of {', '.join(NORMS)}")
        between = NORMS[norm]
        written = [[text_of(abs(c)) if c >= 0 else "-" + text_of(-c) for c in point] for point in exact]
        return cls(domain, epsilon, lambda x, z: between(exact[x], exact[z]), {"points": written, "norm": norm})

    @property
    def labels(self) -> Sequence[int]:
        return range(self.size)

    def between(self, c: int, d: int) -> Epsilon:
        distance = self.distance(c, d)
        return self.level * distance if isinstance(distance, Fraction) else math.inf

    def finite(self) -> Iterator[tuple[int, int]]:
        for x in range(self.size):
            for z in range(self.size):
                if x != z and isinstance(self.distance(x, z), Fraction):
                    yield x, z

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Metric:
        name = fields.name("points")
        points = [
            [number(c, f"{name}[{i}][{j}]") for j, c in enumerate(listed(point, f"{name}[{i}]"))]
            for i, point in enumerate(listed(fields.required("points"), name))
        ]
        norm = text(fields.optional("norm", default="l2"), fields.name("norm"))
        return cls.of_points(given(domain), points, norm, epsilon_in(fields))

    def describe(self) -> dict[str, Any]:
        if self._entries:
            return {"form": self.form, "epsilon": text_of(self.level), **self._entries}
        return {"form": "matrix", "E": [[text_of(self.at(x, z)) for z in range(self.size)] for x in range(self.size)]}

    def __repr__(self) -> str:
        return f"Context.metric({self.size} values, epsilon={text_of(self.level)})"


def _coordinate(value: object) -> Fraction:
    try:
        return Fraction(Decimal(str(value)))
    except (ArithmeticError, ValueError, OverflowError):
        raise InvalidContext(f"points: coordinate {value!r} must be a finite decimal") from None


def _l2(a: Point, b: Point) -> Fraction:
    squared = sum(((p - q) ** 2 for p, q in zip(a, b, strict=True)), Fraction(0))
    scaled = squared * 10**60
    return Fraction(math.isqrt(scaled.numerator // scaled.denominator), 10**30)


NORMS: dict[str, Callable[[Point, Point], Fraction]] = {
    "l1": lambda a, b: sum((abs(p - q) for p, q in zip(a, b, strict=True)), Fraction(0)),
    "l2": _l2,
    "linf": lambda a, b: max((abs(p - q) for p, q in zip(a, b, strict=True)), default=Fraction(0)),
}
