"""Singer difference sets: the exponents n for which x**n lies in a fixed hyperplane of GF(q)**t.

Let f of degree t over GF(q) be such that x reaches every projective point in GF(q)[x] / f
(`finite_fields.cyclic_polynomial`), v = (q**t - 1) / (q - 1), and let s(n) be the coefficient of
x**(t-1) in x**n. The set is

    D = {n in 0 .. v-1 : s(n) = 0},    |D| = r = (q**(t-1) - 1) / (q - 1).

*Why every difference occurs equally often*: x**v is a scalar, so D is well defined mod v. For m not
0 mod v, n and n + m are both in D where x**n is in H = {s = 0} and in x**(-m) H. Were these
hyperplanes equal, H would be a vector space over the field GF(q)(x**m), whose degree over GF(q)
divides t and would divide t - 1, so x**m would be a scalar, which it is not. So they meet in
dimension t - 2, which has lam = (q**(t-2) - 1) / (q - 1) points.

*How it is found*: s obeys s(n + t) = sum of c * s(n + j) over f's terms (j, c), from 0, ..., 0, 1.

* q at most 128: all of s, one byte per term. f(X)**Q = f(X**Q) when Q is a power of q, so the same
  recurrence holds with every step Q times as long, and blocks of growing length are found by byte
  translation and the addition of long integers.
* t = 4: x**w, w = q**2 + 1, is in the subfield GF(q**2), so n = a + b w with a < w has s(n) = 0
  either for every b, or for the one b that s(a) and s(a + w) single out.
* t = 3: s(a + b) = c0 s(a) + c1 s(a + 1) + c2 s(a + 2) where x**b = c0 + c1 x + c2 x**2. The states
  of the first m terms are points in a table, each b = 0, m, 2m, ... gives a line, and the points of
  the table on it are found by listing the line.

*References*: Singer1938, Beth1999.
"""

from __future__ import annotations

from functools import reduce
from itertools import accumulate, compress
from math import isqrt
from operator import add, mul

from discreet.core.errors import InvalidInput
from discreet.mechanisms.finite_geometry.finite_fields import QuotientRing, cyclic_polynomial

BYTE_ORDER = 128
"""The largest q for which a sum of two elements of GF(q) fits a byte."""


def elements(q: int, t: int) -> tuple[int, ...]:
    """The r elements of D in increasing order, each proved to belong to it.

    The choice of f is proved by the order of x. Up to q = 128 the terms of s are then checked
    against the one-step recurrence, all v of them; above, s(n) = 0 is computed afresh for each n
    found, from powers of x. Since D has exactly r elements, r distinct ones are all of it.
    """
    ring = cyclic_polynomial(q, t)
    v, r = (q**t - 1) // (q - 1), (q ** (t - 1) - 1) // (q - 1)
    if q <= BYTE_ORDER:
        terms = bytes(_sequence(ring, v))
        _check_recurrence(ring, terms)
        zeros = _zeros(terms)
    else:
        zeros = tuple(sorted(_by_lines(ring, v) if t == 3 else _by_subfield(ring, v)))
        _check_zeros(ring, v, zeros)
    if len(zeros) != r or not all(map(int.__lt__, zeros, zeros[1:])):
        raise InvalidInput(f"q={q}, t={t} gave {len(zeros)} elements; it must give {r}")
    return zeros


def _combine(ring: QuotientRing, terms: bytes | bytearray, start: int, step: int, count: int) -> bytes:
    """The sum of c * s(n + step * j) for n = start, ..., start + count - 1, as bytes."""
    field = ring.field

    def plus(a: bytes, b: bytes) -> bytes:
        x, y = int.from_bytes(a, "little"), int.from_bytes(b, "little")
        total = x ^ y if field.characteristic == 2 else x + y
        return total.to_bytes(count, "little").translate(field.reduction)

    starts = ((start + step * j, c) for j, c in ring.terms)
    return reduce(plus, (bytes(terms[i : i + count]).translate(field.scaling(c)) for i, c in starts))


def _sequence(ring: QuotientRing, length: int) -> bytearray:
    """s(0), ..., s(length - 1)."""
    q, t, step = ring.field.order, ring.t, 1
    reach = t - max(j for j, _ in ring.terms)
    terms = bytearray(t - 1) + b"\1"
    while len(terms) < length:
        while len(terms) >= step * q * t:
            step *= q
        count = min(step * reach, length - len(terms))
        terms += _combine(ring, terms, len(terms) - step * t, step, count)
    return terms


def _check_recurrence(ring: QuotientRing, terms: bytes) -> None:
    """Raise an error unless the terms start with 0, ..., 0, 1 and obey the one-step recurrence throughout."""
    t, chunk = ring.t, 1 << 20
    right = terms[:t] == bytes(t - 1) + b"\1"
    for start in range(0, len(terms) - t, chunk):
        count = min(chunk, len(terms) - t - start)
        right = right and _combine(ring, terms, start, 1, count) == terms[start + t : start + t + count]
    if not right:
        raise InvalidInput(f"terms of order {ring.field.order} must obey their recurrence")


