"""Weights of values in linear queries, and their calibration by the exact totals of the blocks.

The part of a query that is constant in a block is known from the block's total, so ``(w - c_b) . phi(Y) + c_b``, with
b the block of the report, has the mean of ``w . phi(Y)`` for any constants c. The variance is least for
``c_b = (E[(w . phi)(1_b . phi)] - w . p_b) / (E[(1_b . phi)**2] - p(b))``.

References: Deville1992.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.domain import Domain
from ...core.errors import InvalidInput, shown
from ...core.numbers import NumberDomain
from ...core.per_value import per_value
from ..arrays.layout import slabs
from ..decoders import Decoder, decoder_of
from .score_law import ScoreLaw, concatenate_laws, law_of_cells, normal_law, scale_law

if TYPE_CHECKING:
    from .unbiased import Estimate

Array = NDArray[np.float64]

MEAN = "mean"
"""The word for the weights that are the values themselves."""
EVEN = 1e-9
"""By what part of themselves steps may differ and still be taken for even."""


def numbers_of(domain: Domain, name: str) -> Array:
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


def weights_of(domain: Domain, weights: Any, *, name: str = "weights") -> Array:
    """One finite weight per value: in order, by name as in `per_value`, or "mean" for values that are numbers."""
    if isinstance(weights, str) and weights == MEAN:
        return numbers_of(domain, name)
    entries = per_value(domain, weights, name=name)
    try:
        array = np.asarray(entries, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(
            f"{name}={repr(weights)[:60]} must be {len(domain)} finite numbers or {{value: number}}"
        ) from None
    if isinstance(entries, np.ma.MaskedArray) or np.asarray(entries).dtype.kind in "US":
        raise InvalidInput(f"{name} of type {type(weights).__name__} must be {len(domain)} numbers, none missing")
    if array.shape != (len(domain),) or not np.isfinite(array).all():
        raise InvalidInput(f"{name} of shape {array.shape} must be {len(domain)} finite numbers")
    return array


def spread_weights(domain: Domain, center: float, error: float) -> Array:
    """Weights of a variance: squared distances from an estimated mean, whose squared error is `error`.

    A number that is rounded to the nodes of a grid at random has a variance of its own, from 0 to a quarter of a step
    squared; an eighth is taken off, which is wrong by an eighth at most.
    """
    return np.asarray((numbers_of(domain, "variance") - center) ** 2 + error - own_variance(domain))


def own_variance(domain: Domain) -> float:
    """About what rounding to a grid at random adds to the variance of numbers, to be taken off."""
    return float(domain.step) ** 2 / 8 if isinstance(domain, NumberDomain) and domain.draws else 0.0


def products_of(domain: Domain, first: Array, other: Array) -> Array:
    """Weights whose mean score is that of the product of two weights.

    Rounding a number to one of two nodes at random adds ``f (1 - f)`` times the steps of both to the product, for a
    fraction f; an eighth is taken off where weights rise evenly, which is wrong by an eighth at most.
    """
    products = first * other
    if isinstance(domain, NumberDomain) and domain.draws:
        products[: domain.nodes] -= _rise(domain, first) * _rise(domain, other) / 8
    return np.asarray(products)


def _rise(domain: NumberDomain, weights: Array) -> float:
    """How much weights rise from node to node; 0 unless evenly."""
    steps = np.diff(weights[: domain.nodes])
    return float(steps.mean()) if np.ptp(steps) <= EVEN * np.abs(steps).max() else 0.0


def cut_at(domain: Domain) -> str:
    """What is to be said of numbers that count as the bounds; empty where there are none."""
    if not isinstance(domain, NumberDomain) or not domain.clip:
        return ""
    return f"of numbers cut at {domain.normalized(domain.low)} and {domain.normalized(domain.high)}"


Queries = tuple[Array, Array]
"""Weights, in a row or in rows, and the constants that calibrate them."""

MIN_EXCESS = 1e-12
"""The least variance of a block's sum of shares, relative to its total, for which calibrating it makes sense."""


def constants(decoder: Decoder[Any], weights: Array, shares: Array | None = None) -> Array:
    """The constant of every value's block that makes the calibrated query, or each of several rows, vary least.

    It does so where values follow `shares`, even ones unless given; only their proportions inside a block matter.
    """
    shares = np.full(weights.shape[-1], 1 / weights.shape[-1]) if shares is None else shares
    constant = np.zeros(weights.shape)
    for part, _, _, values in decoder.groups():
        w, p = weights[..., values], shares[values]
        one, mass = np.ones(values.shape), p.sum(axis=-1, keepdims=True)
        excess = part.cross_moment(p, one, one) - mass
        joint = part.cross_moment(p, w, np.broadcast_to(one, w.shape)) - (w * p).sum(axis=-1, keepdims=True)
        loose = excess > MIN_EXCESS * mass
        constant[..., values] = np.where(loose, joint / np.where(loose, excess, 1.0), 0.0)
    return constant


