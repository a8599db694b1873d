"""A questionnaire from plain questions: what is asked, how it is shown, and what is hidden of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ...contexts.forms.numbers import step_for
from ...core.errors import InvalidInput, shown
from ...core.exact import positive_finite, text_of
from ...core.fields import values as values_of
from ...wire.form import ONE, STRATEGIES, check_question
from ...wire.questionnaire import Questionnaire
from ...wire.texts import LANGUAGE, MAX_LINE, MAX_TEXT, MAX_TITLE
from .dialogue import Dialogue

REFUSAL = "prefer not to say"
KINDS = {
    "yes/no": "yes or no",
    "choice": "one of a list",
    "scale": "one of a list in an order, such as never, sometimes, often",
    "number": "a whole number, such as an age",
    "boxes": "any of a list may be ticked",
    "amount": "any number between two bounds, such as an income, of which the mean is wanted",
}
"""The kinds of questions that are asked about."""

WHOLE = "the whole"
OWN = "each its own"
HIDDEN = {
    WHOLE: "one epsilon for the whole questionnaire: every answer is hidden from every other",
    OWN: "each question says what is hidden, and how well",
}
ALIKE = "alike"
ONLY = "only some"
NEAR = "near ones"
AROUND = "around"
PROTECTION = {
    ALIKE: "every answer is hidden from every other",
    ONLY: "only some answers are sensitive; who gives another one may be seen",
    NEAR: "near answers are hard to tell apart, far ones less so",
    AROUND: "the same around a ring, as for hours of the day",
}
"""What may be hidden of a question."""
FOR_KIND = {
    "yes/no": (ALIKE, ONLY),
    "choice": (ALIKE, ONLY),
    "scale": (NEAR, ALIKE, ONLY),
    "number": (NEAR, ALIKE, AROUND),
    "boxes": (ALIKE, ONLY),
    "amount": (ALIKE, NEAR),
}
NUMBERS = re.compile(r"(-?\d{1,9})\s*(?:\.\.|-|to)\s*(-?\d{1,9})", re.ASCII)
BOUNDS = re.compile(r"(-?\d{1,12}(?:\.\d{1,6})?)\s*(?:\.\.|to)\s*(-?\d{1,12}(?:\.\d{1,6})?)", re.ASCII)
LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}", re.ASCII)


def questionnaire_from(ask: Dialogue, *, name: str, several: bool) -> dict[str, Any]:
    """The plain data of a questionnaire of one question or several, checked after every one."""
    data: dict[str, Any] = {"name": name, "title": ask.ask("Its title", _line(MAX_TITLE), default=name)}
    for key, question in (
        ("asker", "Who asks, and how to reach them"),
        ("introduction", "An introduction"),
        ("consent", "What people agree to before they answer, such as: I am 18 or older"),
        ("thanks", "What is said after the answer"),
    ):
        if text := ask.ask(f"{question}, or nothing", _optional(MAX_TEXT), default=""):
            data[key] = text
    data["language"] = ask.ask("The language it is written in, such as en or pt-BR", _language, default="en")
    if not several:
        entries = ask.checked(lambda: _entries(ask, "The question", own=True, taken=None), _check(data, None))
        one = entries[0]
        return _with_labels(ask, data | {key: entry for key, entry in one.items() if key != "name"})
    strategy = ask.choose("How it is asked", STRATEGIES, default=ONE)
    own = ask.choose("What is hidden", HIDDEN, default=WHOLE) == OWN
    data["form"] = {"strategy": strategy}
    if not own:
        data["form"]["epsilon"] = ask.ask(
            "Epsilon of the whole questionnaire (smaller hides more; 0.5 to 2 is common)", _epsilon, default="1"
        )
    questions: list[dict[str, Any]] = []
    while len(questions) < 2 or ask.confirm("Another question?", default=False):
        heading = f"Question {len(questions) + 1}"
        taken = [one["name"] for one in questions]
        more: list[dict[str, Any]] = ask.checked(
            lambda heading=heading, taken=taken: _entries(ask, heading, own=own, taken=taken),  # type: ignore[misc]
            _check(data, questions),
        )
        questions += more
    return _with_labels(ask, data | {"questions": questions})


def _check(data: Mapping[str, Any], earlier: Sequence[dict[str, Any]] | None) -> Callable[[list[dict[str, Any]]], None]:
    """A check of the questions so far, None if there is only one: an error for what could not be asked."""

    def check(entries: list[dict[str, Any]]) -> None:
        if earlier is None:
            Questionnaire.of({**data, **{key: entry for key, entry in entries[0].items() if key != "name"}})
            return
        questions = [*earlier, *entries]
        if len(questions) == 1:  # a form has at least two
            other = {"name": f"not {questions[0]['name']}"[:64].strip(), "question": "?", "domain": {"values": [0, 1]}}
            own = {"context": {"form": "uniform", "epsilon": "1"}} if "context" in questions[0] else {}
            questions.append(other | own)
        Questionnaire.of({**data, "questions": questions})

    return check


def _entries(ask: Dialogue, heading: str, *, own: bool, taken: Sequence[str] | None) -> list[dict[str, Any]]:
    """One question as entries of a questionnaire, of boxes one for each."""
    text = ask.ask(f"{heading}, as people read it", _line(MAX_LINE))
    offered = {key: what for key, what in KINDS.items() if key != "boxes" or taken is not None}
    kind = ask.choose("Its answer is", offered)
    name = ""
    if taken is not None:
        name = ask.ask("A short name for it, for tables", _name(taken), default=_slug(text, taken))
    if kind == "amount":
        return [_amount(ask, {"question": text}, name, own=own)]
    if kind == "number":
        low, high = ask.ask("From which to which number, such as 18..99", _ends)
        values: list[Any] = list(range(low, high + 1))
        unit = ask.ask("Its unit, such as years, or nothing", _optional(200), default="")
    else:
        unit = ""
        values = ["no", "yes"] if kind == "yes/no" else ask.ask(_asked_for(kind), _answers(1 if kind == "boxes" else 2))
    refusal = kind != "boxes" and ask.confirm(f'Offer "{REFUSAL}" as one more answer?', default=False)
    if refusal and REFUSAL in values:
        values.remove(REFUSAL)
    help_text = ask.ask("A text that helps to answer it, or nothing", _optional(MAX_LINE), default="")
    texts = {"question": text, "help": help_text, "unit": unit}
    shared = {key: entry for key, entry in texts.items() if entry}
    if kind != "boxes":
        hidden = {"context": _context(ask, kind, values, refusal=refusal)} if own else {}
        listed = [*values, REFUSAL] if refusal else values
        domain = {"from": values[0], "to": values[-1]} if kind == "number" and not refusal else listed
        return [{**({"name": name} if name else {}), **shared, "kind": kind, "domain": {"values": domain}, **hidden}]
    assert taken is not None  # boxes are several questions of yes or no
    hidden = {"context": _context(ask, kind, ["no", "yes"], refusal=False)} if own else {}
    names: list[str] = []
    for value in values:
        names.append(_slug(f"{name} {value}", [*taken, *names]))
    return [
        {
            "name": one,
            "question": value,
            "group": text,
            "kind": "box",
            **({"help": help_text} if help_text and not place else {}),
            "domain": {"values": ["no", "yes"]},
            **hidden,
        }
        for place, (one, value) in enumerate(zip(names, values, strict=True))
    ]


def _amount(ask: Dialogue, texts: dict[str, Any], name: str, *, own: bool) -> dict[str, Any]:
    """A question for any number between two bounds."""
    low, high = ask.ask("From which to which number, such as 0..4000", _bounds)
    domain: dict[str, Any] = {"low": low, "high": high}
    texts["unit"] = ask.ask("Its unit, such as euros a month, or nothing", _optional(200), default="")
    domain["clip"] = ask.confirm(
        f"Do numbers beyond them count as {low} or {high}, instead of being refused?", default=True
    )
    refusal = ask.confirm(f'Offer "{REFUSAL}" as one more answer?', default=False)
    texts["help"] = ask.ask("A text that helps to answer it, or nothing", _optional(MAX_LINE), default="")
    entries = {**({"name": name} if name else {}), **{key: text for key, text in texts.items() if text}}
    entries |= {"kind": "number", "domain": domain}
    near = (
        own
        and ask.choose("What is hidden of it", {key: PROTECTION[key] for key in FOR_KIND["amount"]}, default=ALIKE)
        == NEAR
    )
    if refusal and not near:
        domain["outside"] = [REFUSAL]
    if not own:
        return entries
    if not near:
        return entries | {"context": {"form": "numbers", "epsilon": _level(ask, "Epsilon", "1")}}
    epsilon = _level(ask, "Epsilon of two numbers one apart", "0.05")
    step = None if refusal else step_for(low, high, epsilon)  # with a refusal the law lists every pair of nodes
    if step is not None:
        domain["step"] = text_of(step)
    context = {"form": "numbers", "distance": "line", "epsilon": epsilon}
    if not refusal:
        return entries | {"context": context}
    level = _level(ask, f'Epsilon of "{REFUSAL}" and any other answer', "2")
    return entries | {"context": {"form": "outside", "outside": [REFUSAL], "scale": context, "epsilon": level}}


def _context(ask: Dialogue, kind: str, values: Sequence[Any], *, refusal: bool) -> dict[str, Any]:
    """What is hidden of a question, and how well; a refusal is nobody's neighbour."""
    options = {key: PROTECTION[key] for key in FOR_KIND[kind]}
    form = ask.choose("What is hidden of it", options, default=next(iter(options)))
    if form == ONLY:
        named = "yes" if kind in ("yes/no", "boxes") else None
        sensitive = ask.ask("Which answers are sensitive, separated by commas", _among(values), default=named)
        return {"form": "high_low", "sensitive": sensitive, "epsilon": _level(ask, "Epsilon", "1")}
    if form == ALIKE:
        return {"form": "uniform", "epsilon": _level(ask, "Epsilon", "1")}
    context: dict[str, Any] = {"form": "metric", "distance": "ring" if form == AROUND else "line"}
    if not all(isinstance(value, int) for value in values):
        context["points"] = list(range(1, len(values) + 1))
    if form == AROUND:
        context["around"] = len(values)
    context["epsilon"] = _level(ask, "Epsilon of two answers one apart", "0.5")
    if not refusal:
        return context
    level = _level(ask, f'Epsilon of "{REFUSAL}" and any other answer', "2")
    return {"form": "outside", "outside": [REFUSAL], "scale": context, "epsilon": level}


