"""Confidence levels, and intervals fitted around shares.

Calibration: what reports show exactly, their block, need not be estimated.

The part of a query that is constant in a block is known from the block's total, so ``(w - c_b) . phi(Y) + c_b``, with
b the block of the report, has the mean of ``w . phi(Y)`` for any constants c. The variance is least for
``c_b = (E[(w . phi)(1_b . phi)] - w . p_b) / (E[(1_b . phi)**2] - p(b))``.

References: Deville1992.
"""

from __future__ import annotations

import sys
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ..decoders import Decoder

Array = NDArray[np.float64]


def check_confidence(confidence: float) -> None:
    """Raise `InvalidInput` for a confidence outside (0, 1)."""
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise InvalidInput(f"confidence={confidence!r} must be between 0 and 1")


def quantile(confidence: float, *, among: int = 1) -> float:
    """The normal quantile z with ``Pr(|Z| <= z) = confidence``, or for `among` of them together (Bonferroni)."""
    check_confidence(confidence)
    return -NormalDist().inv_cdf(max(float(1 - confidence) / (2 * among), sys.float_info.min))


def stretched(low: Any, high: Any, *, around: Any, limits: tuple[float, float]) -> tuple[Array, Array]:
    """The interval cut to `limits`, then stretched where necessary to include `around`.

    Whatever lies inside `limits` and in the interval is in the new one as well: it covers at least as often.
    """
    return np.minimum(np.clip(low, *limits), around), np.maximum(np.clip(high, *limits), around)


Queries = tuple[Array, Array]
"""Weights, in a row or in rows, and the constants that calibrate them."""

NOTHING = 1e-12
"""Where the shares of a block add up to its total but for so small a part of it, there is nothing to calibrate."""


def constants(decoder: Decoder[Any], weights: Array, shares: Array | None = None) -> Array:
    """The constant of every value's block that makes the calibrated query, or each of several rows, vary least.

    It does so where values follow `shares`, even ones unless given; only their proportions inside a block matter.
    """
    held = np.full(weights.shape[-1], 1 / weights.shape[-1]) if shares is None else shares
    found = np.zeros(weights.shape)
    for part, _, _, values in decoder.groups():
        w, p = weights[..., values], held[values]
        one, mass = np.ones(values.shape), p.sum(axis=-1, keepdims=True)
        excess = part.cross_moment(p, one, one) - mass
        joint = part.cross_moment(p, w, np.broadcast_to(one, w.shape)) - (w * p).sum(axis=-1, keepdims=True)
        loose = excess > NOTHING * mass
        found[..., values] = np.where(loose, joint / np.where(loose, excess, 1.0), 0.0)
    return found


def calibrated_weights(decoder: Decoder[Any], weights: Array, constant: Array) -> Array:
    """A weight per cell whose sum over the cells of a report is its calibrated score, ``(w - c_b) . phi(y) + c_b``."""
    found = np.array(decoder.decode_adjoint(weights - constant))
    for part, _, cells, values in decoder.groups():
        found[..., cells] += constant[..., values[:, :1]] * part.unit_weights()
    return found


def calibrated_moment(decoder: Decoder[Any], shares: Array, first: Queries, second: Queries) -> Array:
    """E[s t] of the calibrated scores s and t of two queries, or of rows of them, where values follow `shares`."""
    (w, c), (u, d) = first, second
    v, t = w - c, u - d
    shown = ((c * t + d * v + c * d) * shares).sum(axis=-1)
    return np.asarray(np.sum(decoder.cross_moment(shares, v, t), axis=-1) + shown)


def second_moment(decoder: Decoder[Any], weights: Array, shares: Array) -> Array:
    """``E[s**2]`` of the scores s of a query calibrated at even shares, or of each row of several."""
    query = weights, constants(decoder, weights)
    return calibrated_moment(decoder, shares, query, query)
