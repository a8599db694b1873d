"""The statistics agree with an enumeration of the channel: no bias, and the right moments."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import CheckFailed
from ..estimation.decoders import decoder_of
from ..mechanisms.mechanism import Mechanism
from .law import channel_of

Array = NDArray[np.float64]

BIAS = 1e-12
"""The largest bias allowed, in units of the estimator's largest coefficient where that is above one."""

CLOSE = 1e-9
"""The largest relative difference allowed in a moment."""


@lru_cache(maxsize=8)
def enumerated(mechanism: Mechanism) -> tuple[Array, Array, Array]:
    """The channel Q (values x reports), phi (reports x values) and the cells of each report (reports x cells)."""
    decoder = decoder_of(mechanism)
    reports = list(mechanism.sampler.reports())
    cells = np.zeros((len(reports), decoder.cells))
    for row, y in enumerate(reports):
        cells[row, list(decoder.cells_of(y))] += 1
    phi = np.array([np.asarray(decoder.decode(counts)) for counts in cells])
    return np.array(channel_of(mechanism), dtype=float), phi, cells


def check_unbiased(mechanism: Mechanism) -> None:
    """``sum_y Q(y | z) phi_x(y) = 1{x = z}`` for all x and z, and every report counts as one (small domains)."""
    channel, phi, cells = enumerated(mechanism)
    allowed = BIAS * max(1.0, float(np.abs(phi).max()))
    off = np.abs(channel @ phi - np.eye(len(channel)))
    if off.max() > allowed:
        z, x = np.unravel_index(off.argmax(), off.shape)
        raise CheckFailed(f"{mechanism.name}: the share of {x} is off by {off[z, x]:.3g} when everyone holds {z}")
    totals = np.array([np.sum(decoder_of(mechanism).total(counts)) for counts in cells])
    if (totals != 1).any():
        raise CheckFailed(f"{mechanism.name}: the cells of one report count as {totals[totals != 1][0]} reports")


def check_moments(mechanism: Mechanism, *, seed: int = 1) -> None:
    """Second moments, their derivative, cross moments and expected counts equal the enumerated ones (small domains).

    At random shares, adding up to one and to less, and random weights. A derivative must be what replacing
    some mix of the other values by the value itself adds.
    """
    decoder, rng = decoder_of(mechanism), np.random.default_rng(seed)
    channel, phi, cells = enumerated(mechanism)
    for total in (1.0, 0.6):
        shares = total * rng.dirichlet(np.ones(len(channel)))
        law = shares @ channel
        first, second = rng.normal(size=(2, len(channel)))
        compared: dict[str, tuple[Any, Any]] = {
            "expected_counts": (decoder.expected_counts(shares), law @ cells),
            "second_moments": (decoder.second_moments(shares), law @ phi**2),
            "cross_moment": (
                np.sum(decoder.cross_moment(shares, first, second)),
                law @ ((phi @ first) * (phi @ second)),
            ),
        }
        rows = np.stack([first, second])
        compared["cross_moment of rows of weights"] = (
            np.sum(decoder.cross_moment(shares, rows, rows), axis=-1),
            law @ (phi @ rows.T) ** 2,
        )
        weights = rng.normal(size=decoder.cells)
        compared["expected_counts_adjoint"] = (decoder.expected_counts_adjoint(weights), channel @ (cells @ weights))
        for name, (claimed, true) in compared.items():
            _close(mechanism, name, claimed, true)
    _check_derivative(mechanism, rng.dirichlet(np.ones(len(channel))))


def _close(mechanism: Mechanism, name: str, claimed: Any, true: Any) -> None:
    off = np.abs(np.asarray(claimed) - true).max()
    if not off <= CLOSE * max(1.0, float(np.abs(true).max())):
        raise CheckFailed(f"{mechanism.name}: {name} differs from the enumerated one by {off:.3g}")


def _check_derivative(mechanism: Mechanism, shares: Array) -> None:
    channel, phi, _ = enumerated(mechanism)
    derivative = np.asarray(decoder_of(mechanism).second_moment_derivative(shares))
    moments = channel @ phi**2
    for x in range(len(channel)) if len(channel) > 1 else ():
        others = np.delete(moments[:, x], x)
        low, high = moments[x, x] - others.max(), moments[x, x] - others.min()
        room = CLOSE * max(1.0, float(moments[:, x].max()))
        if not low - room <= derivative[x] <= high + room:
            raise CheckFailed(
                f"{mechanism.name}: the derivative at {x} is {derivative[x]:.6g}, not in {low:.6g} .. {high:.6g}"
            )


def check_influence(mechanism: Mechanism) -> None:
    """`influence` bounds the largest coefficient that any report has in any share, within a factor of two."""
    _, phi, _ = enumerated(mechanism)
    claimed, true = decoder_of(mechanism).influence(), float(phi.max())
    if not true * (1 - CLOSE) <= claimed <= 2 * true:
        raise CheckFailed(f"{mechanism.name}: its influence is {true:.6g}; influence() says {claimed:.6g}")