def _level(ask: Dialogue, what: str, default: str) -> str:
    return ask.ask(f"{what} (smaller hides more)", _epsilon, default=default)


def _with_labels(ask: Dialogue, data: dict[str, Any]) -> dict[str, Any]:
    """The questionnaire with public labels, which are asked for until an empty answer."""
    labels: dict[str, list[str]] = {}
    background = []
    question = "A public background question that is not hidden, such as region=north,south; or nothing"
    asked = [one["name"] for one in data.get("questions", ())]
    while given := ask.ask(question, _label([*labels, *asked]), default=""):
        name, texts = given
        labels[name] = texts
        text = ask.ask(f"How {name} is asked, as people read it", _line(MAX_LINE), default=name)
        background.append({"name": name, "question": text})
        question = "Another one, or nothing"
    return data | ({"labels": labels, "background": background} if labels else {})


# -- how answers are read --------------------------------------------------------------------------
def _line(most: int) -> Callable[[str], str]:
    def read(answer: str) -> str:
        if not answer or len(answer) > most or not answer.isprintable():
            raise InvalidInput(f"there must be a text of 1 to {most} printable characters")
        return answer

    return read


def _optional(most: int) -> Callable[[str], str]:
    return lambda answer: _line(most)(answer) if answer else ""


def _language(answer: str) -> str:
    if not LANGUAGE.fullmatch(answer):
        raise InvalidInput(f"{shown(answer)} must be the name of a language, such as en, de or pt-BR")
    return answer


