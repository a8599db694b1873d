"""Many people's answers to a form at once: a column for each question in, reports for each part out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.encoding import DomainLookup, outside
from ..bulk.randomizing import randomize_indices
from ..bulk.words import words_of
from ..core.errors import InvalidInput, UnknownValue, check_type, shown
from ..core.random import check_source

if TYPE_CHECKING:
    from ..core.random import Source
    from .form import Form


@dataclass(frozen=True, eq=False)
class FormReports:
    """The reports of many people, by part, and the rows of the people who were asked it, counted from 0 in order."""

    reports: dict[str, NDArray[Any]]
    rows: dict[str, NDArray[np.int64]]
    n: int
    """The number of people who reported."""
    left_out: int
    """The number of people who were left out, for a null or an answer outside the domain."""


def randomize_columns(form: Form, answers: Mapping[str, Any], rng: Source, *, unknown: str = "error") -> FormReports:
    """The reports of people whose answers are given by columns of values."""
    check_source(rng)
    check_type("answers", answers, Mapping, "columns of answers by the name of the question")
    if set(answers) != set(form.names):
        raise InvalidInput(f"answers must be a column for each of {', '.join(form.names)}, and nothing else")
    lookups = {name: DomainLookup(spec.context.domain) for name, spec in form.questions.items()}
    return randomize_found(form, {name: lookups[name].indices(answers[name]) for name in form.names}, rng, unknown)


def randomize_found(
    form: Form, indices: Mapping[str, NDArray[Any]], rng: Source, unknown: str, *, start: int = 0
) -> FormReports:
    """The reports of people whose answers are given by their numbers, anything else where they are unknown.

    Of one at random, the questions are drawn first, a word a person, then the reports of each question in order. Errors
    count rows from `start`.
    """
    if not isinstance(unknown, str) or unknown not in ("error", "drop"):
        raise InvalidInput(f"unknown={shown(unknown)} must be error or drop for a form")
    sizes = {len(column) for column in indices.values()}
    if len(sizes) > 1:
        raise InvalidInput(f"columns of {sorted(sizes)} answers must be equally long")
    (seen,) = sizes
    kept = np.ones(seen, dtype=bool)
    for name, column in indices.items():
        absent = outside(column, form.questions[name].context.size)
        if absent is not None and unknown == "error":
            row = start + int(np.argmax(absent)) + 1
            rule = form.questions[name].context.domain.rule
            raise UnknownValue(f"row {row}: the answer to {name!r} must be {rule}")
        if absent is not None:
            kept &= ~absent
    people = np.flatnonzero(kept)
    held = {name: column[people].astype(np.int64) for name, column in indices.items()}
    reports, rows = {}, _asked(form, len(people), rng)
    for part, mechanism in form.mechanisms.items():
        numbers = held[part] if part in held else _joined(form, [held[name] for name in form.names])
        reports[part] = randomize_indices(mechanism.sampler, numbers[rows[part]], rng)
    return FormReports(reports, {part: people[asked] for part, asked in rows.items()}, len(people), seen - len(people))


def _asked(form: Form, n: int, rng: Source) -> dict[str, NDArray[np.int64]]:
    """The numbers of the people who are asked each part: of one at random as `Form.ask` draws it from one word."""
    from .form import ONE

    if form.strategy != ONE:
        return {part: np.arange(n) for part in form.parts}
    halves = words_of(rng, n).astype(np.uint64)
    count = np.uint64(len(form.parts))
    low, high = halves & np.uint64(0xFFFFFFFF), halves >> np.uint64(32)
    drawn = (high * count + (low * count >> np.uint64(32))) >> np.uint64(32)  # word * count / 2**64, in whole numbers
    return {part: np.flatnonzero(drawn == number) for number, part in enumerate(form.parts)}


def _joined(form: Form, columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The numbers of tuples, the last answer running fastest."""
    total = np.zeros_like(columns[0])
    for spec, column in zip(form.questions.values(), columns, strict=True):
        total = total * spec.context.size + column
    return total
