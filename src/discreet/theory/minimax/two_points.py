"""How far apart n private reports of one distribution can be from n of another.

These are the quantities that Le Cam's method and tests need: upper bounds on chi-square, KL and total
variation after privacy, from the two distributions before it.

References: Asoodeh2021 (Lemmas 1 to 3), Duchi2013, Bretagnolle1979.
"""

from __future__ import annotations

import math

from ...core.errors import InvalidInput
from ..channels.contraction import kl_contraction, over_users, tv_contraction
from ..channels.finite import Number, Vector, at_least, epsilon_value, kl, total_variation


def chi_square_from_tv(epsilon: Number, distance: float) -> float:
    """The largest chi-square of two reports under epsilon-LDP when the values are at total variation `distance`.

    With ``e = e^epsilon`` and ``t = distance`` it is ``(e-1)^2 t^2 / e`` when ``2t(e-1) >= e-2``, which
    holds whenever ``epsilon <= log 2``, and at most ``2 (e-1)^2 t^2 / (e+2)`` in any case; the first is
    what randomized response gives and the second what it gives on three values as t goes to 0.

    *Proof.* Write the laws as ``(1-t)C + tP`` and ``(1-t)C + tR``. A column of an epsilon-LDP channel is a
    sum of columns with levels 1 and e. Chi-square is convex and homogeneous in the column (c, p, r) of the
    three laws, so it suffices to find a linear function ``l = u c + v p + w r`` above ``f = t^2 (p-r)^2 /
    ((1-t)c + tr)`` at the eight patterns of levels: chi-square is then at most ``u + v + w``, because each
    row sums to one. Put ``F = t^2 (e-1)^2``; f is zero unless p and r differ, and then F over 1,
    ``1+t(e-1)``, ``e-t(e-1)``, e for (c, p, r) = (1, e, 1), (1, 1, e), (e, e, 1), (e, 1, e). First, ``v =
    F/e`` and ``w = -u = F(1-t)/(e(1+t(e-1)))``: all eight hold, (e, 1, 1) being the one that asks for
    ``2t(e-1) >= e-2``; the total is F/e. Second, ``v = w = Fe/((e+2)(e-1))`` and ``u = -2v/e``: all eight
    hold when ``e >= 2`` and ``t <= 1 - 2/(e(e-1))``; the total is 2F/(e+2). For ``e >= 2`` every t is in
    one of the two ranges.
    """
    value = epsilon_value("epsilon", epsilon)
    if not 0 <= distance <= 1:
        raise InvalidInput(f"distance={distance} must lie between 0 and 1")
    if distance == 0 or value == 0:
        return 0.0
    if value > 300:
        return math.inf
    e = math.exp(value)
    low = 1 / e if 2 * distance * (e - 1) >= e - 2 else 2 / (e + 2)
    return low * ((e - 1) * distance) ** 2


def kl_after(p: Vector, q: Vector, *, epsilon: Number, delta: Number = 0) -> float:
    """The most that KL(p || q) can be once each value has been reported under (epsilon, delta)-LDP.

    The smallest of KL times `tv_contraction` and, for ``delta = 0``, KL times `kl_contraction` and ``log(1
    + chi-square)`` by `chi_square_from_tv`. It bounds n reports n times over, even when each user may
    choose a mechanism after seeing earlier reports.
    """
    eta = tv_contraction(epsilon, delta=delta)
    if delta == 0:
        eta = min(eta, kl_contraction(epsilon))
    after = 0.0 if eta == 0 else eta * kl(p, q)
    if delta == 0:
        after = min(after, math.log1p(chi_square_from_tv(epsilon, float(total_variation(p, q)))))
    return after


def tv_after(p: Vector, q: Vector, n: int, *, epsilon: Number, delta: Number = 0) -> float:
    """The most that the total variation of n reports can be under (epsilon, delta)-LDP, never above one.

    The smallest of ``1 - (1 - eta t)^n``, from a coupling user by user with t the total variation of the
    values and eta its contraction; Pinsker's ``sqrt(D/2)`` and Bretagnolle and Huber's ``sqrt(1 - e^-D)``
    with D the KL of n reports; and for ``delta = 0`` ``sqrt((1 + chi)^n - 1)``, the triangle inequality
    through the midpoint of p and q, at chi-square `chi` from each.
    """
    at_least("n", n, 0)
    t = float(total_variation(p, q))
    bounds = [over_users(tv_contraction(epsilon, delta=delta) * t, n)]
    if n:
        D = n * min(kl_after(p, q, epsilon=epsilon, delta=delta), kl_after(q, p, epsilon=epsilon, delta=delta))
        bounds += [math.sqrt(D / 2), math.sqrt(-math.expm1(-D))]
    if n and delta == 0:
        power = n * math.log1p(chi_square_from_tv(epsilon, t / 2))
        bounds.append(math.sqrt(math.expm1(power)) if power < 1 else 1.0)
    return min(bounds)
