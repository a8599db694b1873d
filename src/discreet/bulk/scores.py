"""Scores and likelihoods of reports, one report a row."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput
from ..estimation.arrays.acceleration import cores
from ..estimation.decoders import Decoder, decoder_of
from ..estimation.results.weights import calibrated_weights, constants, weights_of
from ..estimation.tally import as_batch
from ..mechanisms.mechanism import Mechanism

Array = NDArray[np.float64]

CHUNK = 1 << 19
"""Words of reports that are looked at together."""

ENTRIES = 1 << 22
"""Probabilities that are worked out together."""


def scores_of(mechanism: Mechanism, reports: Any, weights: Any, shares: Any) -> Array:
    """The scores of reports; calibrated at `shares` unless they are None."""
    decoder, values = decoder_of(mechanism), mechanism.context.values
    w = weights_of(values, weights)
    batch = as_batch(reports, decoder.bits)
    if shares is None:
        return gather_sums(decoder, np.asarray(decoder.decode_adjoint(w)), batch)
    c = constants(decoder, w, _distribution(values, shares))
    return gather_sums(decoder, calibrated_weights(decoder, w, c), batch)


def _distribution(values: Any, shares: Any) -> Array:
    distribution = weights_of(values, shares, name="shares")
    if (distribution < 0).any() or abs(distribution.sum() - 1) > 1e-6:
        raise InvalidInput("shares must be a distribution: none below 0, and adding up to 1")
    return distribution


def gather_sums(decoder: Decoder[Any], entries: Array, batch: NDArray[Any], *, threads: int | None = None) -> Array:
    """For every report the sum of the entries of the cells that it adds to, on `threads` cores: all unless given."""
    sums = np.empty(len(batch))
    step = max(1, CHUNK // (batch.shape[1] if batch.ndim == 2 else 1))

    def gather(begin: int) -> None:
        sums[begin : begin + step] = decoder.gather(entries, batch[begin : begin + step], 0)

    starts = range(0, len(batch), step)
    workers = min(cores() if threads is None else threads, len(starts))
    if workers <= 1:
        for begin in starts:
            gather(begin)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(gather, starts))
    return sums


def columns_of(mechanism: Mechanism, reports: Any) -> Array:
    """The probability of each report under each value, up to a factor a report."""
    decoder = decoder_of(mechanism)
    batch = as_batch(reports, decoder.bits)
    if decoder.disjoint and batch.ndim == 1:
        distinct, places = np.unique(batch, return_inverse=True)
        if 2 * len(distinct) <= len(batch):
            return np.asarray(_likelihoods(decoder, distinct)[places])
    return _likelihoods(decoder, batch)


def _likelihoods(decoder: Decoder[Any], batch: NDArray[Any]) -> Array:
    likelihoods = np.empty((len(batch), decoder.size))
    step = max(1, ENTRIES // max(decoder.size, decoder.cells))
    for begin in range(0, len(batch), step):
        likelihoods[begin : begin + step] = decoder.likelihoods(batch[begin : begin + step])
    return likelihoods
