"""Endpoints for the analyst: progress, tallies, shares, differences, reports, and the metrics of the service.

All of them see whole batches of at least `minimum` reports only (`collector.batching`).
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ...estimation.tally import Tally, tally_to_json
from ...publishing import FormRelease, Release, release_form
from ...publishing import release as release_report
from ...publishing.form_release import order_of
from ...questionnaires.questions import AskedQuestion, asked_question, names_of
from ...wire.form import Form
from ..batching import MIXED, label_text
from ..crossing import check_crossed, cross
from ..export import write_parquet
from ..http.request import HttpRequest
from ..http.response import FileResponse, HttpProblem, HttpResponse, JsonResponse
from ..results import (
    MAX_TESTS,
    METHODS,
    Breakdown,
    compare_groups,
    counts_of,
    group_tallies,
    only_period,
    shares_by_cell,
)
from ..service import in_steps
from ..store.tallies import CellCounts

T = TypeVar("T")

PARQUET = "application/vnd.apache.parquet"
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


async def progress(request: HttpRequest) -> HttpResponse:
    """How many reports are shown, by label and by day; `missing` is 0 as soon as there are any."""
    return JsonResponse(await _read(request, _progress))


def _progress(request: HttpRequest, counts: CellCounts) -> dict[str, Any]:
    served, total = request.collection, counts.tally()
    days: Counter[str] = Counter()
    by_label: dict[str, Counter[str]] = {name: Counter() for name in served.declaration.labels}
    for (labels, day), tally in counts.groups(lambda cell: cell).items():
        days[day] += tally.n
        for name, text in labels:
            if text != MIXED:
                by_label[name][text] += tally.n
    parts = {} if isinstance(total, Tally) else {"questions": {name: one.n for name, one in total.items()}}
    return {
        "n": total.n,
        "missing": 0 if total.n else served.declaration.minimum,
        **parts,
        "labels": {name: dict(sorted(texts.items())) for name, texts in by_label.items()},
        "days": dict(sorted(days.items())),
        **request.service.describe(served),
    }


async def tally(request: HttpRequest) -> HttpResponse:
    """All reports that are shown as one tally, which `discreet estimate` reads; of one period only."""

    def count(request: HttpRequest, counts: CellCounts) -> HttpResponse:
        _check_minimum(request, counts)
        total = counts.tally()
        return JsonResponse(tally_to_json(total) if isinstance(total, Tally) else total.to_json())

    return await _read(request, count, together=True)


async def shares(request: HttpRequest) -> HttpResponse:
    """The share of every value, by any method, with intervals, notes and influence; by label and by days.

    Of a form those of one question, or of every question by its name.
    """
    breakdown, law = _breakdown(request), request.collection.instrument.law
    declaration = request.collection.declaration
    minimum, texts = declaration.minimum, declaration.labels.get(breakdown.by or "", ())
    chosen = None if isinstance(law, Form) and "question" not in request.parameters else _question(request)
    asked = [asked_question(law, name) for name in names_of(law)] if chosen is None else [chosen]

    def describe(request: HttpRequest, counts: CellCounts) -> list[list[dict[str, Any]]]:
        return [
            shares_by_cell(
                counts, replace(breakdown, question=question.name), minimum, period=declaration.period, texts=texts
            )
            for question in asked
        ]

    about = {"collection": request.collection.id, "minimum": minimum, "method": breakdown.method}
    about |= {"confidence": breakdown.confidence, "anytime": breakdown.anytime}
    described = [{**about, "cells": cells} for cells in await _read(request, describe)]
    if chosen is not None:
        return JsonResponse(described[0])
    return JsonResponse({"questions": {one.name: entry for one, entry in zip(asked, described, strict=True)}})


async def differences(request: HttpRequest) -> HttpResponse:
    """Where the shares of labels differ, tested for every value and every two texts of a label."""
    breakdown, question = _breakdown(request), _question(request)
    if breakdown.by is None:
        raise HttpProblem("parameter", "by must name a label of the collection")
    declaration = request.collection.declaration
    minimum, texts = declaration.minimum, declaration.labels[breakdown.by]

    def compare(request: HttpRequest, counts: CellCounts) -> dict[str, Any]:
        tallies = group_tallies(counts, replace(breakdown, question=question.name))
        groups = {labels[0][1]: tally for (labels, _), tally in tallies.items() if tally.n}
        if len(groups) * (len(groups) - 1) // 2 * len(question.values) > MAX_TESTS:
            raise HttpProblem("unavailable", f"this would take more than {MAX_TESTS} tests")
        missing = [{"label": text, "n": 0, "missing": minimum} for text in texts if text not in groups]
        return {**compare_groups(groups, question), "left_out": missing}

    about = {"collection": request.collection.id, "by": breakdown.by, "minimum": minimum}
    return JsonResponse({**about, **await _read(request, compare, together=breakdown.by != declaration.period)})


async def crosstab(request: HttpRequest) -> HttpResponse:
    """The shares of every pair of answers to two questions of a form, by label too."""
    breakdown, form = _breakdown(request), request.collection.instrument.law
    names = request.parameters.get("first", ""), request.parameters.get("second", "")
    if not isinstance(form, Form):
        raise HttpProblem("parameter", "this collection asks one question, and two are needed to be crossed")
    if not set(names) <= set(form.names) or names[0] == names[1]:
        raise HttpProblem("parameter", f"first and second must be two different ones of {', '.join(form.names)}")
    served, service, declaration = request.collection, request.service, request.collection.declaration
    period, chosen = declaration.period, request.parameters.get("period")

    def compute(request: HttpRequest, counts: CellCounts) -> list[dict[str, Any]]:
        check_crossed(form)
        batches = (
            (cell, reports)
            for cell, reports in service.shown_reports(served)
            if period is None or chosen is None or label_text(cell[0], period) == chosen
        )
        texts = ("",) if breakdown.by is None else declaration.labels[breakdown.by]
        return cross(form, names, breakdown.by, batches, confidence=breakdown.confidence, texts=texts)

    cells = await _read(request, compute, together=breakdown.by is None or breakdown.by != period)
    for cell in cells:
        cell["missing"] = 0 if cell["n"] else declaration.minimum
    about = {"collection": served.id, "first": names[0], "second": names[1], "minimum": declaration.minimum}
    return JsonResponse({**about, "confidence": breakdown.confidence, "cells": cells})


async def release(request: HttpRequest) -> HttpResponse:
    """The shares of a question, or of all, as a report to be published: one page, or its data."""
    breakdown, law = _breakdown(request), request.collection.instrument.law
    whole = request.parameters.get("question") is None
    names = (names_of(law) or ("",)) if whole else ()
    asked = [asked_question(law, name) for name in names] if whole else [_question(request)]
    form = request.parameters.get("form", "html")
    if form not in ("html", "json"):
        raise HttpProblem("parameter", "form must be html or json")
    if any(one.is_margin for one in asked) and breakdown.method != "unbiased":
        raise HttpProblem("unavailable", "a report about one of several answers that are one value is unbiased")
    declaration, chosen = request.collection.declaration, request.parameters.get("period")
    texts = declaration.texts

    def result_of(question: AskedQuestion, counts: CellCounts) -> Any:
        counted: Any = counts_of(question, counts).tally()
        return question.means(counted) if question.is_margin else METHODS[breakdown.method](counted)

    def publish(request: HttpRequest, counts: CellCounts) -> HttpResponse:
        _check_minimum(request, counts)
        facts: dict[str, Any] = {
            "title": texts.title,
            "confidence": breakdown.confidence,
            "asked_by": texts.asker,
            "period": "" if chosen is None else f"{declaration.period} {chosen}",
        }
        report: Release | FormRelease
        if whole and isinstance(law, Form):
            results = {one.name: result_of(one, counts) for one in asked}
            report = release_form(law, results, texts=texts.questions, **facts)
        else:
            (question,) = asked
            text = texts.questions[question.name]
            own: dict[str, Any] = {
                "question": text.in_full,
                "words": text.words,
                "order": order_of(text),
                "notes": question.caveats(),
            }
            report = release_report(result_of(question, counts), **own, **facts)
        if form == "json":
            return JsonResponse(report.to_dict())
        return HttpResponse(report.to_html().encode(), media_type="text/html; charset=utf-8")

    return await _read(request, publish, together=True)


async def export(request: HttpRequest) -> HttpResponse:
    """All reports that are shown with their labels and days as Parquet, sorted, for Spark and `discreet tally`."""
    served, service = request.collection, request.service
    await _read(request, _check_minimum)
    handle, name = tempfile.mkstemp(".parquet", served.id, service.drafts.path())
    os.close(handle)
    path = Path(name)

    def write() -> None:
        write_parquet(path, served.instrument, list(served.declaration.labels), service.shown_reports(served))

    try:
        async with service.readers:
            await asyncio.to_thread(write)
    except BaseException:
        path.unlink()
        raise
    return FileResponse(path, name=f"{served.id}.parquet", media_type=PARQUET)


async def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics of this process for Prometheus."""
    service = request.service
    gauges = {
        "uploads_waiting": ("Uploads that wait to be stored, in steps.", float(in_steps(service.waiting_uploads))),
        "collections": ("Collections that are served.", float(len(list(service.catalogue)))),
    }
    return HttpResponse(service.metrics.text(gauges).encode(), media_type=METRICS_TYPE)


