"""Small finite fields, and polynomials whose root runs through every point of a projective space.

A field GF(q) is held as *labels*: integers below 256 that bulk code can store one to a byte.

* q prime: the label is the residue; labels add as integers, then mod q.
* q = 2**m: the label's bits are the coefficients; labels add by exclusive or.
* q = p**m, p odd: the coefficients are digits in base 2p - 1, so that the sum of two labels never
  carries from one digit to the next; each digit is then taken mod p.

Prime fields of any order are served as well, without the byte tables.

*References*: Lidl1997, Singer1938, Jaeschke1993 (primes).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache, reduce
from itertools import accumulate, combinations, product
from math import gcd, isqrt

from ...core.errors import InvalidInput, shown

PRIME_TEST_LIMIT = 341_550_071_728_321
"""The least number for which the test by seven bases may be wrong."""


def is_prime(n: int) -> bool:
    """Whether n is prime, by strong pseudoprime tests to seven bases: exact for n < 3.4e14 (Jaeschke1993)."""
    bases = (2, 3, 5, 7, 11, 13, 17)
    if n >= PRIME_TEST_LIMIT:
        raise InvalidInput(f"n={shown(n)} must be below {PRIME_TEST_LIMIT} to say whether it is prime")
    if n < 2 or any(n % b == 0 for b in bases):
        return n in bases
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in bases:
        power = pow(base, odd, n)
        if power not in (1, n - 1) and all((power := power * power % n) != n - 1 for _ in range(twos - 1)):
            return False
    return True


def primes_up_to(n: int) -> list[int]:
    """The primes at most n, by the sieve of Eratosthenes."""
    sieve = bytearray([1]) * (n + 1)
    sieve[:2] = bytes(min(2, n + 1))
    for i in range(2, isqrt(n) + 1):
        if sieve[i]:
            sieve[i * i :: i] = bytes(len(range(i * i, n + 1, i)))
    return [i for i, flag in enumerate(sieve) if flag]


def prime_factors(n: int) -> list[int]:
    """The distinct primes that divide n, by trial division."""
    factors, divisor = [], 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            factors.append(divisor)
            while n % divisor == 0:
                n //= divisor
        divisor += 1 + (divisor > 2)
    return factors + [n] * (n > 1)


Terms = tuple[tuple[int, int], ...]
"""A monic polynomial as what its leading power equals: x**t = sum of c * x**j over the pairs (j, c)."""


class Field:
    """The field of q elements, q a prime, or a prime power whose labels fit a byte."""

    def __init__(self, q: int) -> None:
        self.order = q
        self.characteristic = p = prime_factors(q)[0]
        self.degree = next(m for m in range(1, q) if p**m >= q)
        base = 2 if p == 2 else 2 * p - 1
        self._powers = [base**i for i in range(self.degree)]
        if self.degree > 1:
            self._exponentials = self._generate()
            self._logarithms = {label: i for i, label in enumerate(self._exponentials)}

    def _label(self, digits: Sequence[int]) -> int:
        return sum(d * w for d, w in zip(digits, self._powers, strict=True))

    def _generate(self) -> list[int]:
        """Labels of the powers of a generator: the root of the first polynomial that has full order."""
        p, m = self.characteristic, self.degree
        for tail in product(range(p), repeat=m):
            digits, seen = [1] + [0] * (m - 1), [1]
            for _ in range(self.order - 1):
                top = digits[-1]
                digits = [(d + top * c) % p for d, c in zip([0, *digits[:-1]], tail, strict=True)]
                seen.append(self._label(digits))
            if seen[-1] == 1 and len(set(seen)) == self.order - 1:
                return seen[:-1]
        raise AssertionError("every finite field has a generator")

    @cached_property
    def nonzero(self) -> Sequence[int]:
        """Labels of the elements other than zero, one first."""
        return self._exponentials if self.degree > 1 else range(1, self.order)

    def powers_of_generator(self, count: int) -> list[int]:
        """Labels of the first `count` powers of a generator of the multiplicative group."""
        if self.degree > 1:
            return self._exponentials[:count]
        q, factors = self.order, prime_factors(self.order - 1)
        root = next(g for g in range(1, q) if all(pow(g, (q - 1) // ell, q) != 1 for ell in factors))
        return [pow(root, i, q) for i in range(count)]

    @cached_property
    def reduction(self) -> bytes:
        """Table of 256: the label that a sum of two labels stands for (the sum is by xor if q is even)."""
        p = self.characteristic
        if p == 2:
            return bytes(range(256))
        base = 2 * p - 1
        return bytes(
            self._label([n // w % base % p for w in self._powers]) if n < self._powers[-1] * base else 0
            for n in range(256)
        )

    def scaling(self, c: int) -> bytes:
        """Table of 256: the label of c times the element of each label."""
        table = bytearray(256)
        for label in self.nonzero:
            table[label] = self.multiply(c, label)
        return bytes(table)

    def add(self, a: int, b: int) -> int:
        """Label of the sum."""
        if self.characteristic == 2:
            return a ^ b
        return (a + b) % self.order if self.degree == 1 else self.reduction[a + b]

    def multiply(self, a: int, b: int) -> int:
        """Label of the product."""
        if self.degree == 1:
            return a * b % self.order
        if not (a and b):
            return 0
        log = self._logarithms
        return self._exponentials[(log[a] + log[b]) % (self.order - 1)]


class QuotientRing:
    """The ring GF(q)[x] / f for monic f of degree t; an element is the list of its t coefficients."""

    def __init__(self, field: Field, t: int, terms: Terms) -> None:
        self.field, self.t, self.terms = field, t, terms

    def times_x(self, a: list[int]) -> list[int]:
        """The product of a and x."""
        top, shifted = a[-1], [0, *a[:-1]]
        if top:
            for j, c in self.terms:
                shifted[j] = self.field.add(shifted[j], self.field.multiply(top, c))
        return shifted

    def multiply(self, a: list[int], b: list[int]) -> list[int]:
        """The product of a and b."""
        add, times = self.field.add, self.field.multiply
        wide = [0] * (2 * self.t - 1)
        pairs = [(j, y) for j, y in enumerate(b) if y]
        for i, x in enumerate(a):
            if x:
                for j, y in pairs:
                    wide[i + j] = add(wide[i + j], times(x, y))
        return self._reduce(wide)

    def square(self, a: list[int]) -> list[int]:
        """The product of a and a; where 1 + 1 = 0 only the squares of coefficients remain."""
        if self.field.characteristic != 2:
            return self.multiply(a, a)
        wide = [0] * (2 * self.t - 1)
        wide[::2] = [self.field.multiply(x, x) for x in a]
        return self._reduce(wide)

    def _reduce(self, wide: list[int]) -> list[int]:
        """The element of degree below t equal to a polynomial of degree at most 2t - 2."""
        add, times, t = self.field.add, self.field.multiply, self.t
        for n in range(2 * t - 2, t - 1, -1):
            if wide[n]:
                for j, c in self.terms:
                    wide[n - t + j] = add(wide[n - t + j], times(wide[n], c))
        return wide[:t]

    def power_of_x(self, n: int) -> list[int]:
        """x**n by squaring."""
        result = [1] + [0] * (self.t - 1)
        for bit in bin(n)[2:]:
            result = self.square(result)
            if bit == "1":
                result = self.times_x(result)
        return result

    def _has_root(self) -> bool:
        """Whether one of up to 32 elements is a root of f: a quick reason to reject it."""
        add, times = self.field.add, self.field.multiply
        for z in self.field.nonzero[:32]:
            powers = list(accumulate([z] * self.t, times, initial=1))
            if powers[-1] == reduce(add, (times(c, powers[j]) for j, c in self.terms)):
                return True
        return False

    def x_reaches_every_point(self) -> bool:
        """Whether v = (q**t - 1) / (q - 1) is the least n > 0 that makes x**n a scalar.

        Then 1, x, ..., x**(v-1) are v vectors of GF(q)**t no two of which are proportional, hence
        one for each point of the projective space; every non-zero element is a scalar times a power
        of x, which is invertible, so the ring is a field and f is irreducible.
        """
        q = self.field.order
        v = (q**self.t - 1) // (q - 1)
        if self._has_root() or any(self.power_of_x(v)[1:]):
            return False
        return all(any(self.power_of_x(v // ell)[1:]) for ell in prime_factors(v))


def _polynomials(field: Field, t: int) -> Iterator[Terms]:
    """Monic polynomials of degree t with non-zero constant term: few terms first, then low exponents."""
    for middle in range(1, t):
        for exponents in sorted(combinations(range(1, t), middle), key=lambda js: js[::-1]):
            # Replacing x by a scalar multiple of x changes the lowest middle coefficient by a
            # (t - j)-th power and leaves the property sought alone: one of each class is enough.
            classes = field.powers_of_generator(gcd(t - exponents[0], field.order - 1))
            for coefficients in product(classes, *[field.nonzero] * middle):
                yield tuple(zip((*exponents, 0), coefficients, strict=True))


@lru_cache(maxsize=64)
def cyclic_polynomial(q: int, t: int) -> QuotientRing:
    """GF(q)[x] / f for the first f, in a fixed order, such that x reaches every projective point.

    The order is part of what a report means, so it never changes: fewest terms first; then exponents,
    compared from the largest down; then coefficients from the lowest middle exponent to the highest
    and the constant last, each in the order of the field's non-zero labels.
    """
    field = Field(q)
    return next(ring for f in _polynomials(field, t) if (ring := QuotientRing(field, t, f)).x_reaches_every_point())
