"""What a collection promises, in words that a person can check: numbers are rounded against the collection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

from ..contexts import Context
from ..contexts.forms.numbers import slope_bound
from ..contexts.forms.places import LINE
from ..core.domain import Value
from ..core.exact import text_of
from ..core.numbers import NumberDomain

MAX_LISTED = 8
"""The most values or blocks that a sentence lists."""

INVITED = "Your invitation is sent along with your report: whoever noted who got it can tell that the report is yours."
"""What a collection that asks for invitations can see."""

COST = "Answering uses"
"""How the sentence about the cost of an answer begins."""

QUOTES = re.compile('["\u201c-\u201f\u2033\u2036\uff02]')
"""Characters that could pass for the quotes around a text; they are shown as `QUOTE`."""
QUOTE = "'"

LEFTWARD = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""Letters of scripts that run to the left."""
ISOLATES = "\u2068\u2069"
"""What such a text in a sentence is put between, so that it changes places with nothing around it."""

MAX_ROW = 10_000
"""The most values whose entries are compared for a sentence about one of them."""

NOTABLE = Fraction(1)
"""The epsilon at which a metric context is explained, or the next round distance below it."""

MAX_COMPARED = 300
"""The most values of which the nearest two are looked for, and whose numbers are compared with distances."""

LEAST_SCALE = 3
"""The fewest answers that a scale with others outside it has."""

NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
"""The number that a value begins with: 18 of 18, and of the band "18 to 27"."""

LARGE = Fraction(14)
"""The epsilon from which on a ratio is no number that means anything to a reader."""


def promise(
    context: Context, changes: str, words: Mapping[str, str], *, access: str = "open", unit: str = ""
) -> list[str]:
    """Sentences that say how far an answer is hidden, what may show, and what it costs.

    They follow from the law: values are called by their own texts, with the collection's words beside them, and
    distances have its `unit`.
    """
    again = "is not accepted" if changes == "refuse" else "uses as much again"
    return [
        describe_hiding(context, words, unit),
        *describe_showing(context, words),
        *describe_bounds(context),
        *([INVITED] if access == "invitation" else []),
        f"{COST} {text_of(context.largest)} of your privacy budget. The same answer again uses nothing; "
        f"a different one {again}.",
    ]


def promise_for(context: Context, x: int | Sequence[int], unit: str = "") -> str:
    """A sentence that says how far one answer, value number x, is hidden; it does not repeat the answer.

    A number that may become one of several values is hidden as well as the worst of them.
    """
    several = [x] if isinstance(x, int) else list(x)
    others, hidden = context.size - 1, min(hidden_counts(context)[one] for one in several)
    if hidden == 0:
        return "This answer is not protected: whoever gets your report may learn it for certain."
    scale = _scale_of(context)
    if scale is not None and max(several) < scale.size:
        return f"This answer is protected best against answers near it: {_by_distance(scale, unit, 'it')}"
    level = context.largest if context.size > MAX_ROW else max(_largest_finite(context, one) for one in several)
    likelier = f"your report makes it at most {ratio(level)} times as likely as before (epsilon {text_of(level)})"
    if hidden == others:
        return f"This answer is protected: compared with any other, {likelier}."
    return (
        f"This answer is partly protected: compared with {hidden} of the {others} other answers, {likelier}. "
        "It may rule out the rest for certain."
    )


def hidden_counts(context: Context) -> Sequence[int]:
    """For each value, from how many others it is hidden: those z with a finite E[x, z]."""
    if context.is_finite:
        return [context.size - 1] * context.size
    if context.factors is not None:
        first, second = map(hidden_counts, context.factors)
        return [(a + 1) * (b + 1) - 1 for a in first for b in second]
    sizes = [len(members) for members in context.members]
    counts = [0] * len(sizes)
    for c, d in context.finite():
        counts[c] += sizes[d] - (c == d)
    return [counts[c] for c in context.class_of]


def _largest_finite(context: Context, x: int) -> Fraction:
    entries = (context.at(x, z) for z in range(context.size))
    return max(entry for entry in entries if isinstance(entry, Fraction))