async def _read(request: HttpRequest, make: Callable[[HttpRequest, CellCounts], T], *, together: bool = False) -> T:
    """What `make` computes from the counts of what is shown, in a thread; `HttpProblem` if it cannot.

    The parameter `period` chooses one. With `together`, reports of several periods are not to be had.
    """
    declaration, chosen = request.collection.declaration, request.parameters.get("period")
    if chosen is not None and chosen not in declaration.labels.get(declaration.period or "", ()):
        raise HttpProblem("parameter", "period must be a text of the label that the collection declares as its period")

    def compute() -> T:
        counts, period = request.service.shown_counts(request.collection), declaration.period
        if period is not None and chosen is not None:
            counts = only_period(counts, period, chosen)
        elif together and period is not None and len({label_text(labels, period) for labels, _ in counts.counts}) > 1:
            raise HttpProblem(
                "unavailable",
                f"the same people may have answered under several texts of the label {period}: choose one by period=",
            )
        return make(request, counts)

    async with request.service.readers:
        return await request.compute("unavailable", compute)


def _check_minimum(request: HttpRequest, counts: CellCounts) -> None:
    if not counts.counts:
        minimum = request.collection.declaration.minimum
        raise HttpProblem("below_minimum", f"there are fewer than {minimum} reports, which are shown together")


