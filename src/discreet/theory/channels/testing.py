"""Tests between two distributions, or two values, from private reports: exponents, error floors, users, regions.

*Type I* is the chance of rejecting P0 when it holds, alpha; *type II* that of keeping it when P1 holds,
beta. Except for the exact exponents of a given channel, the bounds allow each user to choose a mechanism
after seeing earlier reports.

A test between two values says x on some reports and z on the others. Its false alarm is Pr(say x | z), its missed
detection Pr(say z | x). By Neyman and Pearson the best tests say x on the reports with the largest likelihood ratios,
so the lower boundary of what a channel lets a test reach is a chain of points, one per distinct ratio; it
starts with slope minus the largest ratio of x against z and ends with slope minus one over the largest of z
against x, which is why a bound on ratios is a bound on errors.

References: Asoodeh2021 (Corollary 4), Chernoff1952, Bretagnolle1979, Acharya2020 (Theorem 1, Figure 1), Neyman1933.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from ...contexts import Context
from ...contexts.operational import ErrorRegion
from ...core.domain import Value, plain_value
from ...core.errors import InvalidInput
from ...mechanisms.mechanism import Mechanism
from .contraction import context_kl_contraction, kl_after, phi, tv_after
from .finite import (
    Bound,
    Channel,
    Number,
    Privacy,
    Vector,
    at_least,
    channel,
    check_lengths,
    check_unit,
    chernoff_information,
    distribution,
    floats,
    kl,
    lower,
    upper,
)


def stein_exponent_printed(p0: Vector, p1: Vector, *, epsilon: Number, delta: Number = 0) -> Bound:
    """Corollary 4 as printed: beta falls no faster than ``e^(-n phi D(P0 || P1))``, whatever the mechanism."""
    share, before = phi(epsilon, delta=delta), kl(p0, p1)
    value = share * before if share > 0 else 0.0
    return upper("type II exponent, as printed", value, "Asoodeh2021 Corollary 4", trivial=before)


def stein_exponent(p0: Vector, p1: Vector, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The largest exponent of beta, by `kl_after`; never larger than Corollary 4."""
    value = kl_after(p0, p1, epsilon=epsilon, delta=delta)
    return upper("type II exponent", value, "Asoodeh2021 Corollary 4, sharpened", trivial=kl(p0, p1))


def stein_exponent_context(p0: Vector, p1: Vector, *, E: Privacy) -> Bound:
    """The largest exponent of beta for any E-LDP mechanism: KL times `context_kl_contraction`."""
    share, before = context_kl_contraction(E), kl(p0, p1)
    value = share * before if share > 0 else 0.0
    return upper("type II exponent", value, "Asoodeh2021, Acharya2020 Theorem 2", trivial=before)


def _report_distribution(Q: Channel, p: Vector) -> Vector:
    rows, shares = floats(channel(Q)), floats(distribution("p", p, of=Q))
    check_lengths(p=shares, Q=rows)
    return np.asarray(shares @ rows)


def channel_stein_exponent(Q: Channel, p0: Vector, p1: Vector) -> float:
    """The exact exponent of beta at a fixed alpha when all users report through Q: ``D(P0 Q || P1 Q)``."""
    return kl(_report_distribution(Q, p0), _report_distribution(Q, p1))


def channel_chernoff_exponent(Q: Channel, p0: Vector, p1: Vector) -> float:
    """The exact exponent of the smallest sum of errors through Q: the Chernoff information of the reports.

    At every n the sum of the two errors of the best test is at most ``e^(-n exponent)``.
    """
    return chernoff_information(_report_distribution(Q, p0), _report_distribution(Q, p1))


def binary_kl(a: float, b: float) -> float:
    """The divergence of a coin with chance a from one with chance b, both strictly between 0 and 1."""
    check_unit("a", a, zero=False, one=False)
    check_unit("b", b, zero=False, one=False)
    return a * math.log(a / b) + (1 - a) * math.log((1 - a) / (1 - b))


def _smaller_root(a: float, room: float) -> float:
    """A b below `a`, never above the one where ``binary_kl(a, b)`` falls to `room`; zero if that is out of range."""
    from scipy.optimize import brentq

    if room == 0 or binary_kl(a, sys.float_info.min) <= room:
        return 0.0 if room else a
    ends = math.log(sys.float_info.min), math.log(a)
    root = brentq(lambda log_b: binary_kl(a, math.exp(log_b)) - room, *ends, xtol=1e-12)
    return math.exp(root - 3e-12)


