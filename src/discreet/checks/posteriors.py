"""What one report tells, the Bayes success and the posterior of each value, compared with the channel written out."""

from __future__ import annotations

import numpy as np

from ..core.errors import CheckFailed
from ..leakage.profiles import profile_of
from ..mechanisms.mechanism import Mechanism
from .law import channel_of

CLOSE = 1e-7
"""How far, relative to it, a number may be from the channel's."""

TINY = 1e-9
"""And in people: one in a billion."""


def check_posteriors(mechanism: Mechanism) -> None:
    """`bayes_success` and `posterior_range` are those of the channel, at even and at skewed shares (small domains)."""
    rows = np.array([[float(entry) for entry in row] for row in channel_of(mechanism)])
    size = len(rows)
    for shares in (np.full(size, 1 / size), np.arange(1, size + 1) / (size * (size + 1) / 2)):
        joint = shares[:, None] * rows
        _compare(
            mechanism, "Bayes success", profile_of(mechanism).bayes_success(shares), float(joint.max(axis=0).sum())
        )
        with np.errstate(invalid="ignore"):
            posterior = joint / joint.sum(axis=0)
        for x in range(size):
            found = profile_of(mechanism).posterior_range(x, shares)
            inside = posterior[x][rows[x] > 0]
            _compare(mechanism, f"least share of {x}", None if found is None else found.least, float(inside.min()))
            _compare(mechanism, f"greatest share of {x}", None if found is None else found.most, float(inside.max()))


def _compare(mechanism: Mechanism, what: str, said: float | None, true: float) -> None:
    if said is None or not abs(said - true) <= CLOSE * true + TINY:
        raise CheckFailed(f"{mechanism.name}: the {what} after one report is {true}; the mechanism says {said}")
