"""`release`: a result as a report that stands by itself, with promise, proof, method, numbers and caveats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..analysis.groups.comparison import Comparison
from ..analysis.groups.means import Means
from ..client.promise import value_text
from ..core.documents import replacing
from ..core.domain import plain_value
from ..core.errors import InvalidInput, check_type, shown
from ..core.exact import text_of
from ..estimation.results.intervals import check_confidence
from ..estimation.results.shares import Shares
from ..estimation.results.unbiased import block_columns
from . import sentences
from .findings import Findings, Panel, declared_order, findings_of
from .page import page

VERSION = 2
"""The version of the data."""

RANDOMIZED = (sentences.DEVICE, sentences.FILE)
GIVEN, LARGEST = ORDERS = ("given", "largest")
"""How answers are put in order: as the context has them, or the largest share first."""


class Written:
    """A report that is written to a file by its name."""

    def to_dict(self) -> dict[str, Any]:
        """Everything in the report as plain data."""
        raise NotImplementedError

    def to_html(self) -> str:
        """The report as one page that needs nothing else, with its data inside."""
        raise NotImplementedError

    def write(self, path: str | Path) -> None:
        """Write the report, whole or not at all: a page to .html, data to .json."""
        suffix = Path(path).suffix
        if suffix not in (".html", ".json"):
            raise InvalidInput(f"{path}: a release report must be an .html or a .json file")
        text = self.to_html() if suffix == ".html" else json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"
        with replacing(path) as file:
            file.write(text.encode())


@dataclass(frozen=True)
class Release(Written):
    """A release report: `to_dict` for programs, `to_html` for people, `write` by the name of the file.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> report = dc.release(dc.estimate(mechanism.tally([1] * 600 + [0] * 400)), title="Smoking in 2026")
    >>> report.to_html()[:15], "Smoking in 2026" in report.to_html()
    ('<!doctype html>', True)
    """

    result: Shares | Means | Comparison
    title: str
    question: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    confidence: float = 0.95
    notes: tuple[str, ...] = ()
    period: str = ""
    asked_by: str = ""
    asked: int | None = None
    randomized: str | None = None
    order: str | None = None

    @cached_property
    def _found(self) -> Findings:
        return findings_of(self.result, self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Everything in the report as plain data.

        The numbers of one sample are `shares`, `stderr`, `low` and `high`, one for each of `values`; those of groups,
        queries and differences are in `panels`, and the others None.
        """
        found, mechanism = self._found, self._found.mechanism
        context, whole = mechanism.context, found.panels[0]
        alone = whole.heading is None and whole.names is None
        names = {"shares": "estimate", "stderr": "stderr", "low": "low", "high": "high"}
        names |= {"sampling_stderr": "sampling_stderr"}
        return {
            "version": VERSION,
            "made_by": f"discreet {__version__}",
            "title": self.title,
            "question": self.question,
            "n": found.n,
            "asked": self.asked,
            "response_rate": None if self.asked is None else found.n / self.asked,
            "asked_by": self.asked_by,
            "period": self.period,
            "randomized": self.randomized,
            "opening": sentences.opening(context, self.randomized),
            "promise": {
                "form": context.form,
                "epsilon": text_of(context.largest),
                "shows": bool(context.shows),
                "sentences": sentences.promised(context, dict(self.words)),
            },
            "certificate": mechanism.certificate.as_dict(),
            "law": {"fingerprint": mechanism.fingerprint, "mechanism": mechanism.name, "bits": mechanism.bits},
            "method": {"name": found.method, "biased": found.biased, "sentence": sentences.method(found)},
            "confidence": float(self.confidence),
            "unit": found.unit,
            "difference": found.difference,
            "values": [plain_value(value) for value in context.values],
            "words": [value_text(value, self.words) for value in context.values],
            "order": self._order(),
            **{name: whole.numbers[key] if alone else None for name, key in names.items()},
            "panels": None if alone else [self._panel(panel) for panel in found.panels],
            "notes": found.notes,
            "remarks": [_sentence(remark) for remark in found.remarks],
            "caption": sentences.caption(found),
            "blocks": block_columns(self.result.tally, confidence=self.confidence)
            if isinstance(self.result, Shares)
            else None,
            "caveats": [*sentences.caveats(found, self.confidence), *self.notes],
            **({"insecure": True} if found.insecure else {}),
        }

    def _panel(self, panel: Panel) -> dict[str, Any]:
        names = None if panel.names is None else [value_text(name, self.words) for name in panel.names]
        return {"heading": panel.heading, "names": names, "n": panel.n, **panel.numbers}

    def _order(self) -> list[int]:
        """The numbers of the values in the order in which they are shown."""
        found, context = self._found, self._found.mechanism.context
        declared = declared_order(context)
        if self.order == GIVEN or (self.order is None and declared is not None):
            return list(range(context.size)) if declared is None else declared
        columns = [panel.numbers["estimate"] or () for panel in found.panels if panel.names is None]
        if not columns or found.difference:
            return list(range(context.size))
        sizes = [1 if panel.n is None else panel.n for panel in found.panels if panel.names is None]
        mean = np.average(np.nan_to_num(np.array(columns, dtype=float)), axis=0, weights=sizes)
        return [int(x) for x in np.argsort(-mean, kind="stable")]

    def to_html(self) -> str:
        """The report as one page that needs nothing else, with its data inside."""
        return page(self.to_dict())


