"""Surveys from files of reports with other columns beside them, and from tables in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.jobs import Progress, are_insecure, map_reports
from ...bulk.labelled.columns import Labels, by_name, concatenate, names_of, parse_numbers
from ...core.errors import InvalidInput, check_type
from ...estimation.tally import Tally, as_batch
from ...files.columns import REPORT, place_of
from ...files.sources import FileSource, inputs, source_of
from ...mechanisms.mechanism import Mechanism
from .survey import Population, Survey


def read_survey(
    mechanism: Mechanism,
    files: str | Sequence[str | FileSource],
    *,
    labels: Sequence[str] = (),
    weights: str | None = None,
    clusters: str | None = None,
    strata: str | None = None,
    population: Population | None = None,
    column: str | None = None,
    delimiter: str | None = None,
    unmarked: bool = False,
    missing: str = "error",
    progress: Progress = lambda rows: None,
) -> Survey:
    """The survey in files of reports, as ``discreet randomize --keep`` writes them.

    `files` are Parquet, Arrow, CSV, TSV or JSON lines, folders of these, or patterns. `labels` names the columns to
    take as labels, `weights`, `clusters` and `strata` those with what they say; `column` is that of the reports,
    ``report`` unless given. Text whose entries are all written as numbers is numbers; an empty field is missing.
    Reports of another mechanism, files that are not whole and, unless `unmarked`, reports without marks are refused.
    """
    check_type("mechanism", mechanism, Mechanism, "a mechanism")
    roles = _roles(labels, weights=weights, clusters=clusters, strata=strata)
    names = list(dict.fromkeys(roles.values()))

    def check_batch(reports: NDArray[Any], columns: list[Labels]) -> tuple[NDArray[Any], list[Labels]]:
        Tally.of(mechanism, reports, threads=1)  # which refuses what no report can be
        return as_batch(reports, mechanism.sampler.bits), columns

    batches = [as_batch([], mechanism.sampler.bits)]
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    sources = _sources(files, delimiter)
    for source in sources:
        pieces: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
        for reports, columns in map_reports(
            mechanism, [source], check_batch, keep=names, column=column, unmarked=unmarked, progress=progress
        ):
            batches.append(reports)
            for name, labels_of_batch in zip(names, columns, strict=True):
                pieces[name].append(labels_of_batch.column())
        for name in names:
            parts[name].append(parse_numbers(concatenate(pieces[name])))
    survey = _survey(
        mechanism, np.concatenate(batches), roles, lambda name: concatenate(parts[name]), population, missing
    )
    survey.insecure = are_insecure(sources)
    return survey


def survey_of_frame(
    mechanism: Mechanism,
    frame: Any,
    *,
    labels: Sequence[str] = (),
    weights: str | None = None,
    clusters: str | None = None,
    strata: str | None = None,
    population: Population | None = None,
    column: str | None = None,
    missing: str = "error",
) -> Survey:
    """The survey in a table of pandas, polars or Arrow, or a mapping of columns: one row a report.

    The arguments are those of `read_survey`. Reports that an Arrow table marks as another mechanism's are refused.
    """
    check_type("mechanism", mechanism, Mechanism, "a mechanism")
    names = [str(name) for name in by_name("frame", frame)]
    roles = _roles(labels, weights=weights, clusters=clusters, strata=strata)
    report = names[place_of(names, column, "frame", usual=REPORT, typed=True)]
    for name in roles.values():
        place_of(names, name, "frame", typed=True)
        if name == report:
            raise InvalidInput(f"label={name!r} is the column of reports, which are no labels")
    reports, insecure = frame[report], False
    if hasattr(frame, "schema") and hasattr(frame, "column_names"):
        from ...bulk.arrow.reports import check_field, reports_of

        insecure = check_field(mechanism, frame.schema.field(report), f"column {report!r}")
        pieces = [as_batch(one, mechanism.sampler.bits) for one in reports_of(mechanism, reports)]
        reports = np.concatenate([as_batch([], mechanism.sampler.bits), *pieces])

    def column_of(name: str) -> Any:
        entries = frame[name]
        if hasattr(entries, "combine_chunks"):
            from ...bulk.labelled.arrow_labels import labels_in

            return labels_in(entries, f"column {name!r}").column()
        return entries

    survey = _survey(mechanism, reports, roles, column_of, population, missing)
    survey.insecure = insecure
    return survey


def _sources(files: str | Sequence[str | FileSource], delimiter: str | None) -> list[FileSource]:
    given = [files] if isinstance(files, (str, FileSource)) else files
    if not isinstance(given, (list, tuple)) or not all(isinstance(file, (str, FileSource)) for file in given):
        raise InvalidInput("files must be the name of a file, or a list of names")
    opened = [file for file in given if isinstance(file, FileSource)]
    names = inputs([file for file in given if not isinstance(file, FileSource)])
    return opened + [source_of(name, delimiter=delimiter) for name in names]


def _roles(labels: Sequence[str], **others: str | None) -> dict[tuple[str, str], str]:
    """The column of each role that is asked for; a label's role is its own name."""
    roles = {("label", name): name for name in names_of("label", labels)}
    for role, chosen in others.items():
        if chosen is not None and not isinstance(chosen, str):
            raise InvalidInput(f"{role} of type {type(chosen).__name__} must be the name of a column")
    return roles | {(role, ""): chosen for role, chosen in others.items() if chosen is not None}


def _survey(
    mechanism: Mechanism,
    reports: Any,
    roles: Mapping[tuple[str, str], str],
    column_of: Callable[[str], Any],
    population: Population | None,
    missing: str,
) -> Survey:
    labels = {name: column_of(name) for (role, _), name in roles.items() if role == "label"}
    others = {role: column_of(name) for (role, _), name in roles.items() if role != "label"}
    return Survey(mechanism, reports, labels=labels, population=population, missing=missing, **others)