def type_two_floor(p0: Vector, p1: Vector, n: int, *, alpha: float, epsilon: Number, delta: Number = 0) -> Bound:
    """The least beta at level alpha with n users: the smallest that data processing allows, at every n.

    The test's outcome is a function of the reports, so ``binary_kl(1 - alpha, beta) <= n D`` with D by
    `kl_after`, and ``beta >= 1 - alpha - TV`` with TV by `tv_after`.
    """
    check_unit("alpha", alpha, zero=False, one=False)
    at_least("n", n, 0)
    room = n * kl_after(p0, p1, epsilon=epsilon, delta=delta) if n else 0.0
    value = max(_smaller_root(1 - alpha, room), 1 - alpha - tv_after(p0, p1, n, epsilon=epsilon, delta=delta))
    return lower("type II error", value, "Asoodeh2021 Lemma 1")


def error_floor(p0: Vector, p1: Vector, n: int, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The least sum of both errors with n users: ``1 - TV`` with TV by `tv_after`."""
    value = 1 - tv_after(p0, p1, n, epsilon=epsilon, delta=delta)
    return lower("sum of errors", value, "Asoodeh2021 Lemma 1, Bretagnolle1979")


def users_to_tell(p0: Vector, p1: Vector, *, alpha: float, beta: float, epsilon: Number, delta: Number = 0) -> Bound:
    """The least n that can have errors alpha and beta, ``alpha + beta < 1``, whatever the mechanism.

    Proof by data processing: ``n >= binary_kl(1 - alpha, beta) / D(P0||P1)`` and the same with the
    hypotheses exchanged, D by `kl_after`.
    """
    check_unit("alpha", alpha, zero=False, one=False)
    check_unit("beta", beta, zero=False, one=False)
    if not alpha + beta < 1:
        raise InvalidInput(f"alpha + beta = {alpha + beta} must be below 1")
    forward = kl_after(p0, p1, epsilon=epsilon, delta=delta)
    backward = kl_after(p1, p0, epsilon=epsilon, delta=delta)
    needs = [(binary_kl(1 - alpha, beta), forward), (binary_kl(1 - beta, alpha), backward)]
    value = max(need / D if D > 0 else math.inf for need, D in needs)
    whole = value if math.isinf(value) else float(math.ceil(value))
    return lower("users needed", whole, "Asoodeh2021 Lemma 1")


def users_enough(Q: Channel, p0: Vector, p1: Vector, *, errors: float) -> Bound:
    """A number of users n for which the best test on reports through Q has errors that sum to at most `errors`.

    It is ``log(1/errors)/C``, where C is the Chernoff information of the reports.
    """
    check_unit("errors", errors, zero=False, one=False)
    exponent = channel_chernoff_exponent(Q, p0, p1)
    value = math.inf if exponent == 0 else float(math.ceil(-math.log(errors) / exponent))
    return upper("users enough", value, "Chernoff1952", trivial=math.inf)


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
        check_unit("false_alarm", float(at))
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
        own, other = (_law_at(subject, subject.context.domain.number_of(value)) for value in (x, z))
    elif context is None:
        raise InvalidInput("context must be given with a matrix; it says what is allowed")
    else:
        claimed, rows = context, channel(subject)
        if len(rows) != context.size:
            raise InvalidInput(f"matrix has {len(rows)} rows; it must have one per value, {context.size}")
        own, other = ([Fraction(entry) for entry in rows[context.domain.number_of(value)]] for value in (x, z))
    return AttainedRegion(x, z, neyman_pearson(own, other), claimed.error_region(x, z))


def _law_at(mechanism: Mechanism, x: int) -> list[Fraction]:
    """The probability of every report at one value."""
    sampler = mechanism.sampler
    if sampler.outputs > MAX_REPORTS:
        raise InvalidInput(f"error region: the reports of {mechanism.name} are too many to sort")
    return [sampler.probability(x, y) for y in sampler.reports()]


def neyman_pearson(own: Sequence[Fraction], other: Sequence[Fraction]) -> tuple[Point, ...]:
    """The lower boundary of (false alarm, missed detection) over all tests between two laws, as exact corners."""
    levels: dict[Fraction | None, list[Fraction]] = {}
    for p, q in zip(own, other, strict=True):
        if p or q:
            total = levels.setdefault(p / q if q else None, [Fraction(0), Fraction(0)])
            total[0] += p
            total[1] += q
    corners = [(Fraction(0), Fraction(1))]
    for ratio in sorted(levels, key=lambda level: -math.inf if level is None else -level):
        (false_alarm, missed), (p, q) = corners[-1], levels[ratio]
        corners.append((false_alarm + q, missed - p))
    return tuple(corners)
