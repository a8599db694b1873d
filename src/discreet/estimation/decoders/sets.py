"""Decoders of reports that are sets of values: a cell counts the sets that hold each value, the last one all sets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...mechanisms.uniform.graded_unary import GradedUnary, UtilityRappor
from ...mechanisms.uniform.pure import PureSampler
from ..arrays.layout import Array, Sets, total_of
from ..arrays.reports import count_members, gather_members, refuse_several, where_member
from .decoder import Decoder, Drawn
from .pure import PureDecoder


class SetCounting:
    """A decoder has a cell for each value, which counts the sets that hold it, and a last one that counts the sets."""

    disjoint = False
    sampler: Any
    size: int
    set_size: int | None = None
    """How many values every set holds, or None where that varies."""

    @property
    def layout(self) -> Sets | None:
        return Sets(self.size, self.set_size)

    def cells_of(self, y: int) -> Sequence[int]:
        self.sampler.check_report(y)
        return [*(x for x in range(self.size) if y >> x & 1), self.size]

    def count(self, counts: Array, reports: Array, start: Any) -> None:
        count_members(counts, reports, start, self.size, self.set_size)

    def gather(self, entries: Array, reports: Array, start: Any) -> Array:
        return gather_members(entries, reports, start, self.size, self.set_size)

    def total(self, counts: Array) -> Array:
        return counts[..., -1:]

    def inconsistency(self, counts: Array) -> str | None:
        members, sets, d = counts[..., :-1], counts[..., -1:], self.set_size
        if (members > sets).any():
            return "no value may be in more sets than there are"
        if d is not None and (total_of(members) != d * sets).any():
            return f"every set holds {d} values, so the counts must add up to {d} times the number of sets"
        return None

    def set_totals(self) -> Array:
        return np.array([self.size] * self.size + [-1])


class PureSetDecoder(SetCounting, PureDecoder[PureSampler]):
    """The decoder of a pure protocol whose report is the set of supported values: subset selection, unary encoding.

    Values enter symmetrically, so joint support needs three numbers, which the sampler knows: when one of two values
    is the person's own, when neither is, and for a cover report.

    *Why unbiased.* p and q are exact.
    """

    def __init__(self, sampler: PureSampler) -> None:
        super().__init__(sampler)
        self.cells, self.set_size = sampler.size + 1, sampler.set_size

    def supports(self, counts: Array) -> Array:
        return counts[..., :-1]

    @property
    def odds(self) -> tuple[float, float]:
        """How much likelier a set with the person's value is than among cover reports, and one without it."""
        p, r = self.sampler.p, self.sampler.r
        return float(p / r), float((1 - p) / (1 - r))

    def likelihoods(self, reports: Array) -> Array:
        return where_member(reports, self.size, self.set_size, *self.odds)

    def decode_adjoint(self, weights: Array) -> Array:
        return np.concatenate([weights, -self.q * total_of(weights)], axis=-1) / self.gap

    def expected_counts(self, shares: Array) -> Array:
        mass = total_of(shares)
        return np.concatenate([self.q * mass + self.gap * shares, mass], axis=-1)

    def expected_counts_adjoint(self, weights: Array) -> Array:
        bits = weights[..., :-1]
        return self.q * total_of(bits) + self.gap * bits + weights[..., -1:]

    def cover_counts(self, mass: Any) -> Array:
        return np.asarray(mass * np.append(np.full(self.size, float(self.sampler.r)), 1.0))

    def cover_counts_adjoint(self, weights: Array) -> Array:
        return float(self.sampler.r) * total_of(weights[..., :-1]) + weights[..., -1:]

    def covered_moment(self, shares: Array, cover: Any, first: Array, second: Array) -> Array:
        """Expand E[(w.phi)(u.phi)] over pairs; only four sums over the values are needed."""
        p, q, r = (float(chance) for chance in (self.sampler.p, self.sampler.q, self.sampler.r))
        s = self.sampler
        own, other, none = float(s.both_own), float(s.both_other), float(s.both_cover)
        mass = total_of(shares)
        sum_w, sum_u, sum_wu = (total_of(part) for part in (first, second, first * second))
        dot_w, dot_u, dot_wu = (total_of(part * shares) for part in (first, second, first * second))
        single = q * mass * sum_wu + (p - q) * dot_wu + r * cover * sum_wu
        pairs = sum_w * sum_u - sum_wu
        touching = sum_w * dot_u + dot_w * sum_u - 2 * dot_wu
        joint = other * mass * pairs + (own - other) * touching + none * cover * pairs
        hit_w = q * mass * sum_w + (p - q) * dot_w + r * cover * sum_w
        hit_u = q * mass * sum_u + (p - q) * dot_u + r * cover * sum_u
        centred = joint + single - q * (sum_u * hit_w + sum_w * hit_u) + q * q * sum_w * sum_u * (mass + cover)
        return np.asarray(centred / (p - q) ** 2)


