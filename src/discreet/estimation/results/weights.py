"""Weights of values, as given for a query about several shares."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.domain import Domain
from ...core.errors import InvalidInput, shown

MEAN = "mean"
"""The word for the weights that are the values themselves."""


def numbers_of(domain: Domain, name: str) -> NDArray[np.float64]:
    """The values themselves, which must be different numbers."""
    if domain.stored_range is not None:
        numbers = np.asarray(domain.stored_range, dtype=float)
    else:
        for value in domain:
            if isinstance(value, bool) or not isinstance(value, Real):
                raise InvalidInput(f'{name}="{MEAN}" needs values that are numbers; {shown(value)} is not one')
        numbers = np.array([float(value) for value in domain])  # type: ignore[arg-type]
    if not np.isfinite(numbers).all() or np.ptp(numbers) == 0:
        raise InvalidInput(f'{name}="{MEAN}" needs at least two values, all of them finite numbers')
    return numbers


def weights_of(domain: Domain, weights: Any, *, name: str = "weights") -> NDArray[np.float64]:
    """One finite weight per value: in order, from ``{value: weight}`` with 0 for the others, or "mean" for numbers."""
    if isinstance(weights, str) and weights == MEAN:
        return numbers_of(domain, name)
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
