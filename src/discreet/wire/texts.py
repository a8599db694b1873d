"""What people read of a collection: who asks, the questions and their answers in words, in one language or several.

The declaration of a collection, its public document and a questionnaire file hold the same texts, which are read here.
Nothing in them decides what is promised: that follows from the law. A kind says how a question is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..core.errors import InvalidInput, InvalidSpec, shown
from ..core.fields import Fields, as_list, text
from .form import check_question

T = TypeVar("T")
AnyTexts = TypeVar("AnyTexts", "Texts", "LabelTexts", "QuestionTexts")

KINDS = ("choice", "scale", "number", "yes/no", "box")
"""How a question can be shown: one of a list, the same in order, a field for a number, yes or no, a box to tick."""

LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}", re.ASCII)
"""The form of the name of a language, such as en, de or pt-BR (BCP 47)."""

MAX_LANGUAGES = 20
MAX_TITLE = 200
MAX_LINE = 2_000
"""The most characters of a question or a help text."""
MAX_TEXT = 4_000
"""The most characters of a text such as an introduction."""
MAX_WORDS = 200
"""The most characters of the words for an answer."""

TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that change the direction in which the text after them is shown."""

GENERAL = ("asker", "introduction", "consent", "thanks")
"""Texts about the whole collection, besides its title."""
BEFORE = ("asker", "introduction", "consent")
"""Those of them that are read before an answer."""


@dataclass(frozen=True)
class LabelTexts:
    """How a public label is asked for; its texts may be shown in other `words`."""

    question: str = ""
    help: str = ""
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class QuestionTexts(LabelTexts):
    """A question as people read it; of a box, `group` is the heading that it shares with others."""

    unit: str = ""
    group: str = ""
    kind: str = ""

    @property
    def in_full(self) -> str:
        """What was asked, of a box below its heading."""
        return f"{self.group} {self.question}" if self.group else self.question


