"""The confidence distribution of a mean of scores: skewed where few reports tell, normal where many do.

Every report weighs a gamma variable (the Bayesian bootstrap), and two pseudo-reports stand at the largest and at the
smallest score that any report could have. They weigh 1/2 each, as in Jeffreys' interval, moving to 1 and 0, as in that
of Clopper and Pearson, where reports of that size are few. For scores of two values this is between these two
intervals; ends are found by a saddlepoint formula, without tables.

References: Rubin1981, Jeffreys1946, Clopper1934, BarndorffNielsen1986.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

HALF = 0.6744897501960817
"""The normal quantile of confidence one half; ends of less confidence are drawn from there to the value."""
FEW = 4.0
"""How many reports of the largest size make the weight of the pseudo-report there 3/4."""
MIN_TELLING = 4.0
"""Estimates that fewer reports tell of are remarked on."""
PRECISION = 1e-10
"""How near to the quantile ends are sought."""
ROUNDING = 1e-12
"""A variance that is a smaller part of what one report would make is 0 but for rounding."""
LOWEST, HIGHEST = -9.0, 12.0
"""Between which logarithms of the saddlepoint, in standard deviations, an end is sought."""
MAX_STEPS = 60


@dataclass(frozen=True, eq=False)
class _Tails:
    """Gamma variables above and below the mean, their shapes and scales a row each, with a normal part and a shift."""

    shift: Array
    normal: Array
    shapes: tuple[Array, Array]
    scales: tuple[Array, Array]

    @cached_property
    def deviation(self) -> Array:
        """The standard deviation."""
        squares = sum((shape * scale**2).sum(axis=0) for shape, scale in zip(self.shapes, self.scales, strict=True))
        return np.asarray(np.sqrt(self.normal + squares))

    @cached_property
    def _largest(self) -> Array:
        return np.asarray(self.scales[0].max(axis=0, initial=0.0))

    def at(self, s: Array) -> tuple[Array, Array]:
        """K'(t) and ``r* = r + ln(v / r) / r`` at ``t = s / (sd + s largest scale)``.

        ``K(t) = shift t + V t**2 / 2 - sum shape ln(1 - scale t)``, scales below the mean being negative,
        ``r = sqrt(2 (t K' - K))`` and ``v = t sqrt(K'')``.
        """
        sd = np.where(self.deviation > 0, self.deviation, 1.0)
        whole = sd + s * self._largest
        t = s / whole
        slope, bend, excess = self.shift + self.normal * t, self.normal + 0.0, self.normal * t**2 / 2
        (above, below), (up, down) = self.shapes, self.scales
        terms = (
            (above, up, (sd + s * (self._largest - up)) / whole),
            (below, -down, 1 + down * t),
        )
        for shape, scale, left in terms:
            ratio = scale / left
            slope = slope + (shape * ratio).sum(axis=0)
            bend = bend + (shape * ratio**2).sum(axis=0)
            excess = excess + (shape * (ratio * t + np.log(left))).sum(axis=0)
        r = np.sqrt(2 * np.maximum(excess, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            root = r + np.log(t * np.sqrt(bend) / r) / r
        return slope, np.where(r > 0, root, 0.0)


@dataclass(frozen=True, eq=False)
class ScoreLaw:
    """The confidence distribution of means of scores, or of sums of independent ones; a query in each column.

    For every independent sample, a row each, in the units of the value: gamma variables with the second and third
    moment of the reports above and below the mean (`above` and `below`, pairs of shapes and scales), a `normal`
    variance, and how far the largest and the smallest score are (`most`, `least`). `limits` are those of the value.
    """

    value: Array
    above: tuple[Array, Array]
    below: tuple[Array, Array]
    normal: Array
    most: Array
    least: Array
    limits: tuple[Array, Array]
    variance: Array
    """The variance of the value, in which nothing was cut or projected; infinite where one report is all there is."""

    def __len__(self) -> int:
        return len(self.value)

    @cached_property
    def stderr(self) -> Array:
        """The standard error of the value; the interval is not symmetric, and wider where few reports tell."""
        return np.sqrt(self.variance)

    @cached_property
    def telling(self) -> Array:
        """How many reports of the largest size would have this variance, on the side where they are fewer."""
        sums = self._sums
        with np.errstate(divide="ignore", invalid="ignore"):
            counts = np.stack([sums / self.most**2, sums / self.least**2])
        return np.asarray(np.where(np.isfinite(counts), counts, np.inf).min(axis=(0, 1)))

    @cached_property
    def _sums(self) -> Array:
        """The variance of the sum of the scores, a row for each sample."""
        parts = (shape * scale**2 for shape, scale in (self.above, self.below))
        return np.asarray(sum(parts, self.normal))

    def _tails(self, upper: bool) -> _Tails:
        """The distribution on the side of one end."""
        (near, far), (out, back) = (
            ((self.above, self.below), (self.most, self.least))
            if upper
            else ((self.below, self.above), (self.least, self.most))
        )
        weights = [
            2 / (FEW + np.divide(self._sums, side**2, out=np.full_like(side, np.inf), where=side > 0))
            for side in (out, back)
        ]
        shift = (far[0] * far[1] - near[0] * near[1]).sum(axis=0)
        shapes = np.concatenate([near[0], 0.5 + weights[0]]), np.concatenate([far[0], 0.5 - weights[1]])
        scales = np.concatenate([near[1], out]), np.concatenate([far[1], back])
        return _Tails(shift, self.normal.sum(axis=0), shapes, scales)

    def ends(self, z: Any) -> tuple[Array, Array]:
        """The low and the high end for a normal quantile, or one for each query; they hold the value.

        ``high = value + K'(t)`` where ``r*(t) = z``, within `limits`; low likewise, with the sides exchanged.
        """
        z = np.broadcast_to(np.asarray(z, dtype=float), self.value.shape)
        down, up = (_distance(self._tails(upper), z) for upper in (False, True))
        low, high = np.maximum(self.value - down, self.limits[0]), np.minimum(self.value + up, self.limits[1])
        return np.minimum(low, self.value), np.maximum(high, self.value)

    def z_scores(self, null: Any = 0.0) -> Array:
        """The normal quantile at which an end comes to `null`, with the sign of the value less `null`."""
        null = np.broadcast_to(np.asarray(null, dtype=float), self.value.shape)
        gap = np.abs(self.value - null)
        upper = null > self.value
        z = np.where(upper, _quantile_at(self._tails(True), gap), _quantile_at(self._tails(False), gap))
        return np.asarray(np.where(gap > 0, np.where(upper, -z, z), 0.0))

    def p_values(self, null: Any = 0.0) -> Array:
        """Two-sided p-values of the value being `null`: 1 less the confidence at which an end comes to it."""
        from scipy import special  # 0.4 s, which shares alone do without

        return np.asarray(2 * special.ndtr(-np.abs(self.z_scores(null))))

    def rescaled(self, variance: Array) -> ScoreLaw:
        """The same distribution with another variance: that of people drawn from a finite population, say.

        Where all reports are alike, so that the variance is 0, it stays as it is.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            one = (self.most**2 + self.least**2).sum(axis=0)  # what a report of another size would add, or more
            known = (self.variance > ROUNDING * one) & np.isfinite(self.variance)
            factor = np.where(known, np.sqrt(np.maximum(variance, 0.0) / self.variance), 1.0)
        (a, b), (c, d) = self.above, self.below
        above, below = (a, b * factor), (c, d * factor)
        sizes = {"normal": self.normal * factor**2, "most": self.most * factor, "least": self.least * factor}
        return replace(self, above=above, below=below, **sizes, variance=self.variance * factor**2)

    def __getitem__(self, queries: Any) -> ScoreLaw:
        """The distribution of some of the queries."""
        (a, b), (c, d), (low, high) = self.above, self.below, self.limits
        return ScoreLaw(
            self.value[queries],
            (a[:, queries], b[:, queries]),
            (c[:, queries], d[:, queries]),
            self.normal[:, queries],
            self.most[:, queries],
            self.least[:, queries],
            (low[queries], high[queries]),
            self.variance[queries],
        )


def remark_on_few(laws: Sequence[ScoreLaw], what: str) -> list[str]:
    """A remark on the estimates of which few reports tell, if there are any; `what` says what they are."""
    telling = np.concatenate([law.telling for law in laws]) if laws else np.zeros(0)
    few = int((telling < MIN_TELLING).sum())
    if not few:
        return []
    some = f"{few:,} of the {len(telling):,} {what}" if len(telling) > 1 else f"the {what.removesuffix('s')}"
    return [f"WARNING: fewer than {MIN_TELLING:g} reports tell of {some}, whose intervals are rough and long for that"]


def _distance(tails: _Tails, z: Array) -> Array:
    """How far the end of a side is for each z; in proportion to z below that of confidence one half."""
    known = np.maximum(z, HALF)
    s = _solve(lambda s: tails.at(s)[1] - known, np.log(known), z.shape)
    away = np.where(tails.deviation > 0, np.maximum(tails.at(s)[0], 0.0), 0.0)
    return np.asarray(away * np.minimum(z / HALF, 1.0))


def _quantile_at(tails: _Tails, distance: Array) -> Array:
    """The z whose end is this far away: the inverse of `_distance`."""
    half = _distance(tails, np.full(distance.shape, HALF))
    scale = np.where(tails.deviation > 0, tails.deviation, 1.0)
    start = np.log(np.clip(distance / scale, 1e-3, 1e3))
    s = _solve(lambda s: (tails.at(s)[0] - distance) / scale, start, distance.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.where(half > 0, HALF * distance / half, np.inf)
    return np.where(distance > half, np.maximum(tails.at(s)[1], HALF), near)


def _solve(excess: Any, start: Array, shape: tuple[int, ...]) -> Array:
    """The s at which a growing function of it is 0, by secants inside a bracket of its logarithm."""
    low, high = np.full(shape, LOWEST), np.full(shape, HIGHEST)
    here = np.clip(start, LOWEST + 1, HIGHEST - 1)
    before = here - 0.7
    with np.errstate(all="ignore"):
        value, old = excess(np.exp(here)), excess(np.exp(before))
        for _ in range(MAX_STEPS):
            if (np.abs(value) < PRECISION).all():
                break
            low, high = np.where(value < 0, here, low), np.where(value < 0, high, here)
            step = here - value * (here - before) / (value - old)
            inside = (step > low) & (step < high)
            step = np.where(inside, step, (low + high) / 2)
            step = np.where(np.abs(value) < PRECISION, here, step)
            before, old, here = here, value, step
            value = excess(np.exp(here))
    return np.exp(here)


def law_of_cells(n: int, counts: Array, scores: Array) -> ScoreLaw:
    """The distribution of mean scores where each report has a cell of its own: counts by cell, a row of scores a query.

    ``sum N_y max(s_y - q, 0)**r`` for r = 2 and 3, and likewise below, give shapes and scales.
    """
    value = scores @ counts / n
    away = scores - value[:, None]
    return _law(n, value, away, counts[None, :], scores.max(axis=1), scores.min(axis=1))


def law_of_levels(n: int, value: Array, moment: Array, least: Array, most: Array) -> ScoreLaw:
    """The distribution of mean scores that are `most`, 0 or `least`, with this second moment of one score.

    ``N_most = n (m - least q) / (most (most - least))`` reports have the largest score, and so on, none below 0. Scores
    that are all above 0 are taken to be one of the two. The variance is ``(m - q**2) / n`` all the same.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        above = n * (moment - least * value) / (most * (most - least))
        below = np.where(least < 0, n * (moment - most * value) / (least * (least - most)), 0.0)
        above = np.where(least > 0, n * (value - least) / (most - least), above)
    above, below = (np.maximum(np.nan_to_num(count, posinf=0.0, neginf=0.0), 0.0) for count in (above, below))
    counts = np.stack([above, np.maximum(n - above - below, 0.0), below], axis=1)
    away = np.stack([most, np.maximum(least, 0.0), least], axis=1) - value[:, None]
    law = _law(n, value, away, counts, most, least)
    spread = moment - value**2
    return replace(law, variance=np.where((spread > 0) & (n > 1), spread / n, law.variance))


def _law(n: int, value: Array, away: Array, counts: Array, most: Array, least: Array) -> ScoreLaw:
    sides = (np.maximum(away, 0.0), np.maximum(-away, 0.0))
    above, below = (tuple((counts * side**power).sum(axis=1) for power in (2, 3)) for side in sides)
    return law_of_sums(n, value, above, below, least, most)


def law_of_sums(
    n: int, value: Array, above: Sequence[Array], below: Sequence[Array], least: Array, most: Array
) -> ScoreLaw:
    """The distribution of mean scores from the sums of squares and of cubes of what lies above and below the mean."""
    up, down = (tuple(sums / n**power for sums, power in zip(side, (2, 3), strict=True)) for side in (above, below))
    law = law_of_terms(1 / n, value, up, down, least, most)
    return replace(law, variance=_variance(n, above[0] + below[0], *law.limits))


def powers_of(terms: Array) -> tuple[Array, Array]:
    """The sums of squares and of cubes of the terms of each column above 0, and of those below: see `law_of_terms`."""
    sides = np.maximum(terms, 0.0), np.maximum(-terms, 0.0)
    above, below = (np.stack([(side**power).sum(axis=0) for power in (2, 3)]) for side in sides)
    return above, below


def law_of_terms(
    weight: float | Array, value: Array, above: Sequence[Array], below: Sequence[Array], least: Array, most: Array
) -> ScoreLaw:
    """The distribution of weighted means of scores, ``sum a_i s_i`` with ``sum a_i = 1``.

    `above` and `below` are the sums of squares and of cubes of the terms ``a_i (s_i - mean)`` above and below 0, by
    person, or summed in the units that were drawn. The pseudo-reports at the extremes have `weight`,
    ``sum a_i**2``: the part of one of as many equal people as these are worth (Kish1965).
    """
    most, least = np.maximum(most, value), np.minimum(least, value)
    whole, sides = 1 + 2 * weight, []
    for squares, cubes in (above, below):
        scale = np.divide(cubes, squares, out=np.zeros_like(squares), where=squares > 0)
        shape = np.divide(squares, scale**2, out=np.zeros_like(squares), where=scale > 0)
        sides.append((shape[None, :], scale[None, :] / whole))
    reach = ((most - value)[None, :] * (weight / whole), (value - least)[None, :] * (weight / whole))
    variance = above[0] + below[0]
    return ScoreLaw(value, sides[0], sides[1], np.zeros((1, len(value))), *reach, (least, most), variance)


def _variance(n: int, squares: Array, least: Array, most: Array) -> Array:
    """The variance of a mean: that of one report's score is not known, unless all reports have the same."""
    return np.where(most > least, np.inf, 0.0) if n == 1 else np.asarray(squares / n**2)


def normal_law(n: int, value: Array, variance: Array, least: Array, most: Array) -> ScoreLaw:
    """The distribution of mean scores of which only the variance of one report's is known, and two typical extremes."""
    most, least = np.maximum(most, value), np.minimum(least, value)
    nothing = np.zeros((1, len(value)))
    unbounded = np.full(len(value), np.inf)
    reach = ((most - value)[None, :] / n, (value - least)[None, :] / n)
    normal = np.asarray(variance)[None, :] / n
    pair = (nothing, nothing)
    spread = _variance(n, np.asarray(variance) * n, least, most)
    return ScoreLaw(value, pair, pair, normal, *reach, (-unbounded, unbounded), spread)


def combine(terms: Sequence[tuple[float, ScoreLaw]]) -> ScoreLaw:
    """The distribution of the sum of independent values, each times a factor; 1 and -1 for a difference."""
    if len(terms) == 1 and terms[0][0] == 1:
        return terms[0][1]
    parts = [scale_law(law, factor) for factor, law in terms]

    def rows(name: str) -> Array:
        return np.concatenate([getattr(part, name) for part in parts])

    def pairs(name: str) -> tuple[Array, Array]:
        shapes, scales = zip(*(getattr(part, name) for part in parts), strict=True)
        return np.concatenate(shapes), np.concatenate(scales)

    low, high = (sum((part.limits[end] for part in parts), np.zeros(1)) for end in (0, 1))
    value = sum((part.value for part in parts), np.zeros(1))
    variance = sum((part.variance for part in parts), np.zeros(1))
    above, below = pairs("above"), pairs("below")
    return ScoreLaw(value, above, below, rows("normal"), rows("most"), rows("least"), (low, high), variance)


def scale_law(law: ScoreLaw, factor: Any) -> ScoreLaw:
    """The distribution of the values times a factor, or one for each."""
    factor = np.broadcast_to(np.asarray(factor, dtype=float), law.value.shape)
    size, turned = np.abs(factor), factor < 0

    def sides(one: Array, other: Array, by: Array) -> tuple[Array, Array]:
        return np.where(turned, other, one) * by, np.where(turned, one, other) * by

    (a, b), (c, d) = law.above, law.below
    up, down = sides(a, c, np.ones_like(size))
    near, far = sides(b, d, size)
    most, least = sides(law.most, law.least, size)
    high, low = sides(law.limits[1], law.limits[0], factor)
    value, variance, normal = law.value * factor, law.variance * factor**2, law.normal * factor**2
    return ScoreLaw(value, (up, near), (down, far), normal, most, least, (low, high), variance)


def concatenate_laws(laws: Sequence[ScoreLaw]) -> ScoreLaw:
    """The distributions of several batches of queries as those of one."""
    if len(laws) == 1:
        return laws[0]

    def join(name: str) -> Array:
        return np.concatenate([getattr(law, name) for law in laws], axis=-1)

    def pairs(name: str) -> tuple[Array, Array]:
        first, second = (np.concatenate(side, axis=-1) for side in zip(*(getattr(x, name) for x in laws), strict=True))
        return first, second

    return ScoreLaw(
        join("value"),
        pairs("above"),
        pairs("below"),
        join("normal"),
        join("most"),
        join("least"),
        pairs("limits"),
        join("variance"),
    )
