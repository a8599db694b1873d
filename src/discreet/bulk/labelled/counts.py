"""Counts of reports by the labels beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ...estimation.decoders import decoder_of
from ...mechanisms.mechanism import Mechanism
from .labels import Labels

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
    found: dict[Key, Counts] = {}
    for row, place in zip(counts.reshape(-1, cells), first, strict=True):
        key = tuple(names[one.codes[place]] for names, one in zip(texts, labels, strict=True))
        found[key] = found[key] + row if key in found else row  # labels of two types may have one text
    return found


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
