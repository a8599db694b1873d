"""The comparison of mechanisms for a context: the error and costs of each, which one was chosen, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..core import tables
from ..core.exact import text_of
from ..estimation.decoders import Decoder, decoder_of
from ..leakage.profiles import profile_of
from ..leakage.profiles.posterior import gained
from ..mechanisms.build import shares_of
from ..mechanisms.mechanism import Mechanism
from .objective import Objective, objective_of

MAX_TIE = 1e-6
"""Errors that differ by less than this, relative to them, are alike."""
MAX_PRINTED_PARTS = 12
"""How many kinds of block a printed explanation lists."""


@dataclass(frozen=True)
class Candidate:
    """One way to serve a context: its expected error times n, and what it costs.

    `error` is what was compared, `targets` the error of each target by name before they are balanced, and `total_error`
    the squared error of all shares together, at the assumed shares.
    """

    name: str
    mechanism: Mechanism
    error: float
    bits: int
    decode_cost: float
    influence: float
    total_error: float
    targets: tuple[tuple[str, float], ...]
    objective: str

    def as_dict(self) -> dict[str, Any]:
        """The row of the comparison as plain data."""
        return {
            "mechanism": self.name,
            "n_total_squared_error": self.total_error,
            "bits": self.bits,
            "decode_cost": self.decode_cost,
            "influence": self.influence,
            "objective": self.objective,
            "n_error": self.error,
            "wishes": [{"name": name, "n_error": error} for name, error in self.targets],
        }


@dataclass(frozen=True)
class PartChoice:
    """What the chosen mechanism uses in all blocks of one size and epsilon.

    `error`, of all shares of the block, is multiplied by the number of its reports; it is for equally likely values, or
    the largest for any where the mechanism was chosen by the worst case, as `objective` says.
    """

    blocks: int
    values: int
    epsilon: str
    mechanism: str
    error: float
    bits: int
    decode_cost: float
    influence: float
    objective: str

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Explanation:
    """The candidates for a context in order of increasing error, and why the first was chosen.

    >>> import discreet as dc
    >>> explanation = dc.explain(dc.Context.uniform(range(20), epsilon="1"))
    >>> [candidate.name for candidate in explanation.candidates][:3]
    ['subset', 'projective', 'optimised_unary']
    >>> print(explanation.reason)
    subset has the least expected squared error of 6 candidates with reports of at most 64 bits
    """

    candidates: tuple[Candidate, ...]
    reason: str
    objective: Objective

    @property
    def chosen(self) -> Mechanism:
        """The mechanism with the least expected error within the limit."""
        return self.candidates[0].mechanism

    def at(self, shares: Any) -> Explanation:
        """The same candidates with their errors at these shares; the chosen one stays chosen, and comes first."""
        assumed = np.asarray(shares_of(self.chosen.context, shares))
        first, *others = rate([one.mechanism for one in self.candidates], assumed, self.objective)
        again = replace(self, candidates=(first, *sorted(others, key=lambda c: c.error)))
        if again.better is None:
            return again
        return replace(again, reason=f"{first.name} was chosen at other shares than these")

    @property
    def better(self) -> Candidate | None:
        """The candidate with less error than the chosen one, as there may be at other shares; None if there is none."""
        best = min(self.candidates, key=lambda c: c.error)
        return best if best.error < self.candidates[0].error * (1 - MAX_TIE) else None

    @cached_property
    def parts(self) -> tuple[PartChoice, ...]:
        """What the chosen mechanism uses inside blocks, largest blocks first; empty for other contexts."""
        decoder, parts = decoder_of(self.chosen), self.chosen.served.parts or ()
        if len(parts) < 2:
            return ()
        level_of = {x: part.level for part in parts for x in part.members}
        groups, rows = decoder.groups(), []
        if sum(len(group.numbers) for group in groups) != len(parts):
            return ()
        for group in groups:
            levels = Counter(level_of[first] for first in group.values[:, 0].tolist())
            rows += [self._part_choice(group.decoder, level, blocks) for level, blocks in levels.items()]
        return tuple(sorted(rows, key=lambda row: (-row.values, float(row.epsilon))))

    def _part_choice(self, inner: Decoder[Any], level: Fraction, blocks: int) -> PartChoice:
        shares = Objective(inner.size, (("shares", None),), self.objective.worst)
        (error,) = shares.errors(inner, np.full(inner.size, 1 / inner.size))
        costs = inner.bits if inner.size > 1 else 0, inner.decode_cost, inner.influence()
        name = str(inner.sampler.describe()["name"])
        return PartChoice(blocks, inner.size, text_of(level), name, error, *costs, shares.name)

    def __str__(self) -> str:
        columns, rows, lines = self._printed()
        return "\n".join([tables.text(columns, rows), *lines])

    def _repr_html_(self) -> str:
        columns, rows, lines = self._printed()
        return tables.html(columns, rows, caption=tables.sentences(lines))

    def _printed(self) -> tuple[list[tables.Column], list[tuple[Any, ...]], list[str]]:
        """The columns and rows of the table, and the lines below it."""
        best, plain = self.candidates[0].error, self.objective.is_plain
        columns: list[tables.Column] = [("mechanism", "s"), ("n x error", ".5g"), ("ratio", ".3f")]
        columns += [] if plain else [("all shares", ".5g")]
        columns += [("bits", "d"), ("decode ops", ".3g"), ("influence", ".3g")]
        rows = [
            (
                *(c.name, c.error, c.error / best if best else 1),
                *(() if plain else (c.total_error,)),
                *(c.bits, c.decode_cost, c.influence),
            )
            for c in self.candidates
        ]
        lines = [self.reason]
        size = self.chosen.context.size
        guess = profile_of(self.chosen).bayes_success(np.full(size, 1 / size))
        if guess is not None:  # its reports are not too many to look at
            lines.append(f"{gained(guess, 1 / size)[:-1]}, at even shares.")
        if not plain:
            lines.append(
                f"n x error is that of {self.objective.title}; beside it n x the total squared error of all shares"
            )
        lines += [
            f"- in {p.blocks} block(s) of {p.values} value(s) at epsilon {p.epsilon}: {p.mechanism}, "
            f"{p.error:.5g} x error, {p.bits} bits, {p.decode_cost:.3g} decode ops, influence {p.influence:.3g}"
            for p in self.parts[:MAX_PRINTED_PARTS]
        ]
        if len(self.parts) > MAX_PRINTED_PARTS:
            lines.append(f"- and {len(self.parts) - MAX_PRINTED_PARTS} other kinds of block")
        return columns, rows, lines


def rate(mechanisms: Sequence[Mechanism], shares: Any, objective: Objective) -> list[Candidate]:
    """A candidate for every mechanism; each of several targets is divided by its least error among them."""
    errors = [objective.errors_of(one, shares) for one in mechanisms]
    balanced = objective.balance([min(column) for column in zip(*errors, strict=True)])
    total, names = objective_of(mechanisms[0].context), [name for name, _ in objective.targets]
    return [
        Candidate(
            one.name,
            one,
            balanced.combine(own),
            one.bits,
            decoder_of(one).decode_cost,
            decoder_of(one).influence() if math.isfinite(own[0]) else math.inf,
            own[0] if objective.is_plain else total.error(one, shares),
            tuple(zip(names, own, strict=True)),
            objective.name,
        )
        for one, own in zip(mechanisms, errors, strict=True)
    ]
