"""Does shrinking pay? Stein's unbiased estimate of the squared error it saves over block projection."""

import numpy as np

from .normal_tail import FloatArray
from .posterior import IntArray, Readings


def saving(
    readings: Readings, block: IntArray, means: FloatArray, slopes: FloatArray, projected: FloatArray
) -> tuple[float, float]:
    """Estimated squared error of the projection minus that of the means, and the standard error of this difference.

    The squared error of f(y) is estimated by sum_i (f_i - y_i)^2 + 2 sigma_i^2 df_i/dy_i - sigma_i^2. In a block with s positive
    projected counts dp_i/dy_i is 1 - 1/s for those and 0 for the others; slopes are dm_i/dy_i. The difference of two estimates
    has standard error 2 (sum_i sigma_i^2 (m_i - p_i)^2)^(1/2) about the truth.
    """
    kept = projected > 0
    positive = np.bincount(block, kept)[block]
    flat = np.where(kept, 1 - 1 / np.maximum(positive, 1), 0.0)
    variance = readings.sigma**2
    gain = (projected - readings.count) ** 2 - (means - readings.count) ** 2 + 2 * variance * (flat - slopes)
    return float(gain.sum()), 2 * float(np.sqrt(np.sum(variance * (means - projected) ** 2)))
