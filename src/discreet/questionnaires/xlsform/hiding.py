"""What a row of the survey says is to be hidden: our own columns, and the garbling columns of Safely Report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from ...core.canonical import loads
from ...core.domain import Value
from ...core.errors import InvalidInput, InvalidSpec, shown
from ...core.exact import exact_number, exp_below, positive_finite, text_of
from .columns import Entry

PUBLIC = "public"
"""What `discreet_context` says of a question whose answer is not hidden: a public label."""
PLACES = 12
"""The decimals of an epsilon that is made of a probability."""
FORMS = 'uniform, line, ring, "sensitive: ANSWER, ...", public, or a table of a context in JSON'
OUTSIDE = re.compile(r"outside\s*:\s*(.+?)\s+at\s+(\S+)", re.IGNORECASE)
SENSITIVE = re.compile(r"sensitive\s*:\s*(.+)", re.IGNORECASE)


def context_in(entry: Entry, values: Sequence[Value], *, lies: bool) -> dict[str, Any] | None:
    """The context that a row asks for, without an epsilon if the row has none; None for a row that asks for nothing.

    `lies` says that the values are numbers, which lie where they are; others lie in their order, one apart.
    """
    written, epsilon = entry.text("discreet_context"), entry.text("discreet_epsilon")
    level = {"epsilon": text_of(positive_finite(epsilon, name="discreet_epsilon"))} if epsilon else {}
    if not written:
        return {"form": "uniform", **level} if level else None
    if written.startswith("{"):
        context = loads(written, InvalidSpec)
        return {**level, **context}
    form, _, beside = (part.strip() for part in written.partition(";"))
    if not beside:
        return _inner(form, values, level, lies=lies)
    outside = OUTSIDE.fullmatch(beside)
    if outside is None:
        raise InvalidInput(f'{shown(beside)} must be "outside: ANSWER, ... at EPSILON"')
    added = _answers(outside[1], values)
    inside = [value for value in values if value not in added]
    scale = _inner(form, inside, level, lies=all(isinstance(value, int) for value in inside))
    if added != list(values)[-len(added) :] or not inside:
        raise InvalidInput("the answers outside the scale must be the last ones of the list, in its order")
    return {"form": "outside", "outside": added, "scale": scale, "epsilon": text_of(positive_finite(outside[2]))}


def context_of_numbers(entry: Entry) -> dict[str, Any] | None:
    """The same for any numbers between bounds."""
    written, epsilon = entry.text("discreet_context"), entry.text("discreet_epsilon")
    level = {"epsilon": text_of(positive_finite(epsilon, name="discreet_epsilon"))} if epsilon else {}
    if written.startswith("{"):
        return {**level, **loads(written, InvalidSpec)}
    if written.lower() not in ("", "uniform", "line"):
        raise InvalidInput(f"{shown(written)} must be uniform, line or a table of a context in JSON, for numbers")
    if written.lower() == "line":
        if not level:
            raise InvalidInput("a context line needs a discreet_epsilon, for a distance of one")
        return {"form": "numbers", "distance": "line", **level}
    return {"form": "numbers", **level} if written or level else None


def _inner(written: str, values: Sequence[Value], level: dict[str, Any], *, lies: bool) -> dict[str, Any]:
    if written.lower() in ("uniform", PUBLIC):
        return {"form": written.lower(), **level}
    if written.lower() in ("line", "ring"):
        if not level:
            raise InvalidInput(f"a context {written.lower()} needs a discreet_epsilon, for a distance of one")
        places = {} if lies else {"points": list(range(len(values)))}
        return {"form": "metric", "distance": written.lower(), **places, **level}
    if (named := SENSITIVE.fullmatch(written)) is not None:
        return {"form": "high_low", "sensitive": _answers(named[1], values), **level}
    raise InvalidInput(f"{shown(written)} must be one of {FORMS}")


def _answers(written: str, values: Sequence[Value]) -> list[Value]:
    """Answers named by a text with commas, as values of the question."""
    by_text = {str(value): value for value in values}
    if len(by_text) == len(values) and written in by_text:
        return [by_text[written]]  # one that may have commas in it
    named = [part.strip() for part in written.split(",")]
    for one in named:
        if one not in by_text:
            raise InvalidInput(f"{shown(one)} must be one of the answers: {', '.join(by_text)}")
    return [by_text[one] for one in named]


def epsilon_of_rate(rate: Fraction) -> Fraction:
    """The largest epsilon of `PLACES` decimals with e^epsilon <= 1/rate, which is what garbling at this rate hides.

    >>> from fractions import Fraction
    >>> float(epsilon_of_rate(Fraction(3, 10)))
    1.203972804325
    """
    exact = Context(prec=60)
    odds = exact.subtract(exact.ln(Decimal(rate.denominator)), exact.ln(Decimal(rate.numerator)))
    epsilon = Fraction(odds.quantize(Decimal(1).scaleb(-PLACES), rounding=ROUND_FLOOR, context=exact))
    assert exp_below(epsilon) <= 1 / rate
    return epsilon


def garbling_in(entry: Entry, values: Sequence[Value]) -> tuple[dict[str, Any], str] | None:
    """The context of a garbled question, and what to say of it; None for one that is not garbled.

    The answer that others are garbled into is always reported as it is, every other one is replaced by it with a
    probability r: a report of it is 1/r times as likely from its holder, so it is hidden at ln(1/r), and the other
    answer need not be hidden.
    """
    answer, rate = entry.text("garbling::answer"), entry.text("garbling::rate")
    if not answer and not rate:
        return None
    by_text = {str(value): value for value in values}
    if len(values) != 2 or answer not in by_text:
        raise InvalidInput(f"garbling::answer={shown(answer)} must be one of the two choices of a question")
    exact = exact_number(rate)
    if exact is None or not 0 < exact < 1:
        raise InvalidInput(f"garbling::rate={shown(rate)} must be a number between 0 and 1, both left out")
    epsilon = epsilon_of_rate(exact)
    if epsilon == 0:
        raise InvalidInput(f"garbling::rate={shown(rate)} is so near 1 that nothing could be learned")
    levels = [text_of(epsilon) if str(value) == answer else "inf" for value in values]
    said = (
        f"garbled at the rate {text_of(exact)}: {answer!r} is hidden at epsilon {text_of(epsilon)}, which is "
        f"ln(1/{text_of(exact)}) rounded down to {PLACES} decimals; the other answer is not hidden, as it is not there"
    )
    return {"form": "binary", "epsilon": levels}, said
