"""What a collection promises, in words that a person can check: numbers are rounded against the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_UP, Decimal, localcontext
from fractions import Fraction

from ..contexts import Context
from ..core.exact import text_of

MAX_LISTED = 8
"""The most values or blocks that a sentence lists."""

INVITED = "Your invitation goes along with your report: whoever noted who got it can tell that the report is yours."
"""What a collection that asks for invitations can see."""

QUOTES = re.compile('["\u201c-\u201f\u2033\u2036\uff02]')
"""Characters that could pass for the quotes around a text; they are shown as `QUOTE`."""
QUOTE = "'"

MAX_ROW = 10_000
"""The most values whose entries are compared for a sentence about one of them."""

LARGE = Fraction(14)
"""The epsilon from which on a ratio is no number that means anything to a reader."""


def promise(context: Context, changes: str, words: Mapping[str, str], *, access: str = "open") -> list[str]:
    """Sentences that say how far an answer is hidden, what may show, and what it costs.

    They follow from the law: values are called by their own texts, with the collection's words beside them.
    """
    again = "is not taken" if changes == "refuse" else "spends as much again"
    return [
        _describe_hiding(context),
        *_describe_showing(context, words),
        *([INVITED] if access == "invitation" else []),
        f"This answer spends {text_of(context.largest)} of your budget. The same answer again costs nothing; "
        f"a changed one {again}.",
    ]


def promise_for(context: Context, x: int) -> str:
    """A sentence that says how far one answer, value number x, is hidden; it does not repeat the answer."""
    others, hidden = context.size - 1, hidden_counts(context)[x]
    if hidden == 0:
        return "This answer is not hidden: whoever gets your report may learn it for certain."
    level = context.largest if context.size > MAX_ROW else _largest_finite(context, x)
    likelier = f"your report is at most {ratio(level)} times as likely with it as with"
    if hidden == others:
        return f"This answer is hidden from every other one: {likelier} another (epsilon {text_of(level)})."
    return (
        f"This answer is hidden from {hidden} of the {others} others: {likelier} one of these (epsilon "
        f"{text_of(level)}). That it is none of the rest may show for certain."
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
        groups = _list([quoted(part.name) for part in parts[:MAX_LISTED]], len(parts))
        return [f"It shows which of {len(parts)} groups your answer is in, and hides it inside: {groups}."]
    counts, others = hidden_counts(context), context.size - 1
    everywhere = [x for x, count in enumerate(counts) if count == others]
    somewhere = [x for x, count in enumerate(counts) if 0 < count < others]
    if len(somewhere) == context.size:
        return ["Every answer is hidden from some others only, and may be told from the rest for certain."]
    sentences = [
        f"Hidden from {whom} others: "
        + _list([quoted(context.values[x], words) for x in numbers[:MAX_LISTED]], len(numbers))
        + "."
        for whom, numbers in (("all", everywhere), ("some", somewhere))
        if numbers
    ]
    rest = len(everywhere) + len(somewhere) < context.size
    return [" ".join([*sentences, *(["Every other answer may show."] if rest else [])])]


def value_text(value: object, words: Mapping[str, str]) -> str:
    """A value as people read it: the collection's words for it, or its own text."""
    return words.get(str(value), str(value))


def quoted(value: object, words: Mapping[str, str] | None = None) -> str:
    """A value in a sentence: its own text in quotes, which it cannot end itself, and the collection's words for it."""
    text, word = str(value), (words or {}).get(str(value))
    own = f'"{QUOTES.sub(QUOTE, text)}"'
    return own if word is None or word == text else f'{own} (shown as "{QUOTES.sub(QUOTE, word)}")'


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
