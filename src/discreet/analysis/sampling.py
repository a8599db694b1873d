"""Errors of sums over people who were drawn in clusters and strata: linearisation, as survey statistics do it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


def covariance_of_sum(terms: Array, clusters: Codes | None, strata: Codes | None) -> Array:
    """The covariance of the sum of one row of terms a person, ``n x p`` in and ``p x p`` out.

    ``sum_h m_h / (m_h - 1) sum_c (z_hc - mean_h)(z_hc - mean_h)'`` with z_hc the sum over the cluster c of stratum h,
    and m_h the number of its clusters; a person is a cluster where there are none (Binder1983). `InvalidInput` for
    a stratum with one cluster, which tells nothing of its own spread.
    """
    groups = np.arange(len(terms)) if clusters is None else clusters
    layers = np.zeros(len(terms), dtype=np.int64) if strata is None else strata
    _, first, group_of = np.unique(np.stack([layers, groups]), axis=1, return_index=True, return_inverse=True)
    group_of, layer_of = group_of.reshape(-1), layers[first]
    if clusters is None and strata is None:
        sums = terms
    else:
        sums = np.stack([np.bincount(group_of, column, minlength=len(first)) for column in terms.T], axis=1)
    total = np.zeros((terms.shape[1], terms.shape[1]))
    for layer in np.unique(layer_of):
        own = sums[layer_of == layer] if strata is not None else sums
        if len(own) < 2:
            raise InvalidInput(
                "a stratum has one cluster, which tells nothing of its own spread: join it to another"
                if strata is not None
                else "one person or cluster tells nothing of the spread: more are needed"
            )
        spread = own - own.mean(axis=0)
        total += len(own) / (len(own) - 1) * (spread.T @ spread)
    return total
