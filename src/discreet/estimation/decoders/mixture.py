"""Decoders of high-low response and of mixtures, whose parts are mostly of that form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core.errors import NotIdentifiable, NotServed
from ...mechanisms.composed.high_low import HighLowResponse
from ...mechanisms.composed.mixture import Mixture
from ..arrays.layout import Array, Cells, total_of
from .concatenated import Concatenated
from .decoder import Counter, Decoder
from .pure import PureDecoder
from .registry import decoder_of


class HighLowDecoder(Concatenated[HighLowResponse]):
    """The cells of the inner decoder, then one for each value that may be disclosed.

    *Why unbiased.* phi_a(y) = (1{y supports a} - q)/(p - q) for inner reports and the constant
    ``kappa = -(1-sigma)(r-q) / (sigma (p-q))`` for values that were disclosed; phi_b = 1{y = b}/sigma.
    """

    inner: PureDecoder[Any]

    def __init__(self, sampler: HighLowResponse) -> None:
        super().__init__(sampler)
        inner = decoder_of(sampler.inner)
        if not isinstance(inner, PureDecoder):
            raise NotServed(f"high_low: what decodes laws of kind {sampler.inner.law.kind!r} must be a PureDecoder")
        self.inner = inner
        self.sensitive, self.others = np.array(sampler.sensitive), np.array(sampler.others, dtype=np.int64)
        shown = Counter(len(sampler.others))
        parts = [inner, shown] if sampler.others else [inner]
        self.concatenate(parts, range(len(parts)), (0, sampler.base)[: len(parts)], sampler.outputs)

    @property
    def layout(self) -> Cells | None:
        plain = self.is_plain and self.inner.cells == self.sampler.base
        return Cells(self.outputs) if plain else None

    @property
    def exchangeable(self) -> Sequence[int]:
        return self.sampler.is_other

    def inconsistency(self, counts: Array) -> str | None:
        hidden, shown = self.halves(counts)
        if not self.sampler.disclosing and shown.any():
            return "values that are not sensitive never pass, so their counts must be 0"
        return self.inner.inconsistency(hidden)

    @cached_property
    def sigma(self) -> float:
        """The probability that a value that is not sensitive is disclosed."""
        if self.sampler.others and not self.sampler.disclosing:
            raise NotIdentifiable("high_low: values that are not sensitive never pass, so they cannot be told apart")
        return float(self.sampler.disclosing)

    @cached_property
    def kappa(self) -> float:
        """What a disclosed value contributes to every sensitive share."""
        inner, passes = self.sampler.inner, self.sampler.disclosing
        if not self.sampler.others:
            return 0.0
        return float(-(1 - passes) * (inner.r - inner.q) / (inner.p - inner.q)) / self.sigma

    def halves(self, counts: Array) -> tuple[Array, Array]:
        """The counts of inner reports and those of disclosed values."""
        return counts[..., : self.inner.cells], counts[..., self.inner.cells :]

    def joined(self, sensitive: Array, others: Array) -> Array:
        """What belongs to sensitive values and to others, in the order of all values."""
        out = np.zeros((*sensitive.shape[:-1], self.size))
        out[..., self.sensitive], out[..., self.others] = sensitive, others
        return out

    def parted(self, values: Array) -> tuple[Array, Array]:
        """What belongs to sensitive values, and to the others."""
        return values[..., self.sensitive], values[..., self.others]

    def likelihoods(self, reports: Array) -> Array:
        rows = np.zeros((len(reports), self.size))
        for kind, mine, _, inside in self.split(reports):
            if kind == 0:
                others = np.full((len(mine), len(self.others)), float(1 - self.sampler.disclosing))
                rows[mine] = self.joined(self.inner.likelihoods(inside), others)
            else:
                rows[mine, self.others[self.kinds[kind].gather(np.arange(len(self.others)), inside, 0)]] = 1.0
        return rows

    def decode(self, counts: Array) -> Array:
        hidden, shown = self.halves(counts)
        sensitive = self.inner.decode(hidden) + self.kappa * total_of(shown)
        return self.joined(sensitive, shown / self.sigma if len(self.others) else shown)

    def decode_adjoint(self, weights: Array) -> Array:
        mine, theirs = self.parted(weights)
        inside = self.inner.decode_adjoint(mine)
        if not len(self.others):
            return inside
        return np.concatenate([inside, self.kappa * total_of(mine) + theirs / self.sigma], axis=-1)

    @cached_property
    def _other_moment(self) -> float:
        """E[phi_a(Y)**2] of a sensitive value a for someone whose value is not sensitive."""
        if not len(self.others):
            return 0.0
        return (1 - self.sigma) * self.inner.cover_moments + self.sigma * self.kappa**2

    def second_moments(self, shares: Array) -> Array:
        mine, theirs = self.parted(shares)
        sensitive = self.inner.second_moments(mine) + self._other_moment * total_of(theirs)
        return self.joined(sensitive, theirs / self.sigma if len(self.others) else theirs)

    def second_moment_derivative(self, shares: Array) -> Array:
        mine, theirs = self.parted(shares)
        alone = self._other_moment if self.inner.size == 1 else 0.0  # it can replace only values that are not sensitive
        others = (1 / self.sigma if len(self.others) else 0.0) + 0 * theirs
        return self.joined(self.inner.second_moment_derivative(mine) - alone, others)

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        (mine, theirs), (w, a), (u, b) = (self.parted(part) for part in (shares, first, second))
        if not len(self.others):
            return self.inner.cross_moment(mine, w, u)
        cover = (1 - self.sigma) * total_of(theirs)
        seen = (self.kappa * total_of(w) + a / self.sigma) * (self.kappa * total_of(u) + b / self.sigma)
        return self.inner.covered_moment(mine, cover, w, u) + self.sigma * total_of(theirs * seen)

    def expected_counts(self, shares: Array) -> Array:
        mine, theirs = self.parted(shares)
        hidden = self.inner.expected_counts(mine)
        if not len(self.others):
            return hidden
        hidden = hidden + self.inner.cover_counts((1 - self.sigma) * total_of(theirs))
        return np.concatenate([hidden, self.sigma * theirs], axis=-1)

    def expected_counts_adjoint(self, weights: Array) -> Array:
        hidden, shown = self.halves(weights)
        inside = self.inner.expected_counts_adjoint(hidden)
        if not len(self.others):
            return self.joined(inside, shown)
        return self.joined(inside, (1 - self.sigma) * self.inner.cover_counts_adjoint(hidden) + self.sigma * shown)

    def reach(self) -> tuple[Array, Array]:
        low, high = self.inner.reach()
        if not len(self.others):
            return self.joined(low, np.zeros(0)), self.joined(high, np.zeros(0))
        shown = np.zeros(len(self.others))
        return (
            self.joined(np.minimum(low, self.kappa), shown),
            self.joined(np.maximum(high, self.kappa), shown + 1 / self.sigma),
        )

    def square_sums(self, counts: Array) -> Array | None:
        hidden, seen = self.halves(counts)
        inside = self.inner.square_sums(hidden)
        if inside is None:
            return None
        return self.joined(inside + self.kappa**2 * total_of(seen), seen / self.sigma**2 if len(self.others) else seen)

    @property
    def decode_cost(self) -> float:
        return self.inner.decode_cost + len(self.others)


class MixtureDecoder(Concatenated[Mixture]):
    """Each part gives an unbiased estimate. Those of high-low parts are put together by least squares (`Joint`), any
    others are averaged value by value (`Averaged`), with weights for the sampler's prior.

    *Why unbiased.* Whatever the prior is, the weights of the parts have mean one over the coin.
    """

    def __init__(self, sampler: Mixture) -> None:
        super().__init__(sampler)
        self.parts = [decoder_of(part) for part in sampler.parts]
        self.concatenate(self.parts, range(len(self.parts)), sampler.offsets, sampler.outputs)
        self.odds = [unit / (1 << sampler.word_bits) for unit in sampler.units]

    @property
    def layout(self) -> None:
        return None

    @cached_property
    def exchangeable(self) -> Sequence[int] | None:
        alike, prior = self.parts[0].exchangeable, self.sampler.prior
        if alike is None or len(set(prior)) == 1:
            return alike
        numbers: dict[tuple[int, float], int] = {}
        return [numbers.setdefault(pair, len(numbers)) for pair in zip(alike, prior, strict=True)]

    def _slices(self, counts: Array) -> list[Array]:
        return [counts[..., b : b + part.cells] for b, part in zip(self.starts, self.parts, strict=True)]

    @cached_property
    def _estimator(self) -> Averaged | Joint:
        high_low = [part for part in self.parts if isinstance(part, HighLowDecoder) and len(part.others)]
        same = len({part.sampler.sensitive for part in high_low}) == 1
        if same and len(high_low) == len(self.parts):
            return Joint(high_low, self.odds, self.sampler.prior)
        return Averaged(self.parts, self.odds, self.sampler.prior)

    def decode(self, counts: Array) -> Array:
        return self._estimator.decode(self._slices(counts))

    def decode_adjoint(self, weights: Array) -> Array:
        return np.concatenate(self._estimator.decode_adjoint(weights), axis=-1)

    def second_moments(self, shares: Array) -> Array:
        return self._estimator.second_moments(shares)

    def second_moment_derivative(self, shares: Array) -> Array:
        return self._estimator.second_moment_derivative(shares)

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        return self._estimator.cross_moment(shares, first, second)

    def expected_counts(self, shares: Array) -> Array:
        terms = zip(self.odds, self.parts, strict=True)
        return np.concatenate([odds * part.expected_counts(shares) for odds, part in terms], axis=-1)

    def expected_counts_adjoint(self, weights: Array) -> Array:
        terms = zip(self.odds, self.parts, self._slices(weights), strict=True)
        return sum((odds * part.expected_counts_adjoint(some) for odds, part, some in terms), np.zeros(1))

    def likelihoods(self, reports: Array) -> Array:
        rows = np.zeros((len(reports), self.size))
        for number, mine, _, inside in self.split(reports):
            rows[mine] = self.parts[number].likelihoods(inside)
        return rows

    def reach(self) -> tuple[Array, Array]:
        return self._estimator.reach()

    @property
    def decode_cost(self) -> float:
        return sum(part.decode_cost for part in self.parts)


class Averaged:
    """Part i is used with odds pi_i; its estimate counts with weight beta_ix for value x, ``sum_i pi_i beta_ix = 1``.

    The weights are in inverse proportion to the parts' second moments at `prior`.

    *Why unbiased.* ``phi_x = beta_ix phi_x of part i`` has mean ``sum_i pi_i beta_ix 1{x = z}``.
    """

    def __init__(self, parts: Sequence[Decoder[Any]], odds: Sequence[float], prior: Sequence[float]) -> None:
        precisions = [1 / part.second_moments(np.array(prior)) for part in parts]
        scale = sum(share * one for share, one in zip(odds, precisions, strict=True))
        self.terms = [(pi, one / scale, part) for pi, one, part in zip(odds, precisions, parts, strict=True)]
        """The odds of each part, beta for every value, and the part."""

    def decode(self, counts: Sequence[Array]) -> Array:
        terms = zip(self.terms, counts, strict=True)
        return sum((beta * part.decode(own) for (_, beta, part), own in terms), np.zeros(1))

    def decode_adjoint(self, weights: Array) -> list[Array]:
        """The weights of the cells of each part."""
        return [part.decode_adjoint(beta * weights) for _, beta, part in self.terms]

    def second_moments(self, shares: Array) -> Array:
        return sum((pi * beta**2 * part.second_moments(shares) for pi, beta, part in self.terms), np.zeros(1))

    def second_moment_derivative(self, shares: Array) -> Array:
        return sum((pi * beta**2 * part.second_moment_derivative(shares) for pi, beta, part in self.terms), np.zeros(1))

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        moments = (pi * part.cross_moment(shares, first * beta, second * beta) for pi, beta, part in self.terms)
        return sum(moments, np.zeros(1))

    def reach(self) -> tuple[Array, Array]:
        ends = [(beta * low, beta * high) for _, beta, part in self.terms for low, high in [part.reach()]]
        return np.min([low for low, _ in ends], axis=0), np.max([high for _, high in ends], axis=0)


@dataclass(frozen=True)
class _Term:
    """How the estimate phi of one part enters, with T = the sum of phi over the others.

    A sensitive value has ``beta phi_a + lift T + base``, another one ``alpha phi_b + q_b (tilt T + least)``.
    """

    part: HighLowDecoder
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

    def __init__(self, parts: Sequence[HighLowDecoder], odds: Sequence[float], prior: Sequence[float]) -> None:
        self.first = first = parts[0]
        self.sensitive, self.others, self.size = first.sensitive, first.others, first.size
        s = len(self.sensitive)
        outside = sum(prior[b] for b in self.others) / sum(prior)
        even = 1 / len(self.others)
        self.q = np.array([prior[b] / (outside * sum(prior)) if outside else even for b in self.others])
        sigmas = [part.sigma for part in parts]
        shown = _in_proportion([one / (1 - outside * one) for one in sigmas], odds)
        inside = _in_proportion([1 / _spread(part, prior, outside) if s > 1 else 1.0 for part in parts], odds)
        passed = _in_proportion(sigmas, odds)
        self.terms = []
        for part, share, beta, tau, alpha in zip(parts, odds, inside, shown, passed, strict=True):
            least = outside * (1 - tau)
            lift, base = (beta - tau) / s, (1 - least - beta) / s
            self.terms.append(_Term(part, share, beta, lift, base, alpha, tau - alpha, least))

    def decode(self, counts: Sequence[Array]) -> Array:
        shares, q = np.zeros(self.size), self.q
        for term, own in zip(self.terms, counts, strict=True):
            hidden, seen = self.first.parted(term.part.decode(own))
            n, total = term.part.total(own), total_of(seen)
            sensitive = term.beta * hidden + term.lift * total + term.base * n
            shares = shares + self.first.joined(sensitive, term.alpha * seen + q * (term.tilt * total + term.least * n))
        return shares

    def second_moments(self, shares: Array) -> Array:
        moments, q = np.zeros(self.size), self.q
        mine, theirs = self.first.parted(shares)
        everyone, total = total_of(shares), total_of(theirs)
        for term in self.terms:
            own, _ = self.first.parted(term.part.second_moments(shares))
            sigma, kappa, beta, alpha = term.part.sigma, term.part.kappa, term.beta, term.alpha
            sensitive = beta**2 * own + 2 * beta * (term.lift * kappa * total + term.base * mine)
            sensitive = sensitive + _square(term.lift, term.base, sigma, total, everyone)
            others = theirs * (alpha**2 / sigma + 2 * alpha * q * (term.tilt / sigma + term.least))
            others = others + q**2 * _square(term.tilt, term.least, sigma, total, everyone)
            moments = moments + term.odds * self.first.joined(sensitive, others)
        return moments

    def second_moment_derivative(self, shares: Array) -> Array:
        moments, q = np.zeros(self.size), self.q
        for term in self.terms:
            own, seen = self.first.parted(term.part.second_moment_derivative(shares))
            sigma, kappa, beta, alpha = term.part.sigma, term.part.kappa, term.beta, term.alpha
            sensitive = beta**2 * own + 2 * beta * term.base
            if len(self.sensitive) == 1:  # it can replace only values that are not sensitive
                sensitive = sensitive - 2 * beta * term.lift * kappa - _square(term.lift, term.base, sigma, 1.0, 0.0)
            others = alpha**2 * seen + 2 * alpha * q * (term.tilt / sigma + term.least)
            if len(self.others) == 1:  # it can replace only sensitive values
                others = others + q**2 * _square(term.tilt, term.least, sigma, 1.0, 0.0)
            moments = moments + term.odds * self.first.joined(sensitive, others)
        return moments

    def _weights(self, term: _Term, weights: Array) -> tuple[Array, Array]:
        """A constant and the weights of the part's own estimates that give ``weights . phi`` together."""
        mine, theirs = self.first.parted(weights)
        summed, at_prior = total_of(mine), total_of(self.q * theirs)
        others = term.alpha * theirs + term.lift * summed + term.tilt * at_prior
        return term.base * summed + term.least * at_prior, self.first.joined(term.beta * mine, others)

    def decode_adjoint(self, weights: Array) -> list[Array]:
        """The weights of the cells of each part."""
        entries = []
        for term in self.terms:
            constant, own = self._weights(term, weights)
            entries.append(term.part.decode_adjoint(own) + constant * term.part.unit_weights())
        return entries

    def cross_moment(self, shares: Array, first: Array, second: Array) -> Array:
        moments, everyone = np.zeros(1), total_of(shares)
        for term in self.terms:
            (a, w), (b, u) = (self._weights(term, weights) for weights in (first, second))
            own = term.part.cross_moment(shares, w, u)
            moments = moments + term.odds * (
                own + a * b * everyone + a * total_of(u * shares) + b * total_of(w * shares)
            )
        return moments

    def reach(self) -> tuple[Array, Array]:
        mine, theirs = [], []
        for term in self.terms:
            seen = 1 / term.part.sigma
            mine += [term.beta * end + term.base for end in term.part.inner.reach()]
            mine.append(np.full(len(self.sensitive), term.beta * term.part.kappa + term.lift * seen + term.base))
            another = self.q * (term.tilt * seen + term.least)
            theirs += [self.q * term.least, term.alpha * seen + another]
            theirs += [another] if len(self.others) > 1 else []
        return (
            self.first.joined(np.min(mine, axis=0), np.min(theirs, axis=0)),
            self.first.joined(np.max(mine, axis=0), np.max(theirs, axis=0)),
        )


def _in_proportion(numbers: Sequence[float], odds: Sequence[float]) -> list[float]:
    """The numbers scaled so that their mean over the odds is 1."""
    mean = sum(share * one for share, one in zip(odds, numbers, strict=True))
    return [one / mean for one in numbers]


def _square(slope: float, start: float, sigma: float, total: Any, everyone: Any) -> Any:
    """E[(slope T + start)**2], T being 1/sigma with probability sigma for each of the others and 0 else."""
    return (slope**2 / sigma + 2 * slope * start) * total + start**2 * everyone


def _spread(part: HighLowDecoder, prior: Sequence[float], outside: float) -> float:
    """The summed variances of ``phi_a - (1 - T)/s`` over the sensitive values at the prior."""
    s, shares = len(part.sensitive), np.array(prior)
    moments = part.second_moments(shares)[..., part.sensitive]
    beside = (1 - outside) - s * part.kappa * outside  # E[(1 - T) sum_a phi_a]
    square = 1 - 2 * outside + outside / part.sigma  # E[(1 - T)**2]
    return float(total_of(moments)[..., 0] - (2 * beside - square) / s)
