"""Primes of the sizes that difference sets need, exactly.

*References*: Jaeschke1993.
"""

from __future__ import annotations

from math import isqrt

from ...core.errors import InvalidInput, shown

EXACT = 341_550_071_728_321
"""The least number for which the test by seven bases may be wrong."""


def is_prime(n: int) -> bool:
    """Whether n is prime, by strong pseudoprime tests to seven bases: exact for n < 3.4e14 (Jaeschke1993)."""
    bases = (2, 3, 5, 7, 11, 13, 17)
    if n >= EXACT:
        raise InvalidInput(f"n={shown(n)} must be below {EXACT} to say whether it is prime")
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
    found, divisor = [], 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            found.append(divisor)
            while n % divisor == 0:
                n //= divisor
        divisor += 1 + (divisor > 2)
    return found + [n] * (n > 1)
