"""The estimator of `Types`: shares inside classes from what the types show, class totals from how often they occur."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.errors import NotIdentifiable

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric
    from ..uniform.support import Supporting
    from .types import Types

LEAST = 1e-9
"""The smallest mass of a class that the weights are worked out for; any other would leave some of them undecided."""


class TypeEstimates:
    """phi_x(y, t) = a_c b_cy + alpha_yc u_x(t_c) for x in class c, a report of type y with sub-reports t.

    u_x = 1{t_c supports x} - nu has the mean 0 for a blank t_c, and with the inner g and h, over v places,
    ``g - nu = (g - h) (1 - 1/v)`` for the value x itself and ``h - nu = -(g - h) / v`` for another one of the class.

    *Why unbiased.* With W_cy = Pr(y | c), ``sum_y W_cy b_dy = 1{c = d}`` by the choice of b, a left inverse of W:
    so the first term has mean a_c P_c for shares with class totals P. The second one has mean
    ``sum_y W_cy alpha_yc (g - h) (p_x - P_c / v)``: alpha is scaled so that the factor of p_x is 1, and a_c is the
    factor of -P_c. Both hold at any shares; the shares assumed when the mechanism was made only weigh the types:
    b by generalised least squares, ``(W D**-1 W^T)**-1 W D**-1`` with D the chances of the types, and alpha in
    proportion to W (g - h) / E[u**2].

    Where all places are values' (v = n), a_c = 1/n, and phi is the unbiased estimator of least variance at the
    assumed shares. Second moments are linear in the shares; u of different classes are uncorrelated given the type,
    as one of the two is blank.
    """

    def __init__(self, types: Types, ops: Numeric) -> None:
        self.types, self.ops = types, ops
        chances, size = types.chances(ops), (types.types, types.classes)
        masses = ops.maximum(ops.array(types.masses), LEAST)
        law = masses @ chances
        scaled = chances / law
        information = scaled @ chances.T
        if ops.rank_of(information) < types.classes:
            raise NotIdentifiable("types: the types do not tell the classes apart")
        self.b = ops.solve(information, scaled)
        self.alpha, self.nu, self.gain, self.inverse = (ops.zeros(size) for _ in range(4))
        self.used: dict[tuple[int, int], tuple[Supporting, list[int]]] = {}
        moment = ops.zeros(size) + 1.0
        for kind, shown in enumerate(types.marked):
            for group, inner, _, _ in shown:
                assert inner.blank is not None
                nu, gap, v, n = float(inner.nu), float(inner.g - inner.h), inner.blank.places, inner.size
                self.nu[kind, group], self.inverse[kind, group] = nu, 1 / v
                self.gain[kind, group] = chances[group, kind] * gap
                extra = (1 - 2 * nu) * self.gain[kind, group] * masses[group] * (1 / n - 1 / v)
                moment[kind, group] = law[kind] * nu * (1 - nu) + extra
                self.used.setdefault((group, id(inner)), (inner, []))[1].append(kind)
        raw = self.gain / moment
        whole = (self.gain * raw).sum(axis=0)
        alone = [len(of) == 1 for of in types.members]
        if any(not known and not single for known, single in zip(whole, alone, strict=True)):
            raise NotIdentifiable("types: no type shows anything of the values inside some class")
        self.alpha = raw / ops.array([1.0 if single else found for single, found in zip(alone, whole, strict=True)])
        self.steady = self.gain * self.alpha
        self.a = (self.steady * self.inverse).sum(axis=0) + ops.array(alone)
        first, noise = self.a[:, None] * self.b, self.nu * (1 - self.nu)
        self.at_type = first.T**2 + self.alpha**2 * noise
        bend = self.gain * (2 * first.T * self.alpha + self.alpha**2 * (1 - 2 * self.nu))
        self.beta, self.gamma = bend.sum(axis=0), (bend * self.inverse).sum(axis=0)
        self.chances = chances

    def decode(self, counts: Array) -> Array:
        """Unbiased counts of the values."""
        types, ops = self.types, self.ops
        totals = types.type_counts(counts, ops) @ self.b.T
        out = types.spread(self.a * totals, ops)
        for (group, _), (inner, kinds) in self.used.items():
            joint: Any = sum(self._shown(counts, kind, group) * self.alpha[kind, group] for kind in kinds)
            out[..., types.rows(ops)[group]] += inner.supports(joint, ops) - float(inner.nu) * inner.total(joint, ops)
        return out

    def weigh(self, weights: Array) -> Array:
        """The adjoint of `decode`: a weight for each type, and for what it shows of the classes."""
        types, ops = self.types, self.ops
        sums = types.masses_of(weights, ops)
        out = ops.zeros((*weights.shape[:-1], types.cells))
        known = dict[tuple[int, int], Any]()
        for (group, number), (inner, _) in self.used.items():
            own, gap, shift = weights[..., types.rows(ops)[group]], float(inner.g - inner.h), float(inner.h - inner.nu)
            known[group, number] = gap * inner.weigh(own, ops) + shift * ops.sum(own) * inner.once(ops)
        scores = (self.a * sums) @ self.b
        for kind, shown in enumerate(types.marked):
            score = scores[..., kind : kind + 1]
            for place, mark in enumerate(shown):
                cells = self.alpha[kind, mark.group] * known[mark.group, id(mark.inner)]
                types.shown_cells(out, kind, mark)[...] = cells if place else cells + score * mark.inner.once(ops)
            if not shown:
                out[..., types.starts[kind] : types.starts[kind] + 1] = score
        return out

    def _shown(self, counts: Array, kind: int, group: int) -> Array:
        mark = next(mark for mark in self.types.marked[kind] if mark.group == group)
        return self.types.shown_cells(counts, kind, mark)

    def second_moments(self, shares: Array) -> Array:
        """E[phi_x**2]: what all people add by their class, and what holding x or another of its class adds."""
        types, ops = self.types, self.ops
        masses = types.masses_of(shares, ops)
        common = masses @ self.chances @ self.at_type - self.gamma * masses
        found: Array = types.spread(common, ops) + types.spread(self.beta, ops) * shares
        return found

    def slopes(self, shares: Array) -> Array:
        """What holding x adds to E[phi_x**2] over what holding one of the others, as they are shared, does."""
        types, ops = self.types, self.ops
        own = (self.chances @ self.at_type).diagonal() - self.gamma + self.beta
        mine = types.spread(own, ops)
        others = self.second_moments(shares) - mine * shares
        found: Array = mine - others / ops.maximum(ops.sum(shares) - shares, LEAST)
        return found

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        """E[(w . phi)(u . phi)], type by type: what the class totals give, what they share with the rest, the rest."""
        types, ops = self.types, self.ops
        masses = types.masses_of(shares, ops)
        law = masses @ self.chances
        sums = [types.masses_of(weights, ops) for weights in (first, second)]
        dots = [types.masses_of(weights * shares, ops) for weights in (first, second)]
        scores = [(self.a * total) @ self.b for total in sums]
        found = ops.sum(law * scores[0] * scores[1])
        spare = self.steady * self.inverse
        for score, other in ((scores[0], 1), (scores[1], 0)):
            found = found + ops.sum(score @ self.steady * dots[other] - score @ spare * sums[other] * masses)
        for (group, _), (inner, kinds) in self.used.items():
            at = slice(group, group + 1)
            squares = [self.alpha[kind, group] ** 2 for kind in kinds]
            own = sum(square * self.chances[group, kind] for square, kind in zip(squares, kinds, strict=True))
            all_of = sum(square * law[..., kind : kind + 1] for square, kind in zip(squares, kinds, strict=True))
            of = types.rows(ops)[group]
            blank = all_of - own * masses[..., at]
            joint = inner.joint_moment(own * shares[..., of], blank, first[..., of], second[..., of], ops)
            gap, shift = float(inner.g - inner.h), float(inner.h - inner.nu)
            w, u = sums[0][..., at], sums[1][..., at]
            means = [own * dots[i][..., at] - blank * (w, u)[i] * shift / gap for i in (0, 1)]
            found = found + gap**2 * joint + gap * shift * (w * means[1] + u * means[0]) + shift**2 * w * u * all_of
        return found

    def influence(self) -> float:
        """The largest coefficient of any report."""
        return float((self.a * self.b.T + self.alpha * (1 - self.nu)).max())
