"""Cyclotomic response: many small difference sets at once, for sizes where no single one fits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ...core.errors import InvalidInput
from ...core.exact import approx
from ...core.limits import spend
from ..finite_geometry.difference_sets import MAX_MODULUS, Parameters, best, squared_error
from ..finite_geometry.finite_fields import is_prime, prime_factors
from ..law import WORD_BITS
from ..units import check_size
from .cyclic import SLACK, Cyclic, room

MAX_BLOCK = 64
"""The largest base block that is tried; beyond it a single difference set is as good."""


@dataclass(frozen=True)
class DifferenceFamily:
    """A prime p and a block size d: the blocks g**i H, i < m, cover every difference mod p equally often.

    H is the subgroup of order d of Z_p* for odd d (m = (p-1)/2d, lambda = (d-1)/2), or that of order d - 1
    together with 0 for even d (m = (p-1)/2(d-1), lambda = d/2). The differences of H are whole cosets of
    the group that H and -1 generate, and the multipliers g**i run through all those cosets once.
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
        design, fade = self.parameters, math.exp(-epsilon)
        whole = design.r + (design.v - design.r) * fade
        p, q = design.r / whole, (design.lam + (design.r - design.lam) * fade) / whole
        if p <= q:
            return math.inf  # epsilon is too small for doubles to tell the two apart
        return ((k - 1) * q * (1 - q) + p * (1 - p)) / (p - q) ** 2 + 1 - 1 / k


class Cyclotomic(Cyclic):
    """Report a block i and x + b mod p, where each b in the base block B_i is e**epsilon times likelier than the rest.

    The m base blocks of d elements are cosets of a subgroup of Z_p*, p >= k a prime; together they hold
    every non-zero difference lambda times, so any two values share lambda supporting reports.

    *Why private.* As `Cyclic`: whatever the blocks are.

    References: Wilson1972 (difference families from cyclotomic classes); Feldman2022 (the use of such designs).
    """

    name = "cyclotomic"
    takes_bits = True

    @classmethod
    def worth_trying(cls, size: int, epsilon: Fraction, *, bits: int | None, mass: float | None) -> bool:
        """True where the best single difference set has at least 1 % more error."""
        if size == 1:
            return True
        if bits is not None and bits < (size - 1).bit_length():
            return False
        if mass is not None:
            from ..composed.high_low import family_pays

            return family_pays(size, approx(epsilon), mass, bits=bits)
        level, most = approx(epsilon), room(size, bits)
        several = best_family(size, level, bits=most)
        single = best(size, level, bits=most, slack=SLACK) if several is not None else None
        if several is None or single is None:
            return False
        return 1.01 * several.squared_error(size, level) < squared_error(single, size, level)

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
            raise InvalidInput("p and d must be given together")
        family = best_family(size, approx(epsilon), bits=bits) if p is None or d is None else DifferenceFamily(p, d)
        if family is None:
            raise InvalidInput(f"size={size}: no family of small blocks fits a report of {room(size, bits)} bits")
        if not is_family(family) or family.p < size:
            raise InvalidInput(f"p={p}, d={d} must be a prime of at least {size} that is 1 mod 2d (or 2(d-1))")
        self.family = family
        blocks, shared = base_blocks(family), family.parameters.lam
        self.shift(size, epsilon, word_bits, modulus=family.p, shifts=blocks, shared=shared)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "p": self.family.p, "d": self.family.d}


def is_family(family: DifferenceFamily) -> bool:
    """True if the prime and the block size form a family."""
    sound = all(type(n) is int and 2 <= n <= MAX_MODULUS for n in (family.p, family.d))
    return sound and family.p > 2 and is_prime(family.p) and (family.p - 1) % (2 * family.order) == 0


def families(k: int, *, bits: int | None = None) -> Iterator[DifferenceFamily]:
    """For each block size, the family with the smallest prime of at least k, if its reports fit."""
    limit = 1 << room(k, bits)
    for d in range(2, min(MAX_BLOCK, k - 1) + 1):
        step = 2 * (d if d % 2 else d - 1)
        first = k + (1 - k) % step
        for p in range(max(first, 1 + step), 4 * k + 8 * step, step):
            if p * (p - 1) // step > limit:
                break
            if is_prime(p):
                yield DifferenceFamily(p, d)
                break


@lru_cache(maxsize=1024)
def best_family(k: int, epsilon: float, *, bits: int | None = None) -> DifferenceFamily | None:
    """The family of least error for k equally likely values whose reports fit; None if there is none."""
    return min(families(k, bits=bits), key=lambda family: family.squared_error(k, epsilon), default=None)


@lru_cache(maxsize=64)
def base_blocks(family: DifferenceFamily) -> tuple[tuple[int, ...], ...]:
    """The blocks g**i H, verified: every non-zero difference occurs lambda times over all blocks.

    The count of a difference is constant on the cosets of the group generated by H and -1, because H maps
    each block onto itself and -1 swaps the two ends of a difference; one difference of every coset is
    counted, g**i for i < m.
    """
    p, m = family.p, family.m
    spend(m * (p + 2 * family.d**2), f"a difference family mod {p}")
    factors = prime_factors(p - 1)
    g = next(g for g in range(2, p) if all(pow(g, (p - 1) // q, p) != 1 for q in factors))
    h = pow(g, (p - 1) // family.order, p)
    subgroup = [1]
    while len(subgroup) < family.order:
        subgroup.append(subgroup[-1] * h % p)
    zero = (0,) if family.d % 2 == 0 else ()
    blocks = tuple(tuple(sorted((*zero, *(pow(g, i, p) * s % p for s in subgroup)))) for i in range(m))
    counted: dict[int, int] = {}
    for block in blocks:
        for a in block:
            for b in block:
                counted[(a - b) % p] = counted.get((a - b) % p, 0) + 1
    if any(counted.get(pow(g, i, p), 0) != family.d // 2 for i in range(m)):
        raise InvalidInput(f"p={p}, d={family.d} did not give a difference family")
    return blocks
