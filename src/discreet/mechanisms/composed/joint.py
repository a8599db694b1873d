"""The estimates of several high-low randomizers put together by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .high_low import HighLowResponse

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric


@dataclass(frozen=True)
class _Term:
    """How the estimate phi of one part enters, with T = the sum of phi over the others.

    A sensitive value has ``beta phi_a + lift T + base``, another one ``alpha phi_b + q_b (tilt T + least)``.
    """

    part: HighLowResponse
    odds: float
    beta: float
    lift: float
    base: float
    alpha: float
    tilt: float
    least: float


class Joint:
    """Part i is used with odds pi_i; what all reports say of three things is put together, each by its own weights.

    With s sensitive values of total share m at `prior`, q_b the prior share of b among the others, sigma_i the chance
    that part i passes another value as it is, and T_i the sum of its phi over the others (1/sigma_i for one that
    passed, 0 for a hidden report):

    - among the sensitive values ``phi_a - (1 - T_i)/s``, with weights beta_i in inverse proportion to its variance V_i;
    - the share of all others ``That = (1-m)(1 - tau_i) + tau_i T_i``, tau_i in proportion to
      ``sigma_i / (1 - (1-m) sigma_i)``;
    - each of them ``1{passed b}/sbar + q_b (That - 1{passed}/sbar)``, sbar the mean of sigma_i.

    So ``phi_a = (1 - That)/s + beta_i (phi_a of part i - (1 - T_i)/s)``. The mean of beta_i and that of tau_i over the
    odds is 1. For subsets and even shares of the sensitive values no unbiased estimate has less error at `prior`.

    *Why unbiased.* E[T_i] is the share of the others whatever the part, so E[That] is, and what beta_i and q_b
    multiply beside ``phi`` has mean zero at every distribution.

    References: Yoon2025 (the least error of mixtures in the worst case).
    """

    def __init__(self, parts: Sequence[HighLowResponse], odds: Sequence[float], prior: Sequence[float], ops: Numeric):
        first = parts[0]
        self.sensitive, self.others, self.size = first.sensitive, first.others, first.size
        s = len(self.sensitive)
        outside = sum(prior[b] for b in self.others) / sum(prior)
        self.q = [prior[b] / (outside * sum(prior)) if outside else 1 / len(self.others) for b in self.others]
        sigmas = [part.sigma for part in parts]
        shown = _in_proportion([one / (1 - outside * one) for one in sigmas], odds)
        inside = _in_proportion([1 / _spread(part, prior, outside, ops) if s > 1 else 1.0 for part in parts], odds)
        passed = _in_proportion(sigmas, odds)
        self.terms = []
        for part, share, beta, tau, alpha in zip(parts, odds, inside, shown, passed, strict=True):
            least = outside * (1 - tau)
            lift, base = (beta - tau) / s, (1 - least - beta) / s
            self.terms.append(_Term(part, share, beta, lift, base, alpha, tau - alpha, least))

    def _parted(self, array: Array, ops: Numeric) -> tuple[Array, Array]:
        return array[..., ops.integers(self.sensitive)], array[..., ops.integers(self.others)]

    def _joined(self, sensitive: Array, others: Array, ops: Numeric) -> Array:
        out = ops.zeros((*sensitive.shape[:-1], self.size))
        out[..., ops.integers(self.sensitive)] = sensitive
        out[..., ops.integers(self.others)] = others
        return out

    def decode(self, counts: Sequence[Array], ops: Numeric) -> Array:
        found, q = ops.zeros(self.size), ops.array(self.q)
        for term, own in zip(self.terms, counts, strict=True):
            hidden, seen = self._parted(term.part.decode(own, ops), ops)
            n, total = term.part.total(own, ops), ops.sum(seen)
            sensitive = term.beta * hidden + term.lift * total + term.base * n
            found = found + self._joined(sensitive, term.alpha * seen + q * (term.tilt * total + term.least * n), ops)
        return found

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        found, q = ops.zeros(self.size), ops.array(self.q)
        mine, theirs = self._parted(shares, ops)
        everyone, total = ops.sum(shares), ops.sum(theirs)
        for term in self.terms:
            own, _ = self._parted(term.part.second_moments(shares, ops), ops)
            sigma, kappa, beta, alpha = term.part.sigma, term.part.kappa, term.beta, term.alpha
            sensitive = beta**2 * own + 2 * beta * (term.lift * kappa * total + term.base * mine)
            sensitive = sensitive + _square(term.lift, term.base, sigma, total, everyone)
            others = theirs * (alpha**2 / sigma + 2 * alpha * q * (term.tilt / sigma + term.least))
            others = others + q**2 * _square(term.tilt, term.least, sigma, total, everyone)
            found = found + term.odds * self._joined(sensitive, others, ops)
        return found

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        found, q = ops.zeros(self.size), ops.array(self.q)
        for term in self.terms:
            own, seen = self._parted(term.part.slopes(shares, ops), ops)
            sigma, kappa, beta, alpha = term.part.sigma, term.part.kappa, term.beta, term.alpha
            sensitive = beta**2 * own + 2 * beta * term.base
            if len(self.sensitive) == 1:  # it can replace only values that are not sensitive
                sensitive = sensitive - 2 * beta * term.lift * kappa - _square(term.lift, term.base, sigma, 1.0, 0.0)
            others = alpha**2 * seen + 2 * alpha * q * (term.tilt / sigma + term.least)
            if len(self.others) == 1:  # it can replace only sensitive values
                others = others + q**2 * _square(term.tilt, term.least, sigma, 1.0, 0.0)
            found = found + term.odds * self._joined(sensitive, others, ops)
        return found

    def _weights(self, term: _Term, weights: Array, ops: Numeric) -> tuple[Array, Array]:
        """A constant and the weights of the part's own estimates that give ``weights . phi`` together."""
        mine, theirs = self._parted(weights, ops)
        summed, at_prior = ops.sum(mine), ops.sum(ops.array(self.q) * theirs)
        others = term.alpha * theirs + term.lift * summed + term.tilt * at_prior
        return term.base * summed + term.least * at_prior, self._joined(term.beta * mine, others, ops)

    def weigh(self, weights: Array, ops: Numeric) -> list[Array]:
        """The weights of the cells of each part."""
        found = []
        for term in self.terms:
            constant, own = self._weights(term, weights, ops)
            found.append(term.part.weigh(own, ops) + constant * term.part.once(ops))
        return found

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        found, everyone = ops.zeros(1), ops.sum(shares)
        for term in self.terms:
            (a, w), (b, u) = (self._weights(term, weights, ops) for weights in (first, second))
            own = term.part.cross_moment(shares, w, u, ops)
            found = found + term.odds * (own + a * b * everyone + a * ops.sum(u * shares) + b * ops.sum(w * shares))
        return found

    def influence(self, ops: Numeric) -> float:
        q, most = max(self.q), 0.0
        for term in self.terms:
            seen = 1 / term.part.sigma
            hidden = term.beta * term.part.inner.influence(ops) + term.base
            passed = term.beta * term.part.kappa + term.lift * seen + term.base
            own = term.alpha * seen + max(0.0, q * (term.tilt * seen + term.least))
            most = max(most, hidden, passed, own, q * term.least)
        return most


def _in_proportion(numbers: Sequence[float], odds: Sequence[float]) -> list[float]:
    """The numbers scaled so that their mean over the odds is 1."""
    mean = sum(share * one for share, one in zip(odds, numbers, strict=True))
    return [one / mean for one in numbers]


def _square(slope: float, start: float, sigma: float, total: Any, everyone: Any) -> Any:
    """E[(slope T + start)**2], T being 1/sigma with probability sigma for each of the others and 0 else."""
    return (slope**2 / sigma + 2 * slope * start) * total + start**2 * everyone


def _spread(part: HighLowResponse, prior: Sequence[float], outside: float, ops: Numeric) -> float:
    """The summed variances of ``phi_a - (1 - T)/s`` over the sensitive values at the prior."""
    s, shares = len(part.sensitive), ops.array(prior)
    moments = part.second_moments(shares, ops)[..., ops.integers(part.sensitive)]
    beside = (1 - outside) - s * part.kappa * outside  # E[(1 - T) sum_a phi_a]
    square = 1 - 2 * outside + outside / part.sigma  # E[(1 - T)**2]
    return float(ops.sum(moments)[..., 0] - (2 * beside - square) / s)
