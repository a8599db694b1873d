"""Endpoints for the analyst: progress, tallies, shares, differences, reports, and the metrics of the service."""

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
from ..http.request import HttpRequest
from ..http.response import FileResponse, HttpProblem, HttpResponse, JsonResponse
from ..results import MAX_TESTS, METHODS, Breakdown, compare_groups, group_tallies, shares_by_cell
from ..service import in_steps
from ..store.opening import write_parquet
from ..store.tallies import CellCounts, count_reports

T = TypeVar("T")

PARQUET = "application/vnd.apache.parquet"
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


async def progress(request: HttpRequest) -> HttpResponse:
    """How many reports there are, by label and by day, and how many are missing."""
    return JsonResponse(await _read(request, _progress))


def _progress(request: HttpRequest, counts: CellCounts) -> dict[str, Any]:
    served, n = request.collection, counts.tally().n
    days: Counter[str] = Counter()
    by_label: dict[str, Counter[str]] = {name: Counter() for name in served.declaration.labels}
    for (labels, day), tally in counts.groups(lambda cell: cell).items():
        days[day] += tally.n
        for name, text in labels:
            by_label[name][text] += tally.n
    return {
        "n": n,
        "missing": max(served.declaration.minimum - n, 0),
        "labels": {name: dict(sorted(texts.items())) for name, texts in by_label.items()},
        "days": dict(sorted(days.items())),
        **request.service.describe(served),
    }


async def tally(request: HttpRequest) -> HttpResponse:
    """All reports as one tally, which `discreet estimate` reads."""
    total = await _read(request, lambda request, counts: counts.tally())
    _check_minimum(request, total.n)
    return JsonResponse(tally_to_json(total))


async def shares(request: HttpRequest) -> HttpResponse:
    """The share of every value, by any method, with intervals, notes and influence; by label and by days."""
    breakdown = _breakdown(request)
    minimum = request.collection.declaration.minimum
    cells = await _read(request, lambda request, counts: shares_by_cell(counts, breakdown, minimum))
    about = {"collection": request.collection.id, "minimum": minimum, "method": breakdown.method}
    return JsonResponse({**about, "confidence": breakdown.confidence, "anytime": breakdown.anytime, "cells": cells})


async def differences(request: HttpRequest) -> HttpResponse:
    """Where the shares of labels differ, tested for every value and every two texts of a label."""
    breakdown = _breakdown(request)
    if breakdown.by is None:
        raise HttpProblem("parameter", "by must name a label of the collection")
    minimum = request.collection.declaration.minimum

    def compare(request: HttpRequest, counts: CellCounts) -> dict[str, Any]:
        groups = {labels[0][1]: tally for (labels, _), tally in group_tallies(counts, breakdown).items()}
        enough = {text: tally for text, tally in groups.items() if tally.n >= minimum}
        size = len(request.collection.mechanism.context.values)
        if len(enough) * (len(enough) - 1) // 2 * size > MAX_TESTS:
            raise HttpProblem("unavailable", f"this would take more than {MAX_TESTS} tests")
        missing = [
            {"label": text or None, "n": tally.n, "missing": minimum - tally.n}
            for text, tally in groups.items()
            if tally.n < minimum
        ]
        return {**compare_groups(enough), "left_out": missing}

    about = {"collection": request.collection.id, "by": breakdown.by, "minimum": minimum}
    return JsonResponse({**about, **await _read(request, compare)})


async def release(request: HttpRequest) -> HttpResponse:
    """The shares as a report to be published: one page, or its data."""
    breakdown = _breakdown(request)
    form = request.parameters.get("form", "html")
    if form not in ("html", "json"):
        raise HttpProblem("parameter", "form must be html or json")
    declaration = request.collection.declaration

    def publish(request: HttpRequest, counts: CellCounts) -> HttpResponse:
        total = counts.tally()
        _check_minimum(request, total.n)
        report = release_report(
            METHODS[breakdown.method](total),
            title=declaration.title,
            question=declaration.question,
            words=declaration.words,
            confidence=breakdown.confidence,
        )
        if form == "json":
            return JsonResponse(report.to_dict())
        return HttpResponse(report.to_html().encode(), media_type="text/html; charset=utf-8")

    return await _read(request, publish)


async def export(request: HttpRequest) -> HttpResponse:
    """All reports with their labels and days as Parquet, sorted, for Spark and `discreet tally`."""
    served = request.collection
    total = await _read(request, lambda request, counts: counts.tally().n)
    _check_minimum(request, total)
    handle, name = tempfile.mkstemp(prefix=f"discreet-{served.id}-", suffix=".parquet")
    os.close(handle)
    path, names, minimum = Path(name), list(served.declaration.labels), served.declaration.minimum
    try:
        async with request.service.readers:
            store = request.service.store
            await asyncio.to_thread(write_parquet, store, served.id, served.mechanism, names, minimum, path)
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


async def _read(request: HttpRequest, make: Callable[[HttpRequest, CellCounts], T]) -> T:
    """What `make` computes from the counts of a collection, in a thread; `HttpProblem` if it cannot."""

    def compute() -> T:
        served = request.collection
        return make(request, count_reports(request.service.store, served.id, served.mechanism))

    async with request.service.readers:
        return await request.compute("unavailable", compute)


def _check_minimum(request: HttpRequest, n: int) -> None:
    minimum = request.collection.declaration.minimum
    if n < minimum:
        raise HttpProblem("below_minimum", f"there are {n} reports, and {minimum - n} more are needed")


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
