"""What one report tells of the person who sent it: the best guess, and what it makes of the share of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.domain import Alike

if TYPE_CHECKING:
    from ..estimation.arrays.numeric import Array, Numeric
    from .randomizer import Randomizer

ENTRIES = 1 << 22
"""The most entries of a channel that are looked at for a guess."""

LISTED = 1 << 16
"""The same where each is worked out exactly, one by one."""


class Telling(NamedTuple):
    """What reports tell of a value x.

    Among those who send any one report that x may write, at least `least` and at most `most` hold x. A report *points
    to* x if it is likelier from somebody who holds x; they write one with probability `own`, others with `other`.
    """

    least: float
    most: float
    own: float
    other: float


def rows_of(randomizer: Randomizer, values: Any, ops: Numeric) -> Any:
    """The laws of some values as rows of floats, one after the other; None where there are too many reports."""
    if randomizer.disjoint and randomizer.cells == randomizer.outputs:
        return (_pushed(randomizer, x, ops) for x in values)
    if randomizer.outputs * len(values) > LISTED:
        return None
    reports = list(randomizer.reports())
    return (ops.array([float(randomizer.probability(x, y)) for y in reports]) for x in values)


def _pushed(randomizer: Randomizer, x: int, ops: Numeric) -> Array:
    one = ops.zeros(randomizer.size)
    one[x] = 1.0
    return ops.maximum(randomizer.push(one, ops), 0.0)


def best_guess(randomizer: Randomizer, shares: Array, ops: Numeric, *, least: float = 0.0) -> float | None:
    """sum_y max_x p_x Q(y|x), or `least` where that is more, the likeliest value first; None where that is too much.

    Where all values have laws of one kind it stops as soon as no other value can be likelier for any report.
    """
    order = sorted(range(randomizer.size), key=lambda x: -float(shares[x]))
    rows = rows_of(randomizer, order, ops)
    alike = isinstance(randomizer.labels, Alike)
    if rows is None or (randomizer.outputs * randomizer.size > ENTRIES and not alike):
        return None
    best, largest = ops.zeros(1), 0.0
    for number, (x, row) in enumerate(zip(order, rows, strict=True)):
        largest = max(largest, float(row.max()))
        best = best if number else 0 * row + least
        if alike and number % 16 == 0 and float(best.min()) >= float(shares[x]) * largest * (1 - 1e-12):
            break
        if alike and number * randomizer.outputs > 16 * ENTRIES:
            best = ops.maximum(best, float(shares[x]) * largest)  # an upper bound on all that is left
            break
        best = ops.maximum(best, float(shares[x]) * row)
    return min(1.0, float(best.sum()))


def told_of(randomizer: Randomizer, x: int, shares: Array, ops: Numeric) -> Telling | None:
    """What reports tell of x, by looking at each; None where there are too many."""
    share = float(shares[x])
    if randomizer.disjoint and randomizer.cells == randomizer.outputs:
        row, everyone = _pushed(randomizer, x, ops), ops.maximum(randomizer.push(shares, ops), 0.0)
    else:
        rows = rows_of(randomizer, range(randomizer.size), ops)
        if rows is None:
            return None
        laws = list(rows)
        row, everyone = laws[x], sum((float(p) * law for p, law in zip(shares, laws, strict=True)), ops.zeros(1))
    seen = row > 0
    row, everyone = row[seen], ops.maximum(everyone[seen], share * row[seen])
    posterior = share * row / everyone if share else 0 * row
    others = ops.maximum(everyone - share * row, 0.0) / max(1 - share, 1e-300)
    pointing = row > others * (1 + 1e-9)
    own, other = float(row[pointing].sum()), float(others[pointing].sum())
    return Telling(float(posterior.min()), min(1.0, float(posterior.max())), own, other)


def gained(guess: float, without: float) -> str:
    """What a guess gains from one report, in people of 100."""
    right, before = hundred(guess), hundred(without)
    return f"A guess of somebody's value from one report is right {right} times in 100 instead of {before}."


def hundred(share: float) -> str:
    """A share as a number of 100 people: the nearest whole one, with a digit more where it is below one."""
    return f"{100 * share:.0f}" if 100 * share >= 0.95 or not share else f"{100 * share:.1g}"
