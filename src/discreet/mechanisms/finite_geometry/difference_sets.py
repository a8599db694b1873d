"""Cyclic difference sets: described, compared by closed-form error, built and verified.

A (v, r, lam) difference set D in Z_v has r elements, and every non-zero m in Z_v is n' - n for exactly
lam ordered pairs of them, so lam (v - 1) = r (r - 1). Report y = x + d mod v, with weight e**epsilon on
each d in D and 1 on each other d: all k <= v values are then treated alike, and the count of reports
in x + D, shifted and scaled, is an unbiased estimate of the share of x.

Families, each with its key:

* ``trivial`` (v,): D = {0} in Z_v, which is k-ary randomized response;
* ``singer`` (q, t): a hyperplane of GF(q)**t, v = (q**t - 1) / (q - 1), r about v / q;
* ``paley`` (p,): the squares mod a prime p = 3 mod 4, r = (p - 1) / 2;
* ``twin primes`` (p, p + 2): v = p (p + 2), r = (v - 1) / 2;
* ``biquadratic`` (p,): the fourth powers mod a prime p = 4 a**2 + 1, a odd, r = (p - 1) / 4;
* ``biquadratic and zero`` (p,): the fourth powers and 0, p = 4 a**2 + 9, a odd, r = (p + 3) / 4;
* ``orbits`` (v, m, n, ...): the orbits of n, ... under multiplication by m, for two sporadic sets.

Complements are left out because they never win: swapping r for v - r where r <= v / 2 leaves
r (v - r) and n = r - lam as they are and adds 2 n (v - 2r) (e - 1) + n (v - 2r) (e - 1)**2 >= 0 to the
product in `squared_error`. Hall's sextic residues have the parameters of the Paley set of the same
prime, and the sets of Gordon, Mills and Welch those of a Singer set.

*References*: Feldman2022, Acharya2020, Singer1938, Paley1933, Hall1956, Whiteman1962, Beth1999.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

from ...core.errors import InvalidEpsilon, InvalidInput, shown
from ...core.limits import spend
from . import singer
from .finite_fields import is_prime, primes_up_to

SPARE_BITS = 8
"""A report takes at most log2(k) + 8 bits: v <= 256 k."""

MAX_MODULUS = 2**32 - 1
"""The largest v: an element fits 32 bits."""

CANDIDATE_STEPS = 10
"""Steps that it takes to compare the candidates up to the square of a number, for each number."""

RESIDUE_STEPS = 4
"""Steps that it takes to find a residue."""

KEPT_STEPS = 3
"""Steps that it takes to keep and check an element."""

_ORBITS = ((133, 5, 1, 14, 19), (901, 13, 0, 1, 5, 9, 41, 53, 106, 159, 318))
_POWERS = tuple(
    q for p in (2, 3, 5, 7) for m in range(2, 8) if (q := p**m) <= 128 and (2 if p == 2 else 2 * p - 1) ** m <= 256
)
_EXHAUSTIVE = 8192
_COUNTED = 1 << 16
_SAMPLE = 8


@dataclass(frozen=True, slots=True)
class Parameters:
    """A difference set given by family and key, with its v, r and lam, not yet built."""

    family: str
    v: int
    r: int
    lam: int
    key: tuple[int, ...]

    @property
    def bits(self) -> int:
        """The number of bits per report: ceil(log2(v))."""
        return (self.v - 1).bit_length()


def describe(family: str, key: tuple[int, ...]) -> Parameters:
    """The parameters of a family's set; the key must satisfy the family's condition, checked exactly."""
    known, v, r = False, 0, 0
    if any(type(n) is not int or not 0 <= n <= MAX_MODULUS for n in key):
        family = ""  # no set has such a key, and no power or prime is sought for it
    match family, key:
        case "trivial", (v,):
            known, r = v >= 2, 1
        case "singer", (q, t) if q > 1 and 2 < t <= (32 if q <= singer.BYTE_ORDER else 4):
            known = is_prime(q) or q in _POWERS
            v, r = (q**t - 1) // (q - 1), (q ** (t - 1) - 1) // (q - 1)
        case "paley", (v,):
            known, r = is_prime(v) and v % 4 == 3, (v - 1) // 2
        case "twin primes", (p, q):
            known, v, r = is_prime(p) and is_prime(q) and q == p + 2, p * q, (p * q - 1) // 2
        case "biquadratic", (v,):
            known, r = is_prime(v) and v > 5 and _is_twice_odd_squared(v - 1), (v - 1) // 4
        case "biquadratic and zero", (v,):
            known, r = is_prime(v) and _is_twice_odd_squared(v - 9), (v + 3) // 4
        case "orbits", (v, *_):
            known, r = key in _ORBITS, (v - 1) // 4
    if not known or v > MAX_MODULUS:
        raise InvalidInput(f"family={shown(family)}, key={shown(key)} must name a known difference set")
    return Parameters(family, v, r, r * (r - 1) // (v - 1), key)


def candidates(k: int, *, bits: int | None = None) -> Iterator[Parameters]:
    """Known sets with k <= v <= 256 k, and v <= 2**bits if given: all of Singer's, the next of each other family."""
    if not 2 <= k <= MAX_MODULUS:
        raise InvalidInput(f"k={k} must be between 2 and {MAX_MODULUS}")
    limit = min(k << SPARE_BITS, MAX_MODULUS, MAX_MODULUS if bits is None else 1 << bits)
    spend(CANDIDATE_STEPS * math.isqrt(limit), f"difference sets for {k} values")
    if k <= limit:
        yield describe("trivial", (k,))
    for q in _orders(math.isqrt(limit)):
        t, v = 3, q * q + q + 1
        while v <= limit and (q <= singer.BYTE_ORDER or t <= 4):
            if v >= k:
                r = v // q
                yield Parameters("singer", v, r, r // q, (q, t))
            t, v = t + 1, q * v + 1
    for p in range(k, limit + 1):
        if p % 4 == 3 and is_prime(p):
            yield describe("paley", (p,))
            break
    for p in range(max(3, math.isqrt(k) - 1), math.isqrt(limit)):
        if p * (p + 2) >= k and is_prime(p) and is_prime(p + 2):
            yield describe("twin primes", (p, p + 2))
            break
    for family, constant in (("biquadratic", 1), ("biquadratic and zero", 9)):
        for a in range(max(1, math.isqrt(k // 4) - 2 | 1), math.isqrt(limit // 4) + 1, 2):
            if max(k, 13) <= (p := 4 * a * a + constant) <= limit and is_prime(p):
                yield describe(family, (p,))
                break
    yield from (describe("orbits", key) for key in _ORBITS if k <= key[0] <= limit)


def squared_error(parameters: Parameters, k: int, epsilon: float) -> float:
    """n times the total squared error over k equally likely values, for n independent reports.

    With e = e**epsilon, low = 1 / (r e + v - r), g = r e low and h = (lam e + r - lam) low the
    probabilities of a report in x + D from x and from another value,

        k V0 + V1 + 1 - 1/k,  V0 = h (1 - h) / (g - h)**2,  V1 = (g (1 - g) - h (1 - h)) / (g - h)**2,

    computed, with n = r - lam, c = r (v - r), a = e**-epsilon and b = 1 - a, as

        ((k - 1) (r a + lam b) ((v - r) a + n b) + c a) (v - 1)**2 / (c b)**2 + 1 - 1/k,

    which neither cancels as epsilon goes to 0 nor overflows as it grows.
    """
    v, r, lam = parameters.v, parameters.r, parameters.lam
    c, a, b = r * (v - r), math.exp(-epsilon), -math.expm1(-epsilon)
    product = (r * a + lam * b) * ((v - r) * a + (r - lam) * b)
    return ((k - 1) * product + c * a) * ((v - 1) / (c * b)) ** 2 + 1 - 1 / k


def best(k: int, epsilon: float, *, bits: int | None = None, slack: float = 0.0) -> Parameters:
    """The candidate of least `squared_error`; or, with slack, the one of least v among those near it.

    A slack of 0.01 accepts up to one per cent more error for a smaller v, which makes shorter reports,
    a quicker build and a quicker decoding. Equal errors go to the smaller v.
    """
    if not epsilon > 0:
        raise InvalidEpsilon(f"epsilon={epsilon} must be positive")
    if not slack >= 0:
        raise InvalidInput(f"slack={slack} must not be negative")
    rated = [(squared_error(p, k, epsilon), p.v, p) for p in candidates(k, bits=bits)]
    if not rated:
        raise InvalidInput(f"bits={bits} must be enough for k={k} values")
    least = min(error for error, _, _ in rated) * (1 + slack)
    return min(((v, error, p) for error, v, p in rated if error <= least), key=lambda row: row[:2])[2]


@lru_cache(maxsize=32)
def build(parameters: Parameters) -> tuple[int, ...]:
    """The elements of the set in increasing order, verified.

    What is checked, and why it proves that every non-zero difference occurs lam times:

    * the parameters are those that `describe` derives from the family's key, whose condition (primes,
      forms) is checked exactly; there are r distinct elements; `verify` then counts, exactly, how
      often some differences occur;
    * v <= 8192: all differences are counted, so nothing else is needed;
    * paley, twin primes, biquadratic: the set is unchanged by multiplication by the squares, by the
      units with product of Legendre symbols 1, by the fourth powers. How often m occurs is therefore
      the same along m's orbit under those and -1; one of each orbit is counted;
    * larger singer sets: `singer.elements` proves that the polynomial's root reaches every projective
      point and that each element is in the hyperplane, which together prove the rest (see there);
      8 differences are counted as well.
    """
    if parameters != describe(parameters.family, parameters.key):
        raise InvalidInput(f"parameters={parameters} must be those of the family and key")
    residues = (1 if parameters.family == "singer" else RESIDUE_STEPS) * parameters.v
    spend(residues + KEPT_STEPS * parameters.r, f"a difference set in Z_{parameters.v}")
    match parameters.family, parameters.key:
        case "singer", (q, t):
            elements = singer.elements(q, t)
        case "paley", (p,):
            elements = _power_residues(p, 2)
        case "biquadratic", (p,):
            elements = _power_residues(p, 4)
        case "biquadratic and zero", (p,):
            elements = (0, *_power_residues(p, 4))
        case "twin primes", (p, q):
            elements = _twin_primes(p, q)
        case "orbits", (v, m, *starts):
            elements = tuple(sorted({n * m**i % v for n in starts for i in range(v)}))
        case _:
            elements = (0,)
    if len(elements) != parameters.r:
        raise InvalidInput(f"parameters={parameters} gave {len(elements)} elements")
    verify(parameters.v, parameters.lam, elements, differences=_representatives(parameters))
    return elements


def shared_differences(v: int, sets: Sequence[Sequence[int]]) -> int:
    """How often each non-zero difference mod v occurs over all the sets; `InvalidInput` if some occur more often.

    All differences are counted up to v = 65536, and a spread of 64 of them beyond.
    """
    pairs = sum(len(members) * (len(members) - 1) for members in sets)
    lam, left = divmod(pairs, v - 1) if v > 1 else (0, 0)
    counted = range(1, v // 2 + 1) if v <= _COUNTED else range(1, v // 2 + 1, v // 128)
    flags = [_as_integer(v, members) for members in sets]
    if left or any(sum(_occurrences(v, of, m) for of in flags) != lam for m in counted):
        raise InvalidInput(f"shifts: every non-zero difference mod {v} must occur equally often for an estimate")
    return lam


def _as_integer(v: int, elements: Iterable[int]) -> int:
    flags = bytearray(v // 8 + 1)
    for n in elements:
        flags[n >> 3] |= 1 << (n & 7)
    return int.from_bytes(flags, "little")


def _occurrences(v: int, members: int, m: int) -> int:
    """How often the difference m occurs in a set given as an integer with bit n for element n."""
    return (members & members >> m).bit_count() + (members & members >> (v - m)).bit_count()


def verify(v: int, lam: int, elements: Iterable[int], *, differences: Iterable[int] | None = None) -> None:
    """Raise an error if one of the differences, by default any in Z_v, does not occur exactly lam times.

    The set is one long integer B with bit n for element n; m occurs as often as bits are set in
    B & B >> m and in B & B >> (v - m). m and v - m occur equally often.
    """
    members = _as_integer(v, elements)
    for m in range(1, v // 2 + 1) if differences is None else differences:
        count = _occurrences(v, members, m)
        if count != lam:
            raise InvalidInput(f"difference {m} occurs {count} times in Z_{v}; it must occur {lam} times")


def _representatives(parameters: Parameters) -> Iterable[int]:
    """The differences to count: all if v is small, one of each orbit, or a sample (see `build`)."""
    v = parameters.v
    if v <= _EXHAUSTIVE:
        return range(1, v // 2 + 1)
    match parameters.family:
        case "paley":
            return (1,)
        case "twin primes":
            return (1, *parameters.key)
        case "biquadratic" | "biquadratic and zero":
            return (1, next(m for m in range(2, v) if pow(m, v // 2, v) != 1))
        case "trivial":
            return ()
        case _:
            return (v * i // (2 * _SAMPLE + 1) for i in range(1, _SAMPLE + 1))


def _is_twice_odd_squared(n: int) -> bool:
    """Whether n = (2a)**2 with a odd."""
    return n % 8 == 4 and math.isqrt(n) ** 2 == n


@lru_cache(maxsize=16)
def _orders(limit: int) -> tuple[int, ...]:
    """The prime powers up to the limit that `singer` supports: all primes, and others with small labels."""
    return tuple(sorted([*primes_up_to(limit), *(q for q in _POWERS if q <= limit)]))


def _power_residues(p: int, exponent: int) -> tuple[int, ...]:
    """The non-zero residues mod p that are powers to an even exponent."""
    flags = bytearray(p)
    for x in range(1, p // 2 + 1):
        flags[pow(x, exponent, p)] = 1
    return tuple(compress(range(p), flags))


def _twin_primes(p: int, q: int) -> tuple[int, ...]:
    """n mod p q that are multiples of q, or whose Legendre symbols mod p and mod q multiply to 1."""

    def symbols(prime: int, zero: int) -> int:
        codes = bytearray([2]) * prime
        codes[0] = zero
        for n in _power_residues(prime, 2):
            codes[n] = 1
        return int.from_bytes(codes * (p * q // prime), "little")

    codes = (symbols(p, 8) ^ symbols(q, 16)).to_bytes(p * q, "little")
    chosen = bytes(code == 0 or code >= 16 for code in range(256))
    return tuple(compress(range(p * q), codes.translate(chosen)))