def describe_hiding(context: Context, words: Mapping[str, str], unit: str = "") -> str:
    """A sentence that says how far any answer is hidden from others; of a scale, one more about those outside it."""
    if context.tightest is None:
        return "Nothing is hidden here: whoever gets your report may learn your answer from it."
    if (scale := _scale_of(context)) is not None:
        near = _by_distance(scale, unit, "yours")
        return (
            f"The nearer another answer is to yours, the better yours is hidden: {near}{_beside(scale, context, words)}"
        )
    times, epsilon, answers = ratio(context.largest), text_of(context.largest), "answers"
    other = "an answer that it is hidden from" if context.shows else "any other answer"
    if isinstance(context.domain, NumberDomain) and not context.domain.outside and not context.shows:
        other, answers = f"any other{context.domain.scale_rule.removeprefix('a')}", "numbers"
    if context.smallest != context.largest:
        times = f"{ratio(Fraction(context.smallest))} to {times}"
        epsilon = f"{text_of(context.smallest)} to {epsilon}, depending on the two {answers}"
    return (
        f"Compared with {other}, your report makes yours at most {times} times as likely as before, whatever was known "
        f"of you (epsilon {epsilon})."
    )


@dataclass(frozen=True)
class _Scale:
    """The first values of a context, between which E is `each` times a distance; `level` from any value outside."""

    size: int
    each: Fraction
    smallest: Fraction | None
    """The least E between two of them; None if it was not looked for."""
    largest: Fraction
    is_numeric: bool
    """Whether distances are differences of the numbers that the values begin with, and so have their unit."""
    level: Fraction | None = None


def _scale_of(context: Context) -> _Scale | None:
    """The scale by which a context is explained: all values of a metric, or a line with some values outside it."""
    if context.shows or not context.largest:
        return None
    each, few, is_number = _distance_epsilon(context), context.size <= MAX_COMPARED, context.number_bounds is not None
    if each is None:
        return _scale_beside(context) if few and context.is_entrywise else None
    smallest = Fraction(context.smallest) if few and not is_number else None
    is_numeric = is_number or (few and _is_numeric(context, each))
    return _Scale(context.size, each, smallest, context.largest, is_numeric)


def _scale_beside(context: Context) -> _Scale | None:
    """The line or ring that E is beside values outside it, all of them at one level from every other value."""
    level, size, domain = Fraction(context.at(context.size - 1, 0)), context.size, context.domain
    while size and _is_outside(context, size - 1, level):
        size -= 1
    if not LEAST_SCALE <= size < context.size:
        return None
    grid = domain if isinstance(domain, NumberDomain) else None
    if grid is not None and (not grid.draws or size != grid.nodes):
        return None
    numbers = _numbers(context, size)
    for places in (numbers, range(size)) if grid is None else (range(size),):
        if len(set(places)) < size:
            continue
        order = sorted(range(size), key=places.__getitem__)
        gap = places[order[1]] - places[order[0]]
        each = Fraction(context.at(order[0], order[1])) / gap
        nearest = min(Fraction(context.at(x, z)) for x, z in pairwise(order))
        largest = max(Fraction(context.at(order[0], x)) for x in order[1:])
        for around in (None, size * gap) if size > LEAST_SCALE and grid is None else (None,):
            if nearest < largest and _is_along(context, order, places, each, level, around):
                if grid is not None:
                    return _Scale(size, slope_bound(grid, each), None, largest, True, level)
                return _Scale(size, each, nearest, largest, places is numbers, level)
    return None


def _is_outside(context: Context, x: int, level: Fraction) -> bool:
    """True if value number x is at this level from every other value, both ways."""
    return all(context.at(x, z) == context.at(z, x) == level for z in range(context.size) if z != x)


def _is_along(
    context: Context,
    order: Sequence[int],
    places: Sequence[Fraction | int],
    each: Fraction,
    level: Fraction,
    around: Fraction | int | None,
) -> bool:
    """True if E is `each` times the distance of two places, or as much as by way of a value outside.

    Distances are those along a line, or the shorter way round a ring of the length `around`.
    """

    @cache
    def allowed(gap: Fraction | int) -> tuple[Fraction, Fraction]:
        apart = gap if around is None else min(gap, around - gap)
        return each * apart, min(each * apart, 2 * level)

    return all(
        context.at(x, z) in (known := allowed(places[z] - places[x])) and context.at(z, x) in known
        for x, z in combinations(order, 2)
    )


def _beside(scale: _Scale, context: Context, words: Mapping[str, str]) -> str:
    """What a report shows of the answers outside a scale; nothing where there are none."""
    if scale.level is None:
        return ""
    outside = [context.values[x] for x in range(scale.size, context.size)]
    return (
        f" Compared with {_list([quoted(value, words) for value in outside[:MAX_LISTED]], len(outside))}, any other "
        f"answer becomes at most {ratio(scale.level)} times as likely as before, and the other way round "
        f"(epsilon {text_of(scale.level)})."
    )


