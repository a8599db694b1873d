"""The result of an audit: a lower bound on the epsilon of each audited pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..core.domain import Value, plain_value
from ..core.exact import Epsilon, text_of


@dataclass(frozen=True)
class Finding:
    """One ordered pair: with the audit's confidence, the actual epsilon of x against z is at least this.

    `event` is a set of reports S found on other samples; `hits` of x's reports and `others` of z's were in it.
    """

    x: Value
    z: Value
    claimed: Epsilon
    epsilon_lower: float
    event: str
    hits: int
    others: int
    n: int

    @property
    def excess(self) -> float:
        """By how much the bound is above the claim; negative if it is not."""
        return self.epsilon_lower - float(self.claimed)

    @property
    def breach(self) -> bool:
        """True if the bound is above the claim."""
        return self.excess > 0


@dataclass(frozen=True)
class Audit:
    """A lower bound on the actual epsilon of each audited pair; all hold together with `confidence`.

    >>> import discreet as dc
    >>> context = dc.Context.uniform(["no", "yes"], epsilon="1")
    >>> audit = dc.audit(str.encode, context=context, samples=2000, rng=dc.random.seeded(1))  # sends the value itself
    >>> audit.breach, audit.pair, audit.epsilon_lower > 1
    (True, ('no', 'yes'), True)
    """

    subject: str
    findings: tuple[Finding, ...]
    confidence: float
    samples: int
    protected: int
    """The number of ordered pairs that the context protects; equals `audited` if all were audited."""

    @property
    def audited(self) -> int:
        """How many ordered pairs were audited."""
        return len({(finding.x, finding.z) for finding in self.findings})

    @cached_property
    def worst(self) -> Finding:
        """The pair whose bound exceeds its claim the most, or falls short of it the least."""
        return max(self.findings, key=lambda finding: finding.excess)

    @property
    def epsilon_lower(self) -> float:
        """The bound of the worst pair."""
        return self.worst.epsilon_lower

    @property
    def pair(self) -> tuple[Value, Value]:
        """The worst pair: x first, then the z that it is told apart from."""
        return self.worst.x, self.worst.z

    @property
    def event(self) -> str:
        """The event that tells the worst pair apart, in words."""
        return self.worst.event

    @property
    def breach(self) -> bool:
        """True if some pair's bound is above its claim: at the stated confidence, the claim is false."""
        return self.worst.breach

    def as_dict(self) -> dict[str, Any]:
        """The audit as plain data."""
        worst = self.worst
        return {
            "subject": self.subject,
            "epsilon_lower": worst.epsilon_lower if math.isfinite(worst.epsilon_lower) else "inf",
            "claimed": float(worst.claimed),
            "pair": {"x": plain_value(worst.x), "z": plain_value(worst.z)},
            "event": worst.event,
            "hits": {"x": worst.hits, "z": worst.others, "of": worst.n},
            "confidence": self.confidence,
            "breach": self.breach,
            "samples": self.samples,
            "pairs": {"audited": self.audited, "protected": self.protected},
        }

    def __str__(self) -> str:
        worst = self.worst
        verdict = "BREACH" if self.breach else "no breach found"
        covered = f"{self.audited:,} of {self.protected:,} protected pairs"
        return (
            f"{self.subject}: {verdict}. {worst.x!r} against {worst.z!r}: epsilon is at least "
            f"{worst.epsilon_lower:.4g}, {text_of(worst.claimed)} is claimed.\n"
            f"Event: {worst.event}: {worst.hits:,} of {worst.n:,} reports of {worst.x!r}, "
            f"{worst.others:,} of {worst.n:,} of {worst.z!r}.\n"
            f"{self.samples:,} reports per value, {covered}, joint confidence {self.confidence:.9g}."
        )
