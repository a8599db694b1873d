"""Tails and quantiles of the t, F, chi-square and binomial distributions, from SciPy's special functions.

`scipy.special` is what `scipy.stats` is made of and takes a third of the time to import.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]

SLACK = 1e-7
"""Binomial limits are for a level lower by this part: more than the relative rounding error of a tail probability of
up to a million trials, which is 4e-8 at a level of 1e-40. It grows with the trials beyond."""


def chi_square_tail(x: float, df: float) -> float:
    """The probability that a chi-square variable on `df` degrees of freedom is above x; 1 where df is 0."""
    return float(special.chdtrc(df, max(x, 0.0))) if df > 0 or math.isnan(x) else 1.0


def f_tail(x: float, numerator_df: float, denominator_df: float) -> float:
    """The probability that F on these degrees of freedom is above x."""
    return float(special.fdtrc(numerator_df, denominator_df, max(x, 0.0)))


def t_tails(t: Any, df: Any) -> Array:
    """The probability that Student's t is at least as far from 0 as `t`, on either side; nan where t is."""
    return np.asarray(2 * special.stdtr(df, -np.abs(t)))


def t_quantile(tails: float, df: Any) -> Array:
    """The t that Student's t is at least away from 0 with the probability `tails`, for finite degrees of freedom.

    ``t**2 = df y / x`` with ``I_x(df / 2, 1 / 2) = tails`` and y = 1 - x, both found without cancellation;
    `special.stdtrit` has the wrong sign at 1e-300.
    """
    half = np.asarray(df, dtype=float) / 2
    x, y = special.betaincinv(half, 0.5, tails), special.betainccinv(0.5, half, tails)
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(2 * half * y / x))


def binomial_lower(hits: Any, trials: int, level: float) -> Array:
    """The p with ``Pr(X >= hits) = level`` for X ~ Bin(trials, p): below the true chance except with chance `level`.

    ``Pr(X >= s) = I_p(s, n - s + 1)``; the limit is rounded outward. References: Clopper1934.
    """
    s = np.asarray(hits, dtype=float)
    safe = level * (1 - SLACK * max(1.0, trials / 1e6))
    return np.where(s > 0, special.betaincinv(np.maximum(s, 1.0), trials - np.maximum(s, 1.0) + 1, safe), 0.0)


def binomial_upper(hits: Any, trials: int, level: float) -> Array:
    """The p with ``Pr(X <= hits) = level``: above the true chance except with chance `level`; see `binomial_lower`."""
    missed = binomial_lower(trials - np.asarray(hits, dtype=float), trials, level)
    return np.where(missed > 0, np.nextafter(1 - missed, 1.0), 1.0)
