"""A release report about a whole questionnaire: what all answers were promised, and what was found of each question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .. import __version__
from ..client.form_promise import form_protection
from ..core.exact import text_of
from ..wire.form import EACH, ONE, Form
from ..wire.texts import QuestionTexts
from .page import form_page
from .release_report import GIVEN, VERSION, Release, Written, release
from .sentences import opening_of


@dataclass(frozen=True)
class FormRelease(Written):
    """A release report about all questions of a form: `to_dict` for programs, `to_html` for people, `write` by file.

    `questions` are the reports about each of them, in order, with the facts that all share.
    """

    form: Form
    questions: Mapping[str, Release]
    texts: Mapping[str, QuestionTexts]

    def to_dict(self) -> dict[str, Any]:
        """Everything in the report as plain data: `questions` are those of the single reports."""
        first, form = next(iter(self.questions.values())), self.form
        alone = {name: replace(one, asked=None, notes=()) for name, one in self.questions.items()}
        questions = {name: one.to_dict() for name, one in alone.items()}
        counts = [one["n"] for one in questions.values()]
        n = sum(counts) if form.strategy == ONE else counts[0]
        words = {name: dict(one.words) for name, one in self.questions.items()}
        units = {name: text.unit for name, text in self.texts.items() if text.unit}
        shared = [line for line in next(iter(questions.values()))["caveats"] if _in_all(line, questions)]
        return {
            "version": VERSION,
            "made_by": f"discreet {__version__}",
            "title": first.title,
            "n": n,
            "asked": first.asked,
            "response_rate": None if first.asked is None else n / first.asked,
            "asked_by": first.asked_by,
            "period": first.period,
            "randomized": first.randomized,
            "opening": opening_of([spec.context for spec in form.questions.values()], first.randomized),
            "promise": {
                "strategy": form.strategy,
                "epsilon": text_of(form.largest),
                "sentences": [_asked(form), *form_protection(form, words, units)],
            },
            "law": {"fingerprint": form.fingerprint},
            "confidence": float(first.confidence),
            "questions": questions,
            "caveats": [*shared, *first.notes],
            **({"insecure": True} if any(one.get("insecure") for one in questions.values()) else {}),
        }

    def to_html(self) -> str:
        """The report as one page that needs nothing else, with its data inside."""
        return form_page(self.to_dict())


def release_form(
    form: Form,
    results: Mapping[str, Any],
    *,
    texts: Mapping[str, QuestionTexts],
    order: str | None = None,
    **facts: Any,
) -> FormRelease:
    """A report about the result of every question of a form: `texts` are what people read, `facts` as `release` takes.

    Scales and numbers keep their order, if `order` does not say otherwise.
    """
    questions = {}
    for name, result in results.items():
        text = texts.get(name, QuestionTexts())
        own: dict[str, Any] = {"question": text.in_full or name, "words": text.words, "order": order or order_of(text)}
        questions[name] = release(result, **own, **facts)
    return FormRelease(form, questions, texts)


def order_of(text: QuestionTexts) -> str | None:
    """The order of the answers to a question, where its kind says that they have one."""
    return GIVEN if text.kind in ("scale", "number") else None


def _in_all(line: str, questions: Mapping[str, Mapping[str, Any]]) -> bool:
    return all(line in one["caveats"] for one in questions.values())


def _asked(form: Form) -> str:
    """How people were asked, as somebody else reads it."""
    count = len(form.names)
    if form.strategy == ONE:
        return f"Everybody answered one of {count} questions, drawn at random, with one report."
    reports = "a report for each of them" if form.strategy == EACH else "one report of all answers together"
    return f"Everybody answered {count} questions, with {reports}."
