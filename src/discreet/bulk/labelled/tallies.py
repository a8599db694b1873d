"""Tallies by label: what a survey of any size comes down to in one pass. Only counts are held, and they merge.

Counts of reports by the labels beside them.

Tallies by label as JSON files: versioned, strict, and as small as the counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.canonical import loads
from ...core.documents import replacing
from ...core.errors import InvalidInput, MechanismMismatch, check_type, shown
from ...estimation.decoders import decoder_of
from ...estimation.results.unbiased import Estimate, estimate
from ...estimation.tally import Tally, parse_tally, read_tally, tally_from_json
from ...files.sources import FileSource, source_of
from ...mechanisms.mechanism import Mechanism
from ...wire.spec import located
from ..jobs import Progress, are_insecure, map_reports
from .columns import Labels, names_of

Key: TypeAlias = tuple[str | None, ...]
"""The label of a group under each name, as text; None for people without one."""

Counts = NDArray[np.int64]

MAX_GROUPS = 100_000
"""The most groups that are counted: a label with more is not that of a group."""

MAX_COUNTS = 1 << 24
"""The most counts held, over all groups and cells: an eighth of a gigabyte."""


def counts_by_label(mechanism: Mechanism, reports: NDArray[Any], labels: Sequence[Labels]) -> dict[Key, Counts]:
    """The counts of the reports of every group."""
    texts = [[label_text(level) for level in one.levels] for one in labels]
    codes = np.zeros(len(reports), dtype=np.int64)
    for one in labels:
        _, codes = np.unique(codes * max(len(one.levels), 1) + one.codes, return_inverse=True)
    first = np.unique(codes, return_index=True)[1]
    cells = decoder_of(mechanism).cells
    check_groups(mechanism, len(first))
    counts = np.zeros(len(first) * cells, dtype=np.int64)
    decoder_of(mechanism).count(counts, reports, codes * cells)
    groups: dict[Key, Counts] = {}
    for row, place in zip(counts.reshape(-1, cells), first, strict=True):
        key = tuple(names[one.codes[place]] for names, one in zip(texts, labels, strict=True))
        groups[key] = groups[key] + row if key in groups else row  # labels of two types may have one text
    return groups


def add_counts(mechanism: Mechanism, totals: dict[Key, Counts], part: Mapping[Key, Counts]) -> None:
    """Add the counts of some reports to those of all; `InvalidInput` if there are more groups than can be held."""
    for key, counts in part.items():
        if key in totals:
            totals[key] += counts
        else:
            totals[key] = counts.copy()
    check_groups(mechanism, len(totals))


def check_groups(mechanism: Mechanism, groups: int) -> None:
    """Raise `InvalidInput` for more groups than can be told apart or held."""
    most = min(MAX_GROUPS, max(1, MAX_COUNTS // decoder_of(mechanism).cells))
    if groups > most:
        raise InvalidInput(
            f"by: there are more than {most} groups, and each holds {decoder_of(mechanism).cells} counts; "
            "labels of groups must be shared by many people"
        )


def label_text(label: Any) -> str | None:
    """A label as the text that names its group; None where it is missing."""
    if label is None or label != label:
        return None
    if isinstance(label, (bool, np.bool_)):
        return "true" if label else "false"
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return (label.decode(errors="replace") if isinstance(label, bytes) else str(label)) or None


class GroupTallies(Mapping[Any, Tally]):
    """The tally of every group of people; ``+`` merges those of other people, group by group.

    A group is named by the text of its label, or by a tuple of texts where there are several labels; None stands for
    people who lack the label. A whole number is written as such, whatever type its column has.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["yes", "no"] * 1000, dc.random.seeded(1))
    >>> groups = dc.Survey(mechanism, reports, labels={"town": ["lima", "oslo"] * 1000}).tallies("town")
    >>> {town: tally.n for town, tally in groups.items()}
    {'lima': 1000, 'oslo': 1000}
    >>> {town: round(float(estimate["yes"]), 2) for town, estimate in groups.estimates().items()}
    {'lima': 1.01, 'oslo': -0.0}
    """

    def __init__(self, mechanism: Mechanism, labels: Sequence[str], groups: Mapping[Any, Tally]) -> None:
        check_type("mechanism", mechanism, Mechanism, "a mechanism")
        check_type("groups", groups, Mapping, "tallies by label")
        self.mechanism, self.labels = mechanism, _label_names(labels)
        keyed = {self._key(name): tally for name, tally in groups.items()}
        for key, tally in keyed.items():
            check_type(f"groups: that of {shown(key)}", tally, Tally, "a tally")
            if tally.fingerprint != mechanism.fingerprint:
                raise MechanismMismatch(
                    f"groups: a tally of {tally.mechanism.name} ({tally.fingerprint[:12]}) "
                    f"is not of {mechanism.name} ({mechanism.fingerprint[:12]})"
                )
        check_groups(mechanism, len(keyed))
        self._groups = {key: keyed[key] for key in in_order_of_labels(keyed)}

    def _key(self, name: Any) -> Key:
        key = (name,) if len(self.labels) == 1 and not isinstance(name, tuple) else name
        fits = isinstance(key, tuple) and len(key) == len(self.labels)
        if not fits or not all(part is None or (isinstance(part, str) and part) for part in key):
            of = "the text of its label" if len(self.labels) == 1 else f"a tuple of {len(self.labels)} texts"
            raise InvalidInput(f"group={shown(name)} must be {of}, or None where people have none")
        return key

    # -- a mapping ----------------------------------------------------------------------------------
    def __getitem__(self, name: Any) -> Tally:
        return self._groups[self._key(name)]

    def __iter__(self) -> Iterator[Any]:
        return (key[0] if len(self.labels) == 1 else key for key in self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GroupTallies):
            return NotImplemented
        return self.labels == other.labels and self._groups == other._groups

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: GroupTallies) -> GroupTallies:
        if not isinstance(other, GroupTallies):
            return NotImplemented
        if other.mechanism.fingerprint != self.mechanism.fingerprint:
            raise MechanismMismatch(
                f"tallies by label of {other.mechanism.name} ({other.mechanism.fingerprint[:12]}) cannot be merged "
                f"with those of {self.mechanism.name} ({self.mechanism.fingerprint[:12]})"
            )
        if other.labels != self.labels:
            raise InvalidInput(
                f"tallies by {_listed(other.labels)} cannot be merged with those by {_listed(self.labels)}"
            )
        merged = dict(self._groups)
        for key, tally in other._groups.items():
            merged[key] = merged[key] + tally if key in merged else tally
        return GroupTallies(self.mechanism, self.labels, merged)

    def __radd__(self, other: object) -> GroupTallies:
        """Make ``sum(tallies)`` work."""
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"<tallies of {self.n:,} reports of {self.mechanism.name} by {_listed(self.labels)}: {len(self)} groups>"

    # -- what is made of it -----------------------------------------------------------------------------
    @property
    def keys_by_label(self) -> dict[Key, Tally]:
        """The tally of every group under the tuple of its labels, in order."""
        return dict(self._groups)

    @property
    def n(self) -> int:
        """The number of reports."""
        return sum(tally.n for tally in self._groups.values())

    @property
    def tally(self) -> Tally:
        """The counts of all groups together."""
        total: Tally = sum(self._groups.values(), self.mechanism.tally())
        return total

    def by(self, *labels: str) -> GroupTallies:
        """The tallies by some of the labels: groups that differ only in the others are merged."""
        names = _label_names(labels)
        for name in names:
            if name not in self.labels:
                raise InvalidInput(f"label={shown(name)} must be one of {_listed(self.labels)}")
        places = [self.labels.index(name) for name in names]
        merged: dict[Key, Tally] = {}
        for key, tally in self._groups.items():
            own = tuple(key[place] for place in places)
            merged[own] = merged[own] + tally if own in merged else tally
        return GroupTallies(self.mechanism, names, merged)

    def estimates(self) -> dict[Any, Estimate]:
        """The unbiased shares of every group."""
        return {name: estimate(tally) for name, tally in self.items()}


def tally_groups(
    mechanism: Mechanism,
    files: Sequence[str | FileSource],
    by: Sequence[str],
    *,
    column: str | None = None,
    unmarked: bool = False,
    threads: int | None = None,
    progress: Progress = lambda rows: None,
) -> GroupTallies:
    """The tallies of the reports in `files` by the columns `by` beside them, as `tally_files` counts all together.

    The files are read piece by piece: only counts, one a group and cell, are held.
    """
    names = _label_names(by)

    totals: dict[Key, Counts] = {}
    sources = [source_of(file) for file in files]
    for part in map_reports(
        mechanism,
        sources,
        partial(counts_by_label, mechanism),
        keep=names,
        column=column,
        unmarked=unmarked,
        threads=threads,
        progress=progress,
    ):
        add_counts(mechanism, totals, part)
    return of_counts(mechanism, names, totals, insecure=are_insecure(sources))


def of_counts(
    mechanism: Mechanism, labels: Sequence[str], counts: Mapping[Key, Counts], *, insecure: bool = False
) -> GroupTallies:
    """The tallies with these counts, which say themselves how many reports there are."""
    total = decoder_of(mechanism).total
    tallies = {key: Tally(mechanism, row, int(np.sum(total(row))), insecure) for key, row in counts.items()}
    return GroupTallies(mechanism, labels, tallies)


def in_order_of_labels(keys: Iterable[Key]) -> list[Key]:
    """Keys in order: as numbers where all labels of a name are whole numbers, else as text; missing ones last."""
    listed = list(keys)
    numeric = [
        all(key[place] is None or _is_whole(str(key[place])) for key in listed)
        for place in range(len(listed[0]) if listed else 0)
    ]

    def order(key: Key) -> list[tuple[bool, int, str]]:
        return [
            (part is None, int(part) if numbers and part is not None else 0, part or "")
            for part, numbers in zip(key, numeric, strict=True)
        ]

    return sorted(listed, key=order)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return len(digits) <= 18 and digits.isascii() and digits.isdigit()


def _label_names(labels: Any) -> tuple[str, ...]:
    names = names_of("by", labels)
    if not names:
        raise InvalidInput("by must name at least one label")
    return names


def _listed(labels: Sequence[str]) -> str:
    return " and ".join(map(repr, labels))


VERSION = 1
"""The version of files of tallies by label; another one is refused."""

KEYS = ("version", "mechanism", "fingerprint", "labels", "groups")
MAX_TALLY_BYTES = 24 * MAX_COUNTS
"""More than any file that is written here has."""

HEAD = 1 << 13
"""The bytes at the beginning of a file in which the names of its labels are told."""


def groups_to_json(groups: GroupTallies) -> dict[str, Any]:
    """Tallies by label as JSON data."""
    rows = [
        {"labels": list(key), "n": tally.n, "counts": tally.counts.tolist()}
        for key, tally in groups.keys_by_label.items()
    ]
    return {
        "version": VERSION,
        "mechanism": groups.mechanism.name,
        "fingerprint": groups.mechanism.fingerprint,
        "labels": list(groups.labels),
        "groups": rows,
        **({"insecure": True} if any(tally.insecure for tally in groups.values()) else {}),
    }


def groups_from_json(mechanism: Mechanism, data: object) -> GroupTallies:
    """The tallies by label in JSON data, which must belong to `mechanism` and be consistent."""
    if not isinstance(data, dict) or set(data) - {"insecure"} != set(KEYS):
        raise InvalidInput(f"tallies by label must be a JSON object with {', '.join(KEYS)}, and nothing else")
    if data["version"] != VERSION or isinstance(data["version"], bool):
        raise InvalidInput(f"version={shown(data['version'])} must be {VERSION}, the only known version")
    if not isinstance(data["mechanism"], str):
        raise InvalidInput("mechanism must be text")
    if data["fingerprint"] != mechanism.fingerprint:
        raise MechanismMismatch(
            f"these tallies are of {data['mechanism']} ({str(data['fingerprint'])[:12]}), "
            f"not of {mechanism.name} ({mechanism.fingerprint[:12]})"
        )
    labels, rows = data["labels"], data["groups"]
    if not isinstance(labels, list) or not isinstance(rows, list):
        raise InvalidInput("labels and groups must be lists")
    groups: dict[Any, Tally] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != {"labels", "n", "counts"} or not isinstance(row["labels"], list):
            raise InvalidInput(f"groups[{number}] must be an object with labels, n and counts, and nothing else")
        key = tuple(row["labels"])
        if any(not isinstance(part, (str, type(None))) for part in key):
            raise InvalidInput(f"groups[{number}]: labels must be text, or null where people have none")
        if key in groups:
            raise InvalidInput(f"groups[{number}]: its labels are those of an earlier group")
        with located(f"groups[{number}]"):
            tally = {"fingerprint": data["fingerprint"], "n": row["n"], "counts": row["counts"]}
            tally |= {key: data[key] for key in ("insecure",) if key in data}
            groups[key] = tally_from_json(mechanism, tally)
    return GroupTallies(mechanism, labels, groups)


def _holds_groups(data: object) -> bool:
    """True for JSON data that mean to be tallies by label, and not one tally."""
    return isinstance(data, dict) and "groups" in data


def groups_text(groups: GroupTallies) -> str:
    """Tallies by label as the text of a JSON file."""
    return json.dumps(groups_to_json(groups), ensure_ascii=False) + "\n"


def write_groups(groups: GroupTallies, path: str | Path) -> None:
    """Write tallies by label to a JSON file, whole or not at all."""
    with replacing(path) as file:
        file.write(groups_text(groups).encode())


def parse_counted(mechanism: Mechanism, written: str | bytes) -> Tally | GroupTallies:
    """The tally, or the tallies by label, in a JSON text."""
    if not _may_hold_groups(written[:HEAD]):
        return parse_tally(mechanism, written)
    if len(written) > MAX_TALLY_BYTES:
        raise InvalidInput(f"tallies by label must have at most {MAX_TALLY_BYTES} bytes")
    data = loads(written, InvalidInput)
    return groups_from_json(mechanism, data) if _holds_groups(data) else tally_from_json(mechanism, data)


def _may_hold_groups(head: str | bytes) -> bool:
    """True if a text begins as tallies by label do: their names come before the counts."""
    return b'"labels"' in head if isinstance(head, bytes) else '"labels"' in head


def read_counted(path: str | Path, mechanism: Mechanism) -> Tally | GroupTallies:
    """The tally, or the tallies by label, in a JSON file."""
    with open(path, "rb") as file:
        if not _may_hold_groups(file.read(HEAD)):
            return read_tally(path, mechanism)
        file.seek(0)
        written = file.read(MAX_TALLY_BYTES + 1)
    with located(str(path)):
        return parse_counted(mechanism, written)


def read_groups(path: str | Path, mechanism: Mechanism) -> GroupTallies:
    """The tallies by label in a JSON file; `InvalidInput` if it holds one tally of all."""
    counted = read_counted(path, mechanism)
    if isinstance(counted, Tally):
        raise InvalidInput(f"{path}: holds one tally of all reports together, and none by label")
    return counted


def read_one_tally(path: str | Path, mechanism: Mechanism) -> Tally:
    """The tally in a JSON file; `InvalidInput` if it holds several, by label."""
    counted = read_counted(path, mechanism)
    if isinstance(counted, GroupTallies):
        options = " ".join(f"--by {name}" for name in counted.labels)
        raise InvalidInput(f"{path}: holds tallies by label; to go on with them give {options}")
    return counted
