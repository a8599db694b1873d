"""`Form`: several questions, each with a mechanism of its own, or all of them as one value.

In TOML or JSON a form is ``[form]`` with a strategy, and ``[[questions]]``, each as the spec of one question.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..contexts import Context
from ..core.canonical import canonical
from ..core.domain import Value
from ..core.errors import InvalidInput, InvalidReport, InvalidSpec, UnknownValue, check_type, shown
from ..core.exact import Epsilon, positive_finite, text_of
from ..core.fields import Fields, as_list, number, text, to_plain
from ..core.limits import LIFTED, Limits, allowed, check, metering, spend
from ..core.numbers import NumberDomain
from ..core.registry import Registry
from ..mechanisms.mechanism import Mechanism
from .reports import report_from_json, report_to_json
from .spec import (
    Spec,
    check_name,
    dumps,
    is_form,
    law_text,
    located,
    named_files,
    parsed_document,
    read_about,
    write_document,
)

if TYPE_CHECKING:
    from ..core.random import Source
    from ..questionnaires.strategies import Strategies
    from ..questionnaires.tally import FormReports, FormTally

VERSION = 1
"""The version of forms; another one is refused."""

ONE, EACH, TOGETHER = "one at random", "each", "together"
STRATEGIES = {
    ONE: "everybody answers one question, drawn at random, with one report",
    EACH: "everybody answers every question, with a report for each",
    TOGETHER: "everybody answers every question, and all answers are one value with one report",
}
"""The ways to ask several questions, and what each means."""

IN_BULK: Registry[Any] = Registry(
    {
        "FormTally": "questionnaires.tally:FormTally",
        "randomize_columns": "questionnaires.tally:randomize_columns",
        "strategies": "questionnaires.strategies:strategies",
    }
)
"""What a form does with many people, which needs NumPy: found when it is first asked for."""

MAX_QUESTIONS = 64
"""The most questions of a form."""
MAX_NAME_LENGTH = 64
"""The most characters of a question's name."""
WORK_PER_TUPLE = 40
"""Steps that it takes to make one tuple of answers and to publish it."""
RESERVED_NAMES = {"report", "question", "discreet"}
"""Names of columns and keys beside those of the questions."""
BETWEEN_NAMES = " * "
"""What stands between the names of questions that are answered as one value."""


