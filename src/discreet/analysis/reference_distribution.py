"""What statistics are compared with: Student's t, the normal distribution, and F for several estimates at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..estimation.results.intervals import quantile
from ..estimation.tails import f_tail, t_quantile, t_tails

Array = NDArray[np.float64]

FEW_CLUSTERS = 50
"""With fewer clusters standard errors are made larger by their bias; with more it is no longer seen."""
FEW_DF = 4.0
"""With fewer degrees of freedom t itself is rough: tests then reject too rarely rather than too often."""


@dataclass(frozen=True, eq=False)
class ReferenceDistribution:
    """The distribution that each estimate over its error is compared with: t on `df`, infinite for the normal one.

    Linearised standard errors are to be multiplied by `factor`.

    `clusters` is their number, 0 where people were not drawn in clusters, and `design_df` the degrees of freedom that
    they would have if all were alike: units less strata.
    """

    factor: Array
    df: Array
    design_df: float
    clusters: int = 0

    @classmethod
    def even(cls, rows: int, df: float = math.inf) -> ReferenceDistribution:
        """That of so many estimates without clusters: the normal one, unless degrees of freedom are given."""
        return cls(np.ones(rows), np.full(rows, float(df)), df)

    def remarks(self) -> list[str]:
        """What is said of results that it was used for."""
        clusters, least, most = self.clusters, self.df.min(initial=math.inf), self.df.max(initial=0.0)
        if not clusters or (clusters >= FEW_CLUSTERS and least >= FEW_CLUSTERS / 2):
            return []
        df = f"{least:.3g}" if f"{least:.3g}" == f"{most:.3g}" else f"{least:.3g} to {most:.3g}"
        remarks = [
            f"{clusters} clusters: intervals and p-values are those of t on {df} degrees of freedom"
            + (", and standard errors allow for so few" if clusters < FEW_CLUSTERS else "")
        ]
        if least < FEW_DF:
            remarks.append(
                f"WARNING: fewer than {FEW_DF:g} degrees of freedom, as few clusters decide some rows: they are rough, "
                "and only a very large difference is seen there"
            )
        return remarks


def two_sided(t: Any, df: Any = np.inf) -> Any:
    """Two-sided p-values of statistics on so many degrees of freedom each; nan where there is none."""
    return t_tails(t, df)


def quantiles(confidence: float, df: Any = np.inf) -> Any:
    """The t with ``Pr(|T| <= t) = confidence`` for so many degrees of freedom each."""
    normal, finite = quantile(confidence), np.isfinite(df)
    return np.where(finite, t_quantile(float(1 - confidence), np.where(finite, df, 1.0)), normal)


def denominator_df(rank: int, df: float, design_df: float) -> float:
    """The degrees of freedom of the errors in a test of several estimates at once; below 1 there is no test.

    ``f (D - r + 1) / D`` for r estimates whose errors have f of the D degrees of freedom of the design.
    """
    return df * (design_df - rank + 1) / design_df


def hotelling_tail(statistic: float, rank: int, df: float, design_df: float) -> float:
    """The p-value of a Wald statistic ``T = d' C^-1 d`` whose covariance was estimated from few clusters.

    ``T (D - r + 1) / (D r)`` is F on r and f (D - r + 1) / D degrees of freedom; where all D of the design are those of
    C, f = D, this is Hotelling's test (Korn1990).
    """
    ratio = statistic * (design_df - rank + 1) / (design_df * rank)
    return f_tail(ratio, rank, denominator_df(rank, df, design_df))
