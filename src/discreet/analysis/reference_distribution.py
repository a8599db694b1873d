"""What statistics are compared with: Student's t, the normal distribution, and F for several estimates at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import Unavailable
from ..core.tables import p_value
from ..estimation.results.intervals import quantile
from ..estimation.tails import chi_square_tail, f_tail, t_quantile, t_tails

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

FEW_DF = 50.0
"""With fewer degrees of freedom standard errors are made larger by their bias; with more it is no longer seen."""
ROUGH_DF = 4.0
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
    def unclustered(cls, rows: int, df: float = math.inf) -> ReferenceDistribution:
        """The distribution of so many estimates without clusters: normal, unless degrees of freedom are given."""
        return cls(np.ones(rows), np.full(rows, float(df)), df)

    def remarks(self) -> list[str]:
        """What results that were compared with it say of it."""
        least, most = self.df.min(initial=math.inf), self.df.max(initial=0.0)
        if least >= FEW_DF / 2 and not 0 < self.clusters < FEW_DF:
            return []
        df = f"{least:.3g}" if f"{least:.3g}" == f"{most:.3g}" else f"{least:.3g} to {most:.3g}"
        freedom = "degree of freedom" if df == "1" else "degrees of freedom"
        units = f"{self.clusters} clusters" if self.clusters else "few people count for much of some rows"
        remarks = [
            f"{units}: intervals and p-values are those of t on {df} {freedom}, and standard errors allow for so few"
        ]
        if least < ROUGH_DF:
            who = "clusters" if self.clusters else "people"
            remarks.append(
                f"WARNING: fewer than {ROUGH_DF:g} degrees of freedom, as few {who} decide some rows: they are rough, "
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


def degrees(df: int) -> str:
    """So many degrees of freedom, in words."""
    return f"{df} degree{'' if df == 1 else 's'} of freedom"


@dataclass(frozen=True)
class JointTest:
    """A test that several estimates are 0 at once: its statistic, degrees of freedom and p-value.

    `rest` are the degrees of freedom of the errors where people were drawn by a design, and the p-value is of F.
    `permuted_p` is that of the exact test, over `permutations` random orders; None unless one was asked for.
    """

    statistic: float
    df: int
    p: float
    rest: float | None = None
    method: str = "Wald"
    permuted_p: float | None = None
    permutations: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The test as plain data."""
        names = ("statistic", "df", "p", "permuted_p", "permutations", "rest")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        rest = "" if self.rest is None else f", against F with {self.rest:.4g} more for the errors"
        return f"{self.method}: {self.statistic:.4f} on {degrees(self.df)}{rest}, p {p_value(self.p)}"


def chi_square_test(statistic: float, df: int, method: str = "Wald") -> JointTest:
    """The test by a statistic that is chi-square where all estimates are 0."""
    return JointTest(statistic, df, chi_square_tail(statistic, df), method=method)


def f_test(statistic: float, df: int, rest: float, method: str = "Wald") -> JointTest:
    """The test by a statistic that is chi-square, over r degrees of freedom, but for an error on `rest` of them."""
    return JointTest(statistic, df, f_tail(statistic / df, df, rest), rest, method)


def hotelling_test(statistic: float, rank: int, df: float, design_df: float, method: str = "Wald") -> JointTest | None:
    """The test by a statistic ``T = d' C^-1 d`` whose covariance was estimated from few clusters.

    For r estimates whose errors have f of the D degrees of freedom of the design, ``T (D - r + 1) / (D r)`` is F on r
    and f (D - r + 1) / D degrees of freedom; where all D of the design are those of C, f = D, this is Hotelling's test
    (Korn1990). None where the errors have less than one degree of freedom, or nothing is tested.
    """
    rest = df * (design_df - rank + 1) / design_df
    if rest < 1 or not rank:
        return None
    ratio = statistic * (design_df - rank + 1) / (design_df * rank)
    return JointTest(statistic, rank, f_tail(ratio, rank, rest), rest, method)


def joint_test(
    estimates: Array, covariance: Array, df: Array | None = None, design_df: float = math.inf, method: str = "Wald"
) -> JointTest:
    """The test that all of these are 0: ``b' V^-1 b``, chi-square on as many degrees of freedom as there are.

    Where errors have a finite `df`, it is compared with F on their harmonic mean, out of `design_df`. There is none
    where an error is not known, or is 0 because all reports say the same.
    """
    size, inverse = len(estimates), 0.0 if df is None else float((1 / df).mean())
    if not (np.isfinite(covariance).all() and (np.diag(covariance) > 0).all()):
        return JointTest(math.nan, size, math.nan, method=method)
    root, mean = np.sqrt(np.diag(covariance)), 1 / inverse if inverse else math.inf
    scaled = np.linalg.lstsq(covariance / np.outer(root, root), estimates / root, rcond=None)[0]
    statistic = float(scaled @ (estimates / root))
    if math.isinf(mean):
        return chi_square_test(statistic, size, method)
    test = hotelling_test(statistic, size, mean, design_df, method)
    if test is None:
        raise Unavailable(
            f"{size} coefficients are too many to test at once: their errors have {mean:.3g} degrees of freedom"
        )
    return test