class Form:
    """Several questions and the strategy by which people are asked them.

    `questions` gives for each name a context or a mechanism or, where `epsilon` is given for the whole form, the values
    alone. Two people, whatever they answer, are then at least as hard to tell apart as that epsilon says:

    - ``"one at random"``: everybody answers one question, drawn by their own device whatever they hold, and which one
      may be seen. Two people differ by the question that was asked: ``E = max_j E_j[x_j, z_j]``, so the whole
      epsilon serves the one question.
    - ``"each"``: everybody answers every question with a report of its own, and what the reports give away adds up,
      ``E = sum_j E_j[x_j, z_j]``. The whole epsilon is split evenly.
    - ``"together"``: the answers are one value, a tuple, with one report. With `epsilon` all tuples are alike; with a
      context for each question theirs is the product, ``E = sum_j E_j[x_j, z_j]``.

    A report of a form is a dictionary: for each part that was asked its report. The parts are the questions, or all of
    them together, called ``"first * second"``.

    >>> import discreet as dc
    >>> form = dc.Form({"smokes": ["no", "yes"], "travels": ["bus", "car"]}, "one at random", epsilon="1")
    >>> form.randomize({"smokes": "yes", "travels": "bus"}, dc.random.seeded(1))
    {'smokes': 1}
    >>> str(form.epsilon_between({"smokes": "yes", "travels": "bus"}, {"smokes": "no", "travels": "car"}))
    '1'
    """

    def __init__(
        self,
        questions: Mapping[str, Any],
        strategy: str,
        *,
        epsilon: Any = None,
        choice: Mapping[str, Any] | None = None,
        name: str = "",
        source: str = "",
        limits: Limits = LIFTED,
    ) -> None:
        check_type("questions", questions, Mapping, "contexts or mechanisms by the name of the question")
        if not isinstance(strategy, str) or strategy not in STRATEGIES:
            raise InvalidInput(f"strategy={shown(strategy)} must be one of {', '.join(map(repr, STRATEGIES))}")
        if not 2 <= len(questions) <= MAX_QUESTIONS:
            raise InvalidInput(f"a form of {len(questions)} questions must have from 2 to {MAX_QUESTIONS}")
        self.strategy, self.name, self.source = strategy, name, source
        self.note = self.pinned = ""
        self.limits = limits
        self.files: tuple[Path, ...] = ()
        self.epsilon = None if epsilon is None else positive_finite(epsilon)
        check_type("choice", {} if choice is None else choice, Mapping, "the mechanism of all answers together")
        self.choice = {"name": "auto"} if choice is None else dict(choice)
        share = self.epsilon if self.epsilon is None else question_epsilon(self.epsilon, strategy, len(questions))
        self.questions = {check_question(key): _question_spec(key, entry, share) for key, entry in questions.items()}
        self._joint = self._joint_spec() if strategy == TOGETHER else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the questions, in order."""
        return tuple(self.questions)

    @property
    def parts(self) -> dict[str, Spec]:
        """What has a mechanism and reports of its own, by name: each question, or all of them together."""
        return self.questions if self._joint is None else {BETWEEN_NAMES.join(self.names): self._joint}

    @cached_property
    def mechanisms(self) -> dict[str, Mechanism]:
        """The certified mechanism of every part; `InvalidSpec` if they are not those that the form was pinned to."""
        mechanisms = {part: spec.mechanism for part, spec in self.parts.items()}
        if self.pinned and self._fingerprint(mechanisms) != self.pinned:
            raise InvalidSpec(
                f"fingerprint={self.pinned[:12]}... must be that of the form, which is now "
                f"{self._fingerprint(mechanisms)[:12]}...: it was changed after it was pinned, or this version of "
                "discreet makes other mechanisms of it"
            )
        return mechanisms

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the strategy, the names of the questions and the fingerprints of the mechanisms."""
        return self._fingerprint(self.mechanisms)

    def _fingerprint(self, mechanisms: Mapping[str, Mechanism]) -> str:
        laws = [mechanism.fingerprint for mechanism in mechanisms.values()]
        entries = {"fingerprints": laws, "questions": list(self.names), "strategy": self.strategy, "version": VERSION}
        return hashlib.sha256(canonical(entries).encode()).hexdigest()

    @property
    def published(self) -> str:
        """The law file of the form: the laws of its parts, the names of the questions and the strategy, canonical.

        `discreet.wire.parse_published` reads it. The fingerprint is that of the laws' fingerprints, not of this text.
        """
        laws = ",".join(law_text(mechanism) for mechanism in self.mechanisms.values())
        names, strategy = canonical(list(self.names)), canonical(self.strategy)
        form = f'{{"laws":[{laws}],"questions":{names},"strategy":{strategy}}}'
        return f'{{"form":{form},"version":{VERSION}}}'

    def _joint_spec(self) -> Spec:
        contexts = [spec.context for spec in self.questions.values()]
        for name, context in zip(self.questions, contexts, strict=True):
            if isinstance(context.domain, NumberDomain):
                raise InvalidInput(
                    f"question {name!r} asks for a number, which has a report of its own: a form with it asks "
                    f"{EACH!r} or {ONE!r}, not {TOGETHER!r}"
                )
            if any(isinstance(value, tuple) for value in context.values[:1]):
                raise InvalidInput(f"question {name!r} has tuples as values; its parts must be questions of their own")
        tuples = math.prod(context.size for context in contexts)
        check("values", tuples, "the tuples of all answers")
        spend(WORK_PER_TUPLE * tuples, "the tuples of all answers")
        if self.epsilon is not None:
            joint = Context.uniform(list(product(*(context.values for context in contexts))), self.epsilon)
        else:
            joint = contexts[0]
            for context in contexts[1:]:
                joint = joint * context
        return Spec(joint, self.choice, source=self.source, limits=self.limits)

    # -- as TOML and JSON ----------------------------------------------------------------------------
    @classmethod
    def read(cls, path: str | Path, *, folder: str | Path | None = None) -> Form:
        """The form in a TOML or JSON file, held to `discreet.core.limits`; files that it names are in its folder."""
        path = check_name(path)
        with located(str(path)):
            return cls.in_file(parsed_document(path), path, path.parent if folder is None else Path(folder))

    @classmethod
    def in_file(cls, data: Any, path: Path, folder: Path) -> Form:
        """The form that was parsed from a file, which is named in messages; files that it names are in `folder`."""
        form = cls.of(data, folder=folder, source=str(path))
        form.files = (path, *(folder / name for name in named_files(data)))
        return form

    @classmethod
    def of(cls, data: object, *, folder: Path | None = None, source: str = "") -> Form:
        """The form described by plain data; `InvalidSpec` names an entry that is missing, extra or ill-typed."""
        with metering(allowed()):
            fields = Fields(data, "")
            about = read_about(fields, VERSION)
            entries = Fields(fields.required("form"), "form")
            strategy, epsilon = text(entries.required("strategy"), "form.strategy"), None
            if strategy not in STRATEGIES:
                raise InvalidSpec(f"form.strategy={shown(strategy)} must be one of {', '.join(map(repr, STRATEGIES))}")
            if entries.has("epsilon"):
                epsilon = positive_finite(number(entries.required("epsilon"), "form.epsilon"), name="form.epsilon")
            entries.close()
            listing = as_list(fields.required("questions"), "questions")
            if not 2 <= len(listing) <= MAX_QUESTIONS:
                raise InvalidSpec(f"questions: {len(listing)} must be from 2 to {MAX_QUESTIONS}")
            share = None if epsilon is None else question_epsilon(epsilon, strategy, len(listing))
            choice = fields.optional("mechanism") if strategy == TOGETHER else None
            fields.close()
            if choice is not None and not isinstance(choice, Mapping):
                raise InvalidSpec("mechanism must be a table")
            questions, name = _read_questions(listing, share, strategy, folder, source), about["name"]
            form = cls(questions, strategy, epsilon=epsilon, choice=choice, name=name, source=source, limits=allowed())
            form.note, form.pinned = about["note"], about["fingerprint"]
            return form

    def as_dict(self) -> dict[str, Any]:
        """The form as plain data, with mechanisms named as chosen: `Form.of` gives the same fingerprint."""
        about = {"name": self.name, "note": self.note, "version": VERSION, "fingerprint": self.pinned}
        entries: dict[str, Any] = {"strategy": self.strategy}
        if self.epsilon is not None:
            entries["epsilon"] = text_of(self.epsilon)
        joint = self.strategy == TOGETHER
        questions = []
        for name, spec in self.questions.items():
            context = spec.context
            entry = {"domain": context.domain.describe()}
            if self.epsilon is None:
                entry["context"] = context.describe()
            question = {"name": name, **to_plain(entry)}
            questions.append(question if joint else question | {"mechanism": spec.as_dict()["mechanism"]})
        mechanism = {"mechanism": next(iter(self.parts.values())).as_dict()["mechanism"]} if joint else {}
        return {
            **{key: entry for key, entry in about.items() if entry},
            "form": entries,
            **mechanism,
            "questions": questions,
        }

    def to_toml(self) -> str:
        """The form as a TOML file."""
        return dumps(self.as_dict())

    def write(self, path: str | Path) -> None:
        """Write the form to a .toml or .json file, whole or not at all."""
        write_document(self.as_dict(), path)

    # -- the same questions otherwise ----------------------------------------------------------------
    def asking(self, strategy: str) -> Form:
        """The same questions by another strategy, with the same epsilon for the whole form if it has one."""
        if strategy == self.strategy:
            return self
        entries: dict[str, Any] = dict(self.questions)
        if self.epsilon is not None:
            entries = {name: spec.context.values for name, spec in self.questions.items()}
        return Form(entries, strategy, epsilon=self.epsilon, name=self.name)

    def with_parts(self, parts: Mapping[str, Spec]) -> Form:
        """This form with parts whose mechanisms are already made."""
        form = copy(self)
        for cached in ("mechanisms", "fingerprint"):
            vars(form).pop(cached, None)
        if self._joint is None:
            form.questions = {name: parts[name] for name in self.names}
        else:
            (form._joint,) = parts.values()
        return form

    # -- one person --------------------------------------------------------------------------------
    def ask(self, rng: Source) -> tuple[str, ...]:
        """The parts that a person is asked: one drawn evenly, whatever they hold, or all that there are."""
        parts = tuple(self.parts)
        if self.strategy != ONE:
            return parts
        (word,) = rng.take(1)
        return (parts[word * len(parts) >> 64],)

    def randomize(self, answers: Mapping[str, Value], rng: Source) -> dict[str, int]:
        """One person's report: for each part that was asked its own; only the standard library is used.

        `answers` are the person's by question. Of one at random only the one that is asked need be there, as from
        ``form.ask(rng)`` and ``form.mechanisms[question].randomize(answer, rng)``.
        """
        self._check_answers(answers)
        return {part: self.mechanisms[part].randomize(self._value_of(part, answers), rng) for part in self.ask(rng)}

    def _check_answers(self, answers: Mapping[str, Value]) -> None:
        check_type("answers", answers, Mapping, "answers by the name of the question")
        for name in answers:
            if name not in self.questions:
                raise InvalidInput(f"{shown(name)} must be one of the questions: {', '.join(self.names)}")

    def _value_of(self, part: str, answers: Mapping[str, Value]) -> Value:
        """The value of a part: the answer to a question, or the tuple of all."""
        names = (part,) if part in self.questions else self.names
        for name in names:
            if name not in answers:
                raise UnknownValue(f"there must be an answer to {name!r}")
        return answers[part] if part in self.questions else tuple(answers[name] for name in names)

    def epsilon_between(self, first: Mapping[str, Value], second: Mapping[str, Value]) -> Epsilon:
        """How hard two people are to tell apart, by all their answers: the exact epsilon of the whole form."""
        for answers in (first, second):
            self._check_answers(answers)
        return self._combine(
            spec.context.epsilon(self._value_of(part, first), self._value_of(part, second))
            for part, spec in self.parts.items()
        )

    @property
    def largest(self) -> Epsilon:
        """The largest epsilon between any two people; infinite where a report may show an answer."""
        return self._combine(math.inf if spec.context.shows else spec.context.largest for spec in self.parts.values())

    def _combine(self, epsilons: Iterable[Epsilon]) -> Epsilon:
        """The epsilon of the whole form: the largest of its parts if one is asked, and their sum if all are."""
        return max(epsilons) if self.strategy == ONE else sum(epsilons, Fraction(0))

    # -- on the wire -------------------------------------------------------------------------------
    def report_to_json(self, report: Mapping[str, int]) -> dict[str, int | str]:
        """A report of the form as JSON data: an object with an entry for each part that was asked."""
        return {part: report_to_json(self.mechanisms[part], report[part]) for part in self.parts_in(report)}

    def report_from_json(self, data: object) -> dict[str, int]:
        """The report in JSON data; `InvalidReport` unless it is exactly what `report_to_json` gives."""
        parts = self.parts_in(data)
        return {part: report_from_json(self.mechanisms[part], data[part]) for part in parts}  # type: ignore[index]

    def parts_in(self, report: object) -> list[str]:
        """The parts that a report is about, in order; `InvalidReport` if nobody is asked these."""
        if not isinstance(report, Mapping):
            raise InvalidReport("a report of a form must be an object with an entry for each part that was asked")
        parts = [part for part in self.parts if part in report]
        if len(parts) != len(report) or len(parts) != (1 if self.strategy == ONE else len(self.parts)):
            wanted = f"one of {', '.join(self.parts)}" if self.strategy == ONE else ", ".join(self.parts)
            raise InvalidReport(f"a report of this form must hold {wanted}, and nothing else")
        return parts

    # -- many people -------------------------------------------------------------------------------
    def randomize_many(self, answers: Mapping[str, Any], rng: Source, *, unknown: str = "error") -> FormReports:
        """The reports of many people, given by a column of answers for each question, in order.

        `unknown` says what becomes of a person with a null or an answer outside the domain: "error" or "drop".
        """
        reports: FormReports = IN_BULK["randomize_columns"](self, answers, rng, unknown=unknown)
        return reports

    def tally(self, reports: Any = ()) -> FormTally:
        """The counts of reports of this form, of `randomize` or of `randomize_many`, ready to be merged."""
        counted: FormTally = IN_BULK["FormTally"].of(self, reports)
        return counted

    def plan(self, *, n: int, prior: Mapping[str, Any] | None = None) -> Strategies:
        """The strategies compared for n people: the exact errors of every question's shares and of joint shares.

        `prior` gives the assumed shares of a question by its name; even ones unless given. See `Strategies`.
        """
        compared: Strategies = IN_BULK["strategies"](self, n=n, prior=prior)
        return compared

    def resolved(self) -> Form:
        """This form with the law of every mechanism in place of a name, and the fingerprint of the whole."""
        form = self.with_parts({part: spec.resolved() for part, spec in self.parts.items()})
        form.pinned = self.fingerprint
        assert form.fingerprint == self.fingerprint  # it is computed anew before it is trusted
        return form

    def __repr__(self) -> str:
        return f"<Form of {', '.join(self.names)}: {self.strategy}>"


