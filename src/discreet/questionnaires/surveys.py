"""Surveys from the reports of a form: one for each part, with the labels of the people who were asked it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.survey.reading import survey_of_frame
from ..analysis.survey.survey import Survey
from ..bulk.jobs import Progress
from ..bulk.labelled.columns import joined, written_numbers
from ..core.errors import InvalidInput
from ..estimation.tally import as_batch
from ..files.columns import REPORT
from ..files.sources import Source
from .form import Form
from .rows import form_rows


def read_form_surveys(
    form: Form,
    files: Sequence[str | Source],
    *,
    labels: Sequence[str] = (),
    weights: str | None = None,
    clusters: str | None = None,
    strata: str | None = None,
    population: int | None = None,
    unmarked: bool = False,
    missing: str = "error",
    progress: Progress = lambda rows: None,
) -> dict[str, Survey]:
    """The survey of every part of a form in files of its reports; the arguments are those of `Survey.read`.

    Where each question is asked, the rows of all surveys are the same people. Of one at random each survey has those
    who were asked its question.
    """
    given = [*labels, *(name for name in (weights, clusters, strata) if name is not None)]
    names = list(dict.fromkeys(given))
    reports: dict[str, list[NDArray[Any]]] = {
        part: [as_batch([], mechanism.bits)] for part, mechanism in form.mechanisms.items()
    }
    rows: dict[str, list[NDArray[np.int64]]] = {part: [np.zeros(0, dtype=np.int64)] for part in form.parts}
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    seen = 0
    for found in form_rows(form, files, names, unmarked=unmarked, progress=progress):
        for part in form.parts:
            reports[part].append(found.reports[part])
            rows[part].append(found.rows[part] + seen)
        for name, column in zip(names, found.labels, strict=True):
            columns[name].append(column.column())
        seen += found.n
    if not seen:
        raise InvalidInput("there are no reports")
    beside = {name: written_numbers(joined(pieces)) for name, pieces in columns.items()}
    roles: dict[str, Any] = {"labels": labels, "weights": weights, "clusters": clusters, "strata": strata}
    roles |= {"population": population, "missing": missing, "column": REPORT}
    surveys = {}
    for part, mechanism in form.mechanisms.items():
        own = np.concatenate(rows[part])
        frame = {REPORT: np.concatenate(reports[part])} | {name: column[own] for name, column in beside.items()}
        surveys[part] = survey_of_frame(mechanism, frame, **roles)
    return surveys
