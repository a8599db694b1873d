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
from ..client.words import check_words
from ..core.canonical import canonical, loads
from ..core.documents import parse_toml
from ..core.errors import DiscreetError, InvalidInput, InvalidSpec
from ..core.fields import Fields, as_list, text, whole
from ..estimation.decoders import decoder_of
from ..mechanisms.mechanism import Mechanism
from ..wire.spec import Spec

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}", re.ASCII)
RESERVED_NAMES = ("report", "day", "days")
"""Names of other columns and parameters, which no label may have."""

MAX_LABELS = 8
MAX_TEXTS = 100
MAX_GROUPS = 1_000
"""The most combinations of label texts: each has a tally of its own."""

MAX_COUNTS = 10_000_000
"""The most counts of all those tallies together, for one day."""


@dataclass(frozen=True)
class Declaration:
    """A collection as its owner declared it; it never changes."""

    title: str
    question: str
    words: Mapping[str, str]
    labels: Mapping[str, tuple[str, ...]]
    opens: datetime | None
    closes: datetime | None
    minimum: int
    period: str | None
    """The label whose texts are times at which the same people may answer again; None if they answer once in all."""
    changes: str
    access: str

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
            "words": dict(self.words),
            "labels": {name: list(texts) for name, texts in self.labels.items()},
            "period": self.period,
            "opens": None if self.opens is None else format_moment(self.opens),
            "closes": None if self.closes is None else format_moment(self.closes),
        }
        about = {"title": self.title, "question": self.question, "changes": self.changes}
        return {**about, **{key: entry for key, entry in optional.items() if entry}}


def parse_declaration(data: object) -> tuple[Declaration, Mechanism]:
    """The declaration in the body of ``POST /collections``, and the mechanism of its spec."""
    fields = Fields(data, "")
    spec = fields.required("spec")
    spec = parse_toml(spec) if isinstance(spec, str) else spec
    try:
        mechanism = Spec.of(spec).mechanism
    except DiscreetError as problem:
        raise InvalidSpec(f"spec: {problem}") from None
    declaration = _declaration(fields)
    fields.close()
    for value in declaration.words:
        if mechanism.context.values.find_text(value) is None:
            raise InvalidSpec(f"words: {value!r} must be a value of the domain, as text")
    try:
        check_words(mechanism.context.values, declaration.words)
    except InvalidInput as problem:
        raise InvalidSpec(str(problem)) from None
    groups = math.prod(len(texts) + 1 for texts in declaration.labels.values())
    if groups > MAX_GROUPS:
        raise InvalidSpec(f"labels: their texts combine in {groups} ways, which must be at most {MAX_GROUPS}")
    cells, limit = decoder_of(mechanism).cells, MAX_DOCUMENT_BYTES - 1024
    if groups * cells > MAX_COUNTS:
        raise InvalidSpec(f"labels: {groups} combinations of {cells} counts each must be at most {MAX_COUNTS} counts")
    document = declaration.document(base="/collections/" + "x" * 32, fingerprint=mechanism.fingerprint, state="waiting")
    if len(document) > limit:
        raise InvalidSpec(f"title, question, words and labels together must stay below {limit} bytes")
    return declaration, mechanism


def restore_declaration(text: str) -> Declaration:
    """The declaration that `Declaration.canonical` wrote."""
    fields = Fields(loads(text, InvalidSpec), "")
    declaration = _declaration(fields)
    fields.close()
    return declaration


def _declaration(fields: Fields) -> Declaration:
    opens, closes = (_moment(fields.optional(key), key) for key in ("opens", "closes"))
    if opens is not None and closes is not None and opens >= closes:
        raise InvalidSpec("opens must be before closes")
    minimum = whole(fields.required("minimum"), "minimum")
    if not 1 <= minimum <= 10**9:
        raise InvalidSpec("minimum must be from 1 to 1000000000 reports")
    words = _table(fields.optional("words", default={}), "words")
    labels = _labels(_table(fields.optional("labels", default={}), "labels"))
    period = fields.optional("period")
    if period is not None and (not isinstance(period, str) or period not in labels):
        raise InvalidSpec("period must be the name of a label")
    return Declaration(
        title=_line(fields.required("title"), "title", 200),
        question=_line(fields.required("question"), "question", 2_000),
        words={key: _line(entry, f"words.{key}", 200) for key, entry in sorted(words.items())},
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
