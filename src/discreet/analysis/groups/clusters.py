"""The reference distribution of means of groups and of their differences, where people were drawn by a design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import codes_of
from ..reference_distribution import ReferenceDistribution
from ..survey.few_clusters import Clusters
from ..survey.sampling import Codes, Drawn
from ..survey.survey import Survey

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GroupClusters:
    """The parts of groups in clusters: for each cluster and group the sum of ``w / sum w`` and that of its square.

    `spread` is the variance of a score in each group, and `within` the correlation inside clusters.
    """

    drawn: Drawn
    parts: Array
    squares: Array
    spread: Array
    within: float

    @classmethod
    def of(cls, drawn: Drawn, codes: Codes, part: Array, spread: Array, within: float) -> GroupClusters:
        """The same from the group of each person, and their part of its weight."""
        size = len(spread)
        if drawn.alone:
            return cls(drawn, np.zeros((0, size)), np.zeros((0, size)), spread, 0.0)
        cells, shape = drawn.unit_of * size + codes, (drawn.units, size)
        sums, squares = (
            np.asarray(np.bincount(cells, one, minlength=drawn.units * size), dtype=float).reshape(shape)
            for one in (part, part**2)
        )
        return cls(drawn, sums, squares, spread, within)

    def reference(self, combinations: Sequence[Sequence[int]]) -> ReferenceDistribution:
        """That of the mean of each group, given as one number, or of the difference of two groups."""
        if self.drawn.alone:
            return ReferenceDistribution.even(len(combinations), self.drawn.df)
        found = [self._reference(list(groups)) for groups in combinations]
        factor, df = (np.array([getattr(one, name)[0] for one in found]) for name in ("factor", "df"))
        return ReferenceDistribution(factor, df, self.drawn.df, self.drawn.units)

    def _reference(self, groups: list[int]) -> ReferenceDistribution:
        """Means of groups are the coefficients of a regression on which group people are of: products are diagonal."""
        parts, squares, unit = self.parts[:, groups], self.squares[:, groups], np.eye(len(groups))
        scale = np.sqrt(self.spread[groups])
        clusters = Clusters(
            parts[:, :, None] * unit,
            squares[:, :, None] * unit * scale**2,
            parts * scale,
            self.drawn.layer_of,
            self.within,
        )
        return clusters.reference(np.array([[1.0, -1.0][: len(groups)]]))


def mean_reference(survey: Survey) -> ReferenceDistribution:
    """The reference distribution of a mean over all people of a survey, in one row.

    How far answers go together in clusters is not asked: of none and all, it is the one with less df.
    """
    if survey.weights is None and survey.clusters is None and survey.strata is None:
        return ReferenceDistribution.even(1)
    weights = np.ones(survey.n) if survey.weights is None else survey.weights
    clusters, strata = (None if one is None else codes_of(one)[1] for one in (survey.clusters, survey.strata))
    drawn, nobody = Drawn(survey.n, clusters, strata), np.zeros(survey.n, dtype=np.int64)
    references = [
        GroupClusters.of(drawn, nobody, weights / weights.sum(), np.ones(1), r).reference([(0,)]) for r in (0.0, 1.0)
    ]
    return min(references, key=lambda reference: float(reference.df[0]))
