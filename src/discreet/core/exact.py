"""Exact arithmetic for privacy: decimals, certified rationals below e**epsilon, whole units of word space.

No float decides anything here. An epsilon is a `Fraction` (or `math.inf`); `exp_below` gives a
rational that is provably at most ``e**epsilon`` and `within` compares a likelihood ratio with it.
"""

from __future__ import annotations

import math
import re
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from numbers import Rational, Real
from typing import Any, TypeAlias

from .errors import InvalidEpsilon, InvalidInput, shown
from .limits import DIGITS

Epsilon: TypeAlias = Fraction | float
"""An exact epsilon: a `Fraction`, or ``math.inf`` for "no protection required"."""

PRECISION = 256
"""Fractional bits carried by `exp_below`."""

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?|[+-]?\d+/\d+", re.ASCII)
"""An exact number as text: a decimal, perhaps with an exponent, or a fraction; in ASCII, with nothing around it."""

INFINITE = ("inf", "+inf", "infinity", "Infinity")
"""How no protection at all may be written."""

LARGEST = Fraction(4096)
"""`exp_below` treats any larger epsilon as this one, whose exponential is far beyond any ratio of words."""


def epsilon_of(value: object, *, name: str = "epsilon") -> Epsilon:
    """The exact epsilon given by `value`: a number, or text such as ``"0.5"``, ``"1/3"`` or ``"inf"``.

    A float means the decimal it prints, so ``0.1`` is exactly 1/10.
    """
    if isinstance(value, (str, float, Decimal)) and str(value) in INFINITE:
        return math.inf
    exact = exact_number(value.strip(" ") if isinstance(value, str) else value)
    if exact is None or not 0 <= exact <= 10**300:
        raise InvalidEpsilon(f'{name}={shown(value)} must be a non-negative decimal or "inf"')
    return exact


def exact_number(value: object) -> Fraction | None:
    """The number that `value` says exactly, of at most `DIGITS` digits; None if it says none.

    A float or a `Decimal` means the decimal it prints. Text must be as `NUMBER` has it, so that no digit of another
    script, no separator and no exponent of a billion passes.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, Rational):
        exact = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, (str, Real, Decimal)):
        text = str(value)
        if len(text) > 2 * DIGITS + 2 or not NUMBER.fullmatch(text):
            return None
        try:
            exact = Fraction(text)
        except ZeroDivisionError:
            return None
    else:
        return None
    return exact if max(abs(exact.numerator), exact.denominator) <= 10**DIGITS else None


def positive_finite(value: object, *, name: str = "epsilon") -> Fraction:
    """The exact epsilon given by `value`; `InvalidEpsilon` if it is 0 or infinite."""
    exact = epsilon_of(value, name=name)
    if not isinstance(exact, Fraction) or exact == 0:
        raise InvalidEpsilon(f"{name}={shown(value)} must be positive and finite here")
    return exact


def text_of(epsilon: Epsilon) -> str:
    """The shortest exact text of an epsilon, ``"0.5"``, ``"1/3"`` or ``"inf"``, which `epsilon_of` reads."""
    if not isinstance(epsilon, Fraction):
        return "inf"
    denominator, twos, fives = epsilon.denominator, 0, 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    if denominator != 1:
        return str(epsilon)
    places = max(twos, fives)
    digits = str(epsilon.numerator * 10**places // epsilon.denominator).rjust(places + 1, "0")
    return digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"


@lru_cache(maxsize=4096)
def exp_below(epsilon: Fraction) -> Fraction:
    """A rational at most ``e**epsilon``, within a relative 2**-200 of it up to `LARGEST`.

    Integer Taylor series of ``e**(epsilon / 2**s)``, every term floored, then `s` squarings, each
    floored, in fixed point with `PRECISION` bits and guard bits for the squarings. Flooring
    positive terms can only lower the result, so it is certified.
    """
    if epsilon < 0:
        raise InvalidEpsilon(f"epsilon={epsilon} must be non-negative")
    epsilon = min(epsilon, LARGEST)
    squarings = max(0, math.ceil(epsilon).bit_length() + 8)
    scale = PRECISION + squarings + 2 * math.ceil(epsilon * 3 / 2) + 16
    one = 1 << scale
    reduced = (epsilon.numerator << scale) // (epsilon.denominator << squarings)
    total = term = one
    index = 1
    while term:
        term = (term * reduced >> scale) // index
        total += term
        index += 1
    for _ in range(squarings):
        total = total * total >> scale
    return Fraction(total, one)


def within(ratio: Fraction, epsilon: Epsilon) -> bool:
    """True only if ``ratio <= e**epsilon`` is certain, decided with integers."""
    return not isinstance(epsilon, Fraction) or ratio <= exp_below(epsilon)


def log_of(ratio: Fraction) -> Decimal:
    """The natural logarithm of a positive rational to 50 digits, for display only."""
    with localcontext() as context:
        context.prec = 60
        return (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()


def gap(claimed: Epsilon, ratio: Fraction) -> float:
    """``claimed - log(ratio)`` for display, correct far below the spacing of doubles at `claimed`."""
    if not isinstance(claimed, Fraction):
        return math.inf
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(claimed.numerator) / Decimal(claimed.denominator)
        return float(exact - log_of(ratio)) if ratio > 0 else math.inf


def rough_gap(claimed: Epsilon, ratio: Fraction) -> float:
    """`gap` to the precision of doubles: enough to find the pair with the smallest gap."""
    if ratio <= 0:
        return math.inf
    claim = float(claimed) if claimed < sys.float_info.max else math.inf
    return claim - (math.log(ratio.numerator) - math.log(ratio.denominator))


def ceil_div(numerator: int | Fraction, denominator: int | Fraction) -> int:
    """``ceil(numerator / denominator)``, exactly."""
    return -(-numerator // denominator)


def probability_of(entry: Any, *, name: str) -> Fraction:
    """An exact probability given as a whole number, a `Fraction` or text; floats are refused, being rounded."""
    if isinstance(entry, bool) or (isinstance(entry, Real) and not isinstance(entry, Rational)):
        raise InvalidInput(f"{name}={entry!r} must be exact: an int, a Fraction or text, not a float")
    exact = exact_number(entry)
    if exact is None:
        raise InvalidInput(f"{name}={shown(entry)} must be an exact probability")
    if exact < 0:
        raise InvalidInput(f"{name}={shown(entry)} must not be negative")
    return exact


def approx(epsilon: Fraction) -> float:
    """The epsilon as a float whose exponential is finite: for choosing sizes, never for deciding privacy."""
    return min(max(float(min(epsilon, LARGEST)), 1e-9), 700.0)
