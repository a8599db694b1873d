"""Cyclotomic response: many small difference sets at once, for the sizes where one alone does not fit."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from ..arithmetic import Arithmetic
from ..combinatorics.difference_sets import Parameters
from ..combinatorics.primes import is_prime, prime_factors
from ..errors import InvalidInput
from .projective import room
from .randomizer import WORD_BITS, check_size
from .two_level import TwoLevel

LARGEST_BLOCK = 64
"""Largest base block that is tried; beyond, a single difference set is as good."""


@dataclass(frozen=True)
class Family:
    """A prime p and a block size d: the blocks g**i H, i < m, cover every difference mod p equally often.

    H is the subgroup of order d of Z_p* for odd d (m = (p-1)/2d, lambda = (d-1)/2), or that of order d - 1
    together with 0 for even d (m = (p-1)/2(d-1), lambda = d/2). The differences of H are whole cosets of
    the group that H and -1 generate, and the multipliers g**i go once through all those cosets.
    """

    p: int
    d: int

    @property
    def order(self) -> int:
        """The order of the subgroup."""
        return self.d if self.d % 2 else self.d - 1

    @property
    def m(self) -> int:
        """The number of base blocks."""
        return (self.p - 1) // (2 * self.order)

    @property
    def parameters(self) -> Parameters:
        """What the error depends on: m p reports, m d of them supporting a value, lambda of them two."""
        return Parameters("cyclotomic", self.p * self.m, self.m * self.d, self.d // 2, (self.p, self.d))

    def squared_error(self, k: int, epsilon: float) -> float:
        """n times the total squared error over k equally likely values: ``k V0 + V1 + 1 - 1/k``."""
        told, fade = self.parameters, math.exp(-epsilon)
        whole = told.r + (told.v - told.r) * fade
        g, h = told.r / whole, (told.lam + (told.r - told.lam) * fade) / whole
        if g <= h:
            return math.inf  # an epsilon so small that doubles do not tell the two apart
        return ((k - 1) * h * (1 - h) + g * (1 - g)) / (g - h) ** 2 + 1 - 1 / k


class Cyclotomic(TwoLevel):
    """Report a block i and x + b mod p, with b in the base block B_i e**epsilon times likelier than not.

    The m base blocks of d elements are cosets of a subgroup of Z_p*, p >= k a prime; together they hold
    every non-zero difference lambda times, so any two values share lambda supporting reports.

    *Why private.* As `Projective`: two levels in whole units.
    *Why unbiased.* As `Projective`, with m d supporting reports out of m p.

    References: Wilson1972 (difference families from cyclotomic classes); Feldman2022 (the use of such designs).
    """

    name = "cyclotomic"

    def __init__(
        self,
        size: int,
        epsilon: Fraction,
        *,
        p: int | None = None,
        d: int | None = None,
        bits: int | None = None,
        word_bits: int = WORD_BITS,
    ) -> None:
        check_size(size, word_bits)
        if (p is None) != (d is None):
            raise InvalidInput("p and d go together")
        found = best_family(size, float(epsilon), bits=bits) if p is None or d is None else Family(p, d)
        if found is None:
            raise InvalidInput(f"size={size}: no family of small blocks fits a report of {room(size, bits)} bits")
        if not is_family(found) or found.p < size:
            raise InvalidInput(f"p={p}, d={d} must be a prime of at least {size} values that is 1 mod 2d (or 2(d-1))")
        self.family = found
        told = found.parameters
        self._level(size, epsilon, word_bits, outputs=told.v, many=told.r, shared=told.lam)

    @cached_property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """The base blocks."""
        return base_blocks(self.family)

    @cached_property
    def table(self) -> Sequence[int]:
        """i p + b for every b: those outside their block first, those inside last."""
        p = self.family.p
        members = [set(block) for block in self.blocks]
        outside = [i * p + b for i, inside in enumerate(members) for b in range(p) if b not in inside]
        return array("I", outside + [i * p + b for i, block in enumerate(self.blocks) for b in block])

    def located(self, x: Any, j: Any, ops: Arithmetic) -> Any:
        p = self.family.p
        entry = ops.look_up(self.table, j)
        start = ops.divide(entry, p) * p
        moved = x + (entry - start)
        return start + moved - ops.at_least(moved, p) * p

    def is_supported(self, x: int, y: int) -> bool:
        block, place = divmod(y, self.family.p)
        return (place - x) % self.family.p in self.blocks[block]

    def _kernels(self, ops: Any) -> Any:
        if not hasattr(self, "_cached_kernels"):
            self._cached_kernels = ops.cyclic_kernel(*self.blocks, length=self.family.p)
        return self._cached_kernels

    def supports(self, counts: Any, ops: Any) -> Any:
        shape = (self.family.m, self.family.p) if self.family.m > 1 else (self.family.p,)
        found = self._kernels(ops).correlate(counts.reshape(*counts.shape[:-1], *shape))
        return (found.sum(axis=-2) if self.family.m > 1 else found)[..., : self.size]

    def cover(self, weights: Any, ops: Any) -> Any:
        alone = (1,) if self.family.m > 1 else ()
        padded = ops.zeros((*weights.shape[:-1], *alone, self.family.p))
        padded[..., : self.size] = weights[..., None, :] if alone else weights
        return self._kernels(ops).convolve(padded).reshape(*weights.shape[:-1], self.outputs)

    @property
    def decode_cost(self) -> float:
        return float(3 * self.outputs * self.family.p.bit_length())

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "p": self.family.p, "d": self.family.d}


def is_family(family: Family) -> bool:
    """True if the prime and the block size make a family."""
    return family.d >= 2 and family.p > 2 and is_prime(family.p) and (family.p - 1) % (2 * family.order) == 0


def families(k: int, *, bits: int | None = None) -> Iterator[Family]:
    """For each block size, the family with the smallest prime of at least k, if its reports fit."""
    limit = 1 << room(k, bits)
    for d in range(2, min(LARGEST_BLOCK, k - 1) + 1):
        step = 2 * (d if d % 2 else d - 1)
        first = k + (1 - k) % step
        for p in range(max(first, 1 + step), 4 * k + 8 * step, step):
            if p * (p - 1) // step > limit:
                break
            if is_prime(p):
                yield Family(p, d)
                break


@lru_cache(maxsize=1024)
def best_family(k: int, epsilon: float, *, bits: int | None = None) -> Family | None:
    """The family of least error for k equally likely values whose reports fit; None when none does."""
    return min(families(k, bits=bits), key=lambda family: family.squared_error(k, epsilon), default=None)


@lru_cache(maxsize=64)
def base_blocks(family: Family) -> tuple[tuple[int, ...], ...]:
    """The blocks g**i H, verified: every non-zero difference occurs lambda times over all blocks.

    The count of a difference is constant on the cosets of the group generated by H and -1, because H maps
    each block onto itself and -1 swaps the two ends of a difference; one difference of every coset is
    counted, g**i for i < m.
    """
    p, m = family.p, family.m
    factors = prime_factors(p - 1)
    g = next(g for g in range(2, p) if all(pow(g, (p - 1) // q, p) != 1 for q in factors))
    h = pow(g, (p - 1) // family.order, p)
    subgroup = [1]
    while len(subgroup) < family.order:
        subgroup.append(subgroup[-1] * h % p)
    zero = (0,) if family.d % 2 == 0 else ()
    found = tuple(tuple(sorted((*zero, *(pow(g, i, p) * s % p for s in subgroup)))) for i in range(m))
    counted: dict[int, int] = {}
    for block in found:
        for a in block:
            for b in block:
                counted[(a - b) % p] = counted.get((a - b) % p, 0) + 1
    if any(counted.get(pow(g, i, p), 0) != family.d // 2 for i in range(m)):
        raise InvalidInput(f"p={p}, d={family.d} did not give a difference family")
    return found
