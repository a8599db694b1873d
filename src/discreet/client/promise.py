"""What a collection promises, in words that a person can check: numbers are rounded against the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_UP, Decimal, localcontext
from fractions import Fraction

from ..contexts import Context
from ..core.exact import text_of

MAX_LISTED = 8
"""The most values or blocks that a sentence lists."""

INVITED = "Your invitation goes along with your report: whoever noted who got it can tell that the report is yours."
"""What a collection that asks for invitations can see."""

LARGE = Fraction(14)
"""The epsilon from which on a ratio is no number that means anything to a reader."""


def promise(context: Context, changes: str, words: Mapping[str, str], *, access: str = "open") -> list[str]:
    """Sentences that say how far an answer is hidden, what may show, and what it costs."""
    again = "is not taken" if changes == "refuse" else "spends as much again"
    return [
        _describe_hiding(context),
        *_describe_showing(context, words),
        *([INVITED] if access == "invitation" else []),
        f"This answer spends {text_of(context.largest)} of your budget. The same answer again costs nothing; "
        f"a changed one {again}.",
    ]


def value_text(value: object, words: Mapping[str, str]) -> str:
    """A value as people read it: the collection's words for it, or its own text."""
    return words.get(str(value), str(value))


def _describe_hiding(context: Context) -> str:
    if context.tightest is None:
        return "Nothing is hidden here: whoever gets your report may learn your answer from it."
    times, epsilon = ratio(context.largest), text_of(context.largest)
    other = "one that it is hidden from" if context.shows or context.smallest != context.largest else "any other"
    if context.smallest != context.largest:
        times = f"{ratio(Fraction(context.smallest))} to {times}"
        epsilon = f"{text_of(context.smallest)} to {epsilon}, by the two answers"
    return f"Your report is at most {times} times as likely with your answer as with {other} (epsilon {epsilon})."


def _describe_showing(context: Context, words: Mapping[str, str]) -> list[str]:
    if not context.shows or context.tightest is None:
        return []
    parts = context.parts or ()
    if len(parts) > 1:
        groups = _list([getattr(part, "name", "") for part in parts[:MAX_LISTED]], len(parts), words)
        return [f"It shows which of {len(parts)} groups your answer is in, and hides it inside: {groups}."]
    if parts:
        sensitive = parts[0].sensitive
        hidden = _list([context.values[x] for x in sensitive[:MAX_LISTED]], len(sensitive), words)
        return [f"Hidden from all others: {hidden}. Every other answer may show."]
    return ["Some answers may be told from some others for certain."]


def _list(first: Sequence[object], count: int, words: Mapping[str, str]) -> str:
    """The first of `count` things as people read them, and how many more there are."""
    texts = ", ".join(value_text(thing, words) for thing in first)
    return texts + (f" and {count - len(first)} more" if count > len(first) else "")


def ratio(epsilon: Fraction) -> str:
    """e to the power of epsilon in three digits, rounded up; as a power where it is beyond a million."""
    if epsilon >= LARGE:
        return f"e^{text_of(epsilon)}"
    with localcontext() as exact:
        exact.prec = 60
        power = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
        return f"{power.quantize(Decimal(1).scaleb(power.adjusted() - 2), ROUND_UP).normalize():f}"
