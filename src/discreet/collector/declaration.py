"""The declaration of a collection: parsed once, strictly, and published as its document."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ..client.collection import MAX_DOCUMENT_BYTES, MOMENT, VERSION
from ..client.ledger.ledger import ACCESS, CHANGES
from ..client.words import check_blocks, check_words
from ..core.canonical import canonical, loads
from ..core.documents import parse_toml
from ..core.domain import Domain
from ..core.errors import DiscreetError, InvalidInput, InvalidSpec
from ..core.fields import Fields, as_list, text, whole
from ..core.limits import check_bytes
from ..core.numbers import NumberDomain
from ..wire.form import Form
from ..wire.published import Law, parse_published
from ..wire.spec import Spec, is_form
from ..wire.texts import LabelTexts, QuestionTexts, Texts, read_texts
from .instrument import Instrument, instrument_of

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}", re.ASCII)
RESERVED_NAMES = ("report", "day", "days")
"""Names of other columns and parameters, which no label may have."""
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)

MAX_LABELS = 8
MAX_TEXTS = 100
MAX_GROUPS = 1_000
"""The most combinations of label texts: each has a tally of its own."""

MAX_COUNTS = 10_000_000
"""The most counts of all those tallies together, for one day."""


@dataclass(frozen=True)
class Declaration:
    """A collection as its owner declared it; it never changes."""

    texts: Texts
    labels: Mapping[str, tuple[str, ...]]
    opens: datetime | None
    closes: datetime | None
    minimum: int
    period: str | None
    """The label whose texts are times at which the same people may answer again; None if they answer once in all."""
    changes: str
    access: str

    @property
    def title(self) -> str:
        """The title of the collection."""
        return self.texts.title

    def canonical(self) -> str:
        """The canonical JSON that is stored, and hashed into the public log."""
        return canonical({**self._public(), "minimum": self.minimum, "access": self.access})

    def document(self, *, base: str, fingerprint: str, state: str) -> bytes:
        """The document that a client reads; `base` is the path of the collection, `state` how far it is."""
        links = {"law": f"{base}/law", "reports": f"{base}/reports"}
        access = {} if self.access == "open" else {"access": self.access}
        about = {"version": VERSION, "fingerprint": fingerprint, "state": state}
        return canonical({**about, **links, **self._public(), **access}).encode()

    def _public(self) -> dict[str, Any]:
        optional = {
            "labels": {name: list(texts) for name, texts in self.labels.items()},
            "period": self.period,
            "opens": None if self.opens is None else format_moment(self.opens),
            "closes": None if self.closes is None else format_moment(self.closes),
        }
        about = {**self.texts.as_dict(), "changes": self.changes}
        return {**about, **{key: entry for key, entry in optional.items() if entry}}


def parse_declaration(data: object) -> tuple[Declaration, Instrument]:
    """The declaration in the body of ``POST /collections``, and the instrument of its spec or form."""
    fields = Fields(data, "")
    law = _law(fields.required("spec"))
    labels = _labels(_table(fields.optional("labels", default={}), "labels"))
    texts = read_texts(fields, names=law.names if isinstance(law, Form) else None, labels=tuple(labels))
    declaration = _declaration(fields, texts, labels)
    fields.close()
    if isinstance(law, Form):
        for name in labels:
            if name in (*law.names, "question"):  # a column beside the reports, where they are exported
                raise InvalidSpec(f"labels: {name!r} must not be the name of a question, or question itself")
    check_texts(texts, law, labels)
    instrument = instrument_of(law)
    groups = math.prod(len(several) + 1 for several in labels.values())
    if groups > MAX_GROUPS:
        raise InvalidSpec(f"labels: their texts combine in {groups} ways, which must be at most {MAX_GROUPS}")
    cells, limit = instrument.cells, MAX_DOCUMENT_BYTES - 1024
    if groups * cells > MAX_COUNTS:
        raise InvalidSpec(f"labels: {groups} combinations of {cells} counts each must be at most {MAX_COUNTS} counts")
    document = declaration.document(base="/collections/" + "x" * 32, fingerprint=law.fingerprint, state="waiting")
    if len(document) > limit:
        raise InvalidSpec(f"title, question, words, labels and the other texts together must stay below {limit} bytes")
    return declaration, instrument


def _law(spec: object) -> Law:
    """The mechanism of a spec, or a form whose law file people can read; TOML text or a table."""
    data = parse_toml(spec) if isinstance(spec, str) else spec
    try:
        if not isinstance(data, Mapping) or not is_form(data):
            return Spec.of(data).mechanism
        form = Form.of(data)
        check_bytes(len(written := form.published), "the law file of the form")
        parse_published(written)
    except DiscreetError as problem:
        raise InvalidSpec(f"spec: {problem}") from None
    return form


def check_texts(texts: Texts, law: Law, labels: Mapping[str, tuple[str, ...]]) -> None:
    """`InvalidSpec` if words, in any language, are for an answer that there is not, or may pass for another answer."""
    specs = law.questions if isinstance(law, Form) else {"": law}
    domains = {name: spec.context.values for name, spec in specs.items()}
    for name, spec in specs.items():
        try:
            check_blocks(spec.context)
        except InvalidInput as problem:
            raise InvalidSpec(f"{name}: {problem}" if name else str(problem)) from None
    shown = {name: Domain(several) for name, several in labels.items()}
    for place, (name, question) in enumerate(texts.questions.items()):
        path = f"questions[{place}]." if name else ""
        if not question.question:
            raise InvalidSpec(f"{path}question must be text")
        if question.kind == "box" and len(domains[name]) != 2:
            raise InvalidSpec(f"{path}kind=box must be of a question with two answers, not {len(domains[name])}")
        if (
            question.kind == "number"
            and not isinstance(domains[name], NumberDomain)
            and not NUMBER.fullmatch(str(domains[name][0]))
        ):
            raise InvalidSpec(f"{path}kind=number must be of a question whose answers are numbers")
    for language in texts.languages:
        where = f"translations.{language}." if language in texts.translations else ""
        said, read = texts.translations.get(language, texts), texts.in_language(language)
        for name, question in read.questions.items():
            if not where or (name in said.questions and said.questions[name].words):
                _check_words(question, domains[name], f"{where}questions.{name}." if name else where, "value")
        for name, label in read.background.items():
            if not where or (name in said.background and said.background[name].words):
                _check_words(label, shown[name], f"{where}background.{name}.", "text")


def _check_words(texts: LabelTexts, domain: Domain, path: str, what: str) -> None:
    for value in texts.words:
        if isinstance(domain, NumberDomain) and value not in map(str, domain.outside):
            raise InvalidSpec(
                f"{path}words: {value!r} must be an answer outside the scale: numbers are shown as they are"
            )
        if domain.find_text(value) is None:
            of = "a value of the domain, as text" if what == "value" else "a text of the label"
            raise InvalidSpec(f"{path}words: {value!r} must be {of}")
    try:
        check_words(domain, texts.words)
    except InvalidInput as problem:
        raise InvalidSpec(f"{path}{problem}") from None


def restore_declaration(written: str, law: Law) -> Declaration:
    """The declaration that `Declaration.canonical` wrote, of a collection with this law."""
    fields = Fields(loads(written, InvalidSpec), "")
    labels = _labels(_table(fields.optional("labels", default={}), "labels"))
    try:
        texts = read_texts(fields, names=law.names if isinstance(law, Form) else None, labels=tuple(labels))
    except InvalidSpec:
        texts = _first_texts(fields)
    declaration = _declaration(fields, texts, labels)
    fields.close()
    return declaration


def _first_texts(fields: Fields) -> Texts:
    """The texts that collections had at first, which were held to fewer rules: title, question and words."""
    title, question = (text(fields.required(key), key) for key in ("title", "question"))
    words = _table(fields.optional("words", default={}), "words")
    asked = QuestionTexts(question, words={key: text(entry, f"words.{key}") for key, entry in sorted(words.items())})
    return Texts(title, questions={"": asked})


def _declaration(fields: Fields, texts: Texts, labels: Mapping[str, tuple[str, ...]]) -> Declaration:
    opens, closes = (_moment(fields.optional(key), key) for key in ("opens", "closes"))
    if opens is not None and closes is not None and opens >= closes:
        raise InvalidSpec("opens must be before closes")
    minimum = whole(fields.required("minimum"), "minimum")
    if not 1 <= minimum <= 10**9:
        raise InvalidSpec("minimum must be from 1 to 1000000000 reports")
    period = fields.optional("period")
    if period is not None and (not isinstance(period, str) or period not in labels):
        raise InvalidSpec("period must be the name of a label")
    return Declaration(
        texts=texts,
        labels=labels,
        opens=opens,
        closes=closes,
        minimum=minimum,
        period=period,
        changes=_one_of(fields.required("changes"), "changes", CHANGES),
        access=_one_of(fields.required("access"), "access", ACCESS),
    )


def _labels(table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    if len(table) > MAX_LABELS:
        raise InvalidSpec(f"labels must be at most {MAX_LABELS}")
    labels = {}
    for name, entry in sorted(table.items()):
        if not NAME.fullmatch(name) or name in RESERVED_NAMES:
            raise InvalidSpec("labels: a name must be 1 to 40 letters, digits, _ or -, and not report, day or days")
        texts = [_line(one, f"labels.{name}", 100) for one in as_list(entry, f"labels.{name}")]
        if not 0 < len(texts) <= MAX_TEXTS or len(set(texts)) != len(texts):
            raise InvalidSpec(f"labels.{name} must list 1 to {MAX_TEXTS} distinct texts")
        labels[name] = tuple(texts)
    return labels


def _one_of(entry: object, name: str, known: tuple[str, ...]) -> str:
    if text(entry, name) not in known:
        raise InvalidSpec(f"{name} must be one of {', '.join(known)}")
    return text(entry, name)


def _line(entry: object, name: str, max_length: int) -> str:
    line = text(entry, name)
    if not line.strip() or len(line) > max_length or any(ord(c) < 32 and c != "\n" for c in line):
        raise InvalidSpec(f"{name} must be text of 1 to {max_length} characters")
    return line


def _table(entry: object, name: str) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        raise InvalidSpec(f"{name} must be a table")
    return entry


def _moment(entry: object, name: str) -> datetime | None:
    if entry is None:
        return None
    try:
        if not isinstance(entry, str) or not MOMENT.fullmatch(entry):
            raise ValueError
        return datetime.fromisoformat(entry)
    except ValueError:
        raise InvalidSpec(f"{name} must be a time in UTC such as 2026-11-17T00:00:00Z") from None


def format_moment(moment: datetime) -> str:
    """A time in UTC as documents write it, such as 2026-11-17T00:00:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
