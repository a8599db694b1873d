"""What a questionnaire promises, in words that a person can check: by its strategy, and question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from ..contexts import Context
from ..core.exact import text_of
from ..wire.form import EACH, ONE, TOGETHER, Form
from .promise import COST, INVITED, describe_bounds, describe_hiding, describe_showing, promise_for, ratio

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Small numbers as they are written in a sentence."""

UNCHANGED = "with your other answers as they are"
"""What an answer to one question is compared with, where one report is about all of them."""


def form_promise(
    form: Form,
    epsilon: Fraction,
    changes: str,
    words: Mapping[str, Mapping[str, str]],
    *,
    access: str = "open",
    units: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """Sentences that say what is asked, how far the answers are hidden, what may show, and what it costs.

    They follow from the laws. `epsilon` is what answering spends, `words` those for the answers of every question,
    and `units` those of their distances. Questions are called by their place.
    """
    if form.strategy == ONE:
        same, again = "The same answer again uses nothing; a different one", ("is not accepted", "uses as much again")
    else:
        same, again = "The same answers again use nothing; different ones", ("are not accepted", "use as much again")
    return [
        _asked(form),
        *form_protection(form, words, units),
        *([INVITED] if access == "invitation" else []),
        f"{COST} {text_of(epsilon)} of your privacy budget. {same} {again[changes != 'refuse']}.",
    ]


def form_promise_for(form: Form, name: str, x: int | Sequence[int], unit: str = "") -> str:
    """A sentence that says how far one answer, value number x of a question, is hidden; it does not repeat it."""
    sentence = promise_for(form.questions[name].context, x, unit)
    if form.strategy == TOGETHER and not _is_even(_joint(form)):
        return f"{UNCHANGED.capitalize()}: {sentence[0].lower()}{sentence[1:]}"
    return sentence


def _asked(form: Form) -> str:
    """What is asked, and what leaves the device."""
    count = len(form.names)
    several = NUMBERS[count] if count < len(NUMBERS) else str(count)
    everything = "both questions" if count == 2 else f"all {several} questions"
    return {
        ONE: f"You are asked one of the {several} questions, drawn at random on this device, and only your randomized "
        "answer to it is sent. Which question it is can be seen.",
        EACH: f"You are asked {everything}, and for each of them a randomized report is sent.",
        TOGETHER: f"You are asked {everything}, and one randomized report of all your answers together is sent.",
    }[form.strategy]


def form_protection(form: Form, words: Mapping[str, Mapping[str, str]], units: Mapping[str, str]) -> list[str]:
    """How far answers are hidden: of the whole, or question by question, those together that promise the same."""
    if form.strategy == TOGETHER and _is_even(_joint(form)):
        return [_of_all("your report makes yours", _joint(form).largest)]
    promised: dict[tuple[str, ...], list[int]] = {}
    for place, (name, spec) in enumerate(form.questions.items(), 1):
        said = (
            describe_hiding(spec.context, words[name], units.get(name, "")),
            *describe_showing(spec.context, words[name]),
            *describe_bounds(spec.context),
        )
        promised.setdefault(said, []).append(place)
    sentences = []
    for said, places in promised.items():
        prefix = "" if len(promised) == 1 else _places(places)
        if form.strategy == TOGETHER:
            prefix = ", ".join([*([prefix] if prefix else []), UNCHANGED])
        text = " ".join(said)
        sentences.append(f"{prefix[0].upper()}{prefix[1:]}: {text[0].lower()}{text[1:]}" if prefix else text)
    return [*sentences, *_added_up(form)]


def _places(places: list[int]) -> str:
    """Questions by their place."""
    *first, last = map(str, places)
    return f"questions {', '.join(first)} and {last}" if first else f"question {last}"


def _added_up(form: Form) -> list[str]:
    """What all answers together come to, where each adds to what is shown."""
    contexts = [spec.context for spec in form.questions.values()]
    if form.strategy == ONE:
        return []
    if form.strategy == EACH and all(map(_is_even, contexts)):
        total = sum((context.largest for context in contexts), Fraction(0))
        return ["What the reports show adds up. " + _of_all("they make yours", total)]
    return [
        "What the reports show of you adds up over the questions."
        if form.strategy == EACH
        else "Where answers to several questions differ, what the report shows adds up."
    ]


def _of_all(what: str, level: Fraction) -> str:
    return (
        f"Compared with any other set of answers, {what} at most {ratio(level)} times as likely as before, whatever "
        f"was known of you (epsilon {text_of(level)})."
    )


def _joint(form: Form) -> Context:
    (spec,) = form.parts.values()
    return spec.context


def _is_even(context: Context) -> bool:
    """True if every answer is hidden from every other one alike."""
    return not context.shows and context.smallest == context.largest
