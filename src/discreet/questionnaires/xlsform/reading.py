"""XLSForms as questionnaires: what can be asked, and a list of all that cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.canonical import loads
from ...core.errors import DiscreetError, InvalidInput, InvalidSpec, check_type, shown
from ...core.exact import positive_finite, text_of
from ...wire.form import EACH, MAX_QUESTIONS, ONE, STRATEGIES, TOGETHER
from ...wire.questionnaire import SETTINGS, Questionnaire
from ...wire.spec import write_document
from .columns import Remark, Table, listing
from .languages import code_of
from .survey import Asked, SurveyReader
from .workbook import Sheet, read_workbook

KNOWN_SHEETS = ("survey", "choices", "settings")
SHEETS_WITH_DATA = {
    "entities": "entities are not kept: nothing is known of a person but their report",
    "external_choices": "only the lists of the sheet choices are read",
    "osm": "tags of maps are not asked",
}
"""Other sheets of the standard, and what becomes of them."""

READ_SHEETS = (*KNOWN_SHEETS, *SHEETS_WITH_DATA)

OWN = "discreet_"
"""How our own columns begin."""
NAMED = ("note", "fingerprint", "mechanism")
"""Entries of a questionnaire, besides its texts and settings, that have a column ``discreet_NAME`` in settings."""


@dataclass(frozen=True)
class XLSForm:
    """A questionnaire that was read from an XLSForm, and everything in the workbook that it has not or has otherwise.

    `data` is what ``Questionnaire.of`` makes the questionnaire of: without the mechanisms, which are chosen later.

    >>> import discreet as dc
    >>> from discreet.questionnaires.xlsform.columns import Remark
    >>> asked = {"title": "Smoking", "question": "Do you smoke?", "domain": {"values": ["no", "yes"]}}
    >>> asked["context"] = {"form": "uniform", "epsilon": "1"}
    >>> form = dc.XLSForm(dc.wire.Questionnaire.of(asked), asked, [Remark("survey", 3, "type", "text: left out")])
    >>> print(form)
    sheet survey, row 3, column type: text: left out
    >>> len(form.lost)
    1
    """

    questionnaire: Questionnaire
    data: Mapping[str, Any]
    remarks: Sequence[Remark] = field(default_factory=tuple)

    @property
    def lost(self) -> list[Remark]:
        """The remarks on what the questionnaire does not ask as the workbook does."""
        return [remark for remark in self.remarks if remark.lost]

    def write(self, path: str | Path) -> None:
        """Write the questionnaire to a .toml or .json file, whole or not at all, its mechanisms left open."""
        write_document(self.data, path)

    def __str__(self) -> str:
        return "\n".join(listing(self.remarks))


def read_xlsform(path: str | Path, *, epsilon: object = None, strategy: str | None = None) -> XLSForm:
    """The questionnaire in an XLSForm, an .xlsx file with the sheets ``survey``, ``choices`` and ``settings``.

    `epsilon` is that of the whole form, and `strategy` how it is asked; without them the columns ``discreet_epsilon``
    and ``discreet_strategy`` of the sheet ``settings`` say it. It may come from somebody else: a workbook that is
    damaged, or larger than any form, is refused before it is read.

    >>> import discreet as dc
    >>> asked = {"title": "Smoking", "question": "Do you smoke?", "kind": "yes/no", "domain": {"values": ["no", "yes"]}}
    >>> asked["context"] = {"form": "uniform", "epsilon": "1"}
    >>> import tempfile, os.path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "smoking.xlsx")
    ...     dc.write_xlsform(dc.wire.Questionnaire.of(asked), path)
    ...     dc.read_xlsform(path).questionnaire.texts.questions[""].question
    'Do you smoke?'
    """
    check_type("path", path, (str, Path), "the name of a file")
    path = Path(path)
    sheets = read_workbook(path)
    try:
        return form_of_sheets(sheets, name=path.stem, epsilon=epsilon, strategy=strategy)
    except DiscreetError as problem:
        raise type(problem)(f"{path}: {problem}") from None


def form_of_sheets(
    sheets: Mapping[str, Sheet], *, name: str = "form", epsilon: object = None, strategy: str | None = None
) -> XLSForm:
    """The questionnaire in the sheets of an XLSForm; `name` is its title where it has none."""
    remarks: list[Remark] = []
    sheets = {
        name.strip().lower() if name.strip().lower() in READ_SHEETS else name: one for name, one in sheets.items()
    }
    tables = {kind: Table(sheets.get(kind, Sheet(kind, ())), kind, remarks) for kind in KNOWN_SHEETS}
    if "survey" not in sheets or "type" not in tables["survey"]:
        raise InvalidInput("this is no XLSForm: it must have a sheet called survey with a column called type")
    for other in sheets:
        if other not in KNOWN_SHEETS:
            text = SHEETS_WITH_DATA.get(other, "this sheet is not read")
            remarks.append(Remark(other, None, "", text, lost=other in SHEETS_WITH_DATA))
    settings = _settings(tables["settings"], remarks)
    main = _main_language(tables, str(settings.pop("default_language", "")), remarks)
    reader = SurveyReader(tables["survey"], tables["choices"], main, remarks)
    asked = reader.read()
    data = _texts(reader, settings, main, name) | _settings_of(settings)
    labels = [one for one in asked if one.public]
    hidden = [one for one in asked if not one.public]
    if not hidden:
        why = next((f", because of {line}" for line in listing(remarks) if "left out" in line), "")
        raise InvalidInput(f"sheet survey: there must be a question that can be asked{why}")
    if len(hidden) > MAX_QUESTIONS:
        raise InvalidInput(
            f"sheet survey: {len(hidden)} questions must be at most {MAX_QUESTIONS}, each choice of a select_multiple "
            f"as one; that in row {hidden[MAX_QUESTIONS].row} is the first beyond"
        )
    if labels:
        data["labels"] = {one.name: [str(value) for value in one.values] for one in labels} | data.get("labels", {})
        data["background"] = [{"name": one.name, **one.texts} for one in labels]
    level = settings.get("discreet_epsilon") if epsilon is None else epsilon
    way = settings.get("discreet_strategy") if strategy is None else strategy
    data |= _hidden(hidden, level, ONE if way is None else str(way), remarks)
    translations = _translations(reader, settings, hidden, labels, single=len(hidden) == 1, main=main)
    if translations:
        data["translations"] = translations
    try:
        questionnaire = Questionnaire.of(data)
    except DiscreetError as problem:
        raise type(problem)(_with_rows(str(problem), hidden)) from None
    return XLSForm(questionnaire, data, tuple(remarks))


def _settings(table: Table, remarks: list[Remark]) -> dict[str | tuple[str, str], Any]:
    """The entries of the sheet settings, and remarks on those that have no place."""
    from .columns import FATES, HARMLESS

    if not table.entries:
        return {}
    entry = table.entries[0]
    for more in table.entries[1:]:
        remarks.append(Remark(table.name, more.row, "", "only the first row of settings is read"))
    known = ("form_title", "form_id", "version", "default_language")
    for column in entry.columns:
        if column not in known and not column.startswith(OWN):
            text = FATES["settings"].get(column, "this setting is not known, and not used")
            remarks.append(Remark(table.name, entry.row, column, text, lost=column not in HARMLESS))
    return dict(entry.cells)


def _main_language(tables: Mapping[str, Table], default: str, remarks: list[Remark]) -> str:
    """The code of the language that the main texts are in; "" where no column says it."""
    languages = list(dict.fromkeys(code for table in tables.values() for code in table.languages))
    if default and (code := code_of(default)) is not None:
        return code
    if default and default.lower() != "default":
        text = f"default_language={shown(default)} has no known code, and is left out: write it as NAME (xx)"
        remarks.append(Remark("settings", None, "default_language", text))
    plain = any("label" in entry.cells for entry in tables["survey"].entries)
    if plain:
        return "en" if "en" in languages else ""
    return languages[0] if languages else ""


def _texts(reader: SurveyReader, settings: Mapping[Any, Any], main: str, name: str) -> dict[str, Any]:
    """The texts of the whole questionnaire in its main language."""
    title = settings.get("form_title") or settings.get("form_id") or name
    data: dict[str, Any] = {}
    if own := settings.get("discreet_name", settings.get("form_id")):
        data["name"] = str(own)
    data["title"] = str(title)
    if main:
        data["language"] = main
    for key in ("asker", "introduction", "consent", "thanks"):
        if text := in_language(settings, OWN + key, main) or reader.general(key, main):
            data[key] = text
    return data


def in_language(cells: Mapping[Any, Any], column: str, language: str) -> str:
    """A cell in the main language: that of its own column, or of the column without a language."""
    return str(cells.get((column, language), cells.get(column, "")))


def _settings_of(settings: Mapping[Any, Any]) -> dict[str, Any]:
    """The settings of the collection and other entries that have columns of ours."""
    data: dict[str, Any] = {}
    for key in (*SETTINGS, *NAMED):
        entry = settings.get(OWN + key)
        if isinstance(entry, str) and entry[:1] in ("{", "["):
            entry = loads(entry, InvalidSpec)
        if entry is not None:
            data[key] = {"name": entry} if key == "mechanism" and isinstance(entry, str) else entry
    if "version" in settings and "note" not in data:
        data["note"] = f"version {settings['version']}"
    known = ("title", "asker", "introduction", "consent", "thanks", "name", "epsilon", "strategy", *SETTINGS, *NAMED)
    for key in settings:
        column = key[0] if isinstance(key, tuple) else key
        if column.startswith(OWN) and column.removeprefix(OWN) not in known:
            raise InvalidInput(
                f"sheet settings: column {column} must be one of {', '.join(OWN + one for one in known)}"
            )
    return data


def _hidden(hidden: Sequence[Asked], level: object, strategy: str, remarks: list[Remark]) -> dict[str, Any]:
    """The questions with what is hidden of them: alike in the whole form, or each by a context of its own."""
    if strategy not in STRATEGIES:
        raise InvalidInput(f"strategy={shown(strategy)} must be one of {', '.join(map(repr, STRATEGIES))}")
    epsilon = None if level is None else positive_finite(level, name="epsilon")
    own = [one for one in hidden if one.has_own]
    if epsilon is None and len(own) < len(hidden):
        rest = next(one for one in hidden if not one.has_own)
        raise InvalidInput(
            f"sheet survey, row {rest.row}: nothing says how well {rest.name!r} is hidden: give an epsilon for the "
            "whole form (--epsilon, or the column discreet_epsilon of settings), or one for the question"
        )
    share = None if epsilon is None else epsilon / (len(hidden) if strategy in (EACH, TOGETHER) else 1)
    contexts: list[dict[str, Any] | None] = []
    for one in hidden:
        if one.by_hand:
            contexts.append(None)
        elif one.context is None or ("epsilon" not in one.context and one.context["form"] == "uniform"):
            contexts.append(None if share is None else {"form": "uniform", "epsilon": text_of(share)})
        elif one.context["form"] == "high_low" and "epsilon" not in one.context and share is not None:
            contexts.append({**one.context, "epsilon": text_of(share)})
        else:
            contexts.append(one.context)
    if len(hidden) == 1:
        entries = {key: entry for key, entry in hidden[0].entries().items() if key != "name"}
        return {**entries, **({} if contexts[0] is None else {"context": contexts[0]})}
    form: dict[str, Any] = {"strategy": strategy}
    if not own:
        assert epsilon is not None
        return {"form": form | {"epsilon": text_of(epsilon)}, "questions": [one.entries() for one in hidden]}
    if share is not None and len(own) < len(hidden):
        text = (
            f"some questions say what is hidden of them, so each of the others is uniform at epsilon {text_of(share)}, "
            "and the whole form adds up to what they give together"
        )
        remarks.append(Remark("survey", None, "discreet_context", text, lost=False))
    questions = [
        {**one.entries(), **({} if context is None else {"context": context})}
        for one, context in zip(hidden, contexts, strict=True)
    ]
    return {"form": form, "questions": questions}


def _translations(
    reader: SurveyReader,
    settings: Mapping[Any, Any],
    hidden: Sequence[Asked],
    labels: Sequence[Asked],
    *,
    single: bool,
    main: str,
) -> dict[str, Any]:
    """The texts in every other language that has any."""
    translations: dict[str, Any] = {}
    general = [key for key in settings if isinstance(key, tuple)]
    languages = dict.fromkeys([*(key[1] for key in general), *reader.languages])
    for language in languages:
        if language == (main or "en"):
            continue
        texts: dict[str, Any] = {}
        if title := settings.get((OWN + "title", language)):
            texts["title"] = str(title)
        for key in ("asker", "introduction", "consent", "thanks"):
            if text := settings.get((OWN + key, language)) or reader.general(key, language):
                texts[key] = str(text)
        questions = {one.name: one.others[language] for one in hidden if one.others.get(language)}
        background = {one.name: one.others[language] for one in labels if one.others.get(language)}
        if single and questions:
            texts |= next(iter(questions.values()))
        elif questions:
            texts["questions"] = questions
        if background:
            texts["background"] = background
        if texts:
            translations[language] = texts
    return translations


def _with_rows(problem: str, hidden: Sequence[Asked]) -> str:
    """A message about entries of a questionnaire with the rows of the survey that they were read from."""
    for place in reversed(range(len(hidden))):
        problem = problem.replace(
            f"questions[{place}]", f"sheet survey, row {hidden[place].row} ({hidden[place].name})"
        )
    return problem
