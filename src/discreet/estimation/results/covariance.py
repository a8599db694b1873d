"""The covariance of shares and of queries, whole: what a reader needs to combine the estimates of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import NotIdentifiable, Unavailable
from ..decoders import Decoder, decoder_of
from .weights import calibrated_value, calibrated_weights

if TYPE_CHECKING:
    from .unbiased import Estimate

Array = NDArray[np.float64]

MAX_COVARIANCE = 300
"""The most estimates whose covariance stands in `to_dict`: of more it would be by far the largest part of it."""
MAX_MATRIX = 1500
"""The most estimates whose covariance is written out at all."""
MAX_WRITTEN = 1 << 24
"""The most scores, values times cells, that are written out."""
EXCHANGEABLE = 1e-9
"""How near to the formula of exchangeable values moments must be, relatively, to be taken from it."""


def affordable(size: int, matrix: Callable[[], Array]) -> Array | None:
    """The covariance of so many estimates for plain data; None where it is not known, or not affordable."""
    if size > MAX_COVARIANCE:
        return None
    try:
        return matrix()
    except (Unavailable, NotIdentifiable):
        return None


def moment_matrix(decoder: Decoder[Any], shares: Array) -> Array:
    """E[phi_x(Y) phi_z(Y)] for all x and z when values follow `shares`; 0 where reports show that blocks differ.

    Where each report has a cell of its own it is the sum over cells, by their law.
    """
    if decoder.disjoint and len(shares) * decoder.cells <= MAX_WRITTEN:
        scores = np.asarray(decoder.decode_adjoint(np.eye(len(shares))))
        return np.asarray((scores * decoder.expected_counts(shares)) @ scores.T)
    moments = np.zeros((len(shares), len(shares)))
    for part, _, _, values in decoder.groups():
        for own in values:
            moments[np.ix_(own, own)] = _block_moments(part, shares[own])
    return moments


def _block_moments(part: Decoder[Any], shares: Array) -> Array:
    """E[phi_x(Y) phi_z(Y)] for the values of one block.

    Where all values are exchangeable, E[phi_x phi_z] is ``a + b (p_x + p_z)`` for x other than z: one vector tells a
    and b, two others whether it is so. Otherwise the matrix is computed column by column.
    """
    unit, even = np.eye(len(shares)), np.ones(len(shares))

    def times(vector: Array) -> Array:
        return np.asarray(part.cross_moment(shares, unit, vector)).reshape(len(shares))

    own = np.asarray(part.second_moments(shares))
    columns = np.stack([(len(shares) - 1) * even, shares.sum() + (len(shares) - 2) * shares], axis=1)
    a, b = np.linalg.lstsq(columns, times(even) - own, rcond=None)[0]
    guess = a + b * (shares[:, None] + shares)
    np.fill_diagonal(guess, own)
    for tried in (np.cos(np.arange(1.0, len(shares) + 1)), shares + np.arange(len(shares)) % 3):
        exact = times(tried)
        if np.abs(guess @ tried - exact).max() > EXCHANGEABLE * np.abs(exact).max():
            return np.stack([times(column) for column in unit], axis=1)
    return np.asarray(guess)


def covariance_of_shares(decoder: Decoder[Any], n: int, means: Array, shares: Array) -> Array:
    """``(E[phi_x phi_z] - m_x m_z) / n`` with the moments of values that follow `shares`."""
    moments = moment_matrix(decoder, shares)
    return np.asarray(((moments + moments.T) / 2 - np.outer(means, means)) / n)


def covariance_of_queries(estimate: Estimate, weights: Array, constant: Array, scores: Array | None = None) -> Array:
    """The covariance of one report's scores, query by query: that of the reports, or unbiased where counts overlap.

    Where a report adds to several cells, counts do not tell it; the exact formula then takes the unbiased shares.
    `scores` are the `calibrated_weights` of the queries, where they are at hand.
    """
    decoder, tally = decoder_of(estimate.mechanism), estimate.tally
    if decoder.disjoint:
        scores = calibrated_weights(decoder, weights, constant) if scores is None else scores
        means = scores @ (tally.counts / tally.n)
        return np.asarray((scores * (tally.counts / tally.n)) @ scores.T - np.outer(means, means))
    shares, loose = estimate.norm_shares, weights - constant
    means = calibrated_value(estimate, weights, constant)
    seen = (constant * shares) @ loose.T
    moments = loose @ moment_matrix(decoder, shares) @ loose.T + seen + seen.T + (constant * shares) @ constant.T
    return np.asarray((moments + moments.T) / 2 - np.outer(means, means))


def block_diagonal(blocks: Sequence[Array]) -> Array:
    """The covariance of independent groups of estimates, from that of each."""
    ends = np.cumsum([0, *map(len, blocks)])
    whole = np.zeros((ends[-1], ends[-1]))
    for block, start, end in zip(blocks, ends, ends[1:], strict=False):
        whole[start:end, start:end] = block
    return whole


def with_errors(stderr: Array, covariance: Callable[[], Array]) -> Array:
    """The covariance with these standard errors and the correlations of what the function gives.

    `Unavailable` where an error is not known, or where there are more estimates than a matrix is written out for.
    """
    if len(stderr) > MAX_MATRIX:
        raise Unavailable(
            f"the covariance of {len(stderr)} estimates is more than can be written out, at most {MAX_MATRIX}: "
            "use dc.estimate(tally).covariance(first, second)"
        )
    if not np.isfinite(stderr).all():
        raise Unavailable("there are too few reports for a covariance: some standard error is not known")
    matrix = covariance()
    scale = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    factor = np.divide(stderr, scale, out=np.zeros_like(scale), where=scale > 0)
    scaled = matrix * np.outer(factor, factor)
    np.fill_diagonal(scaled, stderr**2)
    return np.asarray(scaled)
