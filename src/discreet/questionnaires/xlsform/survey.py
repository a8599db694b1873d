"""The rows of a survey, one after the other: questions, notes and groups."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.canonical import loads
from ...core.domain import Value
from ...core.errors import DiscreetError, InvalidInput, InvalidSpec, shown
from ...mechanisms.by_hand.reading import is_design
from ...wire.form import check_question
from ...wire.texts import KINDS
from . import numbers
from .columns import FATES, HARMLESS, Entry, Remark, Table
from .hiding import PUBLIC, context_in, context_of_numbers, garbling_in
from .kinds import BEGIN, BLOCKS, END, MAX_POINTS, SELECT, kind_of_list, reason

READ = (
    "type", "name", "label", "hint", "discreet_context", "discreet_epsilon", "discreet_mechanism", "discreet_kind",
    "discreet_unit", "discreet_group", "discreet_bands", "discreet_domain", "discreet_name",
    "garbling::answer", "garbling::rate", "garbling::covariate",
)  # fmt: skip
"""The columns that are read wherever they are."""
TRUE = ("yes", "true", "true()", "1")
NO_KIND = "none"
"""What `discreet_kind` says of a question whose document names no kind."""
PRIVATE = ("discreet_context", "discreet_epsilon", "discreet_mechanism", "garbling::answer", "garbling::rate")


@dataclass
class Asked:
    """A question as a questionnaire has it, with the row of its own; `others` are its texts in other languages."""

    row: int
    name: str
    values: Sequence[Value]
    domain: dict[str, Any]
    texts: dict[str, Any]
    others: dict[str, dict[str, Any]] = field(default_factory=dict)
    context: dict[str, Any] | None = None
    mechanism: dict[str, Any] | None = None
    public: bool = False

    @property
    def by_hand(self) -> bool:
        """True if the table of its mechanism is its context."""
        return self.context is None and self.mechanism is not None and is_design(self.mechanism)

    @property
    def has_own(self) -> bool:
        """True if the row says what is hidden."""
        return self.context is not None or self.by_hand

    def entries(self) -> dict[str, Any]:
        """The question as an entry of a questionnaire, without its context."""
        mechanism = {} if self.mechanism is None else {"mechanism": self.mechanism}
        return {"name": self.name, **self.texts, "domain": self.domain, **mechanism}


class SurveyReader:
    """Reads the sheet survey into questions and texts, and lists what has no place."""

    def __init__(self, survey: Table, choices: Table, main: str, remarks: list[Remark]) -> None:
        self.survey, self.choices, self.main, self.remarks = survey, choices, main, remarks
        self.languages = list(dict.fromkeys([*survey.languages, *choices.languages]))
        self.lists = self._lists()
        self.used: set[str] = set()
        self.asked: list[Asked] = []
        self._general: dict[str, list[dict[str, str]]] = {"introduction": [], "consent": [], "thanks": []}
        self._inside: list[tuple[str, int]] = []
        self._skipped = 0

    def general(self, key: str, language: str) -> str:
        """A text of the whole questionnaire that rows such as notes give, in a language."""
        parts = [self._in(texts, language) for texts in self._general.get(key, ())]
        return "\n\n".join(part for part in parts if part)

    def _in(self, texts: Mapping[str, str], language: str) -> str:
        return texts.get(language, texts.get("", "") if language == self.main else "")

    # -- rows --------------------------------------------------------------------------------------
    def read(self) -> list[Asked]:
        """The questions of all rows, in order."""
        entries = self.survey.entries
        for entry in entries:
            try:
                self._row(entry)
            except DiscreetError as problem:
                raise type(problem)(f"sheet survey, row {entry.row}: {problem}") from None
        if self._inside:
            kind, row = self._inside[-1]
            raise InvalidInput(f"sheet survey, row {row}: begin_{kind} must have its end_{kind}")
        self._place_notes()
        for name, rows in self.lists.items():
            if name not in self.used:
                self.remark(
                    rows[0], "list_name", f"no question that is asked takes the list {name!r}", "choices", lost=False
                )
        self._choice_remarks()
        names: dict[str, int] = {}
        for one in self.asked:
            if one.name in names:
                raise InvalidInput(
                    f"sheet survey, row {one.row}: name={shown(one.name)} must not be that of row {names[one.name]} too"
                )
            names[one.name] = one.row
        return self.asked

    def _row(self, entry: Entry) -> None:
        written = " ".join(entry.text("type").split())
        if entry.text("disabled").lower() in TRUE:
            return self.remark(entry, "disabled", "a row that is disabled is left out, as it is elsewhere", lost=False)
        if end := END.fullmatch(written):
            return self._end(entry, end[1].lower())
        if begin := BEGIN.fullmatch(written):
            return self._begin(entry, begin[1].lower())
        if self._skipped:
            return None
        if not written:
            if entry.cells:
                self.remark(entry, "type", "a row without a type is left out")
            return None
        word = written.lower()
        if select := SELECT.fullmatch(written):
            several = "multiple" in select["type"].lower() or "all" in select["type"].lower()
            (self._boxes if several else self._choice)(entry, select["list"], bool(select["other"]))
        elif word in ("integer", "int", "range"):
            self._number(entry, word)
        elif word == "decimal" and (bounds := numbers.any_bounds_in(entry.text("constraint"))) is not None:
            self._any_number(entry, bounds)
        elif word in ("note", "acknowledge", "trigger"):
            self._note(entry, word)
        else:
            self.remark(entry, "type", f"{written}: {reason(written)}", private=True)
        return None

    def _begin(self, entry: Entry, kind: str) -> None:
        self._inside.append((kind, entry.row))
        if self._skipped or kind in BLOCKS:
            self._skipped += 1
            if self._skipped == 1:
                self.remark(entry, "type", f"begin_{kind}: {BLOCKS[kind]}", private=True)
            return
        if label := self._in(entry.texts("label"), self.main) or entry.text("label"):
            self.remark(
                entry, "label", f"the heading {shown(label)} is left out: questions follow each other without one"
            )
        self._columns(entry, ("required",))

    def _end(self, entry: Entry, kind: str) -> None:
        if not self._inside or self._inside[-1][0] != kind:
            raise InvalidInput(f"end_{kind} must close a begin_{kind}")
        self._inside.pop()
        self._skipped = max(0, self._skipped - 1)

    def _note(self, entry: Entry, word: str) -> None:
        """A note, whose place decides what it is, or a consent."""
        texts = entry.texts("label")
        if word == "note":
            hints = entry.texts("hint")
            texts = {code: "\n".join(filter(None, (texts.get(code), hints.get(code)))) for code in {**texts, **hints}}
        if not texts:
            return
        if word != "note" and self.asked:
            self.remark(entry, "type", f"{word}: left out: consent is asked before the first question", private=True)
            return
        key = "consent" if word != "note" else "thanks" if self.asked else "introduction"
        self._general[key].append({**texts, "#row": str(entry.row), "#before": str(len(self.asked))})
        self._columns(entry, ("required", "read_only"))

    def _place_notes(self) -> None:
        """Notes after the last question are the thanks; those between questions have no place."""
        last = str(len(self.asked))
        for note in self._general["thanks"]:
            if note["#before"] != last:
                text = self._in(note, self.main) or next(iter(note.values()))
                self.remarks.append(
                    Remark(
                        "survey", int(note["#row"]), "label", f"the note {shown(text)} between questions is left out"
                    )
                )
        self._general["thanks"] = [note for note in self._general["thanks"] if note["#before"] == last]

    # -- questions ---------------------------------------------------------------------------------
    def _choice(self, entry: Entry, listed: str, other: bool) -> None:
        rows = self._offered(entry, listed)
        values: list[Value] = [self._value(row) for row in rows]
        words: dict[str, dict[str, str]] = {}
        for row, value in zip(rows, values, strict=True):
            for code, text in row.texts("label").items():
                if not (code in ("", self.main) and text == str(value)):
                    words.setdefault(code, {})[str(value)] = text
        if other and "other" not in map(str, values):
            values.append("other")
            self.remark(entry, "type", "or_other: other is one more answer; what it is, is not asked")
        kind = kind_of_list(values, entry.text("appearance"))
        one = self._question(entry, values, {"values": values}, kind, words)
        consumed = ("appearance",) if "likert" in entry.text("appearance").lower().split() else ()
        self._columns(entry, consumed)
        self.asked.append(one)

    def _boxes(self, entry: Entry, listed: str, other: bool) -> None:
        """A question of yes or no for each choice, under one heading."""
        rows = self._offered(entry, listed)
        values: list[Value] = ["no", "yes"]
        headings = entry.texts("label") or {"": entry.text("name")}
        hints = entry.texts("hint")
        for place, row in enumerate(rows):
            choice = str(self._value(row))
            name = row.text("discreet_question") or f"{self._name(entry)}_{choice}"
            beside = {"group": headings, "help": {} if place else hints}
            texts = self._texts(entry, row.texts("label") or {"": choice}, beside)
            main = texts.pop(self.main)
            main.setdefault("question", choice)
            self._kind(entry, main, "box")
            one = Asked(entry.row, check_question(name), values, {"values": values}, main, texts)
            self._hide(entry, one)
            if one.public:
                raise InvalidInput("a public label must be a select_one, not a select_multiple")
            self.asked.append(one)
        if other:
            self.remark(entry, "type", "or_other: only the choices of the list are asked")
        self._columns(entry, ())

    def _any_number(self, entry: Entry, bounds: tuple[str, str]) -> None:
        """Any number between two bounds: a decimal, or an integer with a discreet_domain."""
        domain = numbers.domain_in(entry.text("discreet_domain"), bounds)
        one = self._question(entry, (), domain, "number", {})
        if one.public:
            raise InvalidInput("a public label must be a select_one, not a number")
        self._columns(entry, ("constraint",))
        self.asked.append(one)

    def _number(self, entry: Entry, word: str) -> None:
        if entry.text("discreet_domain"):
            bounds = numbers.any_bounds_in(entry.text("constraint"))
            if word == "range" or bounds is None:
                raise InvalidInput(
                    "discreet_domain needs an integer or a decimal with the constraint . >= 0 and . <= 120"
                )
            return self._any_number(entry, bounds)
        consumed: tuple[str, ...] = ("constraint",)
        if word == "range":
            consumed = ("constraint", "parameters")
            try:
                low, high, step = numbers.range_in(entry.text("parameters"))
            except InvalidInput as problem:
                return self.remark(entry, "parameters", f"range: left out: {problem}", private=True)
            if (high - low) % step:
                self.remark(
                    entry, "parameters", f"the range ends at {high - (high - low) % step}, which its steps reach"
                )
                high -= (high - low) % step
        else:
            least, most, unread = numbers.bounds_in(entry.text("constraint"))
            if least is None or most is None or most < least:
                text = "left out: say from where to where, as the constraint . >= 0 and . <= 120"
                return self.remark(entry, "constraint", f"{word}: {text}", private=True)
            low, high, step = least, most, 1
            for part in unread:
                self.remark(
                    entry, "constraint", f"{shown(part)} is not read: all numbers from {low} to {high} are answers"
                )
        bands, count = entry.text("discreet_bands"), (high - low) // step + 1
        if not bands and count > numbers.MAX_NUMBERS:
            width = numbers.own_width(low, high)
            text = (
                f"{count} numbers are asked in bands of {width}: say others in discreet_bands, or 1 for single numbers"
            )
            self.remark(entry, "discreet_bands", text)
            bands = str(width)
        if bands and bands != "1":
            names = numbers.band_names(numbers.bands_in(bands, low, high))
            one = self._question(entry, names, {"values": names}, "scale", {})
        else:
            values = range(low, high + 1, step)
            ends = {"from": low, "to": high, **({"step": step} if step > 1 else {})}
            kind = "scale" if word == "range" and count <= MAX_POINTS else "number"
            one = self._question(entry, values, {"values": ends}, kind, {})
        self._columns(entry, consumed)
        self.asked.append(one)
        return None

    def _question(
        self,
        entry: Entry,
        values: Sequence[Value],
        domain: dict[str, Any],
        kind: str,
        words: Mapping[str, dict[str, str]],
    ) -> Asked:
        name = self._name(entry)
        labels = entry.texts("label")
        public = entry.text("discreet_context").lower() == PUBLIC
        if not labels and not public:
            self.remark(entry, "label", "the question has no label, and is asked by its name", lost=False)
        columns = {column: entry.texts(f"discreet_{column}") for column in ("unit", "group")}
        named = {} if public else {"": name}
        texts = self._texts(entry, labels or named, {"help": entry.texts("hint"), **columns})
        for code, table in sorted(words.items()):
            own = texts.setdefault(code or self.main, {})
            own["words"] = {**own.get("words", {}), **table}
        main = texts.pop(self.main)
        if "question" not in main and labels:
            main["question"] = next(iter(labels.values()))
            self.remark(entry, "label", "the question has no label in the main language, and is asked in another one")
        self._kind(entry, main, kind)
        one = Asked(entry.row, check_question(name), values, domain, main, texts)
        self._hide(entry, one)
        return one

    def _kind(self, entry: Entry, main: dict[str, Any], kind: str) -> None:
        said = entry.text("discreet_kind") or kind
        if said != NO_KIND and said not in KINDS:
            raise InvalidInput(f"discreet_kind={shown(said)} must be one of {', '.join(KINDS)}")
        if said != NO_KIND:
            main["kind"] = said

    def _texts(
        self, entry: Entry, labels: Mapping[str, str], others: Mapping[str, Mapping[str, str]]
    ) -> dict[str, dict[str, Any]]:
        """The texts of a question by language; those without a language are in the main one."""
        texts: dict[str, dict[str, Any]] = {self.main: {}}
        for key, table in {"question": labels, **others}.items():
            for code, text in table.items():
                texts.setdefault(code or self.main, {}).setdefault(key, text)
                if code == self.main:
                    texts[self.main][key] = text
                if "${" in text:
                    self.remark(
                        entry, "label", f"{shown(text)} is shown as it is written, not with another answer in it"
                    )
        return texts

    def _hide(self, entry: Entry, one: Asked) -> None:
        """What the row says is to be hidden of a question."""
        garbled = garbling_in(entry, one.values)
        lies = all(isinstance(value, int) for value in one.values)
        public = entry.text("discreet_context").lower() == PUBLIC
        of_numbers = "low" in one.domain and not public
        one.context = context_of_numbers(entry) if of_numbers else context_in(entry, one.values, lies=lies)
        if garbled is not None:
            if one.context is not None:
                raise InvalidInput("one of garbling::rate and discreet_context must be given, not both")
            one.context = garbled[0]
            self.remark(entry, "garbling::rate", garbled[1], lost=False)
        if entry.text("garbling::covariate"):
            text = "garbling in blocks looks at other people's answers, which no device can: each is garbled by itself"
            self.remark(entry, "garbling::covariate", text)
        if mechanism := entry.text("discreet_mechanism"):
            one.mechanism = loads(mechanism, InvalidSpec) if mechanism.startswith("{") else {"name": mechanism}
        if one.context is not None and one.context["form"] == PUBLIC:
            one.public, one.context = True, None
            one.texts = {key: text for key, text in one.texts.items() if key in ("question", "help", "words")}

    def _name(self, entry: Entry) -> str:
        if not (name := entry.text("discreet_name") or entry.text("name")):
            raise InvalidInput("a question must have a name")
        return name

    # -- choices -----------------------------------------------------------------------------------
    def _lists(self) -> dict[str, list[Entry]]:
        lists: dict[str, list[Entry]] = {}
        for entry in self.choices.entries:
            if name := entry.text("list_name"):
                lists.setdefault(name, []).append(entry)
            elif entry.cells:
                self.remarks.append(Remark("choices", entry.row, "list_name", "a choice without a list is left out"))
        return lists

    def _list(self, name: str) -> list[Entry]:
        if name not in self.lists:
            raise InvalidInput(
                f"the list {shown(name)} must be in the sheet choices, which has {', '.join(self.lists) or 'none'}"
            )
        self.used.add(name)
        return self.lists[name]

    def _value(self, row: Entry) -> Value:
        value = row.cells.get("name")
        if value is None:
            raise InvalidInput(f"the choice in row {row.row} of the sheet choices must have a name")
        return value

    def _offered(self, entry: Entry, name: str) -> list[Entry]:
        """The choices that a question offers, each once: a list may repeat them for different earlier answers."""
        offered: dict[str, Entry] = {}
        for row in self._list(name):
            value = str(self._value(row))
            if offered.setdefault(value, row) is row:
                continue
            if not entry.text("choice_filter"):
                raise InvalidInput(f"list {name}: the choice {shown(value)} must be there only once")
            text = f"the choice {shown(value)} of the list {name} is there once more, and is one answer"
            self.remark(row, "name", text, "choices")
        return list(offered.values())

    def _choice_remarks(self) -> None:
        read = {"list_name", "name", "label", "discreet_question"}
        for name in self.lists:
            for entry in self.lists[name] if name in self.used else ():
                for column in entry.columns:
                    if column not in read and not column.startswith("$"):
                        text = FATES["choices"].get(column, "this column is not known, and not used")
                        self.remark(entry, column, text, "choices")

    # -- remarks -----------------------------------------------------------------------------------
    def remark(
        self, entry: Entry, column: str, text: str, sheet: str = "survey", *, lost: bool = True, private: bool = False
    ) -> None:
        """List what becomes of something in a row; of a row that is left out, `private` says that it was sensitive."""
        if private and any(entry.text(column) for column in PRIVATE):
            text += "; it was to be hidden, and nothing of it is asked"
        self.remarks.append(Remark(sheet, entry.row, column, text, lost))

    def _columns(self, entry: Entry, consumed: Sequence[str]) -> None:
        """List the columns in which a row has something that is not read."""
        for column in entry.columns:
            if column in READ or column in consumed or column.startswith("$") or column == "disabled":
                continue
            if column == "required":
                needed = entry.text(column).lower() in TRUE
                if not needed:
                    text = 'must be answered all the same: offer an answer such as "prefer not to say"'
                    self.remark(entry, column, text)
            elif column == "parameters" and re.fullmatch(r"\s*randomize\s*=\s*\S+.*", entry.text(column)):
                self.remark(entry, column, "choices are shown in their order")
            elif column == "read_only" and entry.text(column).lower() not in TRUE:
                continue
            elif column == "constraint":
                self.remark(entry, column, "is read only of an integer: every choice of the list is an answer")
            else:
                text = FATES["survey"].get(column, "this column is not known, and not used")
                self.remark(entry, column, text, lost=column not in HARMLESS)
