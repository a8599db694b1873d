"""Test vectors of whole questionnaires: which question is asked, and the one report that all answers make.

The first line is for the file; then there is one for each form, followed by one for each of its vectors.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from ...client.ledger.laws import FormLaws
from ...contexts import Context
from ...core.canonical import canonical
from ...core.errors import CheckFailed, DiscreetError, InvalidInput
from ...core.fields import Fields
from ...core.numbers import NumberDomain
from ...core.random import ReplaySource
from ...mechanisms.build import mechanism as named
from ...wire.form import EACH, ONE, STRATEGIES, TOGETHER, Form
from ...wire.published import parse_published
from ...wire.texts import Texts, read_texts
from .file import VERSION, VectorLines, line_of
from .making import number_held

COLLECTION = "https://survey.example/collections/1"
"""What ledgers call the collection of every form here."""

COUNT = 12
"""How many vectors a form has, unless told otherwise."""

ENDS = (0, (1 << 64) - 1)

KEYS = ("answers", "asked", "key", "report", "tag", "words")


@dataclass(frozen=True)
class AskedForm:
    """A form with all that people read of it."""

    form: Form
    texts: Texts

    @cached_property
    def laws(self) -> FormLaws:
        """Its laws as a ledger sees them."""
        return FormLaws(self.form)

    @property
    def wording(self) -> str:
        """What ledgers know its texts by."""
        return hashlib.sha256(canonical(self.texts.wording).encode()).hexdigest()

    def asked(self, key: bytes) -> tuple[str, ...]:
        """What the owner of a key is asked."""
        return self.laws.asked(lambda: key, self.wording)

    def lines(self, count: int, seed: int) -> Iterator[str]:
        """The line of the form and those of its vectors."""
        chance = Random(f"{seed} {self.form.fingerprint} {self.wording}")
        yield line_of(
            {
                "collection": COLLECTION,
                "document": self.texts.as_dict(),
                "fingerprint": self.form.fingerprint,
                "law": self.form.published,
                "vectors": count,
                "wording": self.wording,
            }
        )
        for number in range(count):
            key = chance.randbytes(32)
            asked = self.asked(key)
            answers = {name: _pick(self.form.questions[name].context, number, chance) for name in asked}
            ends = number < 2  # the first and last words, else any
            words = [chance.choice(ENDS) if ends else chance.getrandbits(64) for _ in self._words(asked)]
            yield line_of(self.vector(key, answers, words))

    def _words(self, asked: tuple[str, ...]) -> range:
        """As many as a report takes."""
        if self.form.strategy == ONE:
            return range(self.form.mechanisms[asked[0]].words)
        return range(sum(mechanism.words for mechanism in self.laws.parts))

    def vector(self, key: bytes, answers: dict[str, Any], words: list[int]) -> dict[str, Any]:
        """All that follows from a key, the answers to what is asked, and words."""
        asked = self.asked(key)
        chosen = self.laws.chosen(self.laws.read(answers), asked)
        if len(words) != len(self._words(asked)):
            raise InvalidInput(f"{len(words)} words must be {len(self._words(asked))}")
        return {
            "answers": {name: answers[name] for name in sorted(answers)},
            "asked": list(asked),
            "key": key.hex(),
            "report": self.laws.draw(chosen, ReplaySource(words)),
            "tag": hmac.new(key, canonical([COLLECTION, chosen]).encode(), "sha256").hexdigest(),
            "words": "".join(f"{word:016x}" for word in words),
        }


def _pick(context: Context, number: int, chance: Random) -> Any:
    """The first and the last value, and then any; of a scale what somebody may hold near it."""
    if isinstance(context.domain, NumberDomain):
        return number_held(context.domain, chance.randrange(context.size), chance)
    return context.values[0 if number == 0 else context.size - 1 if number == 1 else chance.randrange(context.size)]


def asked_forms() -> Iterator[AskedForm]:
    """A few forms of every strategy: narrow and wide reports, equal laws, all kinds of questions, several languages."""
    five = {
        "smokes": Context.uniform(["no", "yes"], "1"),
        "age": Context.metric(range(18, 100), "line", "1/5"),
        "illness": Context.high_low(["none", "cold", "hiv"], ["hiv"], "1"),
        "way": Context.blocks({"wheels": ["bike", "car"], "feet": ["walk", "run"]}, "2"),
        "Größe": Context.uniform(range(5), "1/2"),
    }
    boxes = {f"box {number}": Context.uniform(["no", "yes"], "1") for number in range(3)}
    wide = {"many": named(Context.uniform(range(60), "1"), "unary"), "few": Context.uniform(["a", "b", "c"], "1")}
    numbers = {
        "income": named(Context.numbers(0, 4000, "1", nodes=9, clip=True), "subset"),
        "hours": named(Context.numbers(0, 60, "0.05", step=4, distance="line").with_outside(["none"], "2"), "unary"),
        "smokes": Context.uniform(["no", "yes"], "1"),
    }
    for strategy in (ONE, EACH):
        yield _in_words(Form(five, strategy), kinds=["yes/no", "number", "choice", "choice", "scale"])
        yield _in_words(Form(boxes, strategy), kinds=["box"] * len(boxes))
        yield _in_words(Form(wide, strategy))
        yield _in_words(Form(numbers, strategy), kinds=["number", "number", "choice"])
    yield _in_words(Form({f"q{number}": ["no", "yes"] for number in range(53)}, EACH, epsilon="53"))
    yield _in_words(Form({f"q{number}": ["no", "yes"] for number in range(54)}, EACH, epsilon="54"))
    yield _in_words(Form({"smokes": ["no", "yes"], "travels": ["bus", "car", "bike"]}, TOGETHER, epsilon="2"))
    yield _in_words(Form({"smokes": five["smokes"], "size": five["Größe"]}, TOGETHER))
    joint = {"first": range(4), "second": ["x", "y", "z"], "third": range(5)}
    yield _in_words(Form(joint, TOGETHER, epsilon="1", choice={"name": "unary"}))


def _in_words(form: Form, kinds: list[str] | None = None) -> AskedForm:
    """A form with texts in three languages, as a document holds them."""
    questions, arabic = [], {}
    for place, name in enumerate(form.names):
        value = str(form.questions[name].context.values[0])
        entry: dict[str, Any] = {"name": name, "question": f"What about {name}?", "words": {value: f"Not {name}, no"}}
        if kinds is not None:
            entry |= {"kind": kinds[place], **({"group": "Which of these?"} if kinds[place] == "box" else {})}
            entry["help"] = "As far as you know."
        if place % 2 == 0:
            arabic[name] = {"question": f"ماذا عن {name}؟"}
        questions.append(entry)
    german = {"title": f"Umfrage: {form.strategy}", "questions": {form.names[0]: {"words": {}, "unit": "Stück"}}}
    document: dict[str, Any] = {
        "title": f"A survey by {form.strategy!r} \u2013 \U0001f642",
        "asker": "The University",
        "questions": questions,
        "translations": {"de": german, "ar": {"questions": arabic}} if kinds is not None else {},
    }
    return AskedForm(form, read_texts(Fields(document, ""), names=form.names))


def write_form_vectors(forms: Iterable[AskedForm] | None = None, *, count: int = COUNT, seed: int = 1) -> Iterator[str]:
    """The lines of a file of vectors of these forms, or of a few of every strategy: `count` of each."""
    chosen = list(asked_forms() if forms is None else forms)
    yield line_of({"forms": len(chosen), "vectors": count * len(chosen), "version": VERSION})
    for one in chosen:
        yield from one.lines(count, seed)


@dataclass(frozen=True)
class CheckedForms:
    """How many forms a file has, and how many vectors, by strategy."""

    forms: int
    vectors: int
    strategies: dict[str, int]


def check_form_vectors(path: str | Path) -> CheckedForms:
    """Every vector of a file of questionnaires is made again; `CheckFailed` names the first line that differs."""
    strategies = dict.fromkeys(STRATEGIES, 0)
    with open(path, encoding="ascii", errors="replace", newline="\n") as file:
        lines = VectorLines(iter(file))
        forms, vectors = lines.table("forms", "vectors", version=VERSION)
        left = vectors
        for _ in range(forms):
            one, count = _form_of(lines)
            strategies[one.form.strategy] += count
            left -= count
            for _ in range(count):
                _check_vector(one, lines)
        if left or next(file, None) is not None:
            raise InvalidInput(f"line {lines.number}: there must be as many vectors as line 1 says, and no more")
    return CheckedForms(forms, vectors, strategies)


def _form_of(lines: VectorLines) -> tuple[AskedForm, int]:
    data = lines.data()
    keys = ["collection", "document", "fingerprint", "law", "vectors", "wording"]
    if not isinstance(data, dict) or list(data) != keys or data["collection"] != COLLECTION:
        raise lines.wrong(f"a form must come with {', '.join(keys)}")
    count = lines.whole(data["vectors"], "vectors")
    try:
        form = parse_published(data["law"])
        if not isinstance(form, Form):
            raise InvalidInput("law must be that of a form")
        fields = Fields(data["document"], "document")
        one = AskedForm(form, read_texts(fields, names=form.names))
        fields.close()
    except DiscreetError as problem:
        raise lines.wrong(str(problem)) from None
    if data["fingerprint"] != form.fingerprint:
        raise lines.wrong("fingerprint must be that of the form")
    if data["wording"] != one.wording:
        raise CheckFailed(f"line {lines.number}: wording must be {one.wording}")
    return one, count


def _check_vector(one: AskedForm, lines: VectorLines) -> None:
    data = lines.data()
    if not isinstance(data, dict) or tuple(data) != KEYS or not isinstance(data["answers"], dict):
        raise lines.wrong(f"a vector of a form must hold {', '.join(KEYS)}")
    try:
        digits = data["words"]
        words = [int(digits[at : at + 16], 16) for at in range(0, len(digits), 16)]
        made = one.vector(bytes.fromhex(data["key"]), data["answers"], words)
    except (DiscreetError, TypeError, ValueError) as problem:
        raise lines.wrong(str(problem)) from None
    for name in KEYS:
        if made[name] != data[name]:
            raise CheckFailed(f"line {lines.number}: {name} must be {made[name]}, not {data[name]}")
