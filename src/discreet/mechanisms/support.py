"""Randomizers whose reports support values: one estimator and one set of moments for all of them.

A report y *supports* the values in some set; the value itself is supported with probability g,
any other value with probability h. Then ``phi_x(y) = (1{y supports x} - h) / (g - h)`` is
unbiased, and a value outside the domain of the design (the `neutral` law, used by high-low)
supports each value with probability nu.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..arithmetic import Arithmetic
from ..domain import Alike
from .randomizer import Pair, Randomizer


class Design(Randomizer):
    """A randomizer with support probabilities g (own value), h (another value) and nu (neutral)."""

    epsilon: Fraction
    g: Fraction
    h: Fraction
    nu: Fraction
    ratio: Fraction
    """The certified largest Q(y | x) / Q(y | z)."""
    outside_ratio: Fraction
    """The certified largest Q(y | x) / Pr(an outside value writes y)."""
    shown: Fraction
    """The probability that an outside value shows itself in high-low."""
    outside_words: int
    """The words that `outside` needs."""

    @abstractmethod
    def outside(self, words: Sequence[Any], ops: Arithmetic) -> tuple[Any, Any]:
        """For a value that needs no protection: a flag to show itself, and the neutral report if not."""

    @abstractmethod
    def outside_probability(self, y: int) -> Fraction:
        """Pr(an outside value does not show itself and writes y), exactly."""

    @abstractmethod
    def push_neutral(self, mass: Any, ops: Any) -> Any:
        """The expected counts from `mass` neutral reports."""

    @abstractmethod
    def pull_neutral(self, weights: Any, ops: Any) -> Any:
        """The expected sum of cell weights of one neutral report."""

    @abstractmethod
    def supports(self, counts: Any, ops: Any) -> Any:
        """How many reports support each value."""

    @property
    def labels(self) -> Sequence[int]:
        return Alike(self.size)

    def pairs(self) -> Iterator[Pair]:
        if self.size > 1:
            yield Pair(0, 1, self.ratio)

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        return (self.epsilon,)

    @cached_property
    def _gap(self) -> float:
        return float(self.g - self.h)

    @cached_property
    def v0(self) -> float:
        """n times the variance of a share when no value is x: h (1 - h) / (g - h)**2."""
        return float(self.h * (1 - self.h) / (self.g - self.h) ** 2)

    @cached_property
    def v1(self) -> float:
        """What holding x adds to the variance: (g (1 - g) - h (1 - h)) / (g - h)**2."""
        return float((self.g * (1 - self.g) - self.h * (1 - self.h)) / (self.g - self.h) ** 2)

    @cached_property
    def neutral_moment(self) -> float:
        """E[phi_x**2] under the neutral law."""
        nu, h = self.nu, self.h
        return float((nu * (1 - h) ** 2 + (1 - nu) * h * h) / (self.g - self.h) ** 2)

    def decode(self, counts: Any, ops: Any) -> Any:
        return (self.supports(counts, ops) - float(self.h) * self.total(counts, ops)) / self._gap

    def second_moments(self, shares: Any, ops: Any) -> Any:
        return self.v0 * ops.sum(shares) + (self.v1 + 1) * shares

    def slopes(self, shares: Any, ops: Any) -> Any:
        return self.v1 + 1 + 0 * shares

    @abstractmethod
    def joint_moment(self, shares: Any, neutral: float, first: Any, second: Any, ops: Any) -> Any:
        """E[(first . phi)(second . phi)] for `shares` of the values and `neutral` mass of the neutral law."""

    def cross_moment(self, shares: Any, first: Any, second: Any, ops: Any) -> Any:
        return self.joint_moment(shares, 0.0, first, second, ops)

    def influence(self, ops: Any) -> float:
        return float((1 - self.h) / (self.g - self.h))


class Indexed(Design):
    """A design whose reports are few enough to count one by one: cell y counts report y.

    A subclass gives `supports` and its adjoint `cover`, and the two levels of its law.
    """

    low: Fraction
    high: Fraction
    disjoint = True

    @abstractmethod
    def cover(self, weights: Any, ops: Any) -> Any:
        """For each report, the sum of the weights of the values it supports."""

    @property
    def cells(self) -> int:  # type: ignore[override]
        return self.outputs

    def reports(self) -> Iterable[int]:
        return range(self.outputs)

    def is_report(self, y: int) -> bool:
        return 0 <= y < self.outputs

    def cells_of(self, y: int) -> Sequence[int]:
        return (self.check_report(y),)

    def count(self, counts: Any, reports: Any, start: Any, ops: Any) -> None:
        ops.count_cells(counts, reports, start, self.outputs)

    def total(self, counts: Any, ops: Any) -> Any:
        return ops.sum(counts)

    def joint_moment(self, shares: Any, neutral: float, first: Any, second: Any, ops: Any) -> Any:
        law = self.push(shares, ops) + self.push_neutral(neutral, ops)
        return ops.sum(law * self.score(first, ops) * self.score(second, ops))

    def score(self, weights: Any, ops: Any) -> Any:
        """weights . phi(y) for each report y."""
        return (self.cover(weights, ops) - float(self.h) * ops.sum(weights)) / self._gap

    def push(self, shares: Any, ops: Any) -> Any:
        return float(self.low) * ops.sum(shares) + float(self.high - self.low) * self.cover(shares, ops)

    def push_neutral(self, mass: Any, ops: Any) -> Any:
        return mass / self.outputs

    def pull(self, weights: Any, ops: Any) -> Any:
        return float(self.low) * ops.sum(weights) + float(self.high - self.low) * self.supports(weights, ops)

    def pull_neutral(self, weights: Any, ops: Any) -> Any:
        return ops.sum(weights) / self.outputs


class SetValued(Design):
    """A design whose report is the set of supported values itself, as an integer with one bit a value.

    Cell x counts the reports that contain x; the last cell counts the reports. Values enter
    symmetrically, so joint support needs three numbers: `both_own` when one of the two is the
    person's value, `both_other` when neither is, `both_neutral` under the neutral law.
    """

    both_own: Fraction
    both_other: Fraction
    both_neutral: Fraction
    disjoint = False

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return 1 << self.size

    @property
    def cells(self) -> int:  # type: ignore[override]
        return self.size + 1

    def cells_of(self, y: int) -> Sequence[int]:
        self.check_report(y)
        return [x for x in range(self.size) if y >> x & 1] + [self.size]

    def count(self, counts: Any, reports: Any, start: Any, ops: Any) -> None:
        ops.count_members(counts, reports, start, self.size, self.set_size)

    @property
    def set_size(self) -> int | None:
        """How many values every report holds, or None where that varies."""
        return None

    def total(self, counts: Any, ops: Any) -> Any:
        return counts[..., -1:]

    def totals_of(self, ops: Any) -> Any:
        return ops.integers([self.size] * self.size + [-1])

    def supports(self, counts: Any, ops: Any) -> Any:
        return counts[..., :-1]

    def push(self, shares: Any, ops: Any) -> Any:
        mass = ops.sum(shares)
        return ops.join(float(self.h) * mass + float(self.g - self.h) * shares, mass)

    def push_neutral(self, mass: Any, ops: Any) -> Any:
        return mass * ops.join(float(self.nu) + ops.zeros(self.size), ops.zeros(1) + 1.0)

    def pull(self, weights: Any, ops: Any) -> Any:
        bits = weights[..., :-1]
        return float(self.h) * ops.sum(bits) + float(self.g - self.h) * bits + weights[..., -1:]

    def pull_neutral(self, weights: Any, ops: Any) -> Any:
        return float(self.nu) * ops.sum(weights[..., :-1]) + weights[..., -1:]

    def joint_moment(self, shares: Any, neutral: float, first: Any, second: Any, ops: Any) -> Any:
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
        return centred / (g - h) ** 2
