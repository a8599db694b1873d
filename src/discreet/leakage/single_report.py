"""What one report tells of the person who sent it, in numbers and in words.

All of it holds for a given prior, the shares that somebody assumes before seeing the report; `test` needs none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import tables
from ..core.domain import Value, plain_value
from ..core.errors import check_type
from ..estimation.decoders import decoder_of
from ..mechanisms.build import shares_of
from ..mechanisms.mechanism import Mechanism
from .divergence import Divergence
from .pairs import rows_of, success_of
from .profiles import profile_of
from .profiles.posterior import PosteriorRange, gained, hundred

SHOWN = 12
"""The most values of a printed table."""

SAFE = 1e-9
"""A number that is as near as this to a whole one is that one."""


@dataclass(frozen=True)
class Exposure:
    """What one report of a mechanism tells somebody who assumes the shares `prior`.

    >>> import discreet as dc
    >>> exposure = dc.exposure(dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1")))
    >>> round(exposure.guess_without, 2), round(exposure.guess, 2)
    (0.5, 0.73)
    >>> print(exposure.sentence)
    A guess of somebody's value from one report is right 73 times in 100 instead of 50.
    """

    mechanism: Mechanism
    prior: NDArray[np.float64]

    # -- a guess ------------------------------------------------------------------------------------
    @cached_property
    def guess(self) -> float:
        """How often the best guess of a person's value from one report is right: ``sum_y max_x p_x Q(y|x)``.

        Where the reports are too many to look at, what E allows: ``max_x p_x e**E[x,z]`` for the likeliest z.
        """
        return self._allowed() if self._exact is None else max(self._exact, self.guess_without)

    @cached_property
    def _exact(self) -> float | None:
        """The guess by all reports; None where they are too many to look at."""
        return profile_of(self.mechanism).bayes_success(self.prior)

    @property
    def basis(self) -> str:
        """What the guess rests on: "reports", or "E" where they are too many to look at."""
        return "E" if self._exact is None else "reports"

    @property
    def guess_without(self) -> float:
        """How often the best guess without a report is right: the largest share."""
        return float(self.prior.max())

    def test(self, x: Value, z: Value) -> float:
        """How often somebody is right, at best, who must tell x from z by one report: (1 + TV) / 2."""
        i, j = (self.mechanism.context.domain.number_of(value) for value in (x, z))
        return success_of(Divergence(rows_of(self.mechanism, i, j)).delta(1, 0.0))

    # -- one value ----------------------------------------------------------------------------------
    def posterior(self, report: int) -> dict[Value, float]:
        """How likely each value is for somebody who saw this report: ``p_x Q(y|x) / sum_z p_z Q(y|z)``."""
        sampler = self.mechanism.sampler
        y = sampler.check_report(report)
        joint = np.array([share * float(sampler.probability(x, y)) for x, share in enumerate(self.prior)])
        total = float(joint.sum())
        return {
            value: float(one) / total if total else math.nan
            for value, one in zip(self.mechanism.context.values, joint, strict=True)
        }

    def range(self, x: Value) -> tuple[float, float]:
        """The least and the greatest share of x among those who send the same report, of all that x may write.

        Where the reports are too many to look at, what E promises.
        """
        known = self._posterior_range(self.mechanism.context.domain.number_of(x))
        low, high = self.promised(x)
        return (low, high) if known is None else (max(low, known.least), min(high, known.most))

    def promised(self, x: Value) -> tuple[float, float]:
        """The least and the greatest share of x that E allows under any mechanism.

        ``p / (p + sum_z p_z e**(-E[x,z]))`` above and the same with ``+E[z,x]`` below, 0 where that is infinite.
        """
        i = self.mechanism.context.domain.number_of(x)
        closure, share = self.mechanism.context.closure(), float(self.prior[i])
        above = below = share
        for j, other in enumerate(self.prior):
            if j != i and other > 0:
                above += float(other) * math.exp(-float(closure.at(i, j)))
                entry = float(closure.at(j, i))
                below = below + float(other) * math.exp(entry) if entry < 700 else math.inf
        return (share / below if share else 0.0), (share / above if share else 0.0)

    def points(self, x: Value) -> tuple[float, float]:
        """How likely a report points to x: from somebody who holds x, and from somebody who does not.

        The second is what makes it deniable. NaN where the reports are too many to look at.
        """
        known = self._posterior_range(self.mechanism.context.domain.number_of(x))
        return (math.nan, math.nan) if known is None else (known.own, known.other)

    def sentences(self, x: Value) -> list[str]:
        """What to tell the person who holds x: of 100 people, with every number rounded against us."""
        i, sampler = self.mechanism.context.domain.number_of(x), self.mechanism.sampler
        others = list(profile_of(self.mechanism).other_users(i))
        shown = len(others) < self.mechanism.context.size
        own, other = self.points(x)
        lines = ["Your report shows your block; inside it:"] if shown else []
        if i in set(sampler.disclosed):
            lines.append(
                f"{_up(own)} of 100 people with this value show it openly; nobody with a sensitive value ever does."
            )
        elif own == own:
            lines.append(f"Of 100 people who hold it, {_up(own)} send a report that points to it.")
            lines.append(f"Of 100 people who do not hold it, {_down(other)} would send a report like this too.")
        whole = float(self.prior[others].sum()) if shown else 1.0
        share = float(self.prior[i]) / whole if whole else 0.0
        low, high = self.range(x)
        lines.append(
            f"If {hundred(share)} of 100 people hold it, then of 100 who send the same report as you at most "
            f"{_up(high)} and at least {_down(low)} hold it."
        )
        lines.append(self.sentence)
        return lines

    @property
    def sentence(self) -> str:
        """What a guess gains from one report, of 100 people, to the nearest; at most, where that rests on E."""
        sentence = gained(self.guess, self.guess_without)
        return sentence.replace("is right", "is right at most") if self.basis == "E" else sentence

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data: one row for each value of its own kind."""
        rows = []
        for x in self._different():
            value = self.mechanism.context.values[x]
            own, other = self.points(value)
            row: dict[str, Any] = {"value": plain_value(value), "share": float(self.prior[x])}
            row |= dict(zip(("low", "high"), self.range(value), strict=True))
            row |= dict(zip(("promised_low", "promised_high"), self.promised(value), strict=True))
            rows.append(
                row | {"points_own": _finite(own), "points_other": _finite(other), "sentences": self.sentences(value)}
            )
        base = {"mechanism": self.mechanism.name, "guess": self.guess, "guess_without": self.guess_without}
        return base | {"basis": self.basis, "values": rows}

    def __str__(self) -> str:
        columns: list[tables.Column] = [("value", "s"), ("share", ".4f"), ("low", ".4f"), ("high", ".4f")]
        columns += [("promised low", ".4f"), ("promised high", ".4f"), ("points: own", ".4f"), ("other", ".4f")]
        values, rows = self.mechanism.context.values, []
        for x in self._different():
            value = values[x]
            rows.append(
                (str(value), float(self.prior[x]), *self.range(value), *self.promised(value), *self.points(value))
            )
            if len(rows) == SHOWN:
                break
        even = "even shares" if float(np.ptp(self.prior)) < 1e-12 else "the given shares"
        lines = [
            f"one report of {self.mechanism.name}, for somebody who assumes {even}",
            tables.text(columns, rows),
            self.sentence,
        ]
        if self.basis == "E":
            lines.append("The reports are too many to look at: the guess is at most as good as E allows, as said here.")
        if any(self._posterior_range(x) is None for x in islice(self._different(), SHOWN)):
            lines.append(
                "Where nothing is said of points, the reports are too many to look at: low and high are promised."
            )
        return "\n".join(lines)

    # -- how ----------------------------------------------------------------------------------------
    @cached_property
    def _known(self) -> dict[int, PosteriorRange | None]:
        return {}

    def _posterior_range(self, x: int) -> PosteriorRange | None:
        if x not in self._known:
            self._known[x] = profile_of(self.mechanism).posterior_range(x, self.prior)
        return self._known[x]

    def _allowed(self) -> float:
        top = int(self.prior.argmax())
        closure = self.mechanism.context.closure()
        entries = ((float(share), float(closure.at(x, top))) for x, share in enumerate(self.prior))
        return min(1.0, max(share * math.exp(min(entry, 700.0)) for share, entry in entries) * (1 + SAFE))

    def _different(self) -> Iterator[int]:
        """One value for every kind and share, in order."""
        alike, labels = decoder_of(self.mechanism).exchangeable, self.mechanism.sampler.class_of
        kinds = labels if alike is None else alike
        seen = set()
        for x, share in enumerate(self.prior):
            key = kinds[x], labels[x], float(share)
            if key not in seen:
                seen.add(key)
                yield x


def _up(share: float) -> int:
    return min(100, math.ceil(100 * share - SAFE))


def _down(share: float) -> int:
    return max(0, math.floor(100 * share + SAFE))


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def exposure(mechanism: Mechanism, *, prior: Any = None) -> Exposure:
    """What one report tells of its sender, to somebody who assumes the shares `prior`, even ones unless given.

    It holds against the collector too, who sees who sent the report.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> exposure = dc.exposure(mechanism, prior={"no": 0.9, "yes": 0.1})
    >>> [round(share, 2) for share in exposure.range("yes")]
    [0.04, 0.23]

    References: Acharya2020 (Proposition 3, posterior odds).
    """
    check_type("mechanism", mechanism, Mechanism, "a mechanism")
    return Exposure(mechanism, np.asarray(shares_of(mechanism.context, prior)))
