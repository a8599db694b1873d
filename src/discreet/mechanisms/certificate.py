"""Exact certificates: they prove the integer law that the sampler runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..contexts import Context
from ..core import tables
from ..core.domain import Value, listed_values, plain_value
from ..core.errors import InvalidInput, PrivacyViolation, check_type
from ..core.exact import Epsilon, gap, log_of, probability_of, rough_gap, text_of, within
from ..core.limits import spend

if TYPE_CHECKING:
    from .mechanism import Mechanism
    from .sampler import Sampler

CHUNK = 1024
"""How many pairs of values are counted together among the work that a document asks for."""


@dataclass(frozen=True)
class Certificate:
    """Proof that a channel as implemented satisfies its context.

    `x` and `z` are the pair with the least slack, `claimed` its entry of E, `ratio` the certified
    largest likelihood ratio of x against z: ``ratio <= e**claimed`` was decided with integers.

    >>> import discreet as dc
    >>> certificate = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1")).certificate
    >>> certificate.x, certificate.z, str(certificate.claimed)
    ('bus', 'car', '1')
    >>> 0 <= certificate.gap < 1e-12
    True
    """

    mechanism: str
    x: Value
    z: Value
    claimed: Epsilon
    ratio: Fraction
    outputs: int
    fingerprint: str | None

    @property
    def realised(self) -> float:
        """log of the largest likelihood ratio of the pair."""
        return float(log_of(self.ratio)) if self.ratio > 0 else 0.0

    @property
    def gap(self) -> float:
        """claimed - realised: what the rounding towards privacy costs."""
        return gap(self.claimed, self.ratio)

    def as_dict(self) -> dict[str, Any]:
        """The certificate as plain data."""
        return {
            "ok": True,
            "mechanism": self.mechanism,
            "claimed": None if self.claimed == math.inf else float(self.claimed),
            "realised": self.realised,
            "gap": None if self.gap == math.inf else self.gap,
            "tightest": {"x": plain_value(self.x), "z": plain_value(self.z)},
            "outputs": self.outputs,
            "fingerprint": self.fingerprint,
        }

    def _repr_html_(self) -> str:
        pair = f"{self.x!r} against {self.z!r}"
        numbers = [
            ("claimed", text_of(self.claimed)),
            ("realised", f"{self.realised:.12g}"),
            ("gap", f"{self.gap:.2g}"),
        ]
        rest = [] if self.fingerprint is None else [("SHA-256 of the law", self.fingerprint)]
        return tables.facts([("mechanism", self.mechanism), ("tightest pair", pair), *numbers, *rest])

    def __str__(self) -> str:
        return (
            f"{self.mechanism}: tightest pair {self.x!r} against {self.z!r}, "
            f"claimed {text_of(self.claimed)}, realised {self.realised:.12g} (gap {self.gap:.2g}), "
            f"{self.outputs if self.outputs < 1 << 32 else f'up to 2**{(self.outputs - 1).bit_length()}'} reports"
        )


def verify(subject: Mechanism | Sequence[Sequence[Any]], *, context: Context | None = None) -> Certificate:
    """A certificate that a mechanism, or an exact matrix of Fractions, satisfies E; `PrivacyViolation` if not.

    A mechanism is checked against its own context, or against `context` if one is given. A matrix
    (rows values, columns reports, entries exact and adding up to one) needs the context.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1"))
    >>> certificate = dc.verify(mechanism)
    >>> str(certificate.claimed), round(certificate.realised, 9)
    ('1', 1.0)
    >>> dc.verify([["1/2", "1/2"], ["9/10", "1/10"]], context=dc.Context.uniform(["no", "yes"], epsilon="1"))
    Traceback (most recent call last):
        ...
    discreet.core.errors.PrivacyViolation: matrix: 'no' against 'yes' leaks 1.609..., more than the 1 that E allows

    References: Acharya2020, Definition 2.
    """
    from .mechanism import Mechanism

    if isinstance(subject, Mechanism):
        context = subject.context if context is None else context
    elif context is None:
        raise InvalidInput("context must be given to verify a matrix")
    check_type("context", context, Context, "a context")
    if isinstance(subject, Mechanism):
        return _verify_mechanism(subject, context)
    rows = [listed_values(row, f"matrix[{x}]") for x, row in enumerate(listed_values(subject, "matrix"))]
    return _verify_matrix(rows, context)


def _verify_mechanism(mechanism: Mechanism, context: Context) -> Certificate:
    served = mechanism.served
    worst = _worst(mechanism, served)
    if context is not served:
        worst = _tightest(mechanism, context) if served.implies(context) else _worst(mechanism, context)
    x, z, ratio = worst or (0, min(1, context.size - 1), Fraction(1))
    values, outputs = context.values, mechanism.sampler.outputs
    return Certificate(mechanism.name, values[x], values[z], context.at(x, z), ratio, outputs, mechanism.fingerprint)


def _tightest(mechanism: Mechanism, context: Context) -> tuple[int, int, Fraction] | None:
    """The pair with the smallest entry of a context that follows from another, with its ratio."""
    if context.tightest is None:
        return None
    x, z = context.tightest
    ratio = mechanism.sampler.max_ratios()(x, z)
    return _worst(mechanism, context) if ratio is None else (x, z, ratio)


def _violation(name: str, context: Context, x: int, z: int, ratio: Fraction) -> PrivacyViolation:
    """The error for a ratio that is not certain to be within what E allows."""
    return PrivacyViolation(
        f"{name}: {context.values[x]!r} against {context.values[z]!r} leaks {float(log_of(ratio)):.17g}, "
        f"more than the {text_of(context.at(x, z))} that E allows"
    )


def _check_bound(sampler: Sampler, ratio: Fraction) -> None:
    """Refuse a bound below one: two rows that both add up to one have a largest ratio of at least one."""
    if ratio < 1:
        raise PrivacyViolation(f"{sampler.name}: a largest likelihood ratio below 1 is not that of any channel")


def _worst(mechanism: Mechanism, served: Context) -> tuple[int, int, Fraction] | None:
    """The pair with the least slack, after every finite entry of E was checked; None if there is none.

    An entry is checked for every two labels that its values have in the sampler, so that the symmetry of
    the context is never taken for that of the sampler, nor the other way round. Entries that follow from those
    that are checked (`Context.generators`) hold with at least as much slack. Where a sampler proves all entries at
    once (`Sampler.prove`), the pair that it names is compared.
    """
    sampler = mechanism.sampler
    if (proved := sampler.prove(served)) is not None:
        _check_bound(sampler, proved[2])
        if not within(proved[2], served.at(*proved[:2])):
            raise _violation(mechanism.name, served, *proved)
        return proved
    leak = sampler.max_ratios()
    seen: dict[tuple[Fraction, Epsilon], tuple[int, int]] = {}
    last: tuple[Fraction | None, Epsilon] = None, math.inf
    for number, (x, z, entry) in enumerate(served.generators(sampler.class_of)):
        if number % CHUNK == 0:
            spend(CHUNK, f"pairs of values of {mechanism.name}")
        ratio = leak(x, z)
        if ratio is None:
            raise PrivacyViolation(
                f"{mechanism.name}: some report tells {served.values[x]!r} from {served.values[z]!r} for certain; "
                f"E allows {text_of(entry)}"
            )
        if ratio is last[0] and entry is last[1]:
            continue  # as the pair before: along a line all are, and hashing them would take most of the time
        last = ratio, entry
        _check_bound(sampler, ratio)
        if (ratio, entry) not in seen:
            if not within(ratio, entry):
                raise _violation(mechanism.name, served, x, z, ratio)
            seen[ratio, entry] = x, z
    if not seen:
        return None
    ratio, entry = min(seen, key=lambda known: rough_gap(known[1], known[0]))
    return *seen[ratio, entry], ratio


def _verify_matrix(rows: Sequence[Sequence[Any]], context: Context) -> Certificate:
    units = _units(rows, context.size)
    worst: tuple[float, int, int, Fraction] | None = None
    for x, z, entry in context.generators(range(context.size)):
        ratio = _largest_ratio(units[x], units[z], context, x, z)
        if not within(ratio, entry):
            raise _violation("matrix", context, x, z, ratio)
        slack = rough_gap(entry, ratio)
        if worst is None or slack < worst[0]:
            worst = slack, x, z, ratio
    _, x, z, ratio = worst or (math.inf, 0, min(1, context.size - 1), Fraction(1))
    return Certificate(
        "matrix", context.values[x], context.values[z], context.at(x, z), ratio, len(units[0]), fingerprint=None
    )


def _units(rows: Sequence[Sequence[Any]], size: int) -> list[list[int]]:
    """The matrix as whole numbers over a common denominator."""
    exact = [
        [probability_of(entry, name=f"matrix[{x}][{y}]") for y, entry in enumerate(row)] for x, row in enumerate(rows)
    ]
    if len(exact) != size or len({len(row) for row in exact}) != 1:
        raise InvalidInput(f"matrix must have one row per value ({size}), all of the same length")
    for x, row in enumerate(exact):
        if sum(row) != 1:
            raise InvalidInput(f"matrix: row {x} adds up to {sum(row)}; it must add up to exactly 1")
    scale = math.lcm(*(entry.denominator for row in exact for entry in row))
    return [[int(entry * scale) for entry in row] for row in exact]


def _largest_ratio(own: list[int], other: list[int], context: Context, x: int, z: int) -> Fraction:
    most, over = 0, 1
    for y, (a, b) in enumerate(zip(own, other, strict=True)):
        if a and not b:
            raise PrivacyViolation(
                f"matrix: report {y} tells {context.values[x]!r} from {context.values[z]!r} for certain; "
                f"E allows {text_of(context.at(x, z))}"
            )
        if a * over > most * b:
            most, over = a, b
    return Fraction(most, over)
