"""One question of what was asked: whose reports tell of it, and its figures from them.

A question with reports of its own has the counts of its part. Where all answers are one value together, the share of an
answer is the sum over the tuples that hold it, by any method; so its figures are those of queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.groups.group_moments import GroupName, TalliedGroups
from ..analysis.groups.means import Means
from ..analysis.groups.moments import margin_of, queries_of
from ..core.domain import Value, plain_value
from ..core.errors import InvalidInput, shown
from ..core.exact import text_of
from ..estimation.decoders import decoder_of
from ..estimation.results.shares import Shares
from ..estimation.tally import Tally
from ..mechanisms.mechanism import Mechanism
from ..wire.form import EACH, ONE, Form
from ..wire.published import Law

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AskedQuestion:
    """A question by its name, ``""`` for a single one; `part` and `mechanism` are those whose reports tell of it."""

    law: Law
    name: str
    part: str
    mechanism: Mechanism
    values: Sequence[Value]

    @property
    def is_margin(self) -> bool:
        """True if its answers are parts of values, so that its shares are sums."""
        return self.name != self.part

    @property
    def place(self) -> int | None:
        """Where its answers are in values that are tuples; None if they are values themselves."""
        return self.law.names.index(self.name) if self.is_margin and isinstance(self.law, Form) else None

    @cached_property
    def weights(self) -> Array | None:
        """A row for each answer with a weight for each value of the mechanism; None for very many values."""
        if not self.is_margin:
            return queries_of(self.mechanism.context.values, None)[1]
        assert self.place is not None
        return margin_of(self.mechanism.context.values, self.place)[1]

    # -- figures -----------------------------------------------------------------------------------
    def describe(self, result: Shares, **how: Any) -> dict[str, Any]:
        """The share of every answer as plain data, as `Shares.to_dict` gives it, and the influence of one report."""
        if not self.is_margin:
            influence = decoder_of(self.mechanism).influence()
            return {**result.to_dict(**how), "influence": influence}
        assert self.weights is not None
        rows = [result.query(weights).to_dict(**how) for weights in self.weights]
        described = {key: entry for key, entry in rows[0].items() if key not in ("weights", "value")}
        columns = {"shares": "value", "stderr": "stderr", "low": "low", "high": "high"}
        described |= {name: [row[key] for row in rows] for name, key in columns.items()}
        for name in ("stderr", "low", "high"):
            if described[name][0] is None and rows[0]["notes"]:
                described[name] = None
        return described | {"values": list(map(plain_value, self.values)), "influence": self._influence}

    @cached_property
    def _influence(self) -> float:
        """The most people's worth of share that one crafted report can put on an answer, or more than that."""
        assert self.weights is not None
        decoder = decoder_of(self.mechanism)
        if decoder.disjoint:
            return max(float(decoder.decode_adjoint(weights).max()) for weights in self.weights)
        return float((self.weights @ np.maximum(decoder.reach()[1], 0)).max())

    def groups(self, tallies: Mapping[Any, Tally]) -> TalliedGroups:
        """The shares of its answers in groups of independent people."""
        several: dict[GroupName, list[Tally]] = {(name,): [tally] for name, tally in tallies.items()}
        return TalliedGroups(several, self.weights, shares=not self.is_margin)

    def means(self, tally: Tally) -> Means:
        """The unbiased shares of its answers among all people."""
        moments = TalliedGroups({(): [tally]}, self.weights, shares=not self.is_margin).moments()
        notes = (f"{tally.n:,} reports of {self.mechanism.name}",)
        return Means((), list(self.values), moments, notes, not self.is_margin)

    def caveats(self) -> tuple[str, ...]:
        """What a report about this question alone must say of the form that it is part of."""
        if not isinstance(self.law, Form):
            return ()
        count, whole = len(self.law.names), text_of(self.law.largest)
        if self.law.strategy == EACH:
            most = f"epsilon is at most {whole} for all answers of a person together"
            if whole == "inf":
                most = "all answers of a person together have no such limit, since some are not hidden from some others"
            return (
                f"Everybody answered {count} questions, each with a report of its own, and what the reports give away "
                f"adds up: the promise above is about this question alone, and {most}.",
            )
        if self.law.strategy == ONE:
            return (
                f"Everybody was asked one of {count} questions, drawn at random: the reports counted here are those of "
                "the people who were asked this one.",
            )
        return (
            f"The answers of a person to {count} questions were one value with one report: the promise above is about "
            "all of them together.",
        )


def asked_question(law: Law, name: str = "") -> AskedQuestion:
    """The question, or the part, of this name; the only one where a single question is asked."""
    if not isinstance(law, Form):
        return AskedQuestion(law, "", "", law, law.context.values)
    if name in law.parts:
        return AskedQuestion(law, name, name, law.mechanisms[name], law.mechanisms[name].context.values)
    if name not in law.questions:
        raise InvalidInput(f"{shown(name)} must be one of {', '.join(names_of(law))}")
    ((part, mechanism),) = law.mechanisms.items()
    return AskedQuestion(law, name, part, mechanism, law.questions[name].context.values)


def names_of(law: Law) -> tuple[str, ...]:
    """The names of the questions of a form; none for a single question."""
    return law.names if isinstance(law, Form) else ()