def _question(request: HttpRequest) -> AskedQuestion:
    """The question that is meant: of a form the one that is named, which must be."""
    law, name = request.collection.instrument.law, request.parameters.get("question")
    names = names_of(law)
    if names and name not in names:
        raise HttpProblem("parameter", f"question must be one of {', '.join(names)}")
    if not names and name is not None:
        raise HttpProblem("parameter", "question must be left out: this collection asks one")
    return asked_question(law, name or "")


def _breakdown(request: HttpRequest) -> Breakdown:
    parameters = request.parameters
    method, by, days = parameters.get("method", "unbiased"), parameters.get("by"), parameters.get("days")
    if method not in METHODS:
        raise HttpProblem("parameter", f"method must be one of {', '.join(METHODS)}")
    if by is not None and by not in request.collection.declaration.labels:
        raise HttpProblem("parameter", "by must name a label of the collection")
    if days is not None and not (days.isascii() and days.isdigit() and len(days) <= 4 and int(days)):
        raise HttpProblem("parameter", "days must be a whole number from 1 to 9999")
    try:
        confidence = float(parameters.get("confidence", "0.95"))
        if not 0 < confidence < 1:
            raise ValueError
    except ValueError:
        raise HttpProblem("parameter", "confidence must be a number between 0 and 1") from None
    if (anytime := parameters.get("anytime", "false")) not in ("true", "false"):
        raise HttpProblem("parameter", "anytime must be true or false")
    return Breakdown(method, confidence, by, None if days is None else int(days), anytime == "true")
