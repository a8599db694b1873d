"""Statistics agree with an enumeration of the channel: no bias, the right moments, counts, scores and likelihoods."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.scores import gather_sums
from ..bulk.words import seeded
from ..core.errors import CheckFailed, InvalidReport
from ..estimation.decoders import decoder_of
from ..mechanisms.mechanism import Mechanism
from .execution import as_integers, must_refuse, some_values
from .law import channel_of, is_small

Array = NDArray[np.float64]

MAX_BIAS = 1e-12
"""The largest bias allowed, in units of the estimator's largest coefficient where that is above one."""

CLOSE = 1e-9
"""The largest relative difference allowed in a moment."""


REPORTS = 60
"""How many reports are drawn to check counts, tallies and scores."""


def some_reports(mechanism: Mechanism, seed: int) -> NDArray[Any]:
    """Reports of the first, the last and random other values."""
    values = some_values(mechanism.context.size, REPORTS, seed)
    return np.asarray(mechanism.randomize_indices(values, seeded(seed)))


@lru_cache(maxsize=8)
def enumerate_channel(mechanism: Mechanism) -> tuple[Array, Array, Array]:
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
    channel, phi, cells = enumerate_channel(mechanism)
    allowed = MAX_BIAS * max(1.0, float(np.abs(phi).max()))
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
    channel, phi, cells = enumerate_channel(mechanism)
    for total in (1.0, 0.6):
        shares = total * rng.dirichlet(np.ones(len(channel)))
        law = shares @ channel
        first, second = rng.normal(size=(2, len(channel)))
        compared: dict[str, tuple[Any, Any]] = {
            "expected_counts": (decoder.expected_counts(shares), law @ cells),
            "second_moments": (decoder.second_moments(shares), law @ phi**2),
        }
        crossed = np.sum(decoder.cross_moment(shares, first, second))
        compared["cross_moment"] = (crossed, law @ ((phi @ first) * (phi @ second)))
        rows = np.stack([first, second])
        crossed = np.sum(decoder.cross_moment(shares, rows, rows), axis=-1)
        compared["cross_moment of rows of weights"] = (crossed, law @ (phi @ rows.T) ** 2)
        weights = rng.normal(size=decoder.cells)
        compared["expected_counts_adjoint"] = (decoder.expected_counts_adjoint(weights), channel @ (cells @ weights))
        for name, (claimed, true) in compared.items():
            off = np.abs(np.asarray(claimed) - true).max()
            if not off <= CLOSE * max(1.0, float(np.abs(true).max())):
                raise CheckFailed(f"{mechanism.name}: {name} differs from the enumerated one by {off:.3g}")
    _check_derivative(mechanism, rng.dirichlet(np.ones(len(channel))))


def _check_derivative(mechanism: Mechanism, shares: Array) -> None:
    channel, phi, _ = enumerate_channel(mechanism)
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


def check_reach(mechanism: Mechanism, *, seed: int = 1) -> None:
    """`reach` is the least and the largest coefficient that any report has in each share, as enumerated.

    Of a single value nothing is asked. And `square_sums`, where there are any, are their squares summed over the
    reports.
    """
    decoder = decoder_of(mechanism)
    _, phi, cells = enumerate_channel(mechanism)
    ends = {"least": phi.min(axis=0), "largest": phi.max(axis=0)}
    for claimed, (name, true) in zip(decoder.reach(), ends.items(), strict=True):
        off = float(np.abs(claimed - true).max()) if len(true) > 1 else 0.0
        if not off <= CLOSE * max(1.0, float(np.abs(true).max())):
            raise CheckFailed(f"{mechanism.name}: the {name} coefficient of a report differs from reach() by {off:.3g}")
    times = np.random.default_rng(seed).integers(0, 4, len(phi))
    sums, true = decoder.square_sums((times @ cells).astype(np.int64)), times @ phi**2
    if sums is not None and not np.allclose(sums, true, rtol=CLOSE, atol=CLOSE * float(np.abs(true).max())):
        raise CheckFailed(f"{mechanism.name}: square_sums() differs from the enumerated sums of squares")


def check_merging(mechanism: Mechanism, *, seed: int = 1) -> None:
    """``+`` is commutative and associative, the empty tally is its zero, and any split gives the same tally."""
    reports = some_reports(mechanism, seed)
    whole = mechanism.tally(reports)
    a, b, c = (mechanism.tally(part) for part in np.split(reports, [7, 30]))
    laws = {
        "a + b = b + a": a + b == b + a,
        "(a + b) + c = a + (b + c)": (a + b) + c == a + (b + c),
        "a + zero = a": a + mechanism.tally() == a == mechanism.tally() + a,
        "the parts add up to the whole": a + b + c == whole == sum([a, b, c]),
        "the order of reports does not matter": mechanism.tally(reports[::-1]) == whole,
        "n counts the reports": whole.n == REPORTS,
    }
    for law, holds in laws.items():
        if not holds:
            raise CheckFailed(f"{mechanism.name}: its tallies break the law: {law}")


