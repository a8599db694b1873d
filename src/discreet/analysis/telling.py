"""What results say of estimates that few reports tell of, and their covariance as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.results.score_law import ScoreLaw
from .reference_distribution import Array

MIN_TELLING = 4.0
"""Estimates of which fewer people tell are remarked on."""
MAX_COVARIANCE = 200
"""The most estimates whose covariance is written out as plain data."""


def few_telling(law: ScoreLaw, what: str) -> list[str]:
    """The warning that few people could have told of some estimates, `what` they are called; none where all is well."""
    few = int((law.telling < MIN_TELLING).sum())
    if not few:
        return []
    return [
        f"WARNING: fewer than {MIN_TELLING:g} people could have told of {few} of the {len(law)} {what}: "
        "their intervals are long for that reason"
    ]


def covariance_lists(covariance: Array | None) -> list[list[Any]] | None:
    """A covariance as lists that JSON can hold, nothing where it is not known; None beyond `MAX_COVARIANCE` rows."""
    if covariance is None or len(covariance) > MAX_COVARIANCE:
        return None
    return [[cell if np.isfinite(cell) else None for cell in row] for row in np.asarray(covariance).tolist()]
