"""`Mechanism`: a context and the randomizer that serves it, certified when made."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..arithmetic import INTEGERS
from ..canonical import canonical
from ..certificate import Certificate, verify
from ..context import Context
from ..domain import Value
from ..errors import InvalidInput, RandomnessFailure
from .law import Law, plain_law
from .randomizer import Randomizer

if TYPE_CHECKING:
    from ..random import Source
    from ..tally import Tally

VERSION = 2
"""The version of descriptions, and so of fingerprints."""

CHANNEL_LIMIT = 1 << 22
"""The largest number of entries that `channel` writes out."""


class Mechanism:
    """A channel from values to reports that provably satisfies its context.

    `served` is the context that the randomizer satisfies by its structure; it implies `context`,
    which may be weaker (a metric served by the classical mechanism at its smallest entry).
    Construction verifies both, and raises `PrivacyViolation` rather than make a mechanism that leaks.
    """

    def __init__(self, context: Context, randomizer: Randomizer, *, served: Context | None = None) -> None:
        if randomizer.size != context.size:
            raise InvalidInput(f"randomizer is for {randomizer.size} values; the context has {context.size}")
        self.context = context
        self.randomizer = randomizer
        self.served = served or context
        self.certificate: Certificate = verify(self)

    @property
    def name(self) -> str:
        """The name of the randomizer, with the composition around it."""
        inner, parts = str(self.randomizer.describe()["name"]), self.served.parts or ()
        if len(parts) > 1:
            return f"blocks({inner})"
        return f"high_low({inner})" if parts and not parts[0].is_uniform else inner

    @property
    def bits(self) -> int:
        """How many bits hold any report."""
        return self.randomizer.bits

    def law(self) -> Law:
        """The law by which reports are drawn: whole numbers, sets and other laws, no behaviour."""
        return self.randomizer.law

    @cached_property
    def description(self) -> dict[str, Any]:
        """Everything that the promise rests on, as plain data: the values, the context and the law."""
        domain = self.context.domain
        return {
            "version": VERSION,
            "domain": {"size": len(domain)} if domain.is_range else {"values": list(domain)},
            "context": self.context.describe(),
            "law": plain_law(self.randomizer.law),
        }

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the canonical description: two mechanisms that share it have the same law."""
        return hashlib.sha256(canonical(self.description).encode()).hexdigest()

    def randomize(self, value: Value, rng: Source) -> int:
        """One person's report; only the standard library is used."""
        return self.randomize_index(self.context.domain.index(value), rng)

    def randomize_index(self, x: int, rng: Source) -> int:
        """The report of the value numbered `x`."""
        asked = self.randomizer.words
        words = rng.take(asked)
        if len(words) != asked:
            raise RandomnessFailure(f"asked for {asked} words, got {len(words)}; no report was made")
        return int(self.randomizer.draw(x, words, INTEGERS))

    def randomize_many(self, indices: Any, rng: Source) -> Any:
        """The reports of many values given by number: NumPy in, NumPy out, the same words as one by one."""
        from ..engines.bulk import randomize_many

        return randomize_many(self.randomizer, indices, rng)

    def tally(self, reports: Any = ()) -> Tally:
        """The counts of these reports, ready to be merged and estimated."""
        from ..tally import Tally

        return Tally.of(self, reports)

    def channel(self) -> list[list[Fraction]]:
        """The exact matrix Q of a small domain: one row per value, one column per report in the order of `reports`."""
        columns = self.reports()
        if len(columns) * self.context.size > CHANNEL_LIMIT:
            raise InvalidInput(f"channel: {self.context.size} x {len(columns)} entries are too many to write out")
        return [[self.randomizer.probability(x, y) for y in columns] for x in range(self.context.size)]

    def reports(self) -> Sequence[int]:
        """Every report that can occur, in order (small domains)."""
        if self.randomizer.outputs > 1 << 24:
            raise InvalidInput(f"reports: {self.randomizer.outputs} reports are too many to list")
        return list(self.randomizer.reports())

    def __repr__(self) -> str:
        return f"<{self.name} for {self.context!r}, {self.bits} bits per report>"
