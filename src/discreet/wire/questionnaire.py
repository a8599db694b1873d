"""`Questionnaire`: what is asked, what people read of it and how it is collected, as one document.

In TOML or JSON it is a spec, or a form with its ``[[questions]]``, whose entries stand side by side with the texts of
`texts` and with the settings of the collection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..core.errors import InvalidSpec, shown
from ..core.fields import Fields, as_list, kind_of
from ..core.limits import allowed, metering
from .form import Form
from .spec import Spec, check_name, dumps, is_form, located, parsed_document, write_document
from .texts import Texts, read_texts

SETTINGS = ("minimum", "changes", "access", "labels", "period", "opens", "closes")
"""How answers are collected, as the declaration of a collection says it; the collector checks them."""

DEFAULTS: Mapping[str, Any] = {"minimum": 100, "changes": "refuse", "access": "open"}
"""What is meant where a questionnaire does not say it."""

WORDING = ("question", "help", "words", "unit", "group", "kind")
"""The texts of one question, which stand beside its domain, context and mechanism."""

GENERAL = ("title", "asker", "introduction", "consent", "thanks", "language", "background", "translations")
"""The texts of the whole questionnaire."""

OF_SPEC = ("name", "note", "version", "fingerprint", "domain", "context", "mechanism", "law", "reports", "word_bits")
OF_FORM = ("name", "note", "version", "fingerprint", "form", "mechanism", "questions")
"""What a spec and a form have of their own."""


@dataclass(frozen=True, eq=False)
class Questionnaire:
    """One question or several with their texts, and how answers are collected.

    >>> import discreet as dc
    >>> smokes = {"name": "smokes", "question": "Do you smoke?", "kind": "yes/no", "domain": {"values": ["no", "yes"]}}
    >>> drinks = {"name": "drinks", "question": "Do you drink?", "kind": "yes/no", "domain": {"values": ["no", "yes"]}}
    >>> form = {"strategy": "each", "epsilon": "2"}
    >>> asked = Questionnaire.of({"title": "Habits", "form": form, "questions": [smokes, drinks]})
    >>> asked.names, asked.texts.questions["smokes"].question, asked.declaration()["minimum"]
    (('smokes', 'drinks'), 'Do you smoke?', 100)
    >>> Questionnaire.of(asked.as_dict()).spec.fingerprint == asked.spec.fingerprint
    True
    """

    spec: Spec | Form
    texts: Texts
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The entries of `SETTINGS` that it gives, as plain data."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the questions, in order; None for a single question, which has none."""
        return self.spec.names if isinstance(self.spec, Form) else None

    @property
    def specs(self) -> dict[str, Spec]:
        """The spec of every question by its name; a single question is called ``""``."""
        return dict(self.spec.questions) if isinstance(self.spec, Form) else {"": self.spec}

    # -- as TOML and JSON ----------------------------------------------------------------------------
    @classmethod
    def read(cls, path: str | Path, *, folder: str | Path | None = None) -> Questionnaire:
        """The questionnaire in a TOML or JSON file, held to `discreet.core.limits`; it may name files beside it."""
        path = check_name(path)
        with located(str(path)):
            data, folder = parsed_document(path), path.parent if folder is None else Path(folder)
            return cls.of(data, folder=folder, source=str(path))

    @classmethod
    def find(cls, path: str | Path) -> Questionnaire | None:
        """The same, or None if the file has no title, which only questionnaires have."""
        with located(str(path)):
            data = parsed_document(check_name(path))
        return cls.read(path) if isinstance(data, Mapping) and "title" in data else None

    @classmethod
    def of(cls, data: object, *, folder: Path | None = None, source: str = "") -> Questionnaire:
        """The questionnaire in plain data; `InvalidSpec` names an entry that is missing, extra or ill-typed."""
        if not isinstance(data, Mapping):
            raise InvalidSpec(f"a questionnaire must be a table, not {kind_of(data)}")
        several = is_form(data)
        beside = (*GENERAL, *(() if several else WORDING))
        _check_known(data, (*beside, *SETTINGS, *(OF_FORM if several else OF_SPEC)), "")
        asked = {key: data[key] for key in beside if key in data}
        settings = {key: plain_setting(data[key]) for key in SETTINGS if key in data}
        entries = {key: entry for key, entry in data.items() if key not in asked and key not in settings}
        if several:
            given = as_list(Fields(data, "").required("questions"), "questions")
            listing = [_table(entry, place) for place, entry in enumerate(given)]
            asked["questions"] = [{key: one[key] for key in ("name", *WORDING) if key in one} for one in listing]
            entries["questions"] = [{key: one[key] for key in one if key not in WORDING} for one in listing]
        with metering(allowed()):
            spec = (Form if several else Spec).of(entries, folder=folder, source=source)
            labels = settings.get("labels", {})
            fields = Fields(asked, "")
            names = spec.names if isinstance(spec, Form) else None
            texts = read_texts(fields, names=names, labels=tuple(labels) if isinstance(labels, Mapping) else ())
            fields.close()
        questionnaire = cls(spec, texts, settings)
        check_texts(texts, {name: one.context.values for name, one in questionnaire.specs.items()})
        return questionnaire

    def as_dict(self) -> dict[str, Any]:
        """The questionnaire as plain data; `Questionnaire.of` gives the same texts, settings and fingerprint."""
        texts, entries = self.texts.as_dict(), self.spec.as_dict()
        if isinstance(self.spec, Form):
            wording = texts.pop("questions")
            entries["questions"] = [
                {"name": name, **asked, **one}
                for name, asked, one in zip(self.spec.names, wording, entries["questions"], strict=True)
            ]
        return {**texts, **self.settings, **entries}

    def to_toml(self) -> str:
        """The questionnaire as a TOML file."""
        return dumps(self.as_dict())

    def write(self, path: str | Path) -> None:
        """Write the questionnaire to a .toml or .json file, whole or not at all."""
        write_document(self.as_dict(), path)

    def declaration(self) -> dict[str, Any]:
        """The body of the request that makes a collection of it."""
        return {"spec": self.spec.as_dict(), **DEFAULTS, **self.settings, **self.texts.as_dict()}


def check_texts(texts: Texts, values: Mapping[str, Any]) -> None:
    """Raise `InvalidSpec` for words, in any language, that are not those of a value of their question."""
    for other in (texts, *texts.translations.values()):
        for name, asked in other.questions.items():
            for word in asked.words:
                if values[name].find_text(word) is None:
                    where = f"words of {name!r}" if name else "words"
                    raise InvalidSpec(f"{where}: {shown(word)} must be a value of the domain, as text")


def _table(entry: object, place: int) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        raise InvalidSpec(f"questions[{place}] must be a table, not {kind_of(entry)}")
    _check_known(entry, (*WORDING, *OF_SPEC), f"questions[{place}].")
    return entry


def _check_known(data: Mapping[str, Any], known: Sequence[str], path: str) -> None:
    """Raise `InvalidSpec` for an entry that there is not, with the one that it may be meant for."""
    for key in data:
        if key not in known:
            near = get_close_matches(str(key), known, 1)
            hint = f"did you mean {near[0]}?" if near else f"the entries are {', '.join(sorted(known))}"
            raise InvalidSpec(f"{path}{key} is not a known entry; {hint}")


def plain_setting(entry: Any) -> Any:
    """A setting as JSON has it, too: TOML may give a time without quotes."""
    if isinstance(entry, datetime) and entry.tzinfo is not None:
        return entry.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return entry