def check_question(name: object) -> str:
    """The name of a question; `InvalidInput` unless it can head a column and stand in a message."""
    if (
        not isinstance(name, str)
        or not 0 < len(name) <= MAX_NAME_LENGTH
        or not name.isprintable()
        or name != name.strip()
        or BETWEEN_NAMES in name
        or name in RESERVED_NAMES
        or name.startswith("#")
    ):
        raise InvalidInput(
            f"question={shown(name)} must be a name of at most {MAX_NAME_LENGTH} printable characters, without spaces "
            f"around it or {BETWEEN_NAMES!r} in it, and none of {', '.join(sorted(RESERVED_NAMES))}"
        )
    return name


def question_epsilon(epsilon: Fraction, strategy: str, count: int) -> Fraction:
    """What one of so many questions may give away of the epsilon of the whole form."""
    return epsilon / count if strategy == EACH else epsilon


def _question_spec(name: str, entry: Any, epsilon: Fraction | None) -> Spec:
    """The spec of a question that is given by a spec, a context, a mechanism or, with an epsilon, by its values."""
    if isinstance(entry, Spec):
        return entry
    if isinstance(entry, (Context, Mechanism)):
        if epsilon is not None:
            raise InvalidInput(f"question {name!r} must be given by its values: epsilon is that of the whole form")
        return Spec(entry) if isinstance(entry, Context) else Spec(entry.context).with_mechanism(entry)
    if epsilon is None:
        raise InvalidInput(f"question {name!r} must be a context or a mechanism, or the form must have an epsilon")
    return Spec(Context.uniform(entry, epsilon))


