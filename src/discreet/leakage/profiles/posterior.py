"""What one report tells of the person who sent it: the Bayes success, and the range of the posterior of a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.domain import Alike
from ...estimation.arrays.layout import Array

if TYPE_CHECKING:
    from .profile import Profile

MAX_ENTRIES = 1 << 22
"""The most entries of a channel that are looked at for a guess."""

MAX_EXACT_ENTRIES = 1 << 16
"""The same where each is worked out exactly, one by one."""


class PosteriorRange(NamedTuple):
    """What reports tell of a value x.

    Among those who send any one report that x may write, at least `least` and at most `most` hold x. A report *points
    to* x if it is likelier from somebody who holds x; they write one with probability `own`, others with `other`.
    """

    least: float
    most: float
    own: float
    other: float


def rows_of(profile: Profile[Any], values: Sequence[int]) -> Iterator[Array] | None:
    """The laws of some values as rows of floats, one after the other; None where there are too many reports."""
    sampler, decoder = profile.sampler, profile.decoder
    if decoder.disjoint and decoder.cells == sampler.outputs:
        return (_law_of(profile, x) for x in values)
    if sampler.outputs * len(values) > MAX_EXACT_ENTRIES:
        return None
    reports = list(sampler.reports())
    return (np.array([float(sampler.probability(x, y)) for y in reports]) for x in values)


def _law_of(profile: Profile[Any], x: int) -> Array:
    one = np.zeros(profile.sampler.size)
    one[x] = 1.0
    return np.maximum(profile.decoder.expected_counts(one), 0.0)


def bayes_success(profile: Profile[Any], shares: Array, *, least: float = 0.0) -> float | None:
    """sum_y max_x p_x Q(y|x), or `least` where that is more, the likeliest value first; None where that is too much.

    Where all values have laws of one kind it stops as soon as no other value can be likelier for any report.
    """
    sampler = profile.sampler
    order = sorted(range(sampler.size), key=lambda x: -float(shares[x]))
    rows = rows_of(profile, order)
    alike = isinstance(sampler.class_of, Alike)
    if rows is None or (sampler.outputs * sampler.size > MAX_ENTRIES and not alike):
        return None
    best, largest = np.zeros(1), 0.0
    for number, (x, row) in enumerate(zip(order, rows, strict=True)):
        largest = max(largest, float(row.max()))
        best = best if number else 0 * row + least
        if alike and number % 16 == 0 and float(best.min()) >= float(shares[x]) * largest * (1 - 1e-12):
            break
        if alike and number * sampler.outputs > 16 * MAX_ENTRIES:
            best = np.maximum(best, float(shares[x]) * largest)  # an upper bound on all that is left
            break
        best = np.maximum(best, float(shares[x]) * row)
    return min(1.0, float(best.sum()))


def posterior_range(profile: Profile[Any], x: int, shares: Array) -> PosteriorRange | None:
    """What reports tell of x, by looking at each; None where there are too many."""
    sampler, decoder, share = profile.sampler, profile.decoder, float(shares[x])
    if decoder.disjoint and decoder.cells == sampler.outputs:
        row, everyone = _law_of(profile, x), np.maximum(decoder.expected_counts(shares), 0.0)
    else:
        rows = rows_of(profile, range(sampler.size))
        if rows is None:
            return None
        laws = list(rows)
        row, everyone = laws[x], sum((float(p) * law for p, law in zip(shares, laws, strict=True)), np.zeros(1))
    seen = row > 0
    row, everyone = row[seen], np.maximum(everyone[seen], share * row[seen])
    posterior = share * row / everyone if share else 0 * row
    others = np.maximum(everyone - share * row, 0.0) / max(1 - share, 1e-300)
    pointing = row > others * (1 + 1e-9)
    own, other = float(row[pointing].sum()), float(others[pointing].sum())
    return PosteriorRange(float(posterior.min()), min(1.0, float(posterior.max())), own, other)


def gained(guess: float, without: float) -> str:
    """What a guess gains from one report, in people of 100."""
    right, before = hundred(guess), hundred(without)
    return f"A guess of somebody's value from one report is right {right} times in 100 instead of {before}."


def hundred(share: float) -> str:
    """A share as a number of 100 people: the nearest whole one, with a digit more where it is below one."""
    return f"{100 * share:.0f}" if 100 * share >= 0.95 or not share else f"{100 * share:.1g}"
