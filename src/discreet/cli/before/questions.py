"""The questions of `discreet init`: each is asked only if its option is not given, and only in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from ...contexts.forms.metric import NORMS
from ...contexts.forms.places import SHAPES
from ...core.errors import InvalidInput
from .. import answers
from .drafts import FORMS

T = TypeVar("T")

KEYS_OF_FORM = {
    "uniform": ("values", "source", "column"),
    "blocks": ("source", "column", "block_column", "blocks"),
    "high_low": ("values", "source", "column", "sensitive"),
    "binary": ("values",),
    "nested": ("source", "column", "block_column", "blocks"),
    "graded": (),
    "metric": ("values", "source", "column", "points", "distance", "around"),
}
"""The options that each form takes, beside the name and epsilon."""
FORMS_OF_BLOCKS = ("blocks", "nested")
"""The forms whose values are listed block by block."""
FLAGS = {"source": "--file", "block_column": "--block-column", "blocks": "--block"}


class Questions:
    """The options that were given; what they leave open is asked in a terminal, and is an error elsewhere."""

    def __init__(self, given: Mapping[str, Any], *, asks: bool) -> None:
        self.given = {key: entry for key, entry in given.items() if entry not in (None, ())}
        self.asks = asks

    def __contains__(self, key: str) -> bool:
        return key in self.given

    def get(self, key: str, question: str, read: Callable[[str], T], *, default: str | None = None) -> T:
        """What an option says, or the answer to a question, which is put again until it can be read."""
        if key in self.given:
            try:
                return read(self.given[key])
            except InvalidInput as problem:
                raise type(problem)(f"{flag(key)}: {problem}") from None
        if not self.asks:
            raise click.UsageError(f"{flag(key)} is missing: give it, or answer questions in a terminal")

        def reread(answer: str) -> T:
            try:
                return read(answer)
            except InvalidInput as problem:
                raise click.UsageError(str(problem)) from None

        found: T = click.prompt(question, default=default, value_proc=reread)
        return found

    def refuse_others(self, form: str) -> None:
        """Raise `InvalidInput` for an option that has no use in this form."""
        for key in self.given:
            if key not in (*KEYS_OF_FORM[form], "form", "name", "epsilon"):
                raise InvalidInput(f"{flag(key)} has no use in the form {form}")


def flag(key: str) -> str:
    """The option with this name."""
    return FLAGS.get(key, f"--{key}")


def entries_from(ask: Questions, *, name: str) -> dict[str, Any]:
    """The entries of a spec, from options and answers."""
    if ask.asks and "form" not in ask:
        for form, what in FORMS.items():
            click.echo(f"  {form:<8}  {what}")
    form = ask.get("form", "What must be hidden", _form, default="uniform")
    ask.refuse_others(form)
    entries: dict[str, Any] = {"name": ask.given.get("name", name)}
    context: dict[str, Any] = {"form": form}
    if form == "graded":
        question = "Each value and its epsilon, such as none=inf,cold=3,hiv=0.5"
        values, epsilons = ask.get("epsilon", question, answers.value_epsilons)
        return entries | {"domain": {"values": values}, "context": context | {"epsilons": epsilons}}
    if form not in FORMS_OF_BLOCKS or "source" in ask:
        entries["domain"] = _domain(ask, form)
    elif "column" in ask or "block_column" in ask:
        raise InvalidInput("--column and --block-column go with --file")
    else:
        context["blocks"] = _nested_blocks(ask) if form == "nested" else _blocks(ask)
    if form == "high_low":
        context["sensitive"] = ask.get("sensitive", "Which of them are sensitive", answers.values)
    if form == "metric":
        context |= _distance(ask, entries["domain"].get("values"))
    return entries | {"context": context | _epsilon(ask, form)}


def _distance(ask: Questions, values: Any) -> dict[str, Any]:
    """How distances are measured, and where values lie that are not numbers, or lie elsewhere."""
    distance = ask.given.get("distance")
    if distance not in (None, *SHAPES, *NORMS):
        raise InvalidInput(f"--distance: {distance!r} must be one of {', '.join((*SHAPES, *NORMS))}")
    if "around" in ask and distance != "ring":
        raise InvalidInput("--around goes with --distance ring")
    around = {"around": ask.given["around"]} if "around" in ask else {}
    if distance in SHAPES and "source" in ask and "points" not in ask:
        return {"distance": distance, **around}  # the file may hold numbers, which lie where they are
    places = None if distance in NORMS else answers.places_of(values)
    if places is not None and not ask.asks:
        ask.given.setdefault("points", places)
    question = "Where does each lie (numbers or coordinates, separated by commas)"
    points = ask.get("points", question, answers.points, default=places)
    if places is not None and points == answers.points(places):
        return {"distance": distance or "line", **around}
    if distance in SHAPES:
        return {"distance": distance, **around, "points": points}
    return {"points": points} if distance is None else {"points": points, "norm": distance}


def _form(text: str) -> str:
    if text not in FORMS:
        raise InvalidInput(f"form={text!r} must be one of {', '.join(FORMS)}")
    return text


def _domain(ask: Questions, form: str) -> dict[str, Any]:
    if "source" not in ask:
        if "column" in ask:
            raise InvalidInput("--column goes with --file")
        question = "The two values, separated by a comma" if form == "binary" else "Values, or 18..99 for numbers"
        return {"values": ask.get("values", question, answers.values, default="no,yes" if form == "binary" else None)}
    if "values" in ask or "blocks" in ask:
        raise InvalidInput("--file must stand alone: it gives the values")
    columns: dict[str, Any] = {"column": ask.get("column", "The column of the values", str)}
    if form == "blocks":
        columns["block_column"] = ask.get("block_column", "The column of the blocks", str)
    if form == "nested":
        question = "The columns of the blocks, from the innermost outwards, separated by commas"
        columns["block_column"] = ask.get("block_column", question, _names)
    return {"file": ask.given["source"], **columns}


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _nested_blocks(ask: Questions) -> dict[str, Any]:
    """The blocks inside blocks by name; in a terminal they are asked for until an empty answer."""
    found: dict[str, Any] = {}

    def add(text: str) -> str:
        (*path, last), members = answers.nested_block(text)
        inside = found
        for name in path:
            inside = inside.setdefault(name, {})
            if not isinstance(inside, dict) or "from" in inside:
                raise InvalidInput(f"block {name!r} holds values, so it can hold no blocks")
        if last in inside:
            raise InvalidInput(f"block {'/'.join((*path, last))!r} is given twice")
        inside[last] = members
        return last

    _add_blocks(ask, "Blocks around some values, the outermost first, such as fr/paris=p1,p2", add)
    return found


def _add_blocks(ask: Questions, question: str, add: Callable[[str], str]) -> None:
    """Give every block of the options to `add`, or those of a terminal, until an empty answer."""
    if "blocks" in ask:
        for entry in ask.given["blocks"]:
            add(entry)
        return
    ask.get("blocks", question, add)
    while ask.get("blocks", "Another one, or nothing to go on", lambda text: text and add(text), default=""):
        pass


def _blocks(ask: Questions) -> dict[str, Any]:
    """The blocks by name; in a terminal they are asked for until an empty answer."""
    found: dict[str, Any] = {}

    def add(text: str) -> str:
        name, members = answers.block(text)
        if name in found:
            raise InvalidInput(f"block {name!r} is given twice")
        found[name] = members
        return name

    _add_blocks(ask, "A block and its values, such as boston=b1,b2", add)
    return found


def _epsilon(ask: Questions, form: str) -> dict[str, Any]:
    if form == "binary":
        question = "Epsilon of the first value, epsilon of the second (inf: it need not be hidden)"
        return {"epsilon": ask.get("epsilon", question, answers.two_epsilons, default="1,1")}
    if form == "nested":
        question = "Epsilon inside the innermost blocks, then across each level outwards (the last may be inf)"
        return {"epsilons": ask.get("epsilon", question, answers.increasing_epsilons)}
    read = answers.block_epsilons if form == "blocks" else answers.one_epsilon
    told = ask.get("epsilon", "Epsilon (smaller hides more)", read, default="1")
    return {"epsilons" if isinstance(told, dict) else "epsilon": told}
