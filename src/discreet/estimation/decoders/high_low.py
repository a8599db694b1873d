"""The decoder of high-low response: sensitive values by the inner decoder, the others by how often they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...core.errors import NotIdentifiable, NotServed
from ...mechanisms.composed.high_low import HighLowResponse
from ..arrays.layout import Array, Cells, total_of
from .concatenated import Concatenated
from .decoder import Decoder
from .numbered import NumberedCounter
from .pure import PureDecoder
from .registry import decoder_of


class HighLowDecoder(Concatenated, Decoder[HighLowResponse]):
    """The cells of the inner decoder, then one for each value that may be disclosed.

    *Why unbiased.* phi_a(y) = (1{y supports a} - q)/(p - q) for inner reports and the constant
    ``kappa = -(1-sigma)(r-q) / (sigma (p-q))`` for values that were disclosed; phi_b = 1{y = b}/sigma.
    """

    inner: PureDecoder[Any]

    def __init__(self, sampler: HighLowResponse) -> None:
        Decoder.__init__(self, sampler)
        inner = decoder_of(sampler.inner)
        if not isinstance(inner, PureDecoder):
            raise NotServed(
                f"high_low: laws of kind {sampler.inner.law.kind!r} need a PureDecoder of their own in DECODERS"
            )
        self.inner = inner
        self.sensitive, self.others = np.array(sampler.sensitive), np.array(sampler.others, dtype=np.int64)
        shown = NumberedCounter(len(sampler.others))
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
        if not self.sampler.passes and shown.any():
            return "values that are not sensitive never pass, so their counts must be 0"
        return self.inner.inconsistency(hidden)

    @cached_property
    def sigma(self) -> float:
        """The probability that a value that is not sensitive is disclosed."""
        if not self.sampler.is_identifiable:
            raise NotIdentifiable("high_low: values that are not sensitive never pass, so they cannot be told apart")
        return float(self.sampler.passes)

    @cached_property
    def kappa(self) -> float:
        """What a disclosed value contributes to every sensitive share."""
        inner, passes = self.sampler.inner, self.sampler.passes
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
                others = np.full((len(mine), len(self.others)), float(1 - self.sampler.passes))
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

    def influence(self) -> float:
        most = self.inner.influence()
        return max(most, 1 / self.sigma, self.kappa) if len(self.others) else most

    @property
    def decode_cost(self) -> float:
        return self.inner.decode_cost + len(self.others)
