"""What a batch gives away of some pairs of values, as rows of a table or of JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core import tables
from ..core.domain import Value, plain_value
from ..core.exact import Epsilon

AGAINST = (
    "Holds against whoever sees the batch or its tally, but not who sent what; against the collector, only E holds."
)
"""Whom the numbers are about."""


@dataclass(frozen=True)
class PairAccount:
    """What n shuffled reports give away of x against z: epsilon at a delta, what is really attained, and a guess.

    `epsilon` is certified, `attained` that of one population, `success` how often somebody is right, at most, who is
    told that a person holds x or z, at even odds, and must say which. `basis` says what epsilon rests on.
    """

    x: Value
    z: Value
    n: int
    claimed: Epsilon
    epsilon: float
    attained: float
    success: float
    basis: str

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        names = {"x": plain_value(self.x), "z": plain_value(self.z)}
        claimed, epsilon, attained = (
            None if e == math.inf else float(e) for e in (self.claimed, self.epsilon, self.attained)
        )
        rest = {"attained": attained, "success": self.success, "basis": self.basis}
        return names | {"n": self.n, "claimed": claimed, "epsilon": epsilon} | rest


def table(title: str, rows: Sequence[PairAccount], delta: float, *, of: int) -> str:
    """Rows as a table, largest epsilon first, with whom it is about; `of` is the number of pairs that there are."""
    columns: list[tables.Column] = [("x", "s"), ("against z", "s"), ("n", ",d"), ("E", "s")]
    columns += [("epsilon", ".6g"), ("attained", ".6g"), ("success", ".4f")]
    shown = [
        (str(r.x), str(r.z), r.n, f"{float(r.claimed):g}", r.epsilon, r.attained, math.ceil(r.success * 1e4) / 1e4)
        for r in sorted(rows, key=lambda row: -row.epsilon)
    ]
    lines = [title, tables.text(columns, shown)]
    if of > len(rows):
        lines.append(f"The {len(rows)} pairs that seem to stand out most, of {of:,}.")
    lines.append(AGAINST)
    if any(row.basis == "E" for row in rows):
        lines.append("Where the reports are too many to look at, nobody is taken to hide them.")
    if any(delta * row.n > 1 for row in rows):
        lines.append(f"delta={delta:g} is more than one in n: it would allow one report to be shown outright.")
    return "\n".join(lines)
