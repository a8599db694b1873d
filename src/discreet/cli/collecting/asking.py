"""What `discreet answer` shows of a collection, and how it asks a person in a terminal.

Whatever somebody else wrote is shown on lines of its own, without anything that could steer a terminal. Nothing that a
person has typed is lost by a mistake: the same question is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import Refused
from ...core.exact import text_of
from ...core.numbers import NumberDomain

if TYPE_CHECKING:
    from ...client import Client, Collection
    from ...client.collection import Question
    from ...core.domain import Value

MAX_LISTED_VALUES = 40
"""The most values that are listed before a question."""

MAX_HINTS = 5
"""The most answers that are named to somebody who typed something else."""

JOINERS = "\u200c\u200d"
"""Characters without a picture that some scripts and emoji need between others."""

NUMBER = re.compile(r"[+-]?[0-9]+")


def printable(text: str, *, unseen: str = JOINERS) -> str:
    """A text of somebody else's on one line, without anything that could steer a terminal."""
    line = " ".join(text.split())
    return "".join(c if c.isprintable() or c in unseen else c.encode("unicode_escape").decode() for c in line)


def show_paragraphs(text: str) -> None:
    """A text of somebody else's, line by line."""
    for line in text.splitlines():
        click.echo(printable(line))


# -- before anything is asked ------------------------------------------------------------------------
def show_heading(collection: Collection) -> None:
    """The title, who asks and what for."""
    texts = collection.texts
    click.echo(printable(texts.title))
    if texts.asker:
        click.echo(f"Asked by: {printable(texts.asker)}")
    show_paragraphs(texts.introduction)


def show_promise(collection: Collection, client: Client) -> None:
    """What is promised, and what it costs."""
    from ...client.promise import ISOLATES

    for sentence in collection.promise:
        click.echo(printable(sentence, unseen=JOINERS + ISOLATES))
    for warning in collection.warnings:
        click.echo(printable(warning))
    ledger = client.ledger
    if any(known.collection == collection.name for known in ledger.collections):
        click.echo("You have answered this before.")
    else:
        rest = text_of(ledger.left - collection.epsilon) if ledger.left >= collection.epsilon else None
        after = "" if rest is None else f"; after this answer, {rest} will remain"
        click.echo(f"Of your budget of {text_of(ledger.cap)} you have spent {text_of(ledger.spent)} so far{after}.")


def show_question(question: Question, *, numbered: bool) -> None:
    """A question with its heading, help and answers, which are numbered where a number may be typed for them."""
    if question.group:
        click.echo(printable(question.group))
    click.echo(printable(question.question))
    if question.help:
        click.echo(printable(question.help))
    numbers, unit = numbered and takes_numbers(question), f" {printable(question.unit)}" if question.unit else ""
    ends, listed = _range_and_rest(question)
    if isinstance(question.values, NumberDomain):
        click.echo(f"  {question.values.scale_rule}{unit}")
    if ends is not None:
        click.echo(f"  a whole number from {ends[0]} to {ends[1]}{unit}")
    for place, value in enumerate(listed[:MAX_LISTED_VALUES], 1):
        text, shown = str(value), question.words.get(str(value))
        own = f"{printable(text)}{unit if type(value) is int and shown is None else ''}"
        entry = own if shown is None else f"{own}: {printable(shown)}"
        click.echo(f"  {place:>2}  {entry}" if numbers else f"  {entry}")
    if len(listed) > MAX_LISTED_VALUES:
        click.echo(f"  ... and {len(listed) - MAX_LISTED_VALUES} more")


def in_words(question: Question, value: Value) -> str:
    """A value as people read it."""
    return question.words.get(str(value), str(value))


def takes_numbers(question: Question) -> bool:
    """True if a number may be typed for an answer: it is short enough a list, and no answer is itself a number."""
    few = len(question.values) <= MAX_LISTED_VALUES and not isinstance(question.values, NumberDomain)
    return few and not any(NUMBER.fullmatch(str(value)) for value in question.values)


def _range_and_rest(question: Question) -> tuple[tuple[int, int] | None, Sequence[Value]]:
    """The ends of many whole numbers without a gap or words, and the answers beside them; or all answers."""
    if isinstance(question.values, NumberDomain):
        return None, question.values.outside
    numbers = [value for value in question.values if type(value) is int]
    whole = len(numbers) > MAX_LISTED_VALUES and numbers == list(range(numbers[0], numbers[-1] + 1))
    if not whole or any(str(value) in question.words for value in numbers):
        return None, question.values
    return (numbers[0], numbers[-1]), [value for value in question.values if type(value) is not int]


# -- asking --------------------------------------------------------------------------------------------
def ask_consent(collection: Collection) -> None:
    """Go on only with somebody who agrees, where the collection asks for that."""
    if not collection.texts.consent:
        return
    click.echo()
    show_paragraphs(collection.texts.consent)
    if not _asked("Do you agree? (y/n)", _agreement, default="n"):
        raise Refused("you did not agree, so nothing was asked, spent or sent")


def _agreement(typed: str) -> bool:
    if typed.strip().lower() not in ("y", "yes", "n", "no"):
        raise click.UsageError("type y if you agree, or n if you do not")
    return typed.strip().lower() in ("y", "yes")


def ask_labels(collection: Collection, given: dict[str, str]) -> dict[str, str]:
    """The public labels, those that were given and those that the collection asks for, in its order."""
    answers = dict(given)
    for name, about in collection.background.items():
        if name in given:
            continue
        allowed = collection.labels[name]
        click.echo(f"\n{printable(about.question or name)}")
        if about.help:
            click.echo(printable(about.help))
        for place, text in enumerate(allowed, 1):
            shown = about.words.get(text)
            click.echo(f"  {place:>2}  {printable(text)}" + ("" if shown is None else f": {printable(shown)}"))
        click.echo("This is public: it is sent as it is, beside your report.")
        chosen: str = _asked("Your choice (Enter to skip)", partial(_label, allowed), default="")
        if chosen:
            answers[name] = chosen
    return answers