def calibrated_weights(decoder: Decoder[Any], weights: Array, constant: Array) -> Array:
    """A weight per cell whose sum over the cells of a report is its calibrated score, ``(w - c_b) . phi(y) + c_b``."""
    scores = np.array(decoder.decode_adjoint(weights - constant))
    for part, _, cells, values in decoder.groups():
        scores[..., cells] += constant[..., values[:, :1]] * part.unit_weights()
    return scores


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


def query_law(estimate: Estimate, weights: Array, constant: Array) -> ScoreLaw:
    """The confidence distribution of the calibrated queries, a row of weights and of constants each.

    Where each report has a cell of its own it is that of the scores in these. Elsewhere it is normal, with the larger
    of the variance at the unbiased shares and at the plug-in ones, and with typical scores of those who hold a value of
    the most or of the least weight in place of extremes. A share by itself is as in `Estimate.law`.
    """
    alone = (np.count_nonzero(weights, axis=1) == 1) & ~constant.any(axis=1)
    if alone.all():
        value = np.argmax(weights != 0, axis=1)
        return scale_law(estimate.law[value], weights[np.arange(len(weights)), value])
    laws = []
    for rows in slabs(len(weights), decoder_of(estimate.mechanism).cells):
        laws.append(_law_of_rows(estimate, weights[rows], constant[rows]))
    whole = concatenate_laws(laws)
    if not alone.any():
        return whole
    value = np.argmax(weights != 0, axis=1)
    shares = scale_law(estimate.law[value[alone]], weights[np.flatnonzero(alone), value[alone]])
    order = np.argsort(np.concatenate([np.flatnonzero(~alone), np.flatnonzero(alone)]))
    return concatenate_laws([whole[~alone], shares])[order]


def _law_of_rows(estimate: Estimate, weights: Array, constant: Array) -> ScoreLaw:
    decoder, n = decoder_of(estimate.mechanism), estimate.n
    if decoder.disjoint:
        return law_of_cells(n, estimate.tally.counts.astype(float), calibrated_weights(decoder, weights, constant))
    value, query = calibrated_value(estimate, weights, constant), (weights, constant)

    def variance(shares: Array, mean: Array) -> Array:
        return calibrated_moment(decoder, shares, query, query) - mean**2

    variances = variance(estimate.norm_shares, value), variance(estimate.plug_in, weights @ estimate.plug_in)
    return normal_law(n, value, np.maximum.reduce([*variances, 0 * value]), *score_extremes(decoder, weights, constant))


def score_extremes(decoder: Decoder[Any], weights: Array, constant: Array) -> tuple[Array, Array]:
    """The least and the largest score of a report under each calibrated query.

    Where reports have several cells, typical ones of those who hold a value of the least or of the most weight; those
    of a share by itself are known.
    """
    alone = (np.count_nonzero(weights, axis=1) == 1) & ~constant.any(axis=1)
    if alone.all():
        value = np.argmax(weights != 0, axis=1)
        ends = np.stack(decoder.reach())[:, value] * weights[np.arange(len(weights)), value]
        return ends.min(axis=0), ends.max(axis=0)
    if decoder.disjoint:
        scores = calibrated_weights(decoder, weights, constant)
        return scores.min(axis=1), scores.max(axis=1)
    typical = []
    for sign, places in ((-1, np.argmin(weights, axis=1)), (1, np.argmax(weights, axis=1))):
        held, spread = weights[np.arange(len(weights)), places], np.zeros(len(weights))
        for x in np.unique(places):
            rows, holder = places == x, np.eye(1, weights.shape[1], x)[0]
            own = weights[rows], constant[rows]
            spread[rows] = calibrated_moment(decoder, holder, own, own) - held[rows] ** 2
        typical.append(held + sign * np.sqrt(np.maximum(spread, 0.0)))
    return typical[0], typical[1]


def calibrated_value(estimate: Estimate, weights: Array, constant: Array) -> Array:
    """``(w - c) . shares + sum_b c_b total_b``, the mean of the calibrated scores."""
    block_of, totals = estimate.blocks
    first = np.unique(block_of, return_index=True)[1]
    return np.asarray((weights - constant) @ estimate.shares + constant[..., first] @ totals)
