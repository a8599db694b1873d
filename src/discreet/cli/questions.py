"""The questions of `discreet init`: each is asked only if its option is not given, and only in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from ..errors import InvalidInput
from . import answers
from .drafts import FORMS

T = TypeVar("T")

OF_FORM = {
    "uniform": ("values", "source", "column"),
    "blocks": ("source", "column", "block_column", "blocks"),
    "high_low": ("values", "source", "column", "sensitive"),
    "binary": ("values",),
    "metric": ("values", "source", "column", "points"),
}
"""The options that each form takes, beside the name and epsilon."""
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
            if key not in (*OF_FORM[form], "form", "name", "epsilon"):
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
    if form != "blocks" or "source" in ask:
        entries["domain"] = _domain(ask, form)
    elif "column" in ask or "block_column" in ask:
        raise InvalidInput("--column and --block-column go with --file")
    else:
        context["blocks"] = _blocks(ask)
    if form == "high_low":
        context["sensitive"] = ask.get("sensitive", "Which of them are sensitive", answers.values)
    if form == "metric":
        places = answers.places_of(entries["domain"].get("values"))
        question = "Where does each lie (numbers or coordinates, separated by commas)"
        if places is not None and not ask.asks:
            ask.given.setdefault("points", places)  # numbers lie where they are
        context["points"] = ask.get("points", question, answers.points, default=places)
    return entries | {"context": context | _epsilon(ask, form)}


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
    columns = {"column": ask.get("column", "The column of the values", str)}
    if form == "blocks":
        columns["block_column"] = ask.get("block_column", "The column of the blocks", str)
    return {"file": ask.given["source"], **columns}


def _blocks(ask: Questions) -> dict[str, Any]:
    """The blocks by name; in a terminal they are asked for until an empty answer."""
    found: dict[str, Any] = {}

    def add(text: str) -> str:
        name, members = answers.block(text)
        if name in found:
            raise InvalidInput(f"block {name!r} is given twice")
        found[name] = members
        return name

    if "blocks" in ask:
        for entry in ask.given["blocks"]:
            add(entry)
        return found
    ask.get("blocks", "A block and its values, such as boston=b1,b2", add)
    while ask.get("blocks", "Another one, or nothing to go on", lambda text: text and add(text), default=""):
        pass
    return found


def _epsilon(ask: Questions, form: str) -> dict[str, Any]:
    if form == "binary":
        question = "Epsilon of the first value, epsilon of the second (inf: it need not be hidden)"
        return {"epsilon": ask.get("epsilon", question, answers.two_epsilons, default="1,1")}
    read = answers.block_epsilons if form == "blocks" else answers.one_epsilon
    told = ask.get("epsilon", "Epsilon (smaller hides more)", read, default="1")
    return {"epsilons" if isinstance(told, dict) else "epsilon": told}