def check_counting(mechanism: Mechanism, *, seed: int = 1) -> None:
    """Counting an array, counting a list of integers and adding up `cells_of` give the same counts."""
    decoder, reports = decoder_of(mechanism), some_reports(mechanism, seed)
    listed = as_integers(reports)
    counts = np.bincount([cell for y in listed for cell in decoder.cells_of(y)], minlength=decoder.cells)
    if not np.array_equal(mechanism.tally(reports).counts, counts):
        raise CheckFailed(f"{mechanism.name}: the tally of an array differs from the cells of its reports")
    if mechanism.tally(listed) != mechanism.tally(reports):
        raise CheckFailed(f"{mechanism.name}: the tally of a list of integers differs from that of an array")


def check_scores(mechanism: Mechanism, *, seed: int = 1) -> None:
    """`decode_adjoint` is the adjoint of `decode`, `unit_weights` of `total`, `gather` of `count`; scores are unbiased.

    ``<decode(c), w> = <c, decode_adjoint(w)>`` to 1e-12 for the counts c of reports, whatever their number, and a
    report's score is the sum over its cells. On small domains ``sum_y Q(y | x) score(y) = w[x]``, plain and calibrated
    at any shares.
    """
    decoder, rng = decoder_of(mechanism), np.random.default_rng(seed)
    reports = some_reports(mechanism, seed)
    counts = mechanism.tally(reports).counts
    w = rng.normal(size=decoder.size)
    entries = np.asarray(decoder.decode_adjoint(w))
    decoded = np.asarray(decoder.decode(counts))
    scale = np.abs(decoded) @ np.abs(w)
    _close_scores(mechanism, "decode(counts) . w", float(decoded @ w), float(counts @ entries), scale)
    rows = np.stack([w, rng.normal(size=len(w))])
    _close_scores(mechanism, "decode_adjoint of rows", decoder.decode_adjoint(rows)[0], entries, np.abs(entries).max())
    listed = [list(decoder.cells_of(y)) for y in as_integers(reports)]
    weights = np.asarray(decoder.unit_weights())
    sums = [weights[cells].sum() for cells in listed]
    _close_scores(mechanism, "the sum of `unit_weights` over the cells of a report", sums, 1.0, 1.0)
    summed = np.array([entries[cells].sum() for cells in listed])
    scale = np.abs(entries).max() * max(map(len, listed))
    _close_scores(mechanism, "what `gather` finds", gather_sums(decoder, entries, reports), summed, scale)
    _close_scores(mechanism, "a score", mechanism.score(reports, w), summed, scale)
    if is_small(mechanism):
        _check_unbiased(mechanism, w, rng.dirichlet(np.ones(len(w))))


def _check_unbiased(mechanism: Mechanism, w: Array, shares: Array) -> None:
    channel = np.array(channel_of(mechanism), dtype=float)
    for name, at in (("score", None), ("calibrated score", shares)):
        scores = mechanism.score(mechanism.reports(), w, shares=at)
        _close_scores(mechanism, f"the mean {name}", channel @ scores, w, np.abs(scores).max(), MAX_BIAS)
    _check_refused(mechanism, "score", lambda y: mechanism.score([y], w))


def check_columns(mechanism: Mechanism) -> None:
    """`columns` are those of the channel, each up to a factor; impossible reports are refused (small domains)."""
    channel = np.array(channel_of(mechanism), dtype=float)
    columns = mechanism.columns(mechanism.reports())
    if columns.shape != channel.T.shape or not (columns >= 0).all() or not (columns.max(axis=1) > 0).all():
        raise CheckFailed(f"{mechanism.name}: columns() must be one row of likelihoods for each report, none negative")
    claimed, true = (part / part.max(axis=1, keepdims=True) for part in (columns, channel.T))
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
            message = f"{mechanism.name}: {name}() accepts the impossible report {y}"
            must_refuse(partial(ask, y), InvalidReport, message)


def _close_scores(mechanism: Mechanism, what: str, claimed: Any, true: Any, scale: Any, allowed: float = 1e-12) -> None:
    off = float(np.abs(np.asarray(claimed) - np.asarray(true)).max())
    if not off <= allowed * max(1.0, float(scale)):
        raise CheckFailed(f"{mechanism.name}: {what} is off by {off:.3g}")
