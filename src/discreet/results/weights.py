"""Weights of values, as given for a query about several shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import InvalidInput


def weights_of(domain: Domain, weights: Any, *, name: str = "weights") -> NDArray[np.float64]:
    """One finite weight per value: from a list in order, or from ``{value: weight}`` with 0 for the others."""
    try:
        if isinstance(weights, Mapping):
            array = np.zeros(len(domain))
            for value, weight in weights.items():
                array[domain.asked(value)] = weight
        else:
            array = np.asarray(weights, dtype=float)
    except InvalidInput:
        raise
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(
            f"{name}={repr(weights)[:60]} must be {len(domain)} finite numbers or {{value: number}}"
        ) from None
    if isinstance(weights, np.ma.MaskedArray) or np.asarray(weights).dtype.kind in "US":
        raise InvalidInput(f"{name} of type {type(weights).__name__} must be {len(domain)} numbers, none missing")
    if array.shape != (len(domain),) or not np.isfinite(array).all():
        raise InvalidInput(f"{name} of shape {array.shape} must be {len(domain)} finite numbers")
    return array
