import pytest

from discreet.core.errors import InvalidInput
from discreet.mechanisms.finite_geometry.finite_fields import is_prime, prime_factors, primes_up_to


def test_the_sieve_and_the_strong_tests_agree_with_trial_division() -> None:
    by_division = [n for n in range(5000) if n > 1 and all(n % d for d in range(2, n))]
    assert primes_up_to(4999) == by_division
    assert [n for n in range(5000) if is_prime(n)] == by_division


def test_short_sieves_are_right() -> None:
    assert [primes_up_to(n) for n in range(6)] == [[], [], [2], [2, 3], [2, 3], [2, 3, 5]]


def test_strong_pseudoprimes_to_few_bases_are_refused() -> None:
    # the least composites that pass the bases 2; 2, 3; 2, 3, 5; 2, 3, 5, 7 (Jaeschke1993)
    assert not any(is_prime(n) for n in (2047, 1_373_653, 25_326_001, 3_215_031_751))
    assert is_prime(2**31 - 1)
    assert is_prime(4_294_967_291)


def test_prime_factors_are_the_primes_that_divide() -> None:
    for n in range(2, 2000):
        assert prime_factors(n) == [p for p in primes_up_to(n) if n % p == 0]


def test_a_number_beyond_the_proof_is_refused():
    for n in (341_550_071_728_321, 10**5000):  # the first is composite and passes the test by all seven bases
        with pytest.raises(InvalidInput, match="must be below 341550071728321"):
            is_prime(n)
    assert not is_prime(341_550_071_728_320)
