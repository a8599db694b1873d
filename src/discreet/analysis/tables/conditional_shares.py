"""Shares of one answer among the people who gave another: a ratio of two cells of a joint table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.domain import Value
from ...core.errors import Unavailable, shown
from ..reference_distribution import ReferenceDistribution, quantiles
from ..result import CONFIDENCE, Result
from .paired_answers import PairedAnswers

Array = NDArray[np.float64]

SURE = 3.0
"""A share that is so many standard errors above 0 may be divided by."""


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalShares(Result):
    """The shares of one question's answers among the people who gave `answer` to the other, and standard errors.

    `among` is the share of these people and its standard error.
    """

    name: str
    values: tuple[Value, ...]
    shares: Array
    stderr: Array
    other: str
    answer: Value
    among: tuple[float, float]
    n: int
    reference: ReferenceDistribution

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        """A row for each answer."""
        half = quantiles(confidence, self.reference.df) * self.stderr
        low, high = self.shares - half, self.shares + half
        numbers = {"estimate": self.shares, "stderr": self.stderr, "low": low, "high": high}
        return {self.name: list(self.values)} | {name: column.tolist() for name, column in numbers.items()}

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        """Among whom the shares are, and how well that is known."""
        share, error = self.among
        said = [
            f"among the people whose {self.other} is {self.answer}: a share of {share:.4f} (stderr {error:.4f}) "
            f"of {self.n:,}; each interval at {confidence:g} confidence",
            *self.reference.remarks(),
        ]
        if share < SURE * error:
            said.append("WARNING: hardly anybody may have given that answer, so these ratios can be far off")
        return said

    @property
    def about(self) -> dict[str, Any]:
        """What is said beside the table."""
        return {
            "method": "ratio of cells",
            "n": self.n,
            "given": {self.other: self.answer},
            "among": {"estimate": self.among[0], "stderr": self.among[1]},
        }

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the shares with their intervals."""
        from ...plots import plot_shares

        found = self.table(confidence)
        panel = {"values": found[self.name], "shares": found["estimate"], "low": found["low"], "high": found["high"]}
        plot_shares(panel, path, title=title or f"{self.name}, given {self.other} = {self.answer}")


def given_answer(pairs: PairedAnswers, names: tuple[str, str], side: int, place: int) -> ConditionalShares:
    """The shares of the other question's answers given the one numbered `place` of question `side`.

    ``r_z = p_xz / p_x``, with the standard error of the linear terms ``(t_xz - r_z t_x) / p_x``.
    """
    other = 1 - side
    count = pairs.shape[other]
    terms = np.empty((pairs.n, count))
    for rows, block in pairs.blocks():
        held = block.reshape(-1, *pairs.shape)
        terms[rows] = held[:, place, :] if side == 0 else held[:, :, place]
    cells, all_terms = pairs.weights @ terms, terms.sum(axis=1)
    total = float(cells.sum())
    answer = pairs.values[side][place]
    if total <= 0:
        raise Unavailable(f"{names[side]}={shown(answer)}: the estimated share of people who gave it is not above 0")
    shares = cells / total
    linear = (terms - shares * all_terms[:, None]) / total
    stderr = np.sqrt([pairs.covariance(column[:, None])[0, 0] for column in linear.T])
    among = total, float(np.sqrt(pairs.covariance((all_terms - total)[:, None])[0, 0]))
    return ConditionalShares(
        names[other], pairs.values[other], shares, stderr, names[side], answer, among, pairs.n, pairs.reference
    )
