"""Telling one distribution from another by private reports: exponents, error floors, and users needed.

*Type I* is the chance of rejecting P0 when it holds, alpha; *type II* that of keeping it when P1 holds,
beta. Except for the exact exponents of a given channel, the bounds allow each user to choose a mechanism
after seeing earlier reports.

References: Asoodeh2021 (Corollary 4), Chernoff1952, Bretagnolle1979.
"""

from __future__ import annotations

import math
import sys

from ...core.errors import InvalidInput
from ..minimax.two_points import kl_after, tv_after
from .contraction import context_kl_contraction, phi
from .divergences import chernoff_information, kl
from .finite import (
    Bound,
    Channel,
    Number,
    Privacy,
    Vector,
    at_least,
    channel,
    distribution,
    floats,
    lower,
    upper,
)


def stein_exponent_printed(p0: Vector, p1: Vector, *, epsilon: Number, delta: Number = 0) -> Bound:
    """Corollary 4: beta falls no faster than ``e^(-n phi D(P0 || P1))``, whatever the mechanism."""
    share = phi(epsilon, delta=delta)
    before = kl(p0, p1)
    value = share * before if share > 0 else 0.0
    return upper("type II exponent, as printed", value, "Asoodeh2021 Corollary 4", trivial=before)


def stein_exponent(p0: Vector, p1: Vector, *, epsilon: Number, delta: Number = 0) -> Bound:
    """The same with `kl_after`, which is never larger."""
    value = kl_after(p0, p1, epsilon=epsilon, delta=delta)
    return upper("type II exponent", value, "Asoodeh2021 Corollary 4, sharpened", trivial=kl(p0, p1))


def stein_exponent_context(p0: Vector, p1: Vector, *, E: Privacy) -> Bound:
    """The same for any E-LDP mechanism: KL times `context_kl_contraction`."""
    share, before = context_kl_contraction(E), kl(p0, p1)
    value = share * before if share > 0 else 0.0
    return upper("type II exponent", value, "Asoodeh2021, Acharya2020 Theorem 2", trivial=before)


def _report_distribution(Q: Channel, p: Vector) -> Vector:
    rows, shares = floats(channel(Q)), floats(distribution("p", p))
    if len(rows) != len(shares):
        raise InvalidInput(f"p has {len(shares)} entries and Q {len(rows)} rows; they must be equally many")
    reported: Vector = shares @ rows
    return reported


def channel_stein_exponent(Q: Channel, p0: Vector, p1: Vector) -> float:
    """The exact exponent of beta at a fixed alpha when all users report through Q: ``D(P0 Q || P1 Q)``."""
    return kl(_report_distribution(Q, p0), _report_distribution(Q, p1))


def channel_chernoff_exponent(Q: Channel, p0: Vector, p1: Vector) -> float:
    """The exact exponent of the smallest sum of errors through Q: the Chernoff information of the reports.

    At every n the sum of the two errors of the best test is at most ``e^(-n exponent)``.
    """
    return chernoff_information(_report_distribution(Q, p0), _report_distribution(Q, p1))


def _check_level(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise InvalidInput(f"{name}={value} must lie strictly between 0 and 1")


def binary_kl(a: float, b: float) -> float:
    """The divergence of a coin with chance a from one with chance b, both strictly between 0 and 1."""
    _check_level("a", a)
    _check_level("b", b)
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
    _check_level("alpha", alpha)
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
    _check_level("alpha", alpha)
    _check_level("beta", beta)
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
    _check_level("errors", errors)
    exponent = channel_chernoff_exponent(Q, p0, p1)
    value = math.inf if exponent == 0 else float(math.ceil(-math.log(errors) / exponent))
    return upper("users enough", value, "Chernoff1952", trivial=math.inf)
