"""Numbers between two bounds as a domain: its values are the nodes of a grid, to which a number is rounded at random.

A number is a decimal, exactly: text, an int, a `Decimal`, or a float, which means the decimal it prints. It is read to
so many `decimals`, and lies t of these units above the lowest node. With den units in a step, ``t = den j + r`` and a
64-bit word u it becomes node j + 1 if ``u < floor(2**64 r / den)``, else node j: on average the number itself, to
``2**-64`` of a step. Everything else (laws, certificates, decoders) is about the nodes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from .domain import Domain, Value, listed_values
from .errors import InvalidContext, InvalidSpec, UnknownValue, named, shown
from .exact import exact_number, text_of
from .fields import Fields, number, text, values, whole
from .limits import check

AT_RANDOM, NEAREST = "at random", "nearest"
ROUNDINGS = (AT_RANDOM, NEAREST)
"""How a number between two nodes becomes one of them."""

NODES = 33
"""How many nodes there are where nothing says so: enough for a mean up to an epsilon of about three."""

POSITIONS = 1 << 32
"""Every place of a number is below this."""

MAX_UNITS = 10**15
"""The largest number, in units of the last decimal: doubles print every smaller one as it was written."""

STEPS = 1000
"""The fewest units that a step has unless `decimals` says otherwise."""


class NumberDomain(Domain):
    """The numbers from `low` to `high` as the nodes of a grid, `step` apart, with values outside the scale after them.

    A number beyond the bounds counts as the nearest of them if `clip`, else it is refused.

    >>> import discreet as dc
    >>> incomes = dc.NumberDomain(0, 4000, nodes=5, clip=True)
    >>> list(incomes), incomes.normalized("1234.5"), incomes.normalized(5000)
    ([0, 1000, 2000, 3000, 4000], '1235', '4000')
    """

    def __init__(
        self,
        low: object,
        high: object,
        *,
        step: object = None,
        nodes: int | None = None,
        decimals: int | None = None,
        clip: bool = False,
        rounding: str = AT_RANDOM,
        outside: Iterable[Value] = (),
    ) -> None:
        self.low, self.high = _decimal(low, "low"), _decimal(high, "high")
        if self.low >= self.high:
            raise InvalidContext(f"low={shown(low)} must be below high={shown(high)}")
        if not isinstance(clip, bool):
            raise InvalidContext(f"clip={shown(clip)} must be True or False")
        if rounding not in ROUNDINGS:
            raise InvalidContext(f"rounding={shown(rounding)} must be one of {', '.join(map(repr, ROUNDINGS))}")
        self.step, self.clip, self.rounding = self._step(step, nodes), clip, rounding
        self.nodes = int((self.high - self.low) / self.step) + 1
        check("values", self.nodes, "nodes")
        self.decimals = self._decimals(decimals)
        self._unit = 10**self.decimals
        self.units = int(self.step * self._unit)
        """How many units of the last decimal a step has."""
        self.first, self.last = int(self.low * self._unit), int(self.high * self._unit)
        """The bounds in these units."""
        if self.last - self.first >= POSITIONS or max(-self.first, self.last) > MAX_UNITS:
            raise InvalidContext(
                f"decimals={self.decimals}: numbers from {_written(self.low)} to {_written(self.high)} have too many "
                f"decimals; there must be fewer than 2**32 different ones, each of at most 15 digits"
            )
        self.outside = tuple(listed_values(outside, "outside"))
        whole_ones = self.low.denominator == self.step.denominator == 1
        self.grid: Sequence[Any] = (
            range(int(self.low), int(self.high) + 1, int(self.step))
            if whole_ones
            else [float(self.low + j * self.step) for j in range(self.nodes)]
        )
        super().__init__((*self.grid, *self.outside) if self.outside else self.grid)
        self._beside = {value: self.nodes + i for i, value in enumerate(self.outside)}
        for value in self.outside:
            if exact_number(value) is not None:
                raise InvalidContext(f"outside: {shown(value)} must not be a number: those are on the scale")

    def _step(self, step: object, nodes: object) -> Fraction:
        length = self.high - self.low
        if step is not None and nodes is not None:
            raise InvalidContext("give one of step and nodes, not both")
        if step is None:
            count = NODES if nodes is None else nodes
            if isinstance(count, bool) or not isinstance(count, int) or count < 2:
                raise InvalidContext(f"nodes={shown(nodes)} must be a whole number, at least 2")
            exact = length / (count - 1)
            if not _is_decimal(exact):
                better = 1 << max(1, (count - 2).bit_length())
                raise InvalidContext(
                    f"nodes={count} of {_written(self.low)} to {_written(self.high)} are not an exact decimal apart; "
                    f"{better + 1} are"
                )
            return exact
        exact = _decimal(step, "step")
        if exact <= 0 or (length / exact).denominator != 1:
            raise InvalidContext(
                f"step={shown(step)} must be positive, and {_written(self.low)} to {_written(self.high)} a whole "
                "number of steps"
            )
        return exact

    def _decimals(self, decimals: object) -> int:
        needed = max(_places(self.low), _places(self.step))
        if needed > 15:
            raise InvalidContext(
                f"step={_written(self.step)} and low={_written(self.low)} must have at most 15 decimals"
            )
        if decimals is None:
            return next((places for places in range(needed, 15) if self.step * 10**places >= STEPS), 15)
        if isinstance(decimals, bool) or not isinstance(decimals, int) or not needed <= decimals <= 15:
            raise InvalidContext(f"decimals={shown(decimals)} must be a whole number from {needed} to 15")
        return decimals

    # -- what people hold -------------------------------------------------------------------------
    @property
    def draws(self) -> int:
        return int(self.rounding == AT_RANDOM)

    @property
    def positions(self) -> int:
        return self.last - self.first + 1 + len(self.outside)

    def position(self, value: object) -> int:
        """How many units a number is above the lowest one; a value outside the scale comes after the highest."""
        beside = self._outside_number(value)
        if beside is not None:
            return self.last - self.first + 1 + beside - self.nodes
        exact = _exact(value)
        units = None if exact is None else nearest(exact * self._unit)
        if units is not None and self.clip:
            units = min(max(units, self.first), self.last)
        if units is None or not self.first <= units <= self.last:
            raise UnknownValue(f"{named(value)} must be {self.rule}")
        return units - self.first

    def position_of_text(self, text: str) -> int:
        return self.position(text)

    def place(self, position: int, words: Sequence[int]) -> int:
        span = self.last - self.first
        beyond = position > span
        node, rest = divmod((position, span)[beyond], self.units)
        up = words[0] < (rest << 64) // self.units if self.draws else 2 * rest >= self.units
        return (node + up, self.nodes + position - span - 1)[beyond]

    def normalized(self, value: object) -> Value:
        position = self.position(value)
        beside = position - (self.last - self.first) - 1
        return self.outside[beside] if beside >= 0 else _written(Fraction(self.first + position, self._unit))

    def held(self, text: str) -> Value | None:
        try:
            return self.normalized(text)
        except UnknownValue:
            return None

    def around(self, value: object) -> tuple[int, ...]:
        position = self.position(value)
        ends = (self.place(position, (0,)), self.place(position, ((1 << 64) - 1,)))
        return tuple(sorted(set(ends)))

    def clips(self, value: object) -> bool:
        """True for a number beyond the bounds."""
        exact = None if self._outside_number(value) is not None else _exact(value)
        return exact is not None and not self.first <= nearest(exact * self._unit) <= self.last

    def _outside_number(self, value: object) -> int | None:
        try:
            return self._beside.get(value) if self.outside and not isinstance(value, bool) else None
        except TypeError:
            return None

    # -- the values themselves --------------------------------------------------------------------
    def find(self, value: object) -> int | None:
        """The number of a node, however it is written, or of a value outside the scale; None for any other."""
        beside = self._outside_number(value)
        exact = None if beside is not None else _exact(value)
        if exact is None:
            return beside
        place = (exact - self.low) / self.step
        return int(place) if place.denominator == 1 and 0 <= place < self.nodes else None

    def find_text(self, text: str) -> int | None:
        return self.find(text)

    def number_of(self, value: object) -> int:
        return self._node_of(value)

    def index_of_text(self, text: str) -> int:
        return self._node_of(text)

    def _node_of(self, value: object) -> int:
        """The number of a value that is asked about, which must be a node or outside the scale."""
        number = self.find(value)
        if number is None:
            beside = f", or {', or '.join(map(repr, self.outside))}" if self.outside else ""
            raise UnknownValue(f"value={shown(value)} must be one of the numbers {self._text}{beside}")
        return number

    @property
    def counted(self) -> str:
        """What becomes of numbers beyond the bounds, in a sentence; empty where they are refused."""
        if not self.clip:
            return ""
        low, high = _written(self.low), _written(self.high)
        return f"Numbers above {high} count as {high}, and numbers below {low} as {low}."

    @property
    def rule(self) -> str:
        return f"{self.scale_rule}, or {', or '.join(map(repr, self.outside))}" if self.outside else self.scale_rule

    @property
    def scale_rule(self) -> str:
        """What a number must be, values outside the scale apart."""
        return f"a number from {_written(self.low)} to {_written(self.high)}"

    def extended(self, values: Iterable[Value]) -> NumberDomain:
        return self._with_outside((*self.outside, *values))

    def _with_outside(self, outside: Iterable[Value]) -> NumberDomain:
        return NumberDomain(
            self.low,
            self.high,
            step=self.step,
            decimals=self.decimals,
            clip=self.clip,
            rounding=self.rounding,
            outside=outside,
        )

    def shortened(self, count: int) -> Domain:
        if count > len(self.outside):
            return super().shortened(count)
        return self._with_outside(self.outside[: len(self.outside) - count])

    # -- in a spec --------------------------------------------------------------------------------
    def describe(self) -> dict[str, Any]:
        entries = {
            "low": _written(self.low),
            "high": _written(self.high),
            "step": _written(self.step),
            "decimals": self.decimals,
            "clip": self.clip,
            "rounding": self.rounding,
        }
        return {**entries, "outside": list(self.outside)} if self.outside else entries

    @classmethod
    def read(cls, fields: Fields) -> NumberDomain:
        """The domain that the entries `low` and `high` of a spec begin."""
        given = {key: number(fields.required(key), fields.name(key)) for key in ("low", "high")}
        options: dict[str, Any] = {}
        if fields.has("step"):
            options["step"] = number(fields.required("step"), fields.name("step"))
        for key in ("nodes", "decimals"):
            if fields.has(key):
                options[key] = whole(fields.required(key), fields.name(key))
        clip = fields.optional("clip", default=False)
        if not isinstance(clip, bool):
            raise InvalidSpec(f"{fields.name('clip')} must be true or false")
        options["rounding"] = text(fields.optional("rounding", default=AT_RANDOM), fields.name("rounding"))
        options["outside"] = values(fields.optional("outside", default=[]), fields.name("outside"))
        return cls(given["low"], given["high"], clip=clip, **options)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberDomain):
            return self.describe() == other.describe()
        return False if isinstance(other, Domain) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.low, self.high, self.step))

    @cached_property
    def _text(self) -> str:
        return f"{_written(self.low)} to {_written(self.high)} by {_written(self.step)}"

    def __repr__(self) -> str:
        return f"NumberDomain({self._text})"


def nearest(exact: Fraction) -> int:
    """The nearest whole number, the upper one of two."""
    return math.floor(exact + Fraction(1, 2))


def _exact(value: object) -> Fraction | None:
    return None if isinstance(value, str) and "/" in value else exact_number(value)


def _decimal(value: object, name: str) -> Fraction:
    exact = _exact(value)
    if exact is None or not _is_decimal(exact):
        raise InvalidContext(f"{name}={shown(value)} must be a finite decimal")
    if abs(exact) > MAX_UNITS:
        raise InvalidContext(f"{name}={shown(value)} must be at most 10**15, and no less than -10**15")
    return exact


def _is_decimal(exact: Fraction) -> bool:
    return pow(10, 60, exact.denominator) == 0


def _places(exact: Fraction) -> int:
    """How many decimals it has."""
    return next(places for places in range(61) if (exact * 10**places).denominator == 1)


def _written(exact: Fraction) -> str:
    return text_of(exact) if exact >= 0 else "-" + text_of(-exact)