class BitwiseDecoder(SetCounting, Decoder[Drawn]):
    """A decoder of bits that are drawn on their own, each with two probabilities of its own.

    Given the value, bits are independent, so ``phi_x = (1{bit x is on} - q_x) / (p_x - q_x)`` are too.
    """

    def __init__(self, sampler: Drawn) -> None:
        super().__init__(sampler)
        self.cells = sampler.size + 1

    @abstractmethod
    def levels(self) -> tuple[Array, Array]:
        """For every bit: p_x = Pr(on | own value) and q_x = Pr(on | another value)."""

    def _gaps(self) -> tuple[Array, Array, Array]:
        """For every bit: q_x, p_x - q_x, and by how much the own value changes the variance of 1{on}."""
        p, q = self.levels()
        return q, p - q, p * (1 - p) - q * (1 - q)

    def decode(self, counts: Array) -> Array:
        q, gap, _ = self._gaps()
        return np.asarray((counts[..., :-1] - q * counts[..., -1:]) / gap)

    def decode_adjoint(self, weights: Array) -> Array:
        q, gap, _ = self._gaps()
        return np.concatenate([weights / gap, -total_of(q * weights / gap)], axis=-1)

    def _noise(self, shares: Array) -> Array:
        """The part of the variance due to the coins: sum_v p_v Var(phi_x | v)."""
        q, gap, more = self._gaps()
        return np.asarray((q * (1 - q) * total_of(shares) + more * shares) / gap**2)

    def second_moments(self, shares: Array) -> Array:
        return self._noise(shares) + shares

    def second_moment_derivative(self, shares: Array) -> Array:
        _, gap, more = self._gaps()
        return np.asarray(more / gap**2 + 1 + 0 * shares)

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        return total_of(first * second * (shares + self._noise(shares)))

    def expected_counts(self, shares: Array) -> Array:
        q, gap, _ = self._gaps()
        return np.concatenate([q * total_of(shares) + gap * shares, total_of(shares)], axis=-1)

    def expected_counts_adjoint(self, weights: Array) -> Array:
        q, gap, _ = self._gaps()
        bits = weights[..., :-1]
        return np.asarray(total_of(q * bits) + gap * bits + weights[..., -1:])

    def reach(self) -> tuple[Array, Array]:
        q, gap, _ = self._gaps()
        return -q / gap, (1 - q) / gap

    def square_sums(self, counts: Array) -> Array:
        least, most = self.reach()
        return np.asarray((least + most) * self.decode(counts) - least * most * self.total(counts))


class GradedUnaryDecoder(BitwiseDecoder[GradedUnary]):
    """Each value's bit by the two probabilities of its grade.

    *Why unbiased.* Both are exact.
    """

    sampler: GradedUnary

    @property
    def exchangeable(self) -> Sequence[int]:
        return self.sampler.grade_of

    def likelihoods(self, reports: Array) -> Array:
        own, other = self.levels()
        return where_member(reports, self.size, None, own / other, (1 - own) / (1 - other))

    def levels(self) -> tuple[Array, Array]:
        space, grade_of, law = 1 << self.sampler.word_bits, np.array(self.sampler.grade_of), self.sampler.law
        own, other = (np.array([unit / space for unit in units]) for units in (law.own, law.other))
        return own[grade_of], other[grade_of]


class UtilityRapporDecoder(BitwiseDecoder[UtilityRappor]):
    """A noisy bit for each sensitive value, an honest one for each other value.

    *Why unbiased.* Each bit's two probabilities are exact.
    """

    sampler: UtilityRappor

    @property
    def layout(self) -> None:
        return None

    def count(self, counts: Array, reports: Array, start: Any) -> None:
        refuse_several(reports, self.sampler.others)
        super().count(counts, reports, start)

    def gather(self, entries: Array, reports: Array, start: Any) -> Array:
        refuse_several(reports, self.sampler.others)
        return super().gather(entries, reports, start)

    def likelihoods(self, reports: Array) -> Array:
        refuse_several(reports, self.sampler.others)
        inner, passes, others = self.sampler.inner, self.sampler.disclosing, np.array(self.sampler.is_other)
        inside = others * float(passes) + (1 - others) * float(inner.p / inner.q)
        outside = others * float(1 - passes) + (1 - others) * float((1 - inner.p) / (1 - inner.q))
        hidden = where_member(reports, self.size, None, inside, outside)
        shown = where_member(reports, self.size, None, others, 0)
        return np.asarray(hidden * (1 - total_of(shown)) + shown)

    def inconsistency(self, counts: Array) -> str | None:
        if (total_of(counts[..., list(self.sampler.others)]) > counts[..., -1:]).any():
            return "a set holds at most one value that is not sensitive, so these may not be more than the sets"
        return super().inconsistency(counts)

    def levels(self) -> tuple[Array, Array]:
        p, q = np.full(self.size, float(self.sampler.disclosing)), np.zeros(self.size)
        chosen = list(self.sampler.sensitive)
        p[chosen], q[chosen] = float(self.sampler.inner.p), float(self.sampler.inner.q)
        return p, q
