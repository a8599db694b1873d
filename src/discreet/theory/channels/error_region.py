"""The errors that a test between two values can have under a channel, beside those that its context allows.

A test says x on some reports and z on the others. Its false alarm is Pr(say x | z), its missed detection
Pr(say z | x). By Neyman and Pearson the best tests say x on the reports with the largest likelihood ratios, so
the lower boundary of what a channel lets a test reach is a chain of points, one per distinct ratio; it
starts with slope minus the largest ratio of x against z and ends with slope minus one over the largest of z
against x, which is why a bound on ratios is a bound on errors.

References: Acharya2020 (Theorem 1, Figure 1), Neyman1933.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ...contexts import Context
from ...contexts.operational import ErrorRegion
from ...core.domain import Value, plain_value
from ...core.errors import InvalidInput
from ...mechanisms.mechanism import Mechanism
from .finite import channel

Point = tuple[Fraction, Fraction]

MAX_REPORTS = 1 << 20
"""The most reports that are sorted."""


@dataclass(frozen=True)
class AttainedRegion:
    """The errors that tests between x and z can have from one report, inside those that the context allows.

    `vertices` are the exact corners (false alarm, missed detection) of the lower boundary, from (0, 1) to
    (1, 0); the region is everything between it and its reflection through (1/2, 1/2).
    """

    x: Value
    z: Value
    vertices: tuple[Point, ...]
    allowed: ErrorRegion

    def missed_detection(self, false_alarm: Fraction | int | str) -> Fraction:
        """The least missed detection of a test whose false alarm is at most this, exactly."""
        at = Fraction(false_alarm)
        if not 0 <= at <= 1:
            raise InvalidInput(f"false_alarm={false_alarm} must lie between 0 and 1")
        for (left, high), (right, low) in pairwise(self.vertices):
            if left <= at < right:
                return high + (low - high) * (at - left) / (right - left)
        return Fraction(0)

    @property
    def advantage(self) -> Fraction:
        """The largest 1 - false alarm - missed detection: the total variation between the two laws."""
        return max(1 - false_alarm - missed for false_alarm, missed in self.vertices)

    def as_dict(self) -> dict[str, Any]:
        """Both lower boundaries as plain data."""
        return {
            "x": plain_value(self.x),
            "z": plain_value(self.z),
            "attained": [[float(a), float(b)] for a, b in self.vertices],
            "allowed": [list(corner) for corner in self.allowed.corners],
        }


def attained_region(
    subject: Mechanism | Sequence[Sequence[Any]], x: Value, z: Value, *, context: Context | None = None
) -> AttainedRegion:
    """The error region of a mechanism, or of a channel given as a matrix with its context, between x and z."""
    if isinstance(subject, Mechanism):
        claimed = context or subject.context
        i, j = (subject.context.domain.asked(value) for value in (x, z))
        own, other = _laws(subject, i, j)
    elif context is None:
        raise InvalidInput("context must be given with a matrix; it says what is allowed")
    else:
        claimed = context
        rows = channel(subject)
        if len(rows) != context.size:
            raise InvalidInput(f"matrix has {len(rows)} rows; it must have one per value, {context.size}")
        i, j = (context.domain.asked(value) for value in (x, z))
        own, other = ([Fraction(entry) for entry in rows[at]] for at in (i, j))
    return AttainedRegion(x, z, neyman_pearson(own, other), claimed.error_region(x, z))


def _laws(mechanism: Mechanism, x: int, z: int) -> tuple[list[Fraction], list[Fraction]]:
    sampler = mechanism.sampler
    if sampler.outputs > MAX_REPORTS:
        raise InvalidInput(f"error region: the reports of {mechanism.name} are too many to sort")
    own, other = [], []
    for y in sampler.reports():
        own.append(sampler.probability(x, y))
        other.append(sampler.probability(z, y))
    return own, other


def neyman_pearson(own: Sequence[Fraction], other: Sequence[Fraction]) -> tuple[Point, ...]:
    """The lower boundary of (false alarm, missed detection) over all tests between two laws, as exact corners."""
    levels: dict[Fraction | None, list[Fraction]] = {}
    for p, q in zip(own, other, strict=True):
        if p or q:
            total = levels.setdefault(p / q if q else None, [Fraction(0), Fraction(0)])
            total[0] += p
            total[1] += q
    first = levels.pop(None, [Fraction(0), Fraction(0)])
    false_alarm, missed = Fraction(0), 1 - first[0]
    corners = [(Fraction(0), Fraction(1))]
    if first[0]:
        corners.append((false_alarm, missed))
    for ratio in sorted(levels, key=lambda level: -(level or Fraction(0))):
        p, q = levels[ratio]
        false_alarm, missed = false_alarm + q, missed - p
        corners.append((false_alarm, missed))
    return tuple(corners)