def _read_questions(
    listing: list[Any], share: Fraction | None, strategy: str, folder: Path | None, source: str
) -> dict[str, Spec]:
    """The spec of every question by its name; what a document may ask for is for all of them together."""
    specs: dict[str, Spec] = {}
    limits = replace(allowed(), work=allowed().work // len(listing))
    for place, data in enumerate(listing):
        with located(f"questions[{place}]"):
            fields = Fields(data, "")
            try:
                name = check_question(text(fields.required("name"), "name"))
            except InvalidInput as problem:
                raise InvalidSpec(str(problem)) from None
            if name in specs:
                raise InvalidSpec(f"name={shown(name)} is that of an earlier question; names must differ")
            entries = fields.rest()
            if strategy == TOGETHER and not entries.keys().isdisjoint(("mechanism", "law")):
                raise InvalidSpec('mechanism must stand beside the form, which has one for all answers "together"')
            if share is not None:
                if "context" in entries:
                    raise InvalidSpec("context must be left out: form.epsilon is that of the whole form")
                entries["context"] = {"form": "uniform", "epsilon": text_of(share)}
            specs[name] = replace(Spec.in_form(entries, folder, source), limits=limits)
    check("values", sum(spec.context.size for spec in specs.values()), "questions")
    return specs


def read_spec_or_form(path: str | Path) -> Spec | Form:
    """The spec of one question, or the form of several, whichever a file holds; of a questionnaire what it asks."""
    path = check_name(path)
    with located(str(path)):
        data = parsed_document(path)
        several = isinstance(data, Mapping) and is_form(data)
        if isinstance(data, Mapping) and "title" in data:  # which only questionnaires have
            from .questionnaire import Questionnaire

            spec = Questionnaire.of(data, folder=path.parent, source=str(path)).spec
            files = (path, *(path.parent / name for name in named_files(data)))
            if isinstance(spec, Spec):
                return replace(spec, files=files)
            spec.files = files
            return spec
        return (Form if several else Spec).in_file(data, path, path.parent)
