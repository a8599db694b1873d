"""Features made for one pair of values: its strongest signs combined, and the claimed likelihood ratio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .counting import Mask
from .features import Feature
from .strings import Strings

MAX_RATIOS = 64
"""The most likelihood ratios that are distinguished."""


@dataclass(frozen=True)
class Sign:
    """One set of outcomes of one feature."""

    feature: Feature
    mask: Mask

    def holds(self, batch: Strings) -> NDArray[np.uint8]:
        """1 for every report that has the sign."""
        key = self.feature, self.mask.tobytes()
        return batch.cached(key, lambda: self.mask[self.feature.codes_of(batch)].astype(np.uint8))

    def __str__(self) -> str:
        return self.feature.event(self.mask)


class SignCombination:
    """Which of a few signs a report has: with s signs, 2**s outcomes."""

    def __init__(self, signs: tuple[Sign, ...]) -> None:
        self.signs = signs
        self.size = 1 << len(signs)

    def codes(self, batch: Strings) -> NDArray[np.int64]:
        total = np.zeros(len(batch), dtype=np.uint8)
        for number, sign in enumerate(self.signs):
            total |= sign.holds(batch) << number
        return total.astype(np.int64)

    def event(self, mask: Mask) -> str:
        chosen = [self._combination(int(code)) for code in np.nonzero(mask)[0]]
        return " or ".join(f"({one})" for one in chosen) if len(chosen) > 1 else chosen[0]

    def _combination(self, code: int) -> str:
        return " and ".join(str(s) if code >> i & 1 else f"not {s}" for i, s in enumerate(self.signs))


class Ratio:
    """The likelihood ratio of x against z under the claimed laws, in classes of equal ratio."""

    def __init__(self, law: NDArray[np.float64], other: NDArray[np.float64]) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(law > 0, np.log(law) - np.log(other), -np.inf)
        rounded = np.round(np.where(np.isnan(ratio), -np.inf, ratio), 9)
        self._levels, self._class = np.unique(rounded, return_inverse=True)
        if len(self._levels) > MAX_RATIOS:
            edges = np.unique(np.quantile(rounded, np.linspace(0, 1, MAX_RATIOS), method="lower"))
            self._levels, self._class = edges, np.searchsorted(edges, rounded, side="right") - 1
        self._class = self._class.astype(np.uint8)
        self.size = len(self._levels) + 1

    def codes(self, batch: Strings) -> NDArray[np.int64]:
        reports = batch.head(8)
        known = reports < len(self._class)
        found = self._class[np.where(known, reports, 0)].astype(np.int64)
        return np.where(known, found, self.size - 1)

    def event(self, mask: Mask) -> str:
        levels = [f"{self._levels[code]:.4g}" for code in np.nonzero(mask[:-1])[0]]
        stray = ["not claimed at all"] if mask[-1] else []
        return f"the claimed log likelihood ratio is {' or '.join(levels + stray)}"