@dataclass(frozen=True)
class Texts:
    """All that people read of a collection; a single question is called ``""``.

    >>> from discreet.core.fields import Fields
    >>> german = {"title": "Wege", "question": "Wie fahren Sie?", "words": {"bike": "Rad"}}
    >>> asked = {"title": "Ways", "question": "How do you travel?", "help": "Usually.", "translations": {"de": german}}
    >>> texts = read_texts(Fields(asked, ""))
    >>> texts.languages, texts.in_language("de").questions[""].question, texts.in_language("de").questions[""].help
    (('en', 'de'), 'Wie fahren Sie?', 'Usually.')
    """

    title: str = ""
    asker: str = ""
    introduction: str = ""
    consent: str = ""
    thanks: str = ""
    language: str = ""
    questions: Mapping[str, QuestionTexts] = field(default_factory=dict)
    background: Mapping[str, LabelTexts] = field(default_factory=dict)
    translations: Mapping[str, Texts] = field(default_factory=dict)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it can be read in, its own first."""
        return (self.language or "en", *self.translations)

    def in_language(self, language: str) -> Texts:
        """The texts in one of the `languages`; what a translation lacks is as in the main texts."""
        if language not in self.languages:
            raise InvalidInput(f"language={shown(language)} must be one of {', '.join(self.languages)}")
        other = self.translations.get(language, Texts())
        return replace(
            _merged(self, other),
            language=language,
            questions={name: _merged(one, other.questions.get(name)) for name, one in self.questions.items()},
            background={name: _merged(one, other.background.get(name)) for name, one in self.background.items()},
            translations={},
        )

    def as_dict(self) -> dict[str, Any]:
        """The texts as declarations and documents hold them; `read_texts` gives them back."""
        entries = _filled(self, "title", *GENERAL, "language")
        for name, one in self.questions.items():
            if not name:
                entries |= _filled(one, *vars(one))
        if "" not in self.questions:
            entries["questions"] = [{"name": name, **_filled(one, *vars(one))} for name, one in self.questions.items()]
        if self.background:
            entries["background"] = [
                {"name": name, **_filled(one, *vars(one))} for name, one in self.background.items()
            ]
        if self.translations:
            entries["translations"] = {name: _translation(one) for name, one in self.translations.items()}
        return entries

    @property
    def wording(self) -> list[Any]:
        """What was asked, in every language: by its hash, ledgers know whether two collections ask the same.

        A heading, a unit or an introduction can turn a question into another one. So all that is read before an answer
        is in it, but for what nobody has written.
        """
        translations = {name: _translation(one) for name, one in self.translations.items()}
        beside = self._beside
        if "" in self.questions:
            more = [translations, beside] if beside else [translations] if translations else []
            return [self.title, self.questions[""].question, dict(self.questions[""].words), *more]
        asked = [[name, one.question, dict(one.words)] for name, one in self.questions.items()]
        return [self.title, asked, translations, *([beside] if beside else [])]

    @property
    def _beside(self) -> dict[str, Any]:
        """What is read before an answer beside the title, the questions and the words for their answers."""
        tables = {
            "questions": {name: _filled(one, "help", "unit", "group") for name, one in self.questions.items()},
            "background": {name: _filled(one, *vars(one)) for name, one in self.background.items()},
        }
        filled = {key: {name: one for name, one in table.items() if one} for key, table in tables.items()}
        return {**_filled(self, *BEFORE), **{key: table for key, table in filled.items() if table}}


def read_texts(fields: Fields, *, names: Sequence[str] | None = None, labels: Sequence[str] = ()) -> Texts:
    """The texts among the entries of a document; `InvalidSpec` for one that is not as it must be.

    `names` are those of the questions of a form, in order; None for a single question. `labels` are the public ones.
    """
    if names is None:
        questions = {"": _question(fields)}
    else:
        questions = _listed(fields.required("questions"), fields.name("questions"), _question)
        if tuple(questions) != tuple(names):
            raise InvalidSpec(f"{fields.name('questions')} must be about {', '.join(names)}, in this order")
    background = _listed(fields.optional("background", default=[]), fields.name("background"), _label)
    _check_known(background, labels, fields.name("background"))
    language = fields.optional("language")
    texts = Texts(
        title=_line(fields.required("title"), fields.name("title"), MAX_TITLE),
        **_general(fields),
        language="" if language is None else _language(language, fields.name("language")),
        questions=questions,
        background=background,
    )
    table = _table(fields.optional("translations", default={}), fields.name("translations"))
    if len(table) > MAX_LANGUAGES:
        raise InvalidSpec(f"{fields.name('translations')} must be at most {MAX_LANGUAGES}")
    translations = {}
    for name, entry in sorted(table.items()):
        inner = Fields(entry, f"{fields.name('translations')}.{name}")
        if _language(name, fields.name("translations")) == texts.languages[0]:
            raise InvalidSpec(f"{inner.path} must be left out: the other texts are in this language")
        translations[name] = _read_translation(inner, questions, labels)
    return replace(texts, translations=translations)


def _read_translation(fields: Fields, questions: Mapping[str, QuestionTexts], labels: Sequence[str]) -> Texts:
    """The texts in another language, all of them optional."""
    title = fields.optional("title")
    read = {"": _question(fields, main=False)} if "" in questions else _tables(fields, "questions", _other_question)
    background = _tables(fields, "background", _label)
    _check_known(read, tuple(questions), fields.name("questions"))
    _check_known(background, labels, fields.name("background"))
    general = _general(fields)
    fields.close()
    return Texts(
        title="" if title is None else _line(title, fields.name("title"), MAX_TITLE),
        **general,
        questions=read,
        background=background,
    )


def _general(fields: Fields) -> dict[str, Any]:
    return {name: _optional_line(fields, name, MAX_TEXT) for name in GENERAL}


def _question(fields: Fields, *, main: bool = True) -> QuestionTexts:
    """A question in the main language, or what a translation has of it."""
    kind = fields.optional("kind") if main else None
    if kind is not None and (not isinstance(kind, str) or kind not in KINDS):
        raise InvalidSpec(f"{fields.name('kind')}={shown(kind)} must be one of {', '.join(KINDS)}")
    if main:
        _line(fields.required("question"), fields.name("question"), MAX_LINE)
    asked = QuestionTexts(
        **vars(_label(fields)),
        unit=_optional_line(fields, "unit", MAX_WORDS),
        group=_optional_line(fields, "group", MAX_LINE),
        kind=kind or "",
    )
    if main and bool(asked.group) != (kind == "box"):
        raise InvalidSpec(f"{fields.name('group')} must be the heading of a question of the kind box, and of no other")
    return asked


def _other_question(fields: Fields) -> QuestionTexts:
    return _question(fields, main=False)


def _label(fields: Fields) -> LabelTexts:
    words = _table(fields.optional("words", default={}), fields.name("words"))
    return LabelTexts(
        question=_optional_line(fields, "question", MAX_LINE),
        help=_optional_line(fields, "help", MAX_LINE),
        words={key: _line(entry, f"{fields.name('words')}.{key}", MAX_WORDS) for key, entry in sorted(words.items())},
    )


def _listed(data: object, path: str, read: Callable[[Fields], T]) -> dict[str, T]:
    """The entries of a list of tables by their names, in order."""
    entries: dict[str, T] = {}
    for place, entry in enumerate(as_list(data, path)):
        fields = Fields(entry, f"{path}[{place}]")
        try:
            name = check_question(text(fields.required("name"), fields.name("name")))
        except InvalidSpec:
            raise
        except InvalidInput as problem:
            raise InvalidSpec(f"{fields.path}: {problem}") from None
        if name in entries:
            raise InvalidSpec(f"{fields.name('name')}={shown(name)} is that of an earlier one; names must differ")
        entries[name] = read(fields)
        fields.close()
    return entries


def _tables(fields: Fields, key: str, read: Callable[[Fields], T]) -> dict[str, T]:
    """The entries of a table of tables."""
    entries = {}
    for name, entry in sorted(_table(fields.optional(key, default={}), fields.name(key)).items()):
        inner = Fields(entry, f"{fields.name(key)}.{name}")
        entries[name] = read(inner)
        inner.close()
    return entries


def _check_known(entries: Mapping[str, object], known: Sequence[str], path: str) -> None:
    for name in entries:
        if name not in known:
            raise InvalidSpec(f"{path}: {shown(name)} must be one of {', '.join(known) or 'none'}")


def _translation(texts: Texts) -> dict[str, Any]:
    """The texts of another language as documents hold them."""
    entries = _filled(texts, "title", *GENERAL)
    if "" in texts.questions:
        entries |= _filled(texts.questions[""], *vars(texts.questions[""]))
    for key, table in (("questions", texts.questions), ("background", texts.background)):
        if table and "" not in table:
            entries[key] = {name: _filled(one, *vars(one)) for name, one in table.items()}
    return entries


def _filled(texts: Texts | LabelTexts, *names: str) -> dict[str, Any]:
    """The entries that are not empty."""
    return {name: entry for name in names if (entry := getattr(texts, name))}


def _merged(texts: AnyTexts, other: AnyTexts | None) -> AnyTexts:
    """Texts with those of another language in their place, where it has them."""
    if other is None:
        return texts
    entries: dict[str, Any] = {name: entry for name, entry in vars(other).items() if entry and isinstance(entry, str)}
    if isinstance(texts, LabelTexts) and isinstance(other, LabelTexts):
        entries["words"] = {**texts.words, **other.words}
    return replace(texts, **entries)


def _language(name: object, path: str) -> str:
    if not isinstance(name, str) or not LANGUAGE.fullmatch(name):
        raise InvalidSpec(f"{path}: {shown(name)} must be the name of a language, such as en, de or pt-BR")
    return name


def _optional_line(fields: Fields, key: str, max_length: int) -> str:
    entry = fields.optional(key)
    return "" if entry is None else _line(entry, fields.name(key), max_length)


def _line(entry: object, name: str, max_length: int) -> str:
    line = text(entry, name)
    if not line.strip() or len(line) > max_length or any(ord(c) < 32 and c != "\n" for c in line) or TURNS.search(line):
        raise InvalidSpec(
            f"{name} must be text of 1 to {max_length} characters, without those that turn the direction of writing"
        )
    return line


def _table(entry: object, name: str) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        raise InvalidSpec(f"{name} must be a table")
    return entry
