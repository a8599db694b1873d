"""Questionnaires as XLSForms, in the types and columns of the standard, with columns of ours for what it has not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...contexts import Context
from ...contexts.reading import context_in as context_of
from ...core.domain import Domain, Value
from ...core.errors import DiscreetError, InvalidInput, check_type, shown
from ...core.exact import text_of
from ...core.fields import Fields, to_plain
from ...core.numbers import NumberDomain
from ...wire.form import Form
from ...wire.questionnaire import Questionnaire
from ...wire.spec import Spec
from ...wire.texts import LabelTexts, QuestionTexts, Texts
from .columns import Entry
from .hiding import PUBLIC, context_in
from .kinds import MAX_POINTS, kind_of_list
from .languages import name_of
from .numbers import MAX_NUMBERS
from .reading import form_of_sheets
from .survey import NO_KIND
from .workbook import Cell, Row, Sheet, as_cell, check_writable_name, workbook_bytes, write_workbook

Cells = dict[str, Cell]
"""A row by its headings."""
XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)
"""What ODK takes as the name of a question."""
BOXES: list[Value] = ["no", "yes"]


def write_xlsform(questionnaire: Questionnaire, path: str | Path) -> None:
    """Write a questionnaire as an XLSForm, an .xlsx file that `read_xlsform` reads as the same questionnaire.

    It is read back before it is written: one that a workbook cannot hold exactly is refused.

    >>> import discreet as dc
    >>> asked = {"title": "Smoking", "question": "Do you smoke?", "domain": {"values": ["no", "yes"]}}
    >>> asked["context"] = {"form": "uniform", "epsilon": "1"}
    >>> dc.write_xlsform(dc.wire.Questionnaire.of(asked), "smoking.xls")
    Traceback (most recent call last):
        ...
    discreet.core.errors.InvalidInput: smoking.xls: a workbook must be written as an .xlsx file
    """
    check_type("questionnaire", questionnaire, Questionnaire, "a questionnaire")
    check_type("path", path, (str, Path), "the name of a file")
    path = Path(path)
    check_writable_name(path)
    try:
        sheets = sheets_of(questionnaire)
        again = form_of_sheets(_as_read(sheets)).questionnaire
    except DiscreetError as problem:
        raise InvalidInput(f"{path}: this questionnaire cannot be written as an XLSForm: {problem}") from None
    if (other := difference(questionnaire, again)) is not None:
        raise InvalidInput(
            f"{path}: this questionnaire cannot be written as an XLSForm: {other} would be read otherwise"
        )
    write_workbook(path, workbook_bytes(sheets))


def _as_read(sheets: Mapping[str, Sequence[Sequence[Cell | None]]]) -> dict[str, Sheet]:
    """The sheets as they will be read."""
    return {
        name: Sheet(
            name,
            [
                Row(number, {place: cell for place, entry in enumerate(row) if (cell := as_cell(entry)) != ""})
                for number, row in enumerate(rows, start=1)
            ],
        )
        for name, rows in sheets.items()
    }


def difference(first: Questionnaire, second: Questionnaire) -> str | None:
    """What differs between two questionnaires, by its name; None if nothing does.

    Mechanisms are compared as they are chosen, and words that only repeat an answer are none.
    """
    if first.names != second.names:
        return "the names of the questions"
    for key in ("strategy", "epsilon", "choice", "name", "note", "pinned", "fingerprint"):
        if isinstance(first.spec, Form) != (key == "fingerprint") and getattr(first.spec, key, None) != getattr(
            second.spec, key, None
        ):
            return f"its {key}"
    for name, one in first.specs.items():
        other = second.specs[name]
        where = f" of {name!r}" if name else ""
        if one.context.domain != other.context.domain:
            return f"the answers{where}"
        if described(one.context) != described(other.context):
            return f"the context{where}"
        if dict(one.choice) != dict(other.choice) or one.report_names != other.report_names:
            return f"the mechanism{where}"
    if dict(first.settings) != dict(second.settings):
        return "its settings"
    mine, yours = _plain_texts(first.texts), _plain_texts(second.texts)
    if mine != yours:
        key = next(key for key in {**mine, **yours} if mine.get(key) != yours.get(key))
        return f"its {key}"
    return None


def _plain_texts(texts: Texts) -> dict[str, Any]:
    """Texts as plain data, without words that repeat the answer."""
    plain = texts.as_dict()
    for table in (plain, *plain.get("questions", ()), *plain.get("background", ())):
        if "words" in table:
            table["words"] = {value: word for value, word in table["words"].items() if word != value}
            if not table["words"]:
                del table["words"]
    return plain


def described(context: Context) -> dict[str, Any]:
    """A context as a table of a spec, one with answers outside a scale as what it is."""
    if context.outside is None:
        return dict(to_plain(context.describe()))
    scale, level = context.outside
    beside = list(context.values)[scale.size :]
    return {"form": "outside", "outside": beside, "scale": described(scale), "epsilon": text_of(level)}


class _Writer:
    """Collects the rows of the three sheets."""

    def __init__(self, questionnaire: Questionnaire) -> None:
        self.questionnaire, self.texts = questionnaire, questionnaire.texts
        self.main = self.texts.language
        self.others = tuple(self.texts.translations)
        self.survey: list[Cells] = []
        self.choices: list[Cells] = []
        self.lists: dict[str, str] = {}
        self.names: set[str] = set()

    # -- texts -------------------------------------------------------------------------------------
    def column(self, name: str, language: str) -> str:
        """The heading of a text in a language."""
        return f"{name}::{name_of(language)}" if language else name

    def in_languages(self, column: str, main: str, others: Mapping[str, str]) -> Cells:
        """A text in every language that has it."""
        cells: Cells = {self.column(column, self.main): main} if main else {}
        return cells | {self.column(column, code): text for code, text in others.items() if text}

    def general(self, key: str, column: str) -> Cells:
        others = {code: getattr(other, key) for code, other in self.texts.translations.items()}
        return self.in_languages(column, getattr(self.texts, key), others)

    def texts_of(self, key: str, column: str, texts: LabelTexts, others: Mapping[str, LabelTexts]) -> Cells:
        return self.in_languages(column, getattr(texts, key), {code: getattr(one, key) for code, one in others.items()})

    def translated(self, part: str, name: str) -> dict[str, Any]:
        """The texts of a question or label in the other languages."""
        tables = {code: getattr(other, part) for code, other in self.texts.translations.items()}
        return {code: table[name] for code, table in tables.items() if name in table}

    # -- names -------------------------------------------------------------------------------------
    def unique(self, wanted: str) -> str:
        """A name as ODK takes it, which no other row has."""
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", wanted).strip("_.-") or "answer"
        plain = plain if XML_NAME.fullmatch(plain) else f"_{plain}"
        name, number = plain, 1
        while name in self.names:
            number += 1
            name = f"{plain}_{number}"
        self.names.add(name)
        return name

    def named(self, name: str) -> Cells:
        """The cells with the name of a question; one that ODK would not take has a column of ours."""
        plain = self.unique(name)
        return {"name": plain} if plain == name else {"name": plain, "discreet_name": name}

    def list_of(self, wanted: str, rows: Iterable[Cells]) -> str:
        """The name of the list with these choices, which is made unless there is one."""
        kept = list(rows)
        key = json.dumps(kept, sort_keys=True)
        if key not in self.lists:
            name, number = wanted, 1
            while name in self.lists.values():
                number += 1
                name = f"{wanted}_{number}"
            self.lists[key] = name
            self.choices += [{"list_name": name, **row} for row in kept]
        return self.lists[key]

    # -- rows --------------------------------------------------------------------------------------
    def rows(self) -> None:
        """All rows of the survey."""
        asked = list(self.questionnaire.specs.items())
        self.names |= {name for name, _ in asked if XML_NAME.fullmatch(name)}  # theirs before those of notes
        notes = [("note", "introduction"), ("acknowledge", "consent")]
        for kind, key in notes:
            if cells := self.general(key, "label"):
                self.survey.append({"type": kind, "name": self.unique(key), **cells})
        self.names -= {name for name, _ in asked}
        labels = self.questionnaire.settings.get("labels", {})
        for name, label in self.texts.background.items():
            self.choice(
                name, list(labels[name]), label, self.translated("background", name), {"discreet_context": PUBLIC}
            )
        place = 0
        while place < len(asked):
            run = self.run_of_boxes(asked, place)
            if run > place:
                self.boxes(asked[place:run])
                place = run
            else:
                self.question(*asked[place])
                place += 1
        if cells := self.general("thanks", "label"):
            self.survey.append({"type": "note", "name": self.unique("thanks"), **cells})

    def question(self, name: str, spec: Spec) -> None:
        texts, others = self.texts.questions[name], self.translated("questions", name)
        if isinstance(spec.context.domain, NumberDomain):
            self.number(name or "answer", spec, spec.context.domain)
            return
        values = list(spec.context.values)
        if any(isinstance(value, tuple) for value in values[:1]):
            raise InvalidInput(f"{name or 'the question'}: answers that are tuples are no choices")
        hidden = self.hidden(spec)
        ends = _ends(values)
        named = name or "answer"
        if ends is None or texts.words or any(one.words for one in others.values()):
            self.choice(named, values, texts, others, hidden)
            return
        low, high, step = ends
        as_scale = texts.kind == "scale" and len(values) <= MAX_POINTS
        cells: Cells = {"type": "range", "parameters": f"start={low} end={high} step={step}"}
        if step == 1 and not as_scale:
            cells = {"type": "integer", "constraint": f". >= {low} and . <= {high}"}
        inferred = "scale" if cells["type"] == "range" and len(values) <= MAX_POINTS else "number"
        if len(values) > MAX_NUMBERS:
            hidden["discreet_bands"] = 1
        self.survey.append(cells | self.named(named) | self.asked(texts, others, inferred) | hidden)

    def number(self, name: str, spec: Spec, domain: NumberDomain) -> None:
        """A question for any number between two bounds."""
        texts, others = (
            self.texts.questions["" if "" in self.texts.questions else name],
            self.translated("questions", name),
        )
        if texts.words or any(one.words for one in others.values()):
            raise InvalidInput(f"{name}: words for answers beside numbers have no column")
        entries = domain.describe()
        cells: Cells = {"type": "decimal", "constraint": f". >= {entries.pop('low')} and . <= {entries.pop('high')}"}
        cells["discreet_domain"] = _json(to_plain(entries))
        hidden = self.hidden(spec)
        self.survey.append(cells | self.named(name) | self.asked(texts, others, "number") | hidden)

    def choice(
        self, name: str, values: Sequence[Value], texts: LabelTexts, others: Mapping[str, Any], hidden: Cells
    ) -> None:
        named = self.named(name)
        rows = []
        for value in values:
            words = {code: other.words.get(str(value), "") for code, other in others.items()}
            cells = self.in_languages("label", texts.words.get(str(value), str(value)), words)
            rows.append({"name": _cell_of(value), **cells})
        listed = self.list_of(str(named["name"]), rows)
        asked: Cells = {"type": f"select_one {listed}", **named}
        inferred = kind_of_list(values, "")
        if getattr(texts, "kind", "") == "scale" and inferred == "choice":
            asked["appearance"] = "likert"
            inferred = "scale"
        self.survey.append(asked | self.asked(texts, others, inferred) | hidden)

    def asked(self, texts: LabelTexts, others: Mapping[str, Any], inferred: str) -> Cells:
        """The texts of a question, with its kind where its type does not say it."""
        cells = self.texts_of("question", "label", texts, others) | self.texts_of("help", "hint", texts, others)
        if not isinstance(texts, QuestionTexts):
            return cells
        cells |= self.texts_of("unit", "discreet_unit", texts, others)
        cells |= self.texts_of("group", "discreet_group", texts, others)
        return cells if texts.kind == inferred else cells | {"discreet_kind": texts.kind or NO_KIND}

    def hidden(self, spec: Spec) -> Cells:
        """The columns that say what is hidden of a question; none where the whole form says it."""
        cells: Cells = {}
        if spec.report_names:
            raise InvalidInput("names of reports that are written by hand have no column")
        form = self.questionnaire.spec
        if not (isinstance(form, Form) and form.epsilon is not None) and not spec.by_hand:
            cells |= _context_cells(spec.context)
        if dict(spec.choice) != {"name": "auto"}:
            only_name = set(spec.choice) == {"name"} and not str(spec.choice["name"]).startswith("{")
            cells["discreet_mechanism"] = spec.choice["name"] if only_name else _json(to_plain(dict(spec.choice)))
        return cells

    # -- boxes -------------------------------------------------------------------------------------
    def run_of_boxes(self, asked: Sequence[tuple[str, Spec]], place: int) -> int:
        """Where the boxes end that begin here and make one select_multiple; `place` if there are none."""
        end = place
        while end < len(asked) and self.is_box(asked[end], first=asked[place], alone=end == place):
            end += 1
        return end

    def is_box(self, one: tuple[str, Spec], *, first: tuple[str, Spec], alone: bool) -> bool:
        (name, spec), (opening, opened) = one, first
        texts, others = self.texts.questions[name], self.translated("questions", name)
        opens, other = self.texts.questions[opening], self.translated("questions", opening)
        every = (texts, *others.values())
        return (
            texts.kind == "box"
            and list(spec.context.values) == BOXES
            and not any(each.words or each.unit or (each.help and not alone) for each in every)
            and self.texts_of("group", "", texts, others) == self.texts_of("group", "", opens, other)
            and self.hidden(spec) == self.hidden(opened)
        )

    def boxes(self, run: Sequence[tuple[str, Spec]]) -> None:
        """One select_multiple with a choice for each box."""
        names = [name for name, _ in run]
        first = names[0]
        texts, others = self.texts.questions[first], self.translated("questions", first)
        prefix = first.rpartition("_")[0]
        shared = XML_NAME.fullmatch(prefix) is not None and prefix not in self.names | set(self.questionnaire.specs)
        shared = shared and all(name.startswith(f"{prefix}_") and " " not in name for name in names)
        own = self.unique(prefix if shared else f"boxes_{first}")
        rows = []
        for name in names:
            asked, inside = self.texts.questions[name], self.translated("questions", name)
            cells = self.texts_of("question", "label", asked, inside)
            if shared and own == prefix:
                rows.append({"name": name.removeprefix(f"{prefix}_"), **cells})
            else:
                plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", name)
                rows.append({"name": f"{plain}_{len(rows) + 1}", "discreet_question": name, **cells})
        cells = self.texts_of("group", "label", texts, others) | self.texts_of("help", "hint", texts, others)
        listed = self.list_of(own, rows)
        self.survey.append({"type": f"select_multiple {listed}", "name": own, **cells, **self.hidden(run[0][1])})

    # -- settings ----------------------------------------------------------------------------------
    def settings(self) -> Cells:
        """The one row of the sheet settings."""
        spec, given = self.questionnaire.spec, dict(self.questionnaire.settings)
        cells: Cells = {"form_title": self.texts.title}
        for code, other in self.texts.translations.items():
            cells |= {self.column("discreet_title", code): other.title} if other.title else {}
        if spec.name:
            plain = bool(XML_NAME.fullmatch(spec.name))
            cells |= (
                {"form_id": spec.name} if plain else {"form_id": self.unique(spec.name), "discreet_name": spec.name}
            )
        version = re.fullmatch(r"version (\S+)", spec.note)
        if version:
            cells["version"] = version[1]
        if self.main:
            cells["default_language"] = name_of(self.main)
        cells |= {"discreet_asker": self.texts.asker} if self.texts.asker else {}
        for code, other in self.texts.translations.items():
            cells |= {self.column("discreet_asker", code): other.asker} if other.asker else {}
        labels = {name: texts for name, texts in given.pop("labels", {}).items() if name not in self.texts.background}
        if labels:
            given["labels"] = labels
        pinned = spec.pinned if isinstance(spec, Form) else spec.fingerprint
        given |= {"note": "" if version else spec.note, "fingerprint": pinned}
        if isinstance(spec, Form):
            cells["discreet_strategy"] = spec.strategy
            if spec.epsilon is not None:
                cells["discreet_epsilon"] = text_of(spec.epsilon)
            if dict(spec.choice) != {"name": "auto"}:
                given["mechanism"] = to_plain(dict(spec.choice))
        for key, entry in given.items():
            if entry not in ("", None):
                cells[f"discreet_{key}"] = entry if isinstance(entry, (str, int)) else _json(entry)
        return cells


def sheets_of(questionnaire: Questionnaire) -> dict[str, list[list[Cell | None]]]:
    """The sheets of the XLSForm of a questionnaire, their headings first."""
    writer = _Writer(questionnaire)
    writer.rows()
    settings = writer.settings()
    sheets = {
        "survey": _grid(writer.survey, ("type", "name")),
        "choices": _grid(writer.choices, ("list_name", "name")),
        "settings": _grid([settings], ("form_title",)),
    }
    return {name: rows for name, rows in sheets.items() if len(rows) > 1}


def _grid(rows: Sequence[Cells], first: Sequence[str]) -> list[list[Cell | None]]:
    """Rows below one heading, the columns of the standard before ours."""
    columns = list(
        dict.fromkeys([*(c for c in first if any(c in row for row in rows)), *(c for row in rows for c in row)])
    )
    columns.sort(key=lambda column: (column not in first, column.startswith("discreet_")))
    return [list(columns), *([row.get(column) for column in columns] for row in rows)]


def _ends(values: Sequence[Value]) -> tuple[int, int, int] | None:
    """The first and last of numbers in even steps, and the step; None for other values."""
    numbers = [value for value in values if isinstance(value, int)]
    if len(numbers) != len(values) or len(numbers) < 2 or (step := numbers[1] - numbers[0]) < 1:
        return None
    return (numbers[0], numbers[-1], step) if numbers == list(range(numbers[0], numbers[-1] + 1, step)) else None


def _cell_of(value: Value) -> Cell:
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return value
    raise InvalidInput(f"the answer {shown(value)} must be text or a whole number")


def _context_cells(context: Context) -> Cells:
    """A context in its columns: in words where they say the same, else as a table."""
    table = described(context)
    if isinstance(context.domain, NumberDomain):
        if table["form"] == "uniform":
            return {"discreet_context": "uniform", "discreet_epsilon": table["epsilon"]}
        return {"discreet_context": _json(table)}
    inner = table.get("scale", table)
    values = list(context.values)
    level: Cells = {"discreet_epsilon": inner["epsilon"]} if isinstance(inner.get("epsilon"), str) else {}
    words = {"uniform": ["uniform"], "metric": ["line", "ring"], "high_low": []}.get(inner["form"], [])
    if inner["form"] == "high_low":
        words = [f"sensitive: {', '.join(map(str, inner.get('sensitive', ())))}"]
    beside = ""
    if table["form"] == "outside":
        beside = f"; outside: {', '.join(map(str, table['outside']))} at {table['epsilon']}"
    for word in words:
        cells: dict[str | tuple[str, str], Cell] = {"discreet_context": word + beside}
        cells.update((column, cell) for column, cell in level.items())
        try:
            again = context_in(Entry(0, cells), values, lies=all(isinstance(value, int) for value in values))
            if again is not None and described(context_of(Fields(again, "context"), Domain(values))) == table:
                return {"discreet_context": word + beside, **level}
        except DiscreetError:
            continue
    return {"discreet_context": _json(table)}


def _json(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False)
