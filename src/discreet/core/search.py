"""Where a function of one number that falls and then rises is least."""

from __future__ import annotations

from collections.abc import Callable


def least_between(value: Callable[[float], float], low: float, high: float, *, steps: int) -> float:
    """The place between `low` and `high` where `value` is least, for a function that falls and then rises.

    Each step leaves out a third of the interval, so the place is known to ``(2/3)**steps`` of it.
    """
    for _ in range(steps):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if value(left) < value(right):
            high = right
        else:
            low = left
    return (low + high) / 2