def _label(allowed: Sequence[str], typed: str) -> str:
    if not typed or typed in allowed:
        return typed
    numbers = not any(NUMBER.fullmatch(text) for text in allowed)
    if numbers and typed.isdecimal() and 1 <= int(typed) <= len(allowed):
        return allowed[int(typed) - 1]
    raise click.UsageError(f"type {_number_or(len(allowed), numbers)}one of the texts above, or nothing at all")


def ask_questions(collection: Collection, asked: Sequence[str]) -> dict[str, Value]:
    """The answer to every question that is asked, with what is promised of it, until the person wants to send them."""
    answers: dict[str, Value] = {}
    for place, name in enumerate(asked, 1):
        question = collection.questions[name]
        if collection.strategy is not None:
            click.echo(f"\nQuestion {place} of {len(asked)}" if len(asked) > 1 else "\nYour question")
            show_question(question, numbered=True)
        answers[name] = _ask(question)
    while True:
        _show_answers(collection, answers)
        again = _confirmed(list(answers))
        if again is None:
            return answers
        show_question(collection.questions[again], numbered=True)
        answers[again] = _ask(collection.questions[again])


def _ask(question: Question) -> Value:
    value: Value = _asked("Your answer", partial(_value, question), default="")
    return value


def _value(question: Question, typed: str) -> Value:
    """The value that was typed: its text, its number in the list, or its words; of yes and no a beginning will do."""
    typed = typed.strip()
    held = question.values.held(typed)
    if held is not None:
        return held
    number = None
    if takes_numbers(question) and typed.isdecimal() and 1 <= int(typed) <= len(question.values):
        number = int(typed) - 1
    if number is None:
        number = _only_number(question, typed, str.__eq__)
    if number is None and question.kind in ("yes/no", "box"):
        number = _only_number(question, typed, str.startswith)
    if number is None:
        raise click.UsageError(_hint(question, typed))
    value: Value = question.values[number]
    return value


def _only_number(question: Question, typed: str, alike: Callable[[str, str], bool]) -> int | None:
    """The number of the only value whose text, or words, are like what was typed; None if there is none."""
    found = [
        number
        for number, value in enumerate(question.values)
        if typed and any(alike(text.casefold(), typed.casefold()) for text in (str(value), in_words(question, value)))
    ]
    return found[0] if len(found) == 1 else None


def _hint(question: Question, typed: str) -> str:
    """What may be typed instead; of a long list what looks like it."""
    ends, listed = _range_and_rest(question)
    if isinstance(question.values, NumberDomain):
        return f"type {question.values.rule}"
    if ends is not None:
        others = (
            f", or {'one of the answers above' if len(listed) > 1 else printable(str(listed[0]))}" if listed else ""
        )
        return f"type a whole number from {ends[0]} to {ends[1]}{others}"
    near = [
        str(value)
        for value in question.values
        if typed and typed.casefold() in f"{value} {in_words(question, value)}".casefold()
    ]
    if near:
        more = f" and {len(near) - MAX_HINTS} more" if len(near) > MAX_HINTS else ""
        return f"these answers look like it: {', '.join(map(printable, near[:MAX_HINTS]))}{more}"
    return f"type {_number_or(len(question.values), takes_numbers(question))}one of the answers above"


def _number_or(count: int, numbers: bool) -> str:
    if not numbers:
        return ""
    return "1 or 2, or " if count == 2 else f"a number from 1 to {count}, or "


def _show_answers(collection: Collection, answers: dict[str, Value]) -> None:
    """What was answered, and what is promised of each."""
    several = collection.strategy is not None
    for place, (name, value) in enumerate(answers.items(), 1):
        question = collection.questions[name]
        if several:
            asked = printable(f"{question.group} {question.question}")
            answer = printable(in_words(question, value))
            click.echo(f"\n{place}. {asked} {answer}" if asked.endswith("?") else f"\n{place}. {asked}: {answer}")
        click.echo(promise_for(collection, name, value))


def promise_for(collection: Collection, name: str, value: Value) -> str:
    """What is promised of one answer."""
    return collection.promise_for(*([name] if collection.strategy is not None else []), value)


def _confirmed(names: list[str]) -> str | None:
    """None once the answers may be sent, or the name of a question that is to be answered again."""
    one = len(names) == 1
    said = "Send it? Type yes, no, or again" if one else "Send them? Type yes, no, or the number of one to change"
    choice: int = _asked(said, partial(_choice, len(names)), default="")
    if choice == 0:
        raise Refused("nothing was sent or spent")
    return None if choice < 0 else names[choice - 1]


def _choice(count: int, typed: str) -> int:
    """-1 to send, 0 to stop, or the number of an answer."""
    typed = typed.strip().casefold()
    if typed in ("yes", "y"):
        return -1
    if typed in ("no", "n"):
        return 0
    if count == 1 and typed == "again":
        return 1
    if count > 1 and typed.isdecimal() and 1 <= int(typed) <= count:
        return int(typed)
    raise click.UsageError("type yes, no, or again" if count == 1 else f"type yes, no, or a number from 1 to {count}")


def _asked(text: str, read: Callable[[str], Any], default: str | None = None) -> Any:
    """What was typed, as it is read; asked again until it can be."""
    return click.prompt(text, value_proc=read, default=default, show_default=False)