def _zeros(terms: bytes) -> tuple[int, ...]:
    """Where the terms are zero: by flags where zeros are frequent, by the gaps between them otherwise."""
    if terms.count(0) * 8 > len(terms):
        return tuple(compress(range(len(terms)), terms.translate(b"\1" + bytes(255))))
    gaps = list(map(len, terms.split(b"\0")))
    return tuple(map(add, accumulate(gaps), range(len(gaps) - 1)))


def _terms(ring: QuotientRing, start: int, count: int) -> list[int]:
    """s(start), ..., s(start + count - 1) for q prime and t at most 4."""
    q, pad = ring.field.order, [0] * (4 - ring.t)
    power, state = ring.power_of_x(start), []
    for _ in range(ring.t):
        state.append(power[-1])
        power = ring.times_x(power)
    c0, c1, c2, c3 = (*pad, *(dict(ring.terms).get(j, 0) for j in range(ring.t)))
    s0, s1, s2, s3 = (*pad, *state)
    terms = []
    for _ in range(len(pad) + count):
        terms.append(s0)
        s0, s1, s2, s3 = s1, s2, s3, (c0 * s0 + c1 * s1 + c2 * s2 + c3 * s3) % q
    return terms[len(pad) :]


def _by_subfield(ring: QuotientRing, v: int) -> list[int]:
    """D for t = 4 and q prime, one column n = a, a + w, a + 2w, ... at a time."""
    q = ring.field.order
    w = q * q + 1
    g = ring.power_of_x(w)
    square = ring.square(g)
    # g = x**w has g**2 = trace * g + constant; write g**b = low + high * g and file b under the
    # ratio low / high (q stands for infinity): the functional (s(a), s(a + w)) vanishes on it
    # where low * s(a) + high * s(a + w) = 0.
    place = next(i for i in range(1, 4) if g[i])
    trace = square[place] * pow(g[place], -1, q) % q
    constant = (square[0] - trace * g[0]) % q
    low, high, column = 1, 0, [0] * (q + 1)
    for b in range(q + 1):
        column[low * pow(high, -1, q) % q if high else q] = b
        low, high = constant * high % q, (low + trace * high) % q
    inverse = [0, *(pow(i, -1, q) for i in range(1, q))]
    zeros = []
    for a, one, other in zip(range(w), _terms(ring, 0, w), _terms(ring, w, w), strict=True):
        if one:
            zeros.append(a + w * column[-other * inverse[one] % q])
        elif other:
            zeros.append(a + w * column[q])
        else:
            zeros.extend(range(a, v, w))
    return zeros


def _by_lines(ring: QuotientRing, v: int) -> list[int]:
    """D for t = 3 and q prime, as the points of a table that lie on lines."""
    q = ring.field.order
    inverse = [0, *(pow(i, -1, q) for i in range(1, q))]
    m = isqrt(v * q // 4)
    table: dict[int, int] = {}
    special = []
    s = _terms(ring, 0, m + 2)
    for a, (s0, s1, s2) in enumerate(zip(s, s[1:], s[2:], strict=False)):
        if s0:
            i = inverse[s0]
            table[s1 * i % q * q + s2 * i % q] = a
        else:
            special.append((a, s1, s2))
    zeros, line, stride = [], ring.power_of_x(0), ring.power_of_x(m)
    for start in range(0, v, m):
        c0, c1, c2 = line
        if c2:
            shift, slope = -c0 * inverse[c2] % q, -c1 * inverse[c2] % q
            points = [q * y + (shift + slope * y) % q for y in range(q)]
        elif c1:
            y = -c0 * inverse[c1] % q
            points = list(range(q * y, q * y + q))
        else:
            points = []
        zeros += [start + table[point] for point in points if point in table]
        zeros += [start + a for a, s1, s2 in special if not (c1 * s1 + c2 * s2) % q]
        line = ring.multiply(line, stride)
    return [n for n in zeros if n < v]


def _check_zeros(ring: QuotientRing, v: int, zeros: tuple[int, ...]) -> None:
    """Raise an error for any n with s(n) other than 0, where s(h m + l) is the sum over i of [x**(h m)]_i s(l + i)."""
    q, t, m = ring.field.order, ring.t, isqrt(v) + 1
    s = _terms(ring, 0, m + t)
    stride, power, h = ring.power_of_x(m), ring.power_of_x(0), 0
    for n in zeros:
        high, low = divmod(n, m)
        while h < high:
            power, h = ring.multiply(power, stride), h + 1
        if sum(map(mul, power, s[low : low + t])) % q:
            raise InvalidInput(f"n={n} must be a zero of the sequence of order {q}")
