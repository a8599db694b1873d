"""What a regression says of people with given labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..reference_distribution import ReferenceDistribution, quantiles
from ..result import CONFIDENCE, Result, label_text

Array = NDArray[np.float64]


def expit(logits: Array) -> Array:
    """The probability with these log-odds."""
    return np.asarray(0.5 * (1 + np.tanh(logits / 2)))


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Result):
    """Estimates for people with given labels, a row each, with the errors of the coefficients.

    `reference` is the reference distribution of each, which is normal where people were not drawn by a design. The
    intervals of shares by log-odds are those of the log-odds, so that they stay between 0 and 1.
    """

    labels: Mapping[str, Sequence[Any]]
    estimates: Array
    stderr: Array
    reference: ReferenceDistribution
    log_odds: bool
    what: str

    def interval(self, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
        """The ends of each estimate's interval."""
        z = quantiles(confidence, self.reference.df)
        if not self.log_odds:
            return self.estimates - z * self.stderr, self.estimates + z * self.stderr
        slope = self.estimates * (1 - self.estimates)
        with np.errstate(divide="ignore", invalid="ignore"):
            centre, reach = np.log(self.estimates / (1 - self.estimates)), z * self.stderr / slope
        return expit(centre - reach), expit(centre + reach)

    @property
    def words(self) -> Sequence[str]:
        return list(self.labels)

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        low, high = self.interval(confidence)
        numbers = {"estimate": self.estimates, "stderr": self.stderr, "low": low, "high": high}
        return {**self.labels, **{name: column.tolist() for name, column in numbers.items()}}

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        told = f"{self.what} for people with these labels; each interval at {confidence:g} confidence"
        return [told, *self.reference.remarks()]

    @property
    def about(self) -> dict[str, Any]:
        return {"of": self.what}

    def plot(self, path: str | Path, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the estimates with their intervals, and save the picture."""
        from ...plots.estimates import plot_estimates

        table = self.table(confidence)
        labels = [name for name in self.labels if name != "value"]
        cells = zip(*(table[name] for name in labels), strict=True) if labels else [()] * len(self.estimates)
        people = [
            ", ".join(f"{name} {label_text(cell)}" for name, cell in zip(labels, row, strict=True)) for row in cells
        ]
        rows = {key: table[key] for key in ("estimate", "low", "high")}
        if "value" in self.labels:
            rows |= {"names": self.labels["value"], "groups": people}
        else:
            rows["names"] = people
        plot_estimates(rows, path, title=title, x_label=self.what, note="; ".join(self.remarks(confidence)))
