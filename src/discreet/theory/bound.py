"""One line of a table of bounds: a number, what it bounds, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["lower", "upper", "attained"]


@dataclass(frozen=True)
class Bound:
    """A named number with its direction and source.

    `kind` says what is known about the best possible error: no mechanism is below a *lower* bound, some
    mechanism is at or below an *upper* bound, and *attained* is the error of a named mechanism. `vacuous`
    is true if the number says no more than the definition of the quantity does, such as a lower bound of zero
    or a total variation of at most one; the number is kept, and a table should say so.
    """

    name: str
    value: float
    kind: Kind
    reference: str
    vacuous: bool
    note: str


def lower(name: str, value: float, reference: str, *, note: str = "") -> Bound:
    """A lower bound on a non-negative quantity, cut at zero, where it is vacuous."""
    return Bound(name, max(value, 0.0), "lower", reference, not value > 0, note)


def upper(name: str, value: float, reference: str, *, trivial: float, note: str = "") -> Bound:
    """An upper bound, vacuous if it is no better than `trivial`, the largest possible value."""
    return Bound(name, value, "upper", reference, not value < trivial, note)