def _sentence(remark: str) -> str:
    return f"{remark[:1].upper()}{remark[1:]}."


def release(
    result: Shares | Means | Comparison,
    *,
    title: str,
    question: str = "",
    words: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    notes: tuple[str, ...] = (),
    period: str = "",
    asked_by: str = "",
    asked: int | None = None,
    randomized: str | None = None,
    order: str | None = None,
) -> Release:
    """A report about a result, to be published: `title` heads it, `question` is what people were asked.

    The result is one of `dc.estimate` and its like, or one of a survey with its weights and groups:
    ``survey.shares()``, ``survey.by("town")`` or ``dc.compare(...)``. `words` say values in other words, and `notes`
    are further caveats of yours. `period`, `asked_by` and `asked`, the number of people who were asked, are shown if
    given. `randomized` says where answers were: on each person's "device", or in a "file" by whoever held them; if
    nothing is said, neither is claimed. Answers that are numbers, along a line or ring, or graded keep their order,
    any others go by their share; `order` can be "given" or "largest" instead.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> estimate = dc.estimate(mechanism.tally([1] * 600 + [0] * 400))
    >>> report = dc.release(estimate, title="Smoking in 2026", question="Do you smoke?", asked=1600)
    >>> report.title, report.to_dict()["n"], report.to_dict()["response_rate"]
    ('Smoking in 2026', 1000, 0.625)
    """
    if not isinstance(result, (Shares, Means, Comparison)):
        raise InvalidInput(
            f"result of type {type(result).__name__} must be a result: dc.estimate(tally), survey.shares(), "
            "survey.by(label) or dc.compare(survey, by=label)"
        )
    check_confidence(confidence)
    texts = {"title": title, "question": question, "period": period, "asked_by": asked_by}
    for name, text in texts.items():
        check_type(name, text, str, "text")
    check_type("words", {} if words is None else words, Mapping, "a mapping from values to words")
    if not isinstance(notes, (tuple, list)) or not all(isinstance(note, str) for note in notes):
        raise InvalidInput("notes must be a list of texts")
    if not title.strip():
        raise InvalidInput("title must not be empty")
    for name, given, known in (("randomized", randomized, RANDOMIZED), ("order", order, ORDERS)):
        if given is not None and (not isinstance(given, str) or given not in known):
            raise InvalidInput(f"{name}={shown(given)} must be {' or '.join(map(repr, known))}")
    n = result.n if isinstance(result, Shares) else int(result.about["n"])
    if not n:
        raise InvalidInput("result has no reports: there is nothing to publish")
    if asked is not None and (isinstance(asked, bool) or not isinstance(asked, (int, np.integer)) or asked < n):
        raise InvalidInput(f"asked={shown(asked)} must be a whole number, at least the {n} people who answered")
    people = None if asked is None else int(asked)
    report = Release(
        result,
        question=question,
        title=title,
        words=dict(words or {}),
        confidence=float(confidence),
        notes=tuple(notes),
        period=period,
        asked_by=asked_by,
        asked=people,
        randomized=randomized,
        order=order,
    )
    _ = report._found  # a result that cannot be published is refused here
    return report
