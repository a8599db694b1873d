"""A Wald statistic whose covariance was estimated from few clusters, held against F."""

from __future__ import annotations

from ...estimation.tails import f_tail


def rest_of(rank: int, freedom: float, design: float) -> float:
    """The degrees of freedom of the errors that are left for a test of so many at once; below 1 there is none.

    ``f (D - r + 1) / D`` for errors with f of the D degrees of freedom of the design, units less strata.
    """
    return freedom * (design - rank + 1) / design


def hotelling_tail(statistic: float, rank: int, freedom: float, design: float) -> float:
    """The p-value of ``T = d' C^-1 d``: ``T (D - r + 1) / (D r)`` is F on r and f (D - r + 1) / D degrees of freedom.

    Where all D of the design are those of C, f = D, this is Hotelling's test (Korn1990).
    """
    ratio = statistic * (design - rank + 1) / (design * rank)
    return f_tail(ratio, rank, rest_of(rank, freedom, design))
