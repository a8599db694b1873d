"""Le Cam's method under local privacy: two distributions that are hard to tell apart.

Any estimator that is accurate at both would tell them apart, and `tv_after` says how well n private reports
can. All the bounds are on the worse of the two, hence on the minimax risk of any family that contains both, and
they allow each user to choose a mechanism after seeing earlier reports.

References: Asoodeh2021 (Lemma 3), LeCam1973, Yu1997.
"""

from __future__ import annotations

import math

from ..channels.contraction import phi
from ..channels.divergences import kl
from ..channels.finite import Bound, Number, Vector, at_least, lower
from .two_points import tv_after


def le_cam_printed(p: Vector, q: Vector, *, separation: float, n: int, epsilon: Number, delta: Number = 0) -> Bound:
    """Lemma 3 of the paper: ``(tau/2)(1 - sqrt(n phi D(p||q) / 2))`` for a semi-metric with ``2 tau = separation``.

    As printed; `le_cam_metric` and `le_cam_squared` are never smaller for their losses.

    References: Asoodeh2021 (Lemma 3).
    """
    at_least("separation", separation, 0)
    at_least("n", n, 0)
    information = 0.0 if n == 0 else n * phi(epsilon, delta=delta) * kl(p, q)
    value = separation / 4 * (1 - math.sqrt(information / 2))
    return lower("Le Cam, as printed", value, "Asoodeh2021 Lemma 3")


def le_cam_metric(p: Vector, q: Vector, *, separation: float, n: int, epsilon: Number, delta: Number = 0) -> Bound:
    """``(separation/2)(1 - TV)`` for a loss with the triangle inequality, TV by `tv_after`.

    Averaging over the two, ``l(a, p) dP + l(a, q) dQ >= (l(a, p) + l(a, q)) min(dP, dQ)``, and the sum of
    losses is at least the separation.
    """
    at_least("separation", separation, 0)
    value = separation / 2 * (1 - tv_after(p, q, n, epsilon=epsilon, delta=delta))
    return lower("Le Cam", value, "LeCam1973, Asoodeh2021 Lemma 1")


def le_cam_squared(p: Vector, q: Vector, *, separation: float, n: int, epsilon: Number, delta: Number = 0) -> Bound:
    """``(separation^2/4)(1 - TV)`` for squared distance, TV by `tv_after`.

    As for a metric, with ``|a - p|^2 + |a - q|^2 >= |p - q|^2 / 2``.
    """
    at_least("separation", separation, 0)
    value = separation**2 / 4 * (1 - tv_after(p, q, n, epsilon=epsilon, delta=delta))
    return lower("Le Cam, squared error", value, "LeCam1973, Asoodeh2021 Lemma 1")