def _epsilon(answer: str) -> str:
    try:
        positive_finite(answer)
    except InvalidInput:
        raise InvalidInput(f"{shown(answer)} must be a positive number with a decimal point, such as 0.5") from None
    return answer


def _ends(answer: str) -> tuple[int, int]:
    ends = NUMBERS.fullmatch(answer)
    if ends is None or not int(ends[1]) < int(ends[2]) <= int(ends[1]) + 10_000:
        raise InvalidInput(f"{shown(answer)} must be two whole numbers, the smaller first, such as 18..99")
    return int(ends[1]), int(ends[2])


def _bounds(answer: str) -> tuple[str, str]:
    ends = BOUNDS.fullmatch(answer)
    if ends is None or not Fraction(ends[1]) < Fraction(ends[2]):
        raise InvalidInput(f"{shown(answer)} must be two numbers, the smaller first, such as 0..4000 or 0.5..2.5")
    return ends[1], ends[2]


def _asked_for(kind: str) -> str:
    asked = {"scale": "The answers in their order", "boxes": "What can be ticked"}
    return f"{asked.get(kind, 'The answers')}, separated by commas"


def _answers(least: int) -> Callable[[str], list[str]]:
    def read(answer: str) -> list[str]:
        entries = [entry.strip() for entry in answer.split(",")]
        if "" in entries or len(entries) < least:
            raise InvalidInput(f"there must be {least} or more, separated by single commas, such as bus,car,bike")
        for entry in entries:
            if entries.count(entry) > 1:
                raise InvalidInput(f"{shown(entry)} must be there only once")
        return [str(entry) for entry in values_of(entries, "answers")]

    return read