def _by_distance(scale: _Scale, unit: str, what: str) -> str:
    """What a report shows against an answer at a round distance: the largest one with an epsilon of 1 or less."""
    most = min(NOTABLE, scale.largest) / scale.each
    distance = next(step for step in _round_numbers(most) if step <= most)
    level, other = scale.each * distance, f"an answer at a distance of {text_of(distance)}"
    if unit and scale.is_numeric:
        other += f" {quoted(unit)}"
    if scale.smallest is not None and scale.smallest > level:
        level, other = scale.smallest, "the nearest answers"
    return (
        f"compared with {other}, your report makes {what} at most {ratio(level)} "
        f"times as likely as before (epsilon {text_of(level)}, in proportion to the distance)."
    )


def _distance_epsilon(context: Context) -> Fraction | None:
    """The epsilon of a unit of distance, of numbers between the nodes too; None where there is none."""
    bounds = context.number_bounds
    if bounds is None or context.distance_epsilon is None:
        return context.distance_epsilon
    described = context.describe()
    return bounds.a_unit if described.get("distance") == LINE and "points" not in described else None


def _numbers(context: Context, count: int) -> list[Fraction]:
    """The numbers that the first so many values begin with, as far as they begin with one."""
    found = (NUMBER.match(str(context.values[x])) for x in range(count))
    return [Fraction(one[0]) for one in found if one is not None]


def _is_numeric(context: Context, each: Fraction) -> bool:
    """True if distances are differences of the numbers that the values begin with, and so have their unit."""
    numbers = _numbers(context, context.size)
    return len(numbers) == context.size and all(
        context.at(0, x) == each * abs(number - numbers[0]) for x, number in enumerate(numbers) if x
    )


def _round_numbers(most: Fraction) -> Iterator[Fraction]:
    """1, 2 and 5 times powers of ten, downwards from a number above `most`."""
    power = Fraction(10)
    while power <= most:
        power *= 10
    while True:
        power /= 10
        yield from (digit * power for digit in (5, 2, 1))


def describe_showing(context: Context, words: Mapping[str, str]) -> list[str]:
    """What a report may show for certain; nothing where it shows nothing."""
    if not context.shows or context.tightest is None:
        return []
    parts = context.parts or ()
    if len(parts) > 1:
        groups = _list([quoted(part.name) for part in parts[:MAX_LISTED]], len(parts))
        return [f"Your report shows which of {len(parts)} groups your answer is in, but not which one there: {groups}."]
    counts, others = hidden_counts(context), context.size - 1
    everywhere = [x for x, count in enumerate(counts) if count == others]
    somewhere = [x for x, count in enumerate(counts) if 0 < count < others]
    if len(somewhere) == context.size:
        return ["Every answer is hidden from some of the others only. Your report may rule out the rest for certain."]

    def named(x: int) -> Value:
        return context.domain.normalized(context.domain[x])

    sentences = [
        f"{protected}: {_list([quoted(named(x), words) for x in numbers[:MAX_LISTED]], len(numbers))}."
        for protected, numbers in (("Protected", everywhere), ("Protected against some answers only", somewhere))
        if numbers
    ]
    rest = len(everywhere) + len(somewhere) < context.size
    return [" ".join([*sentences, *(["All other answers are not protected."] if rest else [])])]


def describe_bounds(context: Context) -> list[str]:
    """What becomes of numbers beyond the bounds; nothing where they are refused."""
    domain = context.domain
    return [domain.counted] if isinstance(domain, NumberDomain) and domain.counted else []


def value_text(value: object, words: Mapping[str, str]) -> str:
    """A value as people read it: the collection's words for it, or its own text."""
    return words.get(str(value), str(value))


def quoted(value: object, words: Mapping[str, str] | None = None) -> str:
    """A value in a sentence: its own text in quotes, which it cannot end itself, and the collection's words for it."""
    text, word = str(value), (words or {}).get(str(value))
    return _quote(text) if word is None or word == text else f"{_quote(text)} (shown as {_quote(word)})"


def _quote(text: str) -> str:
    inside = f'"{QUOTES.sub(QUOTE, text)}"'
    return inside.join(ISOLATES) if LEFTWARD.search(text) else inside


def _list(first: Sequence[str], count: int) -> str:
    """The first of `count` things, and how many more there are."""
    return ", ".join(first) + (f" and {count - len(first)} more" if count > len(first) else "")


def ratio(epsilon: Fraction) -> str:
    """e to the power of epsilon in three digits, rounded up; as a power where it is beyond a million."""
    if epsilon >= LARGE:
        return f"e^{text_of(epsilon)}"
    with localcontext() as exact:
        exact.prec = 60
        power = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
        return f"{power.quantize(Decimal(1).scaleb(power.adjusted() - 2), ROUND_UP).normalize():f}"
