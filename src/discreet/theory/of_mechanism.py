"""The error that a mechanism attains with its unbiased estimate: at given shares, and at the worst shares.

For shares p the estimate of x has ``n Var_x = m_x . p - p_x^2``, where ``m_xz = E[phi_x^2 | z]`` is known in
closed form; so ``n`` times the squared error is ``c . p - |p|^2`` with ``c = sum_x m_x``, and the expected total
variation is at most ``sum_x sqrt(Var_x) / 2``. Both are concave in p, so their maxima are found exactly. Exchangeable
values have equal shares at the maximum, and are kept as one group.

References: Acharya2020, and the moments of each mechanism.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput
from ..estimation.decoders import Decoder, decoder_of
from ..estimation.results.weights import weights_of
from ..estimation.simplex import peak_of_squares
from ..mechanisms.mechanism import Mechanism
from ..planning.objective import moments_given
from .channels.finite import Bound

Array = NDArray[np.float64]

MAX_TRACKED_VALUES = 1024
"""The most values that are tracked individually."""
MAX_STEPS = 1000
"""Steps of the search for the worst shares; the remaining gap is added to the bound."""


def squared_error(mechanism: Mechanism, n: int, shares: Any) -> Bound:
    """The expected sum of squared errors of the unbiased estimate at these shares, exactly."""
    p = weights_of(mechanism.context.domain, shares, name="shares")
    moments = decoder_of(mechanism).second_moments(p)
    value = float(np.sum(moments) - p @ p) / n
    return Bound("squared error", value, "attained", mechanism.name, False, "exact, at these shares")


def total_variation_at(mechanism: Mechanism, n: int, shares: Any) -> Bound:
    """``sum_x sd_x / 2``, a bound on the expected total variation of the unbiased estimate at these shares."""
    p = weights_of(mechanism.context.domain, shares, name="shares")
    variances = np.maximum(decoder_of(mechanism).second_moments(p) - p**2, 0.0)
    value = float(np.sqrt(variances / n).sum()) / 2
    note = f"at most, at these shares; {value * math.sqrt(2 / math.pi):.4g} if errors are normal"
    return Bound("total variation", value, "attained", mechanism.name, not value < 1, note)


def worst_shares(mechanism: Mechanism) -> Array:
    """The shares at which the expected sum of squared errors ``(c . p - |p|^2) / n`` is largest."""
    return _peak(mechanism)[0]


def worst_squared_error(mechanism: Mechanism, n: int) -> Bound:
    """The largest expected sum of squared errors over all shares, exactly: that at `worst_shares`."""
    value = _peak(mechanism)[1] / n
    return Bound("squared error, worst shares", value, "attained", mechanism.name, not value < 2, "exact")


def _peak(mechanism: Mechanism) -> tuple[Array, float]:
    decoder = decoder_of(mechanism)
    groups_of(decoder)  # refuses too many values
    return peak_of_squares(moments_given(decoder))


def worst_total_variation(mechanism: Mechanism, n: int) -> Bound:
    """An upper bound on the expected total variation at the worst shares: ``max_p sum_x sd_x / 2``.

    The maximum of a concave function by Frank and Wolfe's steps; the remaining duality gap is added.
    """
    size, table = moments_of(decoder_of(mechanism))
    masses = size / size.sum()
    best = math.inf
    for step in range(MAX_STEPS if len(size) > 1 else 1):
        variance = np.maximum(table @ masses - (masses / size) ** 2, 0.0)
        value = float(size @ np.sqrt(variance))
        deviation = np.sqrt(np.maximum(variance, 1e-300))
        slope = ((size / deviation) @ table - 2 * masses / size / deviation) / 2
        top = int(slope.argmax())
        best = min(best, value + float(slope[top] - slope @ masses))
        if best - value <= 1e-3 * value:
            break
        masses = masses * (1 - 2 / (step + 3))
        masses[top] += 2 / (step + 3)
    value = best / 2 / math.sqrt(n)
    return Bound("total variation, worst shares", value, "attained", mechanism.name, not value < 1, "at most")


def moments_of(decoder: Decoder[Any]) -> tuple[Array, Array]:
    """The sizes of the groups of exchangeable values, and second moments; `InvalidInput` if there are too many groups.

    Entry [g, h] is the moment of a value of group g when people are spread evenly over group h.
    """
    groups = groups_of(decoder)
    table = np.empty((len(groups), len(groups)))
    first = [group[0] for group in groups]
    for h, group in enumerate(groups):
        spread = np.zeros(decoder.size)
        spread[group] = 1 / len(group)
        table[:, h] = np.asarray(decoder.second_moments(spread))[first]
    return np.array([float(len(group)) for group in groups]), table


def groups_of(decoder: Decoder[Any]) -> list[list[int]]:
    """Exchangeable values of the decoder, by number: exchanging two of a group changes no moment."""
    if decoder.exchangeable is not None:
        groups: dict[int, list[int]] = {}
        for x, group in enumerate(decoder.exchangeable):
            groups.setdefault(group, []).append(x)
        return list(groups.values())
    if decoder.size > MAX_TRACKED_VALUES:
        raise InvalidInput(
            f"the worst shares of {decoder.sampler.name} are computed for at most {MAX_TRACKED_VALUES} values"
        )
    return [[x] for x in range(decoder.size)]