def _among(values: Sequence[Any]) -> Callable[[str], list[Any]]:
    by_text = {str(value): value for value in values}

    def read(answer: str) -> list[Any]:
        entries = [entry.strip() for entry in answer.split(",")]
        for entry in entries:
            if entry not in by_text:
                raise InvalidInput(f"{shown(entry)} must be one of {', '.join(by_text)}")
            if entries.count(entry) > 1:
                raise InvalidInput(f"{shown(entry)} must be there only once")
        return [by_text[entry] for entry in entries]

    return read


def _name(taken: Sequence[str]) -> Callable[[str], str]:
    def read(answer: str) -> str:
        if answer in taken:
            raise InvalidInput(f"{shown(answer)} is the name of an earlier question; names must differ")
        return check_question(answer)

    return read


def _label(taken: Sequence[str]) -> Callable[[str], tuple[str, list[str]] | None]:
    def read(answer: str) -> tuple[str, list[str]] | None:
        if not answer:
            return None
        name, equals, texts = answer.partition("=")
        if not equals or not LABEL.fullmatch(name.strip()) or name.strip() in (*taken, "report", "day", "days"):
            raise InvalidInput(f"{shown(answer)} must be a new name and its texts, such as region=north,south")
        return name.strip(), _answers(2)(texts)

    return read


def _slug(text: str, taken: Sequence[str]) -> str:
    """A short name made of a text, which no other question has."""
    words = re.sub(r"[^a-z0-9]+", " ", text.lower()).split()
    skipped = (
        "do",
        "you",
        "your",
        "how",
        "what",
        "which",
        "is",
        "are",
        "the",
        "a",
        "an",
        "of",
        "have",
        "to",
        "and",
        "in",
    )
    kept = [word for word in words if word not in skipped] or words or ["question"]
    base = "_".join(kept[:3])[:40]
    base = f"{base}_" if base in ("report", "question", "discreet") else base
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name
