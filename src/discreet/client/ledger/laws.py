"""What a ledger needs to know of a law: what an answer costs, what stands for it, and how its report is drawn.

`OneLaw` is that of a single question, `FormLaws` that of a questionnaire. Which of its questions a person is asked, of
one at random, follows from the key of their ledger, so that it is the same whenever they open it again.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Protocol

from ...contexts import Context
from ...core.canonical import canonical
from ...core.domain import Value
from ...core.errors import InvalidInput, UnknownValue, check_type
from ...core.random import Source
from ...mechanisms.mechanism import Mechanism
from ...wire.form import ONE, TOGETHER, Form
from ...wire.form_reports import ReportPacking
from ...wire.published import Law
from ...wire.reports import report_from_json, report_to_json

SINGLE = ""
"""What a single question is called."""


def asked_number(key: bytes, fingerprint: str, wording: str | None, count: int) -> int:
    """The number of the question that is asked, of `count`, whatever its answer would be.

    The first eight bytes of ``HMAC-SHA256(key, ["asked", fingerprint, wording])``, in canonical JSON, are a word; the
    number is ``word * count >> 64``.
    """
    digest = hmac.digest(key, canonical(["asked", fingerprint, wording]).encode(), "sha256")
    return int.from_bytes(digest[:8], "big") * count >> 64


class LedgerLaw(Protocol):
    """A law as the ledger sees it."""

    fingerprint: str
    parts: tuple[Mechanism, ...]
    """The mechanisms that a report is made by, one for each part of a form."""
    epsilon: Fraction
    """What an answer spends: the largest finite entry of E, of all that is asked."""
    shows: bool
    """True if some values may be told apart for certain."""
    is_form: bool

    def asked(self, key: Callable[[], bytes], wording: str | None) -> tuple[str, ...]:
        """The names of the questions that are asked; the key of the ledger is looked up only where it chooses."""
        ...

    def read(self, answer: Any) -> Any:
        """The answer with its values as the domain has them; an error, which repeats none, for any other."""
        ...

    def chosen(self, answer: Any, asked: tuple[str, ...]) -> Any:
        """The data that stands for an answer that was `read`, of which only what is asked counts."""
        ...

    def draw(self, chosen: Any, rng: Source) -> int | str:
        """A new report of what was `chosen`, as JSON data."""
        ...

    def number_of(self, report: object) -> int:
        """The whole number of a report in JSON data."""
        ...


class OneLaw:
    """The law of a single question."""

    is_form = False

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.fingerprint = mechanism, mechanism.fingerprint
        self.parts: tuple[Mechanism, ...] = (mechanism,)
        self.epsilon, self.shows = mechanism.context.largest, bool(mechanism.context.shows)

    def asked(self, key: Callable[[], bytes], wording: str | None) -> tuple[str, ...]:
        """The one question."""
        return (SINGLE,)

    def read(self, answer: Value) -> Value:
        """The value as the domain has it."""
        return _value_in(self.mechanism.context, answer)

    def chosen(self, answer: Value, asked: tuple[str, ...]) -> Value:
        """The value itself."""
        return answer

    def draw(self, chosen: Value, rng: Source) -> int | str:
        """A new report of a value, as JSON data."""
        return report_to_json(self.mechanism, self.mechanism.randomize(chosen, rng))

    def number_of(self, report: object) -> int:
        """The whole number of a report in JSON data."""
        return report_from_json(self.mechanism, report)


class FormLaws:
    """The laws of a questionnaire, which are paid for together and make one report."""

    is_form = True

    def __init__(self, form: Form) -> None:
        self.form, self.fingerprint = form, form.fingerprint
        self.packing, self.parts = ReportPacking(form), tuple(form.mechanisms.values())
        levels = [mechanism.context.largest for mechanism in self.parts]
        self.epsilon = max(levels) if form.strategy == ONE else sum(levels, Fraction(0))
        self.shows = any(mechanism.context.shows for mechanism in self.parts)

    def asked(self, key: Callable[[], bytes], wording: str | None) -> tuple[str, ...]:
        """The one question that the key chooses, or all of them."""
        names = self.form.names
        if self.form.strategy != ONE:
            return names
        return (names[asked_number(key(), self.fingerprint, wording, len(names))],)

    def read(self, answer: Mapping[str, Value]) -> dict[str, Value]:
        """The answers by question, with their values as the domains have them."""
        check_type("answers", answer, Mapping, "answers by the name of the question")
        for name in answer:
            if name not in self.form.questions:
                raise InvalidInput(f"answers must be to the questions {', '.join(self.form.names)}, and to no other")
        return {
            name: _value_in(self.form.questions[name].context, value, f"the answer to {name!r}: ")
            for name, value in answer.items()
        }

    def chosen(self, answer: Mapping[str, Value], asked: tuple[str, ...]) -> list[Value]:
        """The values in order of the questions; of one at random its name and its value."""
        for name in asked:
            if name not in answer:
                raise UnknownValue(f"there must be an answer to {name!r}, which is asked; no report was made")
        if self.form.strategy == ONE:
            return [asked[0], answer[asked[0]]]
        return [answer[name] for name in asked]

    def draw(self, chosen: list[Value], rng: Source) -> int | str:
        """A new report of answers, as JSON data: each part takes words of its own, in order."""
        mechanisms = self.form.mechanisms
        if self.form.strategy == ONE:
            values: dict[str, Value] = {str(chosen[0]): chosen[1]}
        elif self.form.strategy == TOGETHER:
            values = {part: tuple(chosen) for part in mechanisms}
        else:
            values = dict(zip(mechanisms, chosen, strict=True))
        drawn = {part: mechanisms[part].randomize(value, rng) for part, value in values.items()}
        return self.packing.to_json(self.packing.pack(drawn))

    def number_of(self, report: object) -> int:
        """The whole number of a packed report in JSON data."""
        return self.packing.from_json(report)


def _value_in(context: Context, value: Value, where: str = "") -> Value:
    try:
        found: Value = context.domain.normalized(value)
    except UnknownValue as problem:
        if not where:
            raise
        raise UnknownValue(f"{where}{problem}") from None
    return found


def ledger_law(law: Law, name: str = "mechanism") -> LedgerLaw:
    """The law of a question or of a questionnaire as the ledger sees it."""
    check_type(name, law, (Mechanism, Form), "a mechanism or a form")
    return OneLaw(law) if isinstance(law, Mechanism) else FormLaws(law)
