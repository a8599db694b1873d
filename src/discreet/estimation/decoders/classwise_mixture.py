"""The decoder of classwise mixtures: shares inside classes from what types show, totals from how often they occur."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from ...core.errors import NotIdentifiable
from ...mechanisms.composed.even_cover import EvenCover
from ...mechanisms.tables.classwise_mixture import ClasswiseMixture
from ..arrays.layout import Array, Cells, total_of
from ..arrays.reports import count_cells, cut, gather_cells, narrow
from .concatenated import Concatenated
from .decoder import Counter, Decoder
from .pure import PureDecoder
from .registry import decoder_of

MIN_MASS = 1e-9
"""The smallest mass of a class that the weights are worked out for; any other would leave some of them undecided."""


class Subreports(Counter):
    """Counts reports that hold several sub-reports side by side in bits of their own, or a single one that is 0."""

    def __init__(self, parts: Sequence[PureDecoder[Any]], groups: Sequence[int]) -> None:
        self.parts, self.groups = parts, groups
        starts = [0, *accumulate(part.cells for part in parts)]
        self.starts, self.cells = starts[:-1], max(1, starts[-1])
        self.bits = max(1, sum(part.bits for part in parts))
        self.disjoint = len(parts) < 2 and all(part.disjoint for part in parts)

    @property
    def layout(self) -> Cells | None:
        layouts = [part.layout for part in self.parts] or [Cells(1)]
        return layouts[0] if len(layouts) == 1 and isinstance(layouts[0], Cells) else None

    def cells_of(self, y: int) -> Sequence[int]:
        cells = []
        for start, part in zip(self.starts, self.parts, strict=True):
            last = part is self.parts[-1]
            cells += [start + cell for cell in part.cells_of(y if last else y & (1 << part.bits) - 1)]
            y >>= part.bits
        return cells or [0]

    def fields(self, reports: Array) -> list[Array]:
        """The sub-reports, one array for each."""
        fields, left = [], reports
        for part in self.parts[:-1]:
            own, left = cut(left, part.bits)
            fields.append(own)
        return [*fields, narrow(left, self.parts[-1].bits)] if self.parts else []

    def count(self, counts: Array, reports: Array, start: Any) -> None:
        for begin, part, own in zip(self.starts, self.parts, self.fields(reports), strict=True):
            part.count(counts, own, start + begin)
        if not self.parts:
            count_cells(counts, reports, start, 1)

    def gather(self, entries: Array, reports: Array, start: Any) -> Array:
        if not self.parts:
            return gather_cells(entries, reports, start, 1)
        parts = zip(self.starts, self.parts, self.fields(reports), strict=True)
        return sum((part.gather(entries, own, start + begin) for begin, part, own in parts), np.zeros(1))

    def cells_of_part(self, counts: Array, place: int) -> Array:
        """The counts of one of the sub-reports."""
        start = self.starts[place]
        return counts[..., start : start + self.parts[place].cells]

    def total(self, counts: Array) -> Array:
        return self.parts[0].total(self.cells_of_part(counts, 0)) if self.parts else counts[..., :1]

    def inconsistency(self, counts: Array) -> str | None:
        inside = [(part, self.cells_of_part(counts, place)) for place, part in enumerate(self.parts)]
        for part, own in inside:
            if (rule := part.inconsistency(own)) is not None:
                return f"in what a type shows of a class, {rule}"
        totals = [part.total(own) for part, own in inside]
        if any((one != totals[0]).any() for one in totals[1:]):
            return "reports of one type show as many reports of each class that it marks"
        return None

    def set_totals(self) -> Array:
        inside = [(start, part.set_totals()) for start, part in zip(self.starts, self.parts, strict=True)]
        return np.concatenate([np.where(own < 0, -1, own + start) for start, own in inside] or [np.array([-1])])

    def overlaps(self) -> Array:
        return np.full(self.cells, max(1, len(self.parts)))


class ClasswiseMixtureDecoder(Concatenated[ClasswiseMixture]):
    """phi_x(y, t) = a_c b_cy + alpha_yc u_x(t_c) for x in class c, a report of type y with sub-reports t.

    u_x = 1{t_c supports x} - r has the mean 0 for a cover report t_c, and with the inner p and q, over v places,
    ``p - r = (p - q) (1 - 1/v)`` for the value x itself and ``q - r = -(p - q) / v`` for another one of the class.

    *Why unbiased.* With W_cy = Pr(y | c), ``sum_y W_cy b_dy = 1{c = d}`` by the choice of b, a left inverse of W:
    so the first term has mean a_c P_c for shares with class totals P. The second one has mean
    ``sum_y W_cy alpha_yc (p - q) (p_x - P_c / v)``: alpha is scaled so that the factor of p_x is 1, and a_c is the
    factor of -P_c. Both hold at any shares; the shares assumed when the mechanism was made only weigh the types:
    b by generalised least squares, ``(W D**-1 W^T)**-1 W D**-1`` with D the chances of the types, and alpha in
    proportion to W (p - q) / E[u**2].

    Where all places are values' (v = n), a_c = 1/n, and phi is the unbiased estimator of least variance at the
    assumed shares. Second moments are linear in the shares; u of different classes are uncorrelated given the type,
    as one of the two is that of a cover report.
    """

    kinds: Sequence[Subreports]

    def __init__(self, sampler: ClasswiseMixture) -> None:
        super().__init__(sampler)
        inner = {id(one): decoder_of(one) for one in sampler.inners}
        kinds = [
            Subreports([_pure(inner[id(mark.inner)]) for mark in shown], [mark.group for mark in shown])
            for shown in sampler.marked
        ]
        self.concatenate(kinds, range(len(kinds)), sampler.offsets, sampler.outputs)
        self.class_of = np.array(sampler.class_of)
        self.rows = [np.array(of) for of in sampler.members]
        """The values of each class."""
        self.chances = np.array([[unit / (1 << sampler.word_bits) for unit in row] for row in sampler.law.units])
        """W: Pr(type | class), one row per class."""

    def inconsistency(self, counts: Array) -> str | None:
        rules = (part.inconsistency(own) for part, own in zip(self.kinds, self._slices(counts), strict=True))
        return next((rule for rule in rules if rule is not None), None)

    @property
    def exchangeable(self) -> Sequence[int]:
        return self.sampler.class_of

    # -- what belongs to types and classes ----------------------------------------------------------------
    def _slices(self, counts: Array) -> list[Array]:
        return [counts[..., b : b + part.cells] for b, part in zip(self.starts, self.kinds, strict=True)]

    def type_counts(self, counts: Array) -> Array:
        """How many reports have each type."""
        totals = [part.total(own) for part, own in zip(self.kinds, self._slices(counts), strict=True)]
        return np.concatenate(totals, axis=-1)

    def masses_of(self, shares: Array) -> Array:
        """The share of each class."""
        return np.concatenate([total_of(shares[..., of]) for of in self.rows], axis=-1)

    def _spread(self, per_class: Array) -> Array:
        """Numbers of classes as numbers of their values."""
        return np.asarray(per_class[..., self.class_of])

    # -- the estimator at the masses that are assumed -----------------------------------------------------
    @cached_property
    def _weights(self) -> _Weights:
        return _Weights(self)

    def decode(self, counts: Array) -> Array:
        weights, slices = self._weights, self._slices(counts)
        out = self._spread(weights.a * (self.type_counts(counts) @ weights.b.T))
        for (group, _), (inner, kinds) in weights.used.items():
            joint: Any = sum(
                self.kinds[kind].cells_of_part(slices[kind], self.kinds[kind].groups.index(group))
                * weights.alpha[kind, group]
                for kind in kinds
            )
            out[..., self.rows[group]] += inner.supports(joint) - float(inner.sampler.r) * inner.total(joint)
        return out

    def decode_adjoint(self, weights: Array) -> Array:
        known, own = dict[tuple[int, int], Any](), self._weights
        for (group, number), (inner, _) in own.used.items():
            mine, shift = weights[..., self.rows[group]], float(inner.sampler.q - inner.sampler.r)
            scores = inner.gap * inner.decode_adjoint(mine)
            known[group, number] = scores + shift * total_of(mine) * inner.unit_weights()
        scores = (own.a * self.masses_of(weights)) @ own.b
        out = np.zeros((*weights.shape[:-1], self.cells))
        for kind, (part, cells) in enumerate(zip(self.kinds, self._slices(out), strict=True)):
            score = scores[..., kind : kind + 1]
            for place, (group, inner) in enumerate(zip(part.groups, part.parts, strict=True)):
                entries = own.alpha[kind, group] * known[group, id(inner)]
                first = score * inner.unit_weights() if place == 0 else 0.0
                part.cells_of_part(cells, place)[...] = entries + first
            if not part.parts:
                cells[...] = score
        return out

    def likelihoods(self, reports: Array) -> Array:
        out, chances = np.zeros((len(reports), self.size)), self._spread(self.chances.T)
        for kind, mine, _, inside in self.split(reports):
            out[mine] = chances[kind]
            part = self.kinds[kind]
            for group, inner, own in zip(part.groups, part.parts, part.fields(inside), strict=True):
                out[mine[:, None], self.rows[group]] *= inner.likelihoods(own)
        return out

    def second_moments(self, shares: Array) -> Array:
        weights, masses = self._weights, self.masses_of(shares)
        common = masses @ self.chances @ weights.at_type - weights.gamma * masses
        return np.asarray(self._spread(common) + self._spread(weights.beta) * shares)

    def second_moment_derivative(self, shares: Array) -> Array:
        weights = self._weights
        own = self._spread((self.chances @ weights.at_type).diagonal() - weights.gamma + weights.beta)
        others = self.second_moments(shares) - own * shares
        return np.asarray(own - others / np.maximum(total_of(shares) - shares, MIN_MASS))

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        """Type by type: what the class totals give, what they share with the rest, the rest."""
        weights, masses = self._weights, self.masses_of(shares)
        law = masses @ self.chances
        sums = [self.masses_of(row) for row in (first, second)]
        dots = [self.masses_of(row * shares) for row in (first, second)]
        scores = [(weights.a * total) @ weights.b for total in sums]
        moment = total_of(law * scores[0] * scores[1])
        spare = weights.steady * weights.inverse
        for score, other in ((scores[0], 1), (scores[1], 0)):
            moment = moment + total_of(score @ weights.steady * dots[other] - score @ spare * sums[other] * masses)
        for (group, _), (inner, kinds) in weights.used.items():
            at, of = slice(group, group + 1), self.rows[group]
            squares = [weights.alpha[kind, group] ** 2 for kind in kinds]
            own = sum(square * self.chances[group, kind] for square, kind in zip(squares, kinds, strict=True))
            all_of = sum(square * law[..., kind : kind + 1] for square, kind in zip(squares, kinds, strict=True))
            cover = all_of - own * masses[..., at]
            joint = inner.covered_moment(own * shares[..., of], cover, first[..., of], second[..., of])
            gap, shift = inner.gap, float(inner.sampler.q - inner.sampler.r)
            w, u = sums[0][..., at], sums[1][..., at]
            means = [own * dots[i][..., at] - cover * (w, u)[i] * shift / gap for i in (0, 1)]
            moment = moment + gap**2 * joint + gap * shift * (w * means[1] + u * means[0]) + shift**2 * w * u * all_of
        return moment

    def expected_counts(self, shares: Array) -> Array:
        out, masses = np.zeros((*shares.shape[:-1], self.cells)), self.masses_of(shares)
        law, known = masses @ self.chances, dict[tuple[int, int], Any]()
        for kind, (part, cells) in enumerate(zip(self.kinds, self._slices(out), strict=True)):
            if not part.parts:
                cells[..., 0] = law[..., kind]
            for place, (group, inner) in enumerate(zip(part.groups, part.parts, strict=True)):
                if (group, id(inner)) not in known:
                    known[group, id(inner)] = inner.expected_counts(shares[..., self.rows[group]])
                cover = law[..., kind] - masses[..., group] * self.chances[group, kind]
                own = self.chances[group, kind] * known[group, id(inner)]
                part.cells_of_part(cells, place)[...] = own + inner.cover_counts(cover[..., None])
        return out

    def expected_counts_adjoint(self, weights: Array) -> Array:
        out = np.zeros((*weights.shape[:-1], self.size))
        for kind, (part, cells) in enumerate(zip(self.kinds, self._slices(weights), strict=True)):
            known = [(inner, part.cells_of_part(cells, place)) for place, inner in enumerate(part.parts)]
            covers = [inner.cover_counts_adjoint(own) for inner, own in known]
            everyone = sum(covers, np.zeros(1)) if known else cells
            out += self.chances[self.class_of, kind] * everyone
            for group, (inner, own), cover in zip(part.groups, known, covers, strict=True):
                more = inner.expected_counts_adjoint(own) - cover
                out[..., self.rows[group]] += self.chances[group, kind] * more
        return out

    def reach(self) -> tuple[Array, Array]:
        weights = self._weights
        first = weights.a * weights.b.T
        occurs = (self.chances.max(axis=0) > 0)[:, None]
        low = np.where(occurs, first - weights.alpha * weights.support, np.inf).min(axis=0)
        high = np.where(occurs, first + weights.alpha * (1 - weights.support), -np.inf).max(axis=0)
        return self._spread(low), self._spread(high)

    @property
    def decode_cost(self) -> float:
        parts = [(group, inner) for kind in self.kinds for group, inner in zip(kind.groups, kind.parts, strict=True)]
        return self.cells + sum({(group, id(inner)): inner.decode_cost for group, inner in parts}.values())


class _Weights:
    """The coefficients of `ClasswiseMixtureDecoder`, by type and class, at the masses of classes that are assumed."""

    def __init__(self, decoder: ClasswiseMixtureDecoder) -> None:
        chances, kinds = decoder.chances, decoder.kinds
        classes, size = len(decoder.rows), (len(decoder.kinds), len(decoder.rows))
        masses = np.maximum(np.array(decoder.sampler.masses), MIN_MASS)
        law = masses @ chances
        scaled = chances / law
        information = scaled @ chances.T
        if np.linalg.matrix_rank(information, hermitian=True) < classes:
            raise NotIdentifiable("types: the types do not tell the classes apart")
        self.b = np.linalg.solve(information, scaled)
        self.support, self.gain, self.inverse = (np.zeros(size) for _ in range(3))
        self.used: dict[tuple[int, int], tuple[PureDecoder[Any], list[int]]] = {}
        """For each class and decoder the types that show it."""
        moment = np.ones(size)
        for kind, part in enumerate(kinds):
            for group, inner in zip(part.groups, part.parts, strict=True):
                sampler = inner.sampler
                r, v, n = float(sampler.r), EvenCover(sampler).places.places, inner.size
                self.support[kind, group], self.inverse[kind, group] = r, 1 / v
                self.gain[kind, group] = chances[group, kind] * inner.gap
                extra = (1 - 2 * r) * self.gain[kind, group] * masses[group] * (1 / n - 1 / v)
                moment[kind, group] = law[kind] * r * (1 - r) + extra
                self.used.setdefault((group, id(inner)), (inner, []))[1].append(kind)
        raw = self.gain / moment
        whole = (self.gain * raw).sum(axis=0)
        alone = np.array([len(of) == 1 for of in decoder.rows])
        if ((whole == 0) & ~alone).any():
            raise NotIdentifiable("types: no type shows anything of the values inside some class")
        self.alpha = raw / np.where(alone, 1.0, whole)
        self.steady = self.gain * self.alpha
        self.a = (self.steady * self.inverse).sum(axis=0) + alone
        first, noise = self.a[:, None] * self.b, self.support * (1 - self.support)
        self.at_type = first.T**2 + self.alpha**2 * noise
        bend = self.gain * (2 * first.T * self.alpha + self.alpha**2 * (1 - 2 * self.support))
        self.beta, self.gamma = bend.sum(axis=0), (bend * self.inverse).sum(axis=0)


def _pure(decoder: Decoder[Any]) -> PureDecoder[Any]:
    assert isinstance(decoder, PureDecoder)
    return decoder
