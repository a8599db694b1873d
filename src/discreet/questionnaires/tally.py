"""Many people's answers to a form, randomized at once, and the tallies of their reports, one for each part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.encoding import lookup_of, outside
from ..bulk.labelled.columns import Labels, check_aligned
from ..bulk.randomizing import randomize_positions
from ..bulk.words import words_of
from ..core.canonical import loads
from ..core.errors import InvalidInput, MechanismMismatch, UnknownValue, check_type, shown
from ..core.random import check_source
from ..estimation.tally import Tally, max_tally_bytes, tally_from_json, tally_to_json
from ..wire.form import EACH, ONE, Form
from ..wire.spec import located

if TYPE_CHECKING:
    from ..core.random import Source


VERSION = 1
"""The version of tally files of forms; another one is refused."""


class FormTally(Mapping[str, Tally]):
    """The tally of every part of a form by its name; ``+`` merges, the empty one is its zero."""

    def __init__(self, form: Form, tallies: Mapping[str, Tally]) -> None:
        self.form, self._tallies = form, {part: tallies[part] for part in form.parts}
        if form.strategy == EACH and len({tally.n for tally in self._tallies.values()}) > 1:
            raise InvalidInput("n must be the same for every question of a form that asks each")

    @classmethod
    def of(cls, form: Form, reports: Any = ()) -> FormTally:
        """The tallies of reports: dictionaries as `Form.randomize` gives them, or those of `Form.randomize_many`."""
        by_part: Mapping[str, Any] = {part: [] for part in form.parts}
        if isinstance(reports, FormReports):
            by_part = reports.reports
        else:
            check_type("reports", reports, Iterable, "reports as `Form.randomize` gives them")
            for report in reports:
                for part in form.parts_in(report):
                    by_part[part].append(report[part])
        return cls(form, {part: mechanism.tally(by_part[part]) for part, mechanism in form.mechanisms.items()})

    @property
    def n(self) -> int:
        """The number of people."""
        counts = [tally.n for tally in self._tallies.values()]
        return counts[0] if self.form.strategy == EACH else sum(counts)

    def __getitem__(self, part: str) -> Tally:
        if part not in self._tallies:
            raise InvalidInput(f"{shown(part)} must be one of the parts of the form: {', '.join(self._tallies)}")
        return self._tallies[part]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tallies)

    def __len__(self) -> int:
        return len(self._tallies)

    def __contains__(self, part: object) -> bool:
        return part in self._tallies

    def __add__(self, other: FormTally) -> FormTally:
        if not isinstance(other, FormTally):
            return NotImplemented
        if other.form.fingerprint != self.form.fingerprint:
            raise MechanismMismatch(
                f"tallies of {other.form!r} ({other.form.fingerprint[:12]}) cannot be merged with those of "
                f"{self.form!r} ({self.form.fingerprint[:12]})"
            )
        return FormTally(self.form, {part: tally + other[part] for part, tally in self._tallies.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FormTally):
            return NotImplemented
        return self.form.fingerprint == other.form.fingerprint and self._tallies == other._tallies

    def __hash__(self) -> int:
        return hash((self.form.fingerprint, tuple(self._tallies.values())))

    def __repr__(self) -> str:
        return f"<tally of {self.n:,} people for {self.form!r}>"

    # -- as JSON ---------------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """The tallies as JSON data."""
        tallies = {part: tally_to_json(tally) for part, tally in self._tallies.items()}
        return {"version": VERSION, "fingerprint": self.form.fingerprint, "n": self.n, "tallies": tallies}

    @classmethod
    def from_json(cls, form: Form, data: object) -> FormTally:
        """The tallies in JSON data, which must be those of `form`."""
        if not isinstance(data, dict) or data.keys() != {"version", "fingerprint", "n", "tallies"}:
            raise InvalidInput("a tally of a form must hold version, fingerprint, n and tallies, and nothing else")
        if data["version"] != VERSION or isinstance(data["version"], bool):
            raise InvalidInput(f"version={shown(data['version'])} must be {VERSION}, the only known version")
        if data["fingerprint"] != form.fingerprint:
            raise MechanismMismatch(
                f"this tally is of another form ({str(data['fingerprint'])[:12]}), not of {form!r} "
                f"({form.fingerprint[:12]})"
            )
        tallies = data["tallies"]
        if not isinstance(tallies, dict) or tallies.keys() != form.parts.keys():
            raise InvalidInput(f"tallies must hold {', '.join(form.parts)}, and nothing else")
        by_part = {}
        for part, mechanism in form.mechanisms.items():
            with located(f"tallies[{part!r}]"):
                by_part[part] = tally_from_json(mechanism, tallies[part])
        tally = cls(form, by_part)
        if tally.n != data["n"] or isinstance(data["n"], bool):
            raise InvalidInput(f"n={shown(data['n'])} must be the number of people in the tallies, {tally.n}")
        return tally

    @classmethod
    def parse(cls, form: Form, written: str | bytes) -> FormTally:
        """The tallies in a JSON text."""
        if len(written) > _max_bytes(form):
            raise InvalidInput(f"this is not a tally of {form!r}: it has more than {_max_bytes(form)} bytes")
        return cls.from_json(form, loads(written, InvalidInput))

    @classmethod
    def read(cls, path: str | Path, form: Form) -> FormTally:
        """The tallies in a JSON file."""
        with open(path, "rb") as file:
            written = file.read(_max_bytes(form) + 1)
        with located(str(path)):
            return cls.parse(form, written)

    @property
    def text(self) -> str:
        """The tallies as the text of a JSON file."""
        return json.dumps(self.to_json(), ensure_ascii=False) + "\n"

    def write(self, path: str | Path) -> None:
        """Write the tallies to a JSON file, whole or not at all."""
        from ..core.documents import replacing

        with replacing(path) as file:
            file.write(self.text.encode())


def _max_bytes(form: Form) -> int:
    return sum(map(max_tally_bytes, form.mechanisms.values())) + (1 << 16)


@dataclass(frozen=True, eq=False)
class FormReports:
    """The reports of many people, by part, and the rows of the people who were asked it, counted from 0 in order."""

    reports: dict[str, NDArray[Any]]
    rows: dict[str, NDArray[np.int64]]
    n: int
    """The number of people who reported."""
    left_out: int = 0
    """The number of people who were left out, for a null or an answer outside the domain."""
    labels: Sequence[Labels] = ()
    """The columns beside the reports of a file."""


def randomize_columns(form: Form, answers: Mapping[str, Any], rng: Source, *, unknown: str = "error") -> FormReports:
    """The reports of people whose answers are given by columns of values."""
    check_source(rng)
    check_type("answers", answers, Mapping, "columns of answers by the name of the question")
    if set(answers) != set(form.names):
        raise InvalidInput(f"answers must be a column for each of {', '.join(form.names)}, and nothing else")
    check_aligned(answers)
    lookups = {name: lookup_of(spec.context.domain) for name, spec in form.questions.items()}
    return randomize_answers(form, {name: lookups[name].indices(answers[name]) for name in form.names}, rng, unknown)


def randomize_answers(
    form: Form, indices: Mapping[str, NDArray[Any]], rng: Source, unknown: str, *, start: int = 0
) -> FormReports:
    """The reports of people whose answers are given by their positions, anything else where they are unknown.

    Of one at random, the questions are drawn first, a word a person, then the reports of each question in order. Errors
    count rows from `start`.
    """
    if not isinstance(unknown, str) or unknown not in ("error", "drop"):
        raise InvalidInput(f"unknown={shown(unknown)} must be error or drop for a form")
    sizes = {len(column) for column in indices.values()}
    if len(sizes) > 1:
        raise InvalidInput(f"columns of {sorted(sizes)} answers must be equally long")
    (seen,) = sizes
    known = np.ones(seen, dtype=bool)
    for name, column in indices.items():
        absent = outside(column, form.questions[name].context.domain.positions)
        if absent is not None and unknown == "error":
            row = start + int(np.argmax(absent)) + 1
            rule = form.questions[name].context.domain.rule
            raise UnknownValue(f"row {row}: the answer to {name!r} must be {rule}")
        if absent is not None:
            known &= ~absent
    people = np.flatnonzero(known)
    answers = {name: column[people].astype(np.int64) for name, column in indices.items()}
    reports, rows = {}, _rows_asked(form, len(people), rng)
    for part, mechanism in form.mechanisms.items():
        numbers = answers[part] if part in answers else _tuple_numbers(form, answers)
        reports[part] = randomize_positions(mechanism, numbers[rows[part]], rng)
    return FormReports(reports, {part: people[asked] for part, asked in rows.items()}, len(people), seen - len(people))


def _rows_asked(form: Form, n: int, rng: Source) -> dict[str, NDArray[np.int64]]:
    """The numbers of the people who are asked each part: of one at random as `Form.ask` draws it from one word."""
    if form.strategy != ONE:
        return {part: np.arange(n) for part in form.parts}
    halves = words_of(rng, n).astype(np.uint64)
    count = np.uint64(len(form.parts))
    low, high = halves & np.uint64(0xFFFFFFFF), halves >> np.uint64(32)
    drawn = (high * count + (low * count >> np.uint64(32))) >> np.uint64(32)  # word * count / 2**64, in whole numbers
    return {part: np.flatnonzero(drawn == number) for number, part in enumerate(form.parts)}


def _tuple_numbers(form: Form, answers: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
    """The numbers of tuples, the last answer running fastest."""
    sizes = [spec.context.size for spec in form.questions.values()]
    return np.ravel_multi_index([answers[name] for name in form.names], sizes)
