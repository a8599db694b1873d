"""Scores and likelihoods of single reports agree with the counts, and with an enumeration of the channel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.scores import gathered
from ..bulk.words import seeded
from ..core.errors import CheckFailed, InvalidReport
from ..estimation.decoders import decoder_of
from ..mechanisms.mechanism import Mechanism
from .law import channel_of, is_small
from .statistics import BIAS, CLOSE
from .words import as_integers, some_values

REPORTS = 60
"""How many reports are drawn where the channel is too large to be written out."""


def check_scores(mechanism: Mechanism, *, seed: int = 1) -> None:
    """`decode_adjoint` is the adjoint of `decode`, `unit_weights` of `total`, `gather` of `count`; scores are unbiased.

    ``<decode(c), w> = <c, decode_adjoint(w)>`` to 1e-12 for the counts c of reports, whatever their number, and a
    report's score is the sum over its cells. On small domains ``sum_y Q(y | x) score(y) = w[x]``, plain and calibrated
    at any shares.
    """
    decoder, rng = decoder_of(mechanism), np.random.default_rng(seed)
    values = some_values(mechanism.context.size, REPORTS, seed)
    reports = mechanism.randomize_indices(values, seeded(seed))
    counts = mechanism.tally(reports).counts
    w = rng.normal(size=decoder.size)
    entries = np.asarray(decoder.decode_adjoint(w))
    decoded = np.asarray(decoder.decode(counts))
    _close(mechanism, "decode(counts) . w", float(decoded @ w), float(counts @ entries), np.abs(decoded) @ np.abs(w))
    rows = np.stack([w, rng.normal(size=len(w))])
    _close(mechanism, "decode_adjoint of rows", decoder.decode_adjoint(rows)[0], entries, np.abs(entries).max())
    listed = [list(decoder.cells_of(y)) for y in as_integers(reports)]
    weights = np.asarray(decoder.unit_weights())
    _close(
        mechanism,
        "the sum of `unit_weights` over the cells of a report",
        [weights[cells].sum() for cells in listed],
        1.0,
        1.0,
    )
    summed = np.array([entries[cells].sum() for cells in listed])
    scale = np.abs(entries).max() * max(map(len, listed))
    _close(mechanism, "what `gather` finds", gathered(decoder, entries, reports), summed, scale)
    _close(mechanism, "a score", mechanism.score(reports, w), summed, scale)
    if is_small(mechanism):
        _check_unbiased(mechanism, w, rng.dirichlet(np.ones(len(w))))


def _check_unbiased(mechanism: Mechanism, w: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
    channel = np.array(channel_of(mechanism), dtype=float)
    for name, at in (("score", None), ("calibrated score", shares)):
        scores = mechanism.score(mechanism.reports(), w, shares=at)
        _close(mechanism, f"the mean {name}", channel @ scores, w, np.abs(scores).max(), BIAS)
    _check_refused(mechanism, "score", lambda y: mechanism.score([y], w))


def check_columns(mechanism: Mechanism) -> None:
    """`columns` are those of the channel, each up to a factor; impossible reports are refused (small domains)."""
    channel = np.array(channel_of(mechanism), dtype=float)
    found = mechanism.columns(mechanism.reports())
    if found.shape != channel.T.shape or not (found >= 0).all() or not (found.max(axis=1) > 0).all():
        raise CheckFailed(f"{mechanism.name}: columns() must be one row of likelihoods for each report, none negative")
    claimed, true = (part / part.max(axis=1, keepdims=True) for part in (found, channel.T))
    off = np.abs(claimed - true) / np.where(true > 0, true, 1.0)
    if off.max() > CLOSE:
        y, x = np.unravel_index(off.argmax(), off.shape)
        raise CheckFailed(
            f"{mechanism.name}: columns() says {claimed[y, x]:.12g} of report number {y} under {x}, relative to the "
            f"likeliest value; it is {true[y, x]:.12g}"
        )
    _check_refused(mechanism, "columns", lambda y: mechanism.columns([y]))


def _check_refused(mechanism: Mechanism, name: str, ask: Any) -> None:
    sampler = mechanism.sampler
    for y in range(sampler.outputs + 2):
        if y < 1 << 64 * -(-sampler.bits // 64) and not sampler.is_report(y):
            try:
                ask(y)
            except InvalidReport:
                continue
            raise CheckFailed(f"{mechanism.name}: {name}() accepts the impossible report {y}")


def _close(mechanism: Mechanism, what: str, found: Any, true: Any, scale: Any, allowed: float = 1e-12) -> None:
    off = float(np.abs(np.asarray(found) - np.asarray(true)).max())
    if not off <= allowed * max(1.0, float(scale)):
        raise CheckFailed(f"{mechanism.name}: {what} is off by {off:.3g}")
