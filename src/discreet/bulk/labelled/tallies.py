"""Tallies by label: what a survey of any size comes down to in one pass. Only counts are held, and they merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput, MechanismMismatch, check_type, shown
from ...estimation.decoders import decoder_of
from ...estimation.results.unbiased import Estimate, estimate
from ...estimation.tally import Tally
from ...files.sources import Source
from ...mechanisms.mechanism import Mechanism
from ..jobs import Progress
from .columns import names_of
from .counts import Counts, Key, add_counts, check_groups, counts_by_label
from .labels import Labels
from .reports import made_of_files


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
        found: Tally = sum(self._groups.values(), self.mechanism.tally())
        return found

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
    files: Sequence[str | Source],
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

    def counted(reports: NDArray[Any], labels: list[Labels]) -> dict[Key, Counts]:
        return counts_by_label(mechanism, reports, labels)

    totals: dict[Key, Counts] = {}
    for part in made_of_files(
        mechanism, files, names, counted, column=column, unmarked=unmarked, threads=threads, progress=progress
    ):
        add_counts(mechanism, totals, part)
    return of_counts(mechanism, names, totals)


def of_counts(mechanism: Mechanism, labels: Sequence[str], counts: Mapping[Key, Counts]) -> GroupTallies:
    """The tallies with these counts, which say themselves how many reports there are."""
    total = decoder_of(mechanism).total
    made = {key: Tally(mechanism, row, int(np.sum(total(row)))) for key, row in counts.items()}
    return GroupTallies(mechanism, labels, made)


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
