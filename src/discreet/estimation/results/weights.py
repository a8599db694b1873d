"""Weights of values, as given for a query about several shares.

The values of unbiased queries, their variances and their score intervals, one query a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.domain import Domain
from ...core.errors import InvalidInput, shown
from ..decoders import decoder_of
from .intervals import calibrated_moment

if TYPE_CHECKING:
    from .unbiased import Estimate


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


Array = NDArray[np.float64]


@dataclass(frozen=True)
class QueryMoments:
    """Of each query: its value, its mean at the plausible distribution, and second moments of one report's score.

    `here` is the moment at the plausible distribution; `least` and `most` are the mean and the moment where everyone
    holds one value of the least and of the most weight.
    """

    n: int
    value: Array
    mean: Array
    here: Array
    least: tuple[Array, Array]
    most: tuple[Array, Array]

    @property
    def stderr(self) -> Array:
        """``sqrt((E[s**2] - (w . p)**2) / n)``, the exact formula at the plausible distribution."""
        return np.sqrt(np.maximum(self.here - self.mean**2, 0.0) / self.n)

    def interval(self, z: float) -> tuple[Array, Array]:
        """Score intervals, stretched to hold the normal ones.

        The standard error alone is too small where few reports could have told of a value, and zero where none
        did. So the variance is taken along the way from a distribution p that agrees with the estimate of the query
        to everyone holding the value z of the most (least) weight: ``p_t = (1-t) p + t e_z``, whose second moment is
        linear in t. The interval ends where ``(q_hat - q_t)**2 = c (M_t - q_t**2)`` with ``c = z**2 / n``, a
        quadratic equation in t.
        """
        reach, c = z * self.stderr, z * z / self.n
        above = self.value > self.mean
        end, there = (np.where(above, most, least) for least, most in zip(self.least, self.most, strict=True))
        step = end - self.mean
        part = np.where(step != 0, np.minimum((self.value - self.mean) / np.where(step != 0, step, 1.0), 1.0), 0.0)
        start, moment = (1 - part) * self.mean + part * end, (1 - part) * self.here + part * there
        low, high = (self._end(start, moment, *corner, c) for corner in (self.least, self.most))
        return np.minimum(self.value - reach, low), np.maximum(self.value + reach, high)

    def _end(self, start: Array, here: Array, end: Array, there: Array, c: float) -> Array:
        """The last value of a query on the way to everyone holding a value of weight `end` that is not ruled out."""
        step = end - start
        a = (1 + c) * step * step
        b = 2 * step * ((1 + c) * start - self.value) - c * (there - here)
        rest = (1 + c) * start * start - 2 * self.value * start + self.value**2 - c * here
        inside = b * b - 4 * a * rest
        solved = (a > 0) & (inside >= 0)
        root = (np.sqrt(np.where(solved, inside, 0.0)) - b) / (2 * np.where(solved, a, 1.0))
        return np.where(solved, start + step * np.clip(root, 0.0, 1.0), self.value)


def query_moments(estimate: Estimate, weights: Array, constant: Array, ends: tuple[int, int]) -> QueryMoments:
    """The moments of rows of weights with their constants; `ends` are values of the least and of the most weight."""
    decoder, asked = decoder_of(estimate.mechanism), (weights, constant)
    corners = []
    for x in ends:
        everyone = np.zeros(weights.shape[-1])
        everyone[x] = 1.0
        corners.append((weights[..., x], calibrated_moment(decoder, everyone, asked, asked)))
    p = estimate.plausible
    here, (least, most) = calibrated_moment(decoder, p, asked, asked), corners
    return QueryMoments(estimate.n, calibrated_value(estimate, weights, constant), weights @ p, here, least, most)


def calibrated_value(estimate: Estimate, weights: Array, constant: Array) -> Array:
    """``(w - c) . shares + sum_b c_b total_b``, the mean of the calibrated scores."""
    block_of, totals = estimate.blocks
    first = np.unique(block_of, return_index=True)[1]
    return np.asarray((weights - constant) @ estimate.shares + constant[..., first] @ totals)


def joined(parts: Iterator[QueryMoments]) -> QueryMoments:
    """The moments of several lots of queries as those of one."""
    listed = list(parts)
    value, mean, here = (np.concatenate([getattr(part, name) for part in listed]) for name in ("value", "mean", "here"))
    ends = ([getattr(part, name) for part in listed] for name in ("least", "most"))
    least, most = ((np.concatenate([a for a, _ in end]), np.concatenate([b for _, b in end])) for end in ends)
    return QueryMoments(listed[0].n, value, mean, here, least, most)
