"""Randomizers whose report is the set of supported values itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..randomizer import Sets
from ..telling import Telling
from .support import Supporting

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric


class SetValued(Supporting):
    """A randomizer whose report is the set of supported values itself, as an integer with one bit per value.

    Cell x counts the reports that contain x; the last cell counts the reports. Values enter
    symmetrically, so joint support needs three numbers: `both_own` when one of the two is the
    person's value, `both_other` when neither is, `both_neutral` for a neutral report.
    """

    both_own: Fraction
    both_other: Fraction
    both_neutral: Fraction
    disjoint = False

    # -- what one report tells: a set with a value, and one without, is so much likelier than among neutral ones ----
    def first_members(self) -> Iterator[float]:
        """Pr(the first value in a neutral set is the i-th), for i = 1 .. k in any order of the values."""
        left = 1.0
        for _ in range(self.size):
            yield left * float(self.h)
            left *= 1 - float(self.h)

    def guess(self, shares: Array, ops: Numeric, *, beside: float = 0.0) -> float:
        """As told; `beside` is the mass of somebody else, who writes neutral sets, and may be guessed as well."""
        inside, outside = self._odds
        ranked: list[float] = sorted(shares.tolist(), reverse=True)
        total, left = 0.0, 1.0
        for share, chance in zip(ranked, self.first_members(), strict=True):
            total += chance * max(inside * share, outside * ranked[0], beside)
            left -= chance
        return total + max(0.0, left) * max(outside * ranked[0], beside)

    def telling(self, x: int, shares: Array, ops: Numeric, *, beside: float = 0.0) -> Telling:
        """As told; `beside` is the mass of others who write neutral sets."""
        inside, outside = self._odds
        share, others = float(shares[x]), sorted((*shares[:x].tolist(), *shares[x + 1 :].tolist()))
        whole, d = share + sum(others), self.set_size
        fewest = share + (sum(others[: d - 1]) if d else 0.0)
        most = sum(others[len(others) - d :]) if d else sum(others)
        high = inside * share / (outside * whole + (inside - outside) * fewest + beside) if share else 0.0
        low = outside * share / (outside * whole + (inside - outside) * most + beside) if share else 0.0
        return Telling(low, high, float(self.g), float(self.h))

    def crowding(self, shares: Array) -> float:
        """The most that a set can be likelier from somebody whose value follows `shares` than among neutral ones."""
        inside, outside = self._odds
        ranked: list[float] = sorted(shares.tolist(), reverse=True)
        return outside * sum(ranked) + (inside - outside) * sum(ranked[: self.set_size])

    @property
    def _odds(self) -> tuple[float, float]:
        return float(self.g / self.nu), float((1 - self.g) / (1 - self.nu))

    @classmethod
    def worth_trying(cls, size: int, epsilon: Fraction, *, bits: int | None, mass: float | None) -> bool:
        return bits is None or size <= bits

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return 1 << self.size

    @property
    def cells(self) -> int:  # type: ignore[override]
        return self.size + 1

    @property
    def counted(self) -> Sets:
        return Sets(self.size, self.set_size)

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        return [x for x in range(self.size) if y >> x & 1] + [self.size]

    def count(self, counts: Array, reports: Array, start: Any, ops: Numeric) -> None:
        ops.count_members(counts, reports, start, self.size, self.set_size)

    def gather(self, entries: Array, reports: Array, start: Any, ops: Numeric) -> Array:
        return ops.gather_members(entries, reports, start, self.size, self.set_size)

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        inside, outside = self._odds
        return ops.where_member(reports, self.size, self.set_size, inside, outside)

    @property
    def set_size(self) -> int | None:
        """How many values every report holds, or None where that varies."""
        return None

    def total(self, counts: Array, ops: Numeric) -> Array:
        return counts[..., -1:]

    def broken_rule(self, counts: Array, ops: Numeric) -> str | None:
        members, sets, d = counts[..., :-1], counts[..., -1:], self.set_size
        if (members > sets).any():
            return "no value may be in more sets than there are"
        if d is not None and (ops.sum(members) != d * sets).any():
            return f"every set holds {d} values, so the counts must add up to {d} times the number of sets"
        return None

    def totals_of(self, ops: Numeric) -> Array:
        return ops.integers([self.size] * self.size + [-1])

    def supports(self, counts: Array, ops: Numeric) -> Array:
        return counts[..., :-1]

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        return ops.join(weights, -float(self.h) * ops.sum(weights)) / self._gap

    def push(self, shares: Array, ops: Numeric) -> Array:
        mass = ops.sum(shares)
        return ops.join(float(self.h) * mass + float(self.g - self.h) * shares, mass)

    def push_neutral(self, mass: Any, ops: Numeric) -> Array:
        one: Array = ops.join(float(self.nu) + ops.zeros(self.size), ops.zeros(1) + 1.0)
        found: Array = mass * one
        return found

    def pull(self, weights: Array, ops: Numeric) -> Array:
        bits = weights[..., :-1]
        return float(self.h) * ops.sum(bits) + float(self.g - self.h) * bits + weights[..., -1:]

    def pull_neutral(self, weights: Array, ops: Numeric) -> Array:
        return float(self.nu) * ops.sum(weights[..., :-1]) + weights[..., -1:]

    def joint_moment(self, shares: Array, neutral: Any, first: Array, second: Array, ops: Numeric) -> Array:
        """Expand E[(w.phi)(u.phi)] over pairs; only four sums over the values are needed."""
        g, h, nu = float(self.g), float(self.h), float(self.nu)
        own, other, none = float(self.both_own), float(self.both_other), float(self.both_neutral)
        mass = ops.sum(shares)
        sum_w, sum_u, sum_wu = (ops.sum(part) for part in (first, second, first * second))
        dot_w, dot_u, dot_wu = (ops.sum(part * shares) for part in (first, second, first * second))
        single = h * mass * sum_wu + (g - h) * dot_wu + nu * neutral * sum_wu
        pairs = sum_w * sum_u - sum_wu
        touching = sum_w * dot_u + dot_w * sum_u - 2 * dot_wu
        joint = other * mass * pairs + (own - other) * touching + none * neutral * pairs
        hit_w = h * mass * sum_w + (g - h) * dot_w + nu * neutral * sum_w
        hit_u = h * mass * sum_u + (g - h) * dot_u + nu * neutral * sum_u
        centred = joint + single - h * (sum_u * hit_w + sum_w * hit_u) + h * h * sum_w * sum_u * (mass + neutral)
        found: Array = centred / (g - h) ** 2
        return found
