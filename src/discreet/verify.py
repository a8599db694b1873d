"""Exact certificates: what is proved is the integer law that the sampler runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .context import Context
from .domain import Value
from .errors import InvalidInput, PrivacyViolation
from .exact import Epsilon, gap, log_of, text_of, within

if TYPE_CHECKING:
    from .mechanisms.mechanism import Mechanism


@dataclass(frozen=True)
class Certificate:
    """Proof that a channel as implemented satisfies its context.

    `x` and `z` are the pair with the least slack, `claimed` its entry of E, `ratio` the certified
    largest likelihood ratio of x against z: ``ratio <= e**claimed`` was decided with integers.
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
            "tightest": {"x": self.x, "z": self.z},
            "outputs": self.outputs,
            "fingerprint": self.fingerprint,
        }

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

    References: Acharya2020, Definition 2.
    """
    from .mechanisms.mechanism import Mechanism

    if isinstance(subject, Mechanism):
        return _verify_mechanism(subject, context or subject.context)
    if context is None:
        raise InvalidInput("context must be given to verify a matrix")
    return _verify_matrix(subject, context)


def _verify_mechanism(mechanism: Mechanism, context: Context) -> Certificate:
    served = mechanism.served
    if context is not served and not served.implies(context):
        x, z = _unserved(served, context)
        raise PrivacyViolation(
            f"{mechanism.name} protects {context.values[x]!r} from {context.values[z]!r} at "
            f"{text_of(served.at(x, z))}; E asks for {text_of(context.at(x, z))}"
        )
    pairs = list(mechanism.randomizer.pairs())
    for pair in pairs:
        _check(mechanism.name, served, pair.x, pair.z, pair.ratio)
    return _certificate(mechanism, served, context, [(pair.x, pair.z, pair.ratio) for pair in pairs])


def _unserved(served: Context, context: Context) -> tuple[int, int]:
    closed = served.closure() if served.size <= 512 else served
    return next(
        ((x, z) for x, z, asked in context.pairs() if closed.at(x, z) > asked),
        context.tightest or (0, 0),
    )


def _check(name: str, context: Context, x: int, z: int, ratio: Fraction) -> None:
    asked = context.at(x, z)
    if not within(ratio, asked):
        realised = float(log_of(ratio))
        raise PrivacyViolation(
            f"{name}: {context.values[x]!r} against {context.values[z]!r} leaks {realised:.17g}, "
            f"more than the {text_of(asked)} that E allows"
        )


def _certificate(
    mechanism: Mechanism, served: Context, context: Context, pairs: list[tuple[int, int, Fraction]]
) -> Certificate:
    best = min(
        (pair for pair in pairs if served.at(pair[0], pair[1]) != math.inf),
        key=lambda pair: gap(served.at(pair[0], pair[1]), pair[2]),
        default=None,
    )
    if best is None:
        x, z, ratio = 0, min(1, context.size - 1), Fraction(1)
    elif context is served or context.tightest is None:
        x, z, ratio = best
    else:
        (x, z), ratio = context.tightest, best[2]
    values, randomizer = context.values, mechanism.randomizer
    return Certificate(
        mechanism.name, values[x], values[z], context.at(x, z), ratio, randomizer.outputs, mechanism.fingerprint
    )


def _verify_matrix(rows: Sequence[Sequence[Any]], context: Context) -> Certificate:
    exact = [[_entry(entry, x, y) for y, entry in enumerate(row)] for x, row in enumerate(rows)]
    if len(exact) != context.size or len({len(row) for row in exact}) != 1:
        raise InvalidInput(f"matrix must have one row a value ({context.size}), all of the same length")
    for x, row in enumerate(exact):
        if sum(row) != 1:
            raise InvalidInput(f"row {x} adds up to {sum(row)}; it must add up to exactly 1")
    worst: tuple[float, int, int, Fraction] | None = None
    for x, row in enumerate(exact):
        for z, other in enumerate(exact):
            asked = context.at(x, z)
            if x == z or asked == math.inf:
                continue
            ratio = Fraction(0)
            for y, (a, b) in enumerate(zip(row, other, strict=True)):
                if a and not b:
                    raise PrivacyViolation(
                        f"matrix: report {y} tells {context.values[x]!r} from {context.values[z]!r} for certain; "
                        f"E allows {text_of(asked)}"
                    )
                ratio = max(ratio, a / b) if a else ratio
            _check("matrix", context, x, z, ratio)
            slack = gap(asked, ratio)
            if worst is None or slack < worst[0]:
                worst = slack, x, z, ratio
    _, x, z, ratio = worst or (math.inf, 0, min(1, context.size - 1), Fraction(1))
    return Certificate(
        "matrix", context.values[x], context.values[z], context.at(x, z), ratio, len(exact[0]), fingerprint=None
    )


def _entry(entry: Any, x: int, y: int) -> Fraction:
    if isinstance(entry, float) or isinstance(entry, bool):
        raise InvalidInput(f"matrix[{x}][{y}]={entry!r} must be exact: an int, a Fraction or text, not a float")
    try:
        exact = Fraction(entry)
    except (TypeError, ValueError):
        raise InvalidInput(f"matrix[{x}][{y}]={entry!r} must be an exact probability") from None
    if exact < 0:
        raise InvalidInput(f"matrix[{x}][{y}]={entry!r} must not be negative")
    return exact
