"""Endpoints for the analyst: progress, tallies, shares, differences, reports, and the metrics of the service.

All of them see whole batches of at least `minimum` reports only (`collector.batching`).
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ...estimation.tally import tally_to_json
from ...publishing import release as release_report
from ..batching import MIXED, label_text, shown_uploads
from ..export import write_parquet
from ..http.request import HttpRequest
from ..http.response import FileResponse, HttpProblem, HttpResponse, JsonResponse
from ..results import MAX_TESTS, METHODS, Breakdown, compare_groups, group_tallies, only_period, shares_by_cell
from ..service import in_steps
from ..store.tallies import CellCounts

T = TypeVar("T")

PARQUET = "application/vnd.apache.parquet"
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


async def progress(request: HttpRequest) -> HttpResponse:
    """How many reports are shown, by label and by day; `missing` is 0 as soon as there are any."""
    return JsonResponse(await _read(request, _progress))


def _progress(request: HttpRequest, counts: CellCounts) -> dict[str, Any]:
    served, n = request.collection, counts.tally().n
    days: Counter[str] = Counter()
    by_label: dict[str, Counter[str]] = {name: Counter() for name in served.declaration.labels}
    for (labels, day), tally in counts.groups(lambda cell: cell).items():
        days[day] += tally.n
        for name, text in labels:
            if text != MIXED:
                by_label[name][text] += tally.n
    return {
        "n": n,
        "missing": 0 if n else served.declaration.minimum,
        "labels": {name: dict(sorted(texts.items())) for name, texts in by_label.items()},
        "days": dict(sorted(days.items())),
        **request.service.describe(served),
    }


async def tally(request: HttpRequest) -> HttpResponse:
    """All reports that are shown as one tally, which `discreet estimate` reads; of one period only."""

    def count(request: HttpRequest, counts: CellCounts) -> HttpResponse:
        _check_minimum(request, counts)
        return JsonResponse(tally_to_json(counts.tally()))

    return await _read(request, count, together=True)


async def shares(request: HttpRequest) -> HttpResponse:
    """The share of every value, by any method, with intervals, notes and influence; by label and by days."""
    breakdown = _breakdown(request)
    declaration = request.collection.declaration
    minimum, texts = declaration.minimum, declaration.labels.get(breakdown.by or "", ())

    def describe(request: HttpRequest, counts: CellCounts) -> list[dict[str, Any]]:
        return shares_by_cell(counts, breakdown, minimum, period=declaration.period, texts=texts)

    cells = await _read(request, describe)
    about = {"collection": request.collection.id, "minimum": minimum, "method": breakdown.method}
    return JsonResponse({**about, "confidence": breakdown.confidence, "anytime": breakdown.anytime, "cells": cells})


async def differences(request: HttpRequest) -> HttpResponse:
    """Where the shares of labels differ, tested for every value and every two texts of a label."""
    breakdown = _breakdown(request)
    if breakdown.by is None:
        raise HttpProblem("parameter", "by must name a label of the collection")
    declaration = request.collection.declaration
    minimum, texts = declaration.minimum, declaration.labels[breakdown.by]

    def compare(request: HttpRequest, counts: CellCounts) -> dict[str, Any]:
        groups = {labels[0][1]: tally for (labels, _), tally in group_tallies(counts, breakdown).items()}
        size = len(request.collection.mechanism.context.values)
        if len(groups) * (len(groups) - 1) // 2 * size > MAX_TESTS:
            raise HttpProblem("unavailable", f"this would take more than {MAX_TESTS} tests")
        missing = [{"label": text, "n": 0, "missing": minimum} for text in texts if text not in groups]
        return {**compare_groups(groups), "left_out": missing}

    about = {"collection": request.collection.id, "by": breakdown.by, "minimum": minimum}
    return JsonResponse({**about, **await _read(request, compare, together=breakdown.by != declaration.period)})


async def release(request: HttpRequest) -> HttpResponse:
    """The shares as a report to be published: one page, or its data."""
    breakdown = _breakdown(request)
    form = request.parameters.get("form", "html")
    if form not in ("html", "json"):
        raise HttpProblem("parameter", "form must be html or json")
    declaration = request.collection.declaration

    def publish(request: HttpRequest, counts: CellCounts) -> HttpResponse:
        _check_minimum(request, counts)
        report = release_report(
            METHODS[breakdown.method](counts.tally()),
            title=declaration.title,
            question=declaration.question,
            words=declaration.words,
            confidence=breakdown.confidence,
        )
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
    path, rules = Path(name), served.declaration

    def write() -> None:
        over = service.is_over(served)
        shown = shown_uploads(service.store.batches(served.id), rules.minimum, rules.period, closed=over)
        write_parquet(path, served.mechanism, list(rules.labels), shown)

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
