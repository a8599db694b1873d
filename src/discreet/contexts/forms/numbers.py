"""Contexts of numbers, which are rounded to a grid at random before anything else: what its nodes need to be hidden by.

A number x between two nodes is one of them with the chances 1 - f and f, so that ``Q(y|x) = (1-f) Q(y|g) + f Q(y|g+h)``
is between the two. It is hidden from another number as well as any of their nodes are from each other. By distance that
is not enough, since numbers inside one step differ by less: where neighbouring nodes have a ratio of at most
``1 + epsilon h``, log Q(y|x) has slopes of at most epsilon, so that E is ``epsilon |x - x'|`` for the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

from ...core.domain import Domain
from ...core.errors import InvalidContext, InvalidSpec, shown
from ...core.exact import epsilon_of, exact_number, exp_below, positive_finite, text_of
from ...core.fields import Fields, as_list, number, text
from ...core.numbers import NumberDomain
from ..context import Context
from ..reading import epsilon_in, level
from .graded import Graded
from .places import LINE, LineOrRing
from .uniform import Uniform

MAX_STEP_EPSILON = Fraction(1, 100)
"""The epsilon of a step by distance where nothing says how many nodes there are: a hundredth, for little is lost."""
MAX_NODES = 4096
"""The most nodes that are chosen unasked."""
PLACES = 15
"""The decimals of the epsilon of a step by distance."""
DIGITS = 6
"""The digits of an epsilon of numbers as it is said, rounded up."""
ABOVE = 1 + Fraction(1, 1 << 190)
"""How far an exponential may be above `exp_below`, and far more."""


class NumberBounds(NamedTuple):
    """What a context of nodes promises for the numbers between them."""

    largest: Fraction
    """E between any two numbers is at most this."""
    a_unit: Fraction | None
    """E between two numbers is at most this times their distance; None unless nodes are hidden by distance."""

    def __str__(self) -> str:
        most = f"any two at most {text_of(self.largest)}"
        return most if self.a_unit is None else f"at most {text_of(self.a_unit)} times their distance, {most}"


def number_bounds(context: Context) -> NumberBounds | None:
    """What holds for any two numbers, those between the nodes too; None for a domain that is not of numbers.

    >>> import discreet as dc
    >>> str(dc.Context.numbers(0, 100, "0.1", distance="line").number_bounds)
    'at most 0.1 times their distance, any two at most 9.99...'
    """
    domain = context.domain
    if not isinstance(domain, NumberDomain):
        return None
    line = context.line if domain.draws and not domain.outside else None
    if line is None or list(line.order) != list(range(domain.nodes)):
        return NumberBounds(context.largest, None)
    return NumberBounds(context.largest, slope_bound(domain, max(line.steps)))


def slope_bound(domain: NumberDomain, step: Fraction) -> Fraction:
    """The epsilon of a unit of distance between any two numbers whose neighbouring nodes have `step` between them.

    ``(e**step - 1) / h``, rounded up; it allows for the rounding of thresholds to words.
    """
    steep = (exp_below(step) * ABOVE - 1) / domain.step / (1 - Fraction(domain.units, 1 << 64))
    return _rounded_up(steep)


def check_numbers(context: Context) -> None:
    """Refuse a context in which a report may show between which nodes a number is."""
    if context.domain.draws and context.shows:
        raise InvalidContext("numbers must all be hidden from each other: E of a grid must have no infinite entry")


def numbers(
    domain: NumberDomain, epsilon: object, *, distance: str | None = None, grades: Mapping[Any, object] | None = None
) -> Context:
    """The context of the nodes of a domain by which its numbers are hidden as asked; see ``Context.numbers``."""
    if distance is None and grades is None:
        return Uniform(domain, epsilon)
    if domain.outside and (grades is not None or distance is not None):
        raise InvalidContext(
            'outside: values beside numbers with distances or grades need an epsilon of their own: form = "outside"'
        )
    if grades is not None:
        if distance is not None:
            raise InvalidContext("give one of distance and grades, not both")
        return Graded(domain, _grades_of_nodes(domain, epsilon, grades))
    if distance != LINE:
        raise InvalidContext(f'distance={shown(distance)} must be "{LINE}" for numbers')
    if not domain.draws:
        raise InvalidContext("rounding must be at random for numbers that are hidden by distance")
    unit = positive_finite(epsilon)
    allowed = unit * domain.step * (1 - Fraction(domain.units, 1 << 64))
    with localcontext() as context:
        context.prec = 60
        exact = (1 + Decimal(allowed.numerator) / Decimal(allowed.denominator)).ln()
        step = Fraction(exact.quantize(Decimal(1).scaleb(-PLACES), rounding=ROUND_FLOOR))
    while step > 0 and exp_below(step) * ABOVE > 1 + allowed:  # only if the logarithm was off
        step -= Fraction(1, 10**PLACES)
    if step <= 0:
        raise InvalidContext(f"epsilon={text_of(unit)} a step of {text_of(domain.step)} must be at least 1e-{PLACES}")
    return LineOrRing(domain, LINE, step / domain.step)


def step_for(low: object, high: object, epsilon: object) -> Fraction | None:
    """The step of numbers by distance unless something says so: the longest round one that costs little.

    It is 1, 2 or 5 times a power of ten and divides the range; None where none does, within `MAX_NODES` nodes.
    """
    bounds = [exact_number(bound) for bound in (low, high)]
    if bounds[0] is None or bounds[1] is None or bounds[0] >= bounds[1]:
        return None  # which the domain refuses
    length, longest = bounds[1] - bounds[0], MAX_STEP_EPSILON / positive_finite(epsilon)
    steps = [Fraction(digit) * Fraction(10) ** power for power in range(15, -15, -1) for digit in (5, 2, 1)]
    fitting = [step for step in steps if (length / step).denominator == 1 and length / step < MAX_NODES]
    return next((step for step in fitting if step <= longest), fitting[-1] if fitting else None)


def _grades_of_nodes(domain: NumberDomain, epsilon: object, grades: Mapping[Any, object]) -> list[object]:
    """The least epsilon of the numbers that may become each node."""
    usual = epsilon_of(epsilon)
    if not isinstance(grades, Mapping) or not grades:
        raise InvalidContext("grades must be {(from, to): epsilon}")
    parts: list[tuple[Fraction, Fraction, Any]] = []
    for ends, entry in grades.items():
        if not isinstance(ends, tuple) or len(ends) != 2:
            raise InvalidContext(f"grades: {shown(ends)} must be a pair of numbers, from and to")
        begin, end = map(exact_number, ends)
        if begin is None or end is None or begin >= end:
            raise InvalidContext(f"grades: {shown(ends)} must be two numbers, the lower one first")
        parts.append((begin, end, epsilon_of(entry, name=f"grades[{ends!r}]")))
    levels: list[object] = []
    for j in range(domain.nodes):
        low = domain.low + max(j - 1, 0) * domain.step
        high = domain.low + min(j + 1, domain.nodes - 1) * domain.step
        own = [grade for begin, end, grade in parts if begin < high and low < end]
        if not _covered(low, high, parts):
            own.append(usual)
        levels.append(min(own))
    return [*levels, *[usual] * len(domain.outside)]


def _covered(low: Fraction, high: Fraction, parts: Sequence[tuple[Fraction, Fraction, Any]]) -> bool:
    """True if the numbers from `low` to `high` are all in some part."""
    for begin, end, _ in sorted(parts, key=lambda part: part[0]):
        if begin <= low < end:
            low = end
    return low >= high


def _rounded_up(exact: Fraction) -> Fraction:
    """An epsilon to six digits, rounded up."""
    places = DIGITS
    while exact * 10**places < 10 ** (DIGITS - 1):
        places += 1
    return Fraction(-(-exact.numerator * 10**places // exact.denominator), 10**places)


class NumbersForm:
    """``form = "numbers"`` in a spec: what `Context.numbers` takes, for a domain of numbers."""

    form = "numbers"

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Context:
        """The context, which is of another form: uniform, graded or metric."""
        if not isinstance(domain, NumberDomain):
            raise InvalidSpec(f'{fields.name("form")}="numbers" needs a domain with low and high')
        grades, distance = None, None
        if fields.has("distance"):
            distance = text(fields.required("distance"), fields.name("distance"))
        if fields.has("grades"):
            grades = {}
            for i, entry in enumerate(as_list(fields.required("grades"), fields.name("grades"))):
                part = Fields(entry, f"{fields.name('grades')}[{i}]")
                ends = tuple(number(part.required(key), part.name(key)) for key in ("from", "to"))
                grades[ends] = level(part.required("epsilon"), part.name("epsilon"))
                part.close()
        return numbers(domain, epsilon_in(fields), distance=distance, grades=grades)
