"""What an analyst reads: progress, tallies, shares, differences, reports, and the counters of the service."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from starlette.responses import Response

from ...core.errors import DiscreetError, InvalidInput, StoreFailed
from ...estimation.tally_json import tally_to_json
from ...publishing import release as publish
from ..breakdown import METHODS, Question, breakdown, cells
from ..differences import MOST_TESTS, differences
from ..http.calls import Call, answer
from ..http.download import Download
from ..http.problems import Problem
from ..store.export import export as write_reports
from ..tallies import Counted, count

T = TypeVar("T")

PARQUET = "application/vnd.apache.parquet"
METRICS = "text/plain; version=0.0.4; charset=utf-8"


async def progress(call: Call) -> Response:
    """How many reports there are, by label and by day, and how many are missing."""
    call.parameters()
    return answer(await _read(call, _progress))


def _progress(call: Call, counted: Counted) -> dict[str, Any]:
    served, store = call.collection, call.service.store
    n, minimum = counted.tally().n, served.declared.minimum
    sizes = {cell: tally.n for cell, tally in counted.groups(lambda cell: cell).items()}
    days: Counter[str] = Counter()
    labels: dict[str, Counter[str]] = {name: Counter() for name in served.declared.labels}
    for (carried, day), size in sizes.items():
        days[day] += size
        for name, text in carried:
            labels[name][text] += size
    made, spent = store.invitations(served.id)
    return {
        "state": served.state(datetime.now(UTC)),
        "n": n,
        "minimum": minimum,
        "missing": max(minimum - n, 0),
        "labels": {name: dict(sorted(texts.items())) for name, texts in labels.items()},
        "days": dict(sorted(days.items())),
        "refused": {code: size for (name, code), size in sorted(store.refusals().items()) if name == served.id},
        "invitations": {"made": made, "spent": spent},
    }


async def tally(call: Call) -> Response:
    """All reports as one tally, which `discreet estimate` reads."""
    call.parameters()
    total = await _read(call, lambda call, counted: counted.tally())
    _check_minimum(call, total.n)
    return answer(tally_to_json(total))


async def shares(call: Call) -> Response:
    """The share of every value, by any method, with intervals, notes and influence; by label and by days."""
    question = _question(call, ("method", "confidence", "by", "days"))

    def made(call: Call, counted: Counted) -> list[dict[str, Any]]:
        return breakdown(counted, question, call.collection.declared.minimum)

    about = {"collection": call.collection.id, "minimum": call.collection.declared.minimum, "method": question.method}
    return answer({**about, "confidence": question.confidence, "cells": await _read(call, made)})


async def differences_(call: Call) -> Response:
    """Where the shares of labels differ, tested for every value and every two texts of a label."""
    question = _question(call, ("by",))
    if question.by is None:
        raise Problem("parameter", "by must name a label of the collection")
    minimum = call.collection.declared.minimum

    def made(call: Call, counted: Counted) -> dict[str, Any]:
        groups = {labels[0][1]: tally for (labels, _), tally in cells(counted, question).items()}
        enough = {text: tally for text, tally in groups.items() if tally.n >= minimum}
        size = len(call.collection.mechanism.context.values)
        if len(enough) * (len(enough) - 1) // 2 * size > MOST_TESTS:
            raise Problem("unavailable", f"this would take more than {MOST_TESTS} tests")
        missing = [
            {"label": text or None, "n": tally.n, "missing": minimum - tally.n}
            for text, tally in groups.items()
            if tally.n < minimum
        ]
        return {**differences(enough), "left_out": missing}

    about = {"collection": call.collection.id, "by": question.by, "minimum": minimum}
    return answer({**about, **await _read(call, made)})


async def release(call: Call) -> Response:
    """The shares as a report to be published: one page, or its data."""
    question = _question(call, ("method", "confidence", "form"))
    form = call.parameters(("method", "confidence", "form")).get("form", "html")
    if form not in ("html", "json"):
        raise Problem("parameter", "form must be html or json")
    declared = call.collection.declared

    def made(call: Call, counted: Counted) -> Response:
        total = counted.tally()
        _check_minimum(call, total.n)
        report = publish(
            METHODS[question.method](total),
            title=declared.title,
            question=declared.question,
            words=declared.words,
            confidence=question.confidence,
        )
        return Response(report.to_html(), media_type="text/html") if form == "html" else answer(report.to_dict())

    return await _read(call, made)


async def export(call: Call) -> Response:
    """All reports with their labels and days as Parquet, sorted, for Spark and `discreet tally`."""
    call.parameters()
    served = call.collection
    total = await _read(call, lambda call, counted: counted.tally().n)
    _check_minimum(call, total)
    handle, made = tempfile.mkstemp(prefix=f"discreet-{served.id}-", suffix=".parquet")
    os.close(handle)
    path = Path(made)
    names = list(served.declared.labels)
    try:
        async with call.service.readers:
            await asyncio.to_thread(
                write_reports, call.service.store, served.id, served.mechanism, names, served.declared.minimum, path
            )
    except BaseException:
        path.unlink()
        raise
    return Download(path, name=f"{served.id}.parquet", media_type=PARQUET)


async def metrics(call: Call) -> Response:
    """Counters of this process for Prometheus."""
    call.parameters()
    service = call.service
    gauges = {
        "uploads_waiting": ("Uploads that wait to be stored.", float(service.waiting)),
        "collections": ("Collections that are served.", float(len(list(service.catalogue)))),
    }
    return Response(service.metrics.text(gauges), media_type=METRICS)


async def _read(call: Call, make: Callable[[Call, Counted], T]) -> T:
    """What is made of the counts of a collection, away from the requests; `Problem` if it cannot be made."""

    def made() -> T:
        return make(call, count(call.service.store, call.collection.id, call.collection.mechanism))

    async with call.service.readers:
        try:
            return await asyncio.to_thread(made)
        except StoreFailed:
            raise
        except DiscreetError as problem:
            raise Problem("unavailable", str(problem)) from None


def _check_minimum(call: Call, n: int) -> None:
    minimum = call.collection.declared.minimum
    if n < minimum:
        raise Problem("below_minimum", f"there are {n} reports, and {minimum - n} more are needed")


def _question(call: Call, known: tuple[str, ...]) -> Question:
    asked = call.parameters(known)
    method, by, days = asked.get("method", "unbiased"), asked.get("by"), asked.get("days")
    if method not in METHODS:
        raise Problem("parameter", f"method must be one of {', '.join(METHODS)}")
    if by is not None and by not in call.collection.declared.labels:
        raise Problem("parameter", "by must name a label of the collection")
    if days is not None and not (days.isascii() and days.isdigit() and len(days) <= 4 and int(days)):
        raise Problem("parameter", "days must be a whole number from 1 to 9999")
    try:
        confidence = float(asked.get("confidence", "0.95"))
        if not 0 < confidence < 1:
            raise InvalidInput
    except ValueError:
        raise Problem("parameter", "confidence must be a number between 0 and 1") from None
    return Question(method, confidence, by, None if days is None else int(days))
