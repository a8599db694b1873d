"""A Wald statistic whose covariance was estimated from few clusters, held against F."""

from __future__ import annotations

from ..statistics.variance_ratio import variance_ratio_tail


def rest_of(freedom: float, rank: int) -> float:
    """The degrees of freedom of the errors that are left for a test of so many at once; below 1 there is none."""
    return freedom - rank + 1


def hotelling_tail(statistic: float, rank: int, freedom: float) -> float:
    """The p-value of ``T = d' C^-1 d``: ``T (f - r + 1) / (f r)`` is F on r and f - r + 1 degrees of freedom.

    f are the degrees of freedom of C, as in Hotelling's test (Korn1990).
    """
    rest = rest_of(freedom, rank)
    return variance_ratio_tail(statistic * rest / (freedom * rank), rank, rest)
