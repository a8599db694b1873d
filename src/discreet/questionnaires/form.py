"""`Form`: several questions, each with a mechanism of its own, or all of them as one value."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..contexts import Context
from ..core.canonical import canonical
from ..core.domain import Value
from ..core.errors import InvalidInput, InvalidReport, InvalidSpec, UnknownValue, check_type, shown
from ..core.exact import Epsilon, positive_finite
from ..core.limits import LIFTED, Limits, check, spend
from ..mechanisms.mechanism import Mechanism
from ..wire.reports import report_from_json, report_to_json
from ..wire.spec import Spec

if TYPE_CHECKING:
    from ..core.random import Source
    from .strategies import Strategies
    from .tally import FormReports, FormTally

VERSION = 1
"""The version of forms; another one is refused."""

ONE, EACH, TOGETHER = "one at random", "each", "together"
STRATEGIES = {
    ONE: "everybody answers one question, drawn at random, with one report",
    EACH: "everybody answers every question, with a report for each",
    TOGETHER: "everybody answers every question, and all answers are one value with one report",
}
"""The ways to ask several questions, and what each means."""

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
        self.questions = {check_question(key): _asked(key, entry, share) for key, entry in questions.items()}
        self._joint = self._together() if strategy == TOGETHER else None

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
        made = {part: spec.mechanism for part, spec in self.parts.items()}
        if self.pinned and self._fingerprint(made) != self.pinned:
            raise InvalidSpec(
                f"fingerprint={self.pinned[:12]}... must be that of the form, which is now "
                f"{self._fingerprint(made)[:12]}...: it was changed after it was pinned, or this version of discreet "
                "makes other mechanisms of it"
            )
        return made

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the strategy, the names of the questions and the fingerprints of the mechanisms."""
        return self._fingerprint(self.mechanisms)

    def _fingerprint(self, made: Mapping[str, Mechanism]) -> str:
        laws = [mechanism.fingerprint for mechanism in made.values()]
        entries = {"fingerprints": laws, "questions": list(self.names), "strategy": self.strategy, "version": VERSION}
        return hashlib.sha256(canonical(entries).encode()).hexdigest()

    def _together(self) -> Spec:
        contexts = [spec.context for spec in self.questions.values()]
        for name, context in zip(self.questions, contexts, strict=True):
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

    # -- other forms -------------------------------------------------------------------------------
    @classmethod
    def read(cls, path: str | Path, *, folder: str | Path | None = None) -> Form:
        """The form in a TOML or JSON file, held to `discreet.core.limits`; files that it names are in its folder."""
        from .spec import read_form

        return read_form(path, folder=folder)

    @classmethod
    def of(cls, data: object, *, folder: Path | None = None, source: str = "") -> Form:
        """The form described by plain data; `InvalidSpec` names an entry that is missing, extra or ill-typed."""
        from .spec import form_of

        return form_of(data, folder, source)

    def asking(self, strategy: str) -> Form:
        """The same questions by another strategy, with the same epsilon for the whole form if it has one."""
        if strategy == self.strategy:
            return self
        entries: dict[str, Any] = dict(self.questions)
        if self.epsilon is not None:
            entries = {name: spec.context.values for name, spec in self.questions.items()}
        return Form(entries, strategy, epsilon=self.epsilon, name=self.name)

    def settled(self, parts: Mapping[str, Spec]) -> Form:
        """This form with parts whose mechanisms are already made."""
        made = Form.__new__(Form)
        vars(made).update({key: entry for key, entry in vars(self).items() if key not in ("mechanisms", "fingerprint")})
        if self._joint is None:
            made.questions = {name: parts[name] for name in self.names}
        else:
            (made._joint,) = parts.values()
        return made

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
        return {part: self.mechanisms[part].randomize(self._held(part, answers), rng) for part in self.ask(rng)}

    def _check_answers(self, answers: Mapping[str, Value]) -> None:
        check_type("answers", answers, Mapping, "answers by the name of the question")
        for name in answers:
            if name not in self.questions:
                raise InvalidInput(f"{shown(name)} must be one of the questions: {', '.join(self.names)}")

    def _held(self, part: str, answers: Mapping[str, Value]) -> Value:
        """The value of a part: the answer to a question, or the tuple of all."""
        asked = self.names if part not in self.questions else (part,)
        for name in asked:
            if name not in answers:
                raise UnknownValue(f"there must be an answer to {name!r}")
        return answers[part] if part in self.questions else tuple(answers[name] for name in asked)

    def epsilon_between(self, first: Mapping[str, Value], second: Mapping[str, Value]) -> Epsilon:
        """How hard two people are to tell apart, by all their answers: the exact epsilon of the whole form."""
        for answers in (first, second):
            self._check_answers(answers)
        found = [
            spec.context.epsilon(self._held(part, first), self._held(part, second)) for part, spec in self.parts.items()
        ]
        return max(found) if self.strategy == ONE else _total(found)

    @property
    def largest(self) -> Epsilon:
        """The largest epsilon between any two people; infinite where a report may show an answer."""
        found = [math.inf if spec.context.shows else spec.context.largest for spec in self.parts.values()]
        return max(found) if self.strategy == ONE else _total(found)

    # -- on the wire -------------------------------------------------------------------------------
    def report_to_json(self, report: Mapping[str, int]) -> dict[str, int | str]:
        """A report of the form as JSON data: an object with an entry for each part that was asked."""
        asked = self.asked_in(report)
        return {part: report_to_json(self.mechanisms[part], report[part]) for part in asked}

    def report_from_json(self, data: object) -> dict[str, int]:
        """The report in JSON data; `InvalidReport` unless it is exactly what `report_to_json` gives."""
        asked = self.asked_in(data)
        return {part: report_from_json(self.mechanisms[part], data[part]) for part in asked}  # type: ignore[index]

    def asked_in(self, report: object) -> list[str]:
        """The parts that a report is about, in order; `InvalidReport` if nobody is asked these."""
        if not isinstance(report, Mapping):
            raise InvalidReport("a report of a form must be an object with an entry for each part that was asked")
        asked = [part for part in self.parts if part in report]
        if len(asked) != len(report) or len(asked) != (1 if self.strategy == ONE else len(self.parts)):
            wanted = f"one of {', '.join(self.parts)}" if self.strategy == ONE else ", ".join(self.parts)
            raise InvalidReport(f"a report of this form must hold {wanted}, and nothing else")
        return asked

    # -- many people -------------------------------------------------------------------------------
    def randomize_many(self, answers: Mapping[str, Any], rng: Source, *, unknown: str = "error") -> FormReports:
        """The reports of many people, given by a column of answers for each question, in order.

        `unknown` says what becomes of a person with a null or an answer outside the domain: "error" or "drop".
        """
        from .tally import randomize_columns

        return randomize_columns(self, answers, rng, unknown=unknown)

    def tally(self, reports: Any = ()) -> FormTally:
        """The counts of reports of this form, of `randomize` or of `randomize_many`, ready to be merged."""
        from .tally import FormTally

        return FormTally.of(self, reports)

    def plan(self, *, n: int, prior: Mapping[str, Any] | None = None) -> Strategies:
        """The strategies compared for n people: the exact errors of every question's shares and of joint shares.

        `prior` gives the assumed shares of a question by its name; even ones unless given. See `Strategies`.
        """
        from .strategies import strategies

        return strategies(self, n=n, prior=prior)

    def resolved(self) -> Form:
        """This form with the law of every mechanism in place of a name, and the fingerprint of the whole."""
        made = self.settled({part: spec.resolved() for part, spec in self.parts.items()})
        made.pinned = self.fingerprint
        assert made.fingerprint == self.fingerprint  # it is made anew before it is trusted
        return made

    def to_toml(self) -> str:
        """The form as a TOML file."""
        from ..wire.spec import dumps
        from .spec import as_dict

        return dumps(as_dict(self))

    def write(self, path: str | Path) -> None:
        """Write the form to a .toml or .json file, whole or not at all."""
        from .spec import write_form

        write_form(self, path)

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


def _asked(name: str, entry: Any, epsilon: Fraction | None) -> Spec:
    """The spec of a question that is given by a spec, a context, a mechanism or, with an epsilon, by its values."""
    if isinstance(entry, Spec):
        return entry
    if isinstance(entry, (Context, Mechanism)):
        if epsilon is not None:
            raise InvalidInput(f"question {name!r} must be given by its values: epsilon is that of the whole form")
        return Spec(entry) if isinstance(entry, Context) else Spec(entry.context).settled(entry)
    if epsilon is None:
        raise InvalidInput(f"question {name!r} must be a context or a mechanism, or the form must have an epsilon")
    return Spec(Context.uniform(entry, epsilon))


def _total(entries: Iterable[Epsilon]) -> Epsilon:
    total: Epsilon = Fraction(0)
    for entry in entries:
        total = total + entry
    return total
