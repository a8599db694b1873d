"""`discreet init`: a first spec, from options or from questions, which are asked in a terminal for what is missing."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from ...contexts.forms.metric import NORMS
from ...contexts.forms.numbers import step_for
from ...contexts.forms.places import SHAPES
from ...core import tables
from ...core.errors import DiscreetError, InvalidInput
from ...core.exact import epsilon_of, exact_number, positive_finite, text_of
from ..choosing import settle
from ..options import write_text
from .dialogue import Dialogue
from .drafts import FORMS

NEXT = {
    "discreet verify {0}": "prove that it holds",
    "discreet plan {0} --n 10000": "the error to expect from 10,000 people",
    "discreet resolve {0} -o resolved.toml": "pin the mechanism before you collect",
}
"""What to do with a new spec, and why."""

NEXT_OF_QUESTIONNAIRES = {
    "discreet verify {0}": "prove what it promises",
    "discreet plan {0} --n 10000": "the error to expect from 10,000 people",
    "discreet collect {0} --url URL": "ask people over HTTP",
}
"""What to do with a new questionnaire, and why."""

ABOUT_QUESTIONNAIRES = """\
# A questionnaire of discreet: what people read and answer, and what is hidden of it.
# Open it in an editor to change it; discreet verify says whether it still holds.
"""


@click.command()
@click.argument("file", default="survey.toml")
@click.option("--form", metavar="FORM", help="uniform, blocks, high_low, binary, nested, graded, metric or numbers.")
@click.option("--values", metavar="A,B,...", help="The values that a person may hold, or 18..99 for whole numbers.")
@click.option("--file", "source", metavar="FILE", help="Instead of --values: a CSV file beside the spec.")
@click.option("--column", help="With --file: the column of the values.")
@click.option("--block-column", help="With --file: the column of the blocks; for nested several, 'city,country'.")
@click.option(
    "--block", "blocks", multiple=True, metavar="NAME=A,...", help="A block; for nested fr/paris=a,b; repeat it."
)
@click.option("--sensitive", metavar="A,B,...", help="For high_low: the values whose holders must be hidden.")
@click.option("--points", metavar="P,Q,...", help="For metric: a number per value, or '0 0,3 4'.")
@click.option("--distance", help="For metric: line, ring, l1, l2 or linf; for numbers line.")
@click.option("--around", metavar="LENGTH", help="With --distance ring: its length, unless the numbers are 0, 1, ...")
@click.option("--low", metavar="NUMBER", help="For numbers: the lowest one.")
@click.option("--high", metavar="NUMBER", help="For numbers: the highest one.")
@click.option("--step", metavar="NUMBER", help="For numbers: they are rounded at random to steps of this length.")
@click.option("--clip", is_flag=True, help="For numbers: those beyond the bounds count as the nearest bound.")
@click.option("--epsilon", metavar="E", help="Positive; binary 'inf,1'; nested '1,2,inf'; blocks, graded 'a=1,b=0.5'.")
@click.option("--name", help="What the survey is called; the name of the file unless given.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def command(file: str, force: bool, **given: Any) -> None:
    """Write a first questionnaire, or a spec with comments, into FILE (survey.toml unless given).

    In a terminal you are asked plain questions, for one question or a whole questionnaire, or for whatever the options
    of a spec leave open; choices are taken by their numbers, and what cannot be read is asked again. Until FILE is
    written your answers are kept in FILE.draft, from which the same command goes on. Elsewhere nothing is asked, and
    what is missing is an error. An existing file is left alone unless you say --force.

    \b
        discreet init
        discreet init ages.toml --form uniform --values 18..99 --epsilon 1
        discreet init nights.toml --form blocks --block boston=b1,b2 --block nyc=n1,n2,n3 --epsilon 1
        discreet init illness.toml --form high_low --values none,cold,flu,hiv --sensitive hiv --epsilon 1
        discreet init streets.toml --form nested --block fr/paris=p1,p2 --block fr/lyon=l1,l2 --epsilon 1,2,inf
        discreet init income.toml --form numbers --low 0 --high 4000 --clip --epsilon 1
        discreet init hours.toml --form metric --values 0..23 --distance ring --epsilon 0.5
    """
    from ...files.overwriting import check_outputs

    path = Path(file)
    if path.suffix != ".toml":
        raise InvalidInput(f"{file}: a spec with comments must be a .toml file")
    for name, text in (("FILE", file), ("--name", given["name"] or "")):
        if not text.isprintable():
            raise InvalidInput(f"{name}={text!r} must be printable text")
    if not path.parent.is_dir():
        raise InvalidInput(f"{file}: the folder {path.parent} must exist")
    if path.exists() and not force:
        raise InvalidInput(f"{file}: is there already; --force replaces it")
    if given["source"] is not None:
        check_outputs([path], [path.parent / given["source"]])
    if not _in_terminal():
        _write_spec(file, Questions(given, None))
        return
    dialogue = Dialogue(path.with_name(f"{path.name}.draft"))
    dialogue.offer_draft()
    try:
        _converse(file, given, dialogue)
    except (click.Abort, KeyboardInterrupt, DiscreetError, OSError):
        if dialogue.said:
            click.echo(
                f"\nWhat you said is kept in {dialogue.draft}: discreet init {shlex.quote(file)} goes on.", err=True
            )
        raise
    dialogue.finish()


WANTED = {
    "one": "one question, with its texts",
    "several": "a questionnaire of several questions",
    "spec": "only answers and what is hidden of them, by any form of context",
}
"""What can be made, where no option says it."""


def _converse(file: str, given: Mapping[str, Any], dialogue: Dialogue) -> None:
    """Ask for all that is open, and write the file."""
    only_name = not any(entry for key, entry in given.items() if key != "name")
    wanted = dialogue.choose("What do you want to make", WANTED, default="one") if only_name else "spec"
    if wanted == "spec":
        _write_spec(file, Questions(given, dialogue))
        return
    from ...wire import Questionnaire
    from ...wire.spec import dumps
    from .asking import questionnaire_from

    data = questionnaire_from(dialogue, name=given["name"] or Path(file).stem, several=wanted == "several")
    questionnaire = Questionnaire.of(data)
    write_text(f"{ABOUT_QUESTIONNAIRES}{dumps(data)}", file)
    count, form = len(questionnaire.specs), data.get("form")
    how = f"{count} questions, {form['strategy']}" if form else "one question"
    _say_next(file, f"{file}: {how}. Next:", NEXT_OF_QUESTIONNAIRES)


def _write_spec(file: str, ask: Questions) -> None:
    """The spec with comments, from options and answers."""
    from ...core.documents import parse_toml
    from ...wire import Spec
    from .drafts import draft

    def read(entries: Mapping[str, Any]) -> tuple[str, Spec]:
        written = draft(entries, file=shlex.quote(file))
        return written, Spec.of(parse_toml(written), folder=Path(file).parent)

    def entries() -> dict[str, Any]:
        return entries_from(ask.anew(), name=Path(file).stem)

    written, spec = read(entries() if ask.dialogue is None else ask.dialogue.checked(entries, read))
    spec = settle(spec)
    write_text(written, file)
    _say_next(file, f"{file}: {spec.context!r}, served by {spec.mechanism.name}. Next:", NEXT)


def _say_next(file: str, done: str, commands: Mapping[str, str]) -> None:
    click.echo(done)
    steps = [("", line.format(shlex.quote(file)), why) for line, why in commands.items()]
    click.echo(tables.text([("", "s")] * 3, steps))


def _in_terminal() -> bool:
    return sys.stdin.isatty()


RANGE = re.compile(r"(-?\d{1,15})\.\.(-?\d{1,15})", re.ASCII)
PLACE = re.compile(r"-?\d{1,30}(\.\d{1,30})?", re.ASCII)
WHOLE = re.compile(r"0|-?[1-9]\d{0,14}", re.ASCII)


def split_text(text: str) -> list[str]:
    """What stands between commas, without spaces around it."""
    return [entry.strip() for entry in text.split(",")]


def parse_range(text: str) -> dict[str, int] | None:
    """Whole numbers by their ends, ``18..99``; None for any other text."""
    ends = RANGE.fullmatch(text.strip())
    return None if ends is None else {"from": int(ends[1]), "to": int(ends[2])}


def parse_values(text: str) -> Any:
    """Values separated by commas, or whole numbers by their ends."""
    if numbers := parse_range(text):
        return numbers
    entries = split_text(text)
    if "" in entries:
        raise InvalidInput("values must be separated by single commas, such as never,once,often; or 18..99 for numbers")
    return [int(entry) for entry in entries] if all(map(WHOLE.fullmatch, entries)) else entries


def parse_epsilon(text: str) -> str:
    """One positive epsilon, as it was written."""
    positive_finite(text.strip())
    return text.strip()


def parse_decimal(text: str) -> str:
    """One number, as it was written."""
    if exact_number(text.strip()) is None or "/" in text:
        raise InvalidInput(f"{text!r} must be a number with a decimal point, such as 12.5")
    return text.strip()


def parse_epsilons(text: str) -> list[str]:
    """Epsilons separated by commas, ``1,2,inf``."""
    epsilons = split_text(text)
    for entry in epsilons:
        epsilon_of(entry)
    return epsilons


def parse_two_epsilons(text: str) -> list[str]:
    """The epsilons of two values, separated by a comma, ``inf`` allowed."""
    if text.count(",") != 1:
        raise InvalidInput(f"epsilon={text!r} must be two, separated by a comma, such as inf,1")
    return parse_epsilons(text)


def parse_named_epsilons(text: str, wanted: str) -> dict[str, str]:
    """Epsilons by name, ``boston=1,nyc=0.5``; `wanted` says what must be given in an error."""
    pairs = [entry.rpartition("=") for entry in text.split(",")]
    epsilons = {name.strip(): epsilon.strip() for name, _, epsilon in pairs}
    if len(epsilons) != len(pairs) or "" in epsilons:
        raise InvalidInput(f"epsilon={text!r} must {wanted}")
    return epsilons


def parse_block_epsilons(text: str) -> Any:
    """One epsilon for all blocks, or one for each, ``boston=1,nyc=0.5``."""
    if "=" not in text:
        return parse_epsilon(text)
    epsilons = parse_named_epsilons(text, "name every block once, such as boston=1,nyc=0.5")
    return {name: parse_epsilon(epsilon) for name, epsilon in epsilons.items()}


def parse_value_epsilons(text: str) -> tuple[Any, dict[str, str]]:
    """Values, each with its epsilon, ``none=inf,cold=3,hiv=0.5``: the values, and the epsilons by value."""
    epsilons = parse_named_epsilons(text, "give every value once, such as none=inf,cold=3,hiv=0.5")
    parse_epsilons(",".join(epsilons.values()))
    return parse_values(",".join(epsilons)), epsilons


def parse_block(text: str) -> tuple[str, Any]:
    """The name of a block and its values, ``boston=b1,b2``."""
    name, equals, members = text.partition("=")
    if not equals or not name.strip():
        raise InvalidInput(f"block={text!r} must be a name and its values, such as boston=b1,b2")
    return name.strip(), parse_values(members)


def parse_points(text: str) -> Any:
    """Points separated by commas, each one number or coordinates separated by spaces; or a range ``18..99``."""
    if numbers := parse_range(text):
        return numbers
    points = [entry.split() for entry in text.split(",")]
    if not all(points):
        raise InvalidInput("points must be separated by single commas, their coordinates by spaces: 0 0,3 4")
    if not all(PLACE.fullmatch(coordinate) for place in points for coordinate in place):
        raise InvalidInput(
            "points must be decimals, such as 0.5; the coordinates of one are separated by spaces: 0 0,3 4"
        )
    return [place if len(place) > 1 else place[0] for place in points]


def places_of(entries: Any) -> str | None:
    """Whole numbers as they would be typed as points on a line; None for other values."""
    if isinstance(entries, dict):
        return f"{entries['from']}..{entries['to']}" if "from" in entries else None
    numbers = isinstance(entries, list) and all(isinstance(entry, int) for entry in entries)
    return ",".join(map(str, entries)) if numbers else None


T = TypeVar("T")

NUMBERS_HIDDEN = {
    "alike": "every number is hidden from every other one",
    "near": "near numbers are hard to tell apart, far ones less so",
}
"""How numbers are hidden from each other."""

KEYS_OF_FORM = {
    "uniform": ("values", "source", "column"),
    "blocks": ("source", "column", "block_column", "blocks"),
    "high_low": ("values", "source", "column", "sensitive"),
    "binary": ("values",),
    "nested": ("source", "column", "block_column", "blocks"),
    "graded": (),
    "metric": ("values", "source", "column", "points", "distance", "around"),
    "numbers": ("low", "high", "step", "clip", "distance"),
}
"""The options that each form takes, beside the name and epsilon."""
FORMS_OF_BLOCKS = ("blocks", "nested")
"""The forms whose values are listed block by block."""
FLAGS = {"source": "--file", "block_column": "--block-column", "blocks": "--block"}


class Questions:
    """The options that were given; what they leave open is asked in a terminal, and is an error elsewhere."""

    def __init__(self, given: Mapping[str, Any], dialogue: Dialogue | None) -> None:
        self.given = {key: entry for key, entry in given.items() if entry not in (None, (), False)}
        self.dialogue = dialogue

    def anew(self) -> Questions:
        """The same options, before anything was asked."""
        return Questions(self.given, self.dialogue)

    def __contains__(self, key: str) -> bool:
        return key in self.given

    def get(self, key: str, question: str, read: Callable[[str], T], *, default: str | None = None) -> T:
        """What an option says, or the answer to a question, which is put again until it can be read."""
        if key in self.given:
            try:
                return read(self.given[key])
            except InvalidInput as problem:
                raise type(problem)(f"{flag(key)}: {problem}") from None
        if self.dialogue is None:
            raise click.UsageError(f"{flag(key)} is missing: give it, or answer questions in a terminal")
        return self.dialogue.ask(question, read, default=default)

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
    if ask.dialogue is not None and "form" not in ask:
        form = ask.dialogue.choose("What must be hidden", FORMS, default="uniform")
    else:
        form = ask.get("form", "What must be hidden", _form)
    ask.refuse_others(form)
    entries: dict[str, Any] = {"name": ask.given.get("name", name)}
    context: dict[str, Any] = {"form": form}
    if form == "graded":
        question = "Each value and its epsilon, such as none=inf,cold=3,hiv=0.5"
        values, epsilons = ask.get("epsilon", question, parse_value_epsilons)
        return entries | {"domain": {"values": values}, "context": context | {"epsilons": epsilons}}
    if form == "numbers":
        return entries | _numbers(ask, context)
    if form not in FORMS_OF_BLOCKS or "source" in ask:
        entries["domain"] = _domain(ask, form)
    elif "column" in ask or "block_column" in ask:
        raise InvalidInput("--column and --block-column go with --file")
    else:
        context["blocks"] = _blocks(ask, nested=form == "nested")
    if form == "high_low":
        context["sensitive"] = ask.get("sensitive", "Which of them are sensitive", parse_values)
    if form == "metric":
        context |= _distance(ask, entries["domain"].get("values"))
    return entries | {"context": context | _epsilon(ask, form)}


def _numbers(ask: Questions, context: dict[str, Any]) -> dict[str, Any]:
    """The bounds of numbers, what becomes of those beyond them, and how well they are hidden."""
    domain: dict[str, Any] = {
        "low": ask.get("low", "The lowest number", parse_decimal),
        "high": ask.get("high", "The highest number", parse_decimal),
    }
    if not exact_number(domain["low"]) < exact_number(domain["high"]):  # type: ignore[operator]
        raise InvalidInput(f"--low: {domain['low']} must be below {domain['high']}, the highest number")
    distance = ask.given.get("distance")
    if distance not in (None, "line"):
        raise InvalidInput(f"--distance: {distance!r} must be line for numbers")
    if ask.dialogue is not None and "epsilon" not in ask and distance is None:
        distance = (
            "line" if ask.dialogue.choose("How they are hidden", NUMBERS_HIDDEN, default="alike") == "near" else None
        )
    asked = "Epsilon of two numbers one apart (smaller hides more)" if distance else "Epsilon (smaller hides more)"
    epsilon = ask.get("epsilon", asked, parse_epsilon, default="1")
    step = ask.given.get("step")
    if step is not None:
        domain["step"] = ask.get("step", "The step", parse_decimal)
    elif distance is not None and (usual := step_for(domain["low"], domain["high"], epsilon)) is not None:
        domain["step"] = text_of(usual)
    clip = ask.given.get("clip", False)
    if ask.dialogue is not None and not clip:
        clip = ask.dialogue.confirm(
            "Do numbers beyond them count as the nearest bound, instead of being refused?", default=True
        )
    domain["clip"] = bool(clip)
    return {"domain": domain, "context": context | ({"distance": distance} if distance else {}) | {"epsilon": epsilon}}


def _distance(ask: Questions, values: Any) -> dict[str, Any]:
    """The entries that say how distances are measured, and where values lie that are not numbers."""
    distance = ask.given.get("distance")
    if distance not in (None, *SHAPES, *NORMS):
        raise InvalidInput(f"--distance: {distance!r} must be one of {', '.join((*SHAPES, *NORMS))}")
    if "around" in ask and distance != "ring":
        raise InvalidInput("--around goes with --distance ring")
    around = {"around": ask.given["around"]} if "around" in ask else {}
    if distance in SHAPES and "source" in ask and "points" not in ask:
        return {"distance": distance, **around}  # the file may hold numbers, which lie where they are
    places = None if distance in NORMS else places_of(values)
    if places is not None and ask.dialogue is None:
        ask.given.setdefault("points", places)
    question = "Where does each lie (numbers or coordinates, separated by commas)"
    points = ask.get("points", question, parse_points, default=places)
    if places is not None and points == parse_points(places):
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
        return {"values": ask.get("values", question, parse_values, default="no,yes" if form == "binary" else None)}
    if "values" in ask or "blocks" in ask:
        raise InvalidInput("--file must stand alone: it gives the values")
    columns: dict[str, Any] = {"column": ask.get("column", "The column of the values", str)}
    if form == "blocks":
        columns["block_column"] = ask.get("block_column", "The column of the blocks", str)
    if form == "nested":
        question = "The columns of the blocks, from the innermost outwards, separated by commas"
        columns["block_column"] = ask.get("block_column", question, split_text)
    return {"file": ask.given["source"], **columns}


def _blocks(ask: Questions, *, nested: bool) -> dict[str, Any]:
    """The blocks by name, those inside others as tables; in a terminal they are asked for until an empty answer."""
    blocks: dict[str, Any] = {}

    def add(text: str) -> str:
        joined, members = parse_block(text)
        *path, last = [name.strip() for name in joined.split("/")] if nested else [joined]
        if "" in (*path, last):
            raise InvalidInput(f"block={text!r} must name every block around its values, such as fr/paris=p1,p2")
        inside = blocks
        for name in path:
            inside = inside.setdefault(name, {})
            if not isinstance(inside, dict) or "from" in inside:
                raise InvalidInput(f"block {name!r} holds values, so it can hold no blocks")
        if last in inside:
            raise InvalidInput(f"block {'/'.join((*path, last))!r} is given twice")
        inside[last] = members
        return last

    if "blocks" in ask:
        for entry in ask.given["blocks"]:
            add(entry)
        return blocks
    around = "Blocks around some values, the outermost first, such as fr/paris=p1,p2"
    ask.get("blocks", around if nested else "A block and its values, such as boston=b1,b2", add)
    while ask.get("blocks", "Another one, or nothing to go on", lambda text: text and add(text), default=""):
        pass
    return blocks


def _epsilon(ask: Questions, form: str) -> dict[str, Any]:
    if form == "binary":
        question = "Epsilon of the first value, epsilon of the second (inf: it need not be hidden)"
        return {"epsilon": ask.get("epsilon", question, parse_two_epsilons, default="1,1")}
    if form == "nested":
        question = "Epsilon inside the innermost blocks, then across each level outwards (the last may be inf)"
        return {"epsilons": ask.get("epsilon", question, parse_epsilons)}
    read = parse_block_epsilons if form == "blocks" else parse_epsilon
    epsilon = ask.get("epsilon", "Epsilon (smaller hides more)", read, default="1")
    return {"epsilons" if isinstance(epsilon, dict) else "epsilon": epsilon}
