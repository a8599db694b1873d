"""All bounds on the error under a context: what no mechanism can beat, and what a known scheme attains.

Three quantities, each for n people whose values are drawn from shares p:

- `squared_error`: the expected sum of squared errors at the given p. The lower bound binds unbiased estimates,
  such as `discreet.estimate`; a projected or shrunken one may be below it.
- `squared_error_worst` and `total_variation_worst`: the largest expected error over all p. The lower bounds
  bind every estimate from every mechanism that is fixed beforehand.

`compare` sets a mechanism's error beside them.

References: Acharya2020, and those of the bounds themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context, Part
from ..core import tables
from ..core.errors import DiscreetError, InvalidInput
from ..mechanisms.build import mechanism
from ..mechanisms.mechanism import Mechanism
from ..planning.choose import prior_of
from .attained import (
    AttainedRisk,
    SampleSize,
    attained_blocks,
    attained_high_low,
    attained_subset,
    blocks_users,
    classical_users,
    high_low_users,
)
from .channels.finite import Bound, at_least, lower, upper
from .minimax.minimax import (
    MinimaxRisk,
    minimax_binary,
    minimax_blocks,
    minimax_classical,
    minimax_high_low,
    minimax_matrix,
)
from .of_mechanism import squared_error, total_variation_at, worst_squared_error, worst_total_variation
from .unbiased import (
    unbiased_blocks,
    unbiased_by_classes,
    unbiased_high_low,
    unbiased_matrix,
    unbiased_semidefinite,
    unbiased_uniform,
)

Array = NDArray[np.float64]

UNIFORM, BLOCKS, HIGH_LOW, MATRIX = "uniform", "blocks", "high-low", "matrix"
FUNCTIONS: dict[str, tuple[Callable[..., MinimaxRisk], Callable[..., AttainedRisk], Callable[..., SampleSize]]] = {
    UNIFORM: (minimax_classical, attained_subset, classical_users),
    BLOCKS: (minimax_blocks, attained_blocks, blocks_users),
    HIGH_LOW: (minimax_high_low, attained_high_low, high_low_users),
}
"""The minimax bounds, the error of a known scheme and the users needed, by form of context."""
QUANTITIES = ("squared_error", "squared_error_worst", "total_variation_worst")
MAX_MATRIX_VALUES = 1024
"""The most values of an arbitrary matrix for which lower bounds are computed."""


@dataclass(frozen=True)
class ContextBounds:
    """Lower and upper bounds on the best possible error, by quantity.

    `unbiased` are all proved lower bounds on the squared error of unbiased estimates at these shares, by name; the
    largest of them is ``lower["squared_error"]``.
    """

    context: Context
    n: int
    lower: dict[str, Bound]
    upper: dict[str, Bound]
    unbiased: dict[str, Bound]


def bounds_for(context: Context, n: int, *, prior: Any = None, seconds: float | None = None) -> ContextBounds:
    """Every bound on the error of n reports under `context`, with its source; `prior` is uniform unless given.

    With `seconds`, a semidefinite program may take that long to prove another one, for contexts of few values.
    """
    if isinstance(n, bool) or not isinstance(n, int):
        raise InvalidInput(f"n={n!r} must be a whole number")
    at_least("n", n, 1)
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, Real) or not 0 < seconds < 1e6):
        raise InvalidInput(f"seconds={seconds!r} must be a positive number")
    p = prior_of(context, prior)
    if context.size > MAX_MATRIX_VALUES and context.parts is None:
        raise InvalidInput(f"bounds: a matrix of {context.size} values must have at most {MAX_MATRIX_VALUES}")
    form = context.canonical_form()
    risk, best, unbiased = _minimax(form, n), _known_scheme(form, n), _unbiased(form, n, p)
    if seconds is not None and (bound := unbiased_semidefinite(context, p, seconds=float(seconds))) is not None:
        unbiased["semidefinite"] = _for_n(bound, n)
    at_shares = max(unbiased.values(), key=lambda bound: bound.value)
    lowest = dict(zip(QUANTITIES, (at_shares, risk.squared_error, risk.total_variation), strict=True))
    highest = dict(zip(QUANTITIES, (best.squared_error, best.squared_error, best.total_variation), strict=True))
    return ContextBounds(context, n, lowest, highest, unbiased)


def users_for(context: Context, accuracy: float) -> SampleSize | None:
    """The users needed for an expected total variation of `accuracy` at the worst shares; None without a bound."""
    kind, sizes, levels = _form_of(context.canonical_form().parts)
    return None if kind == MATRIX or sizes == (1,) else FUNCTIONS[kind][2](*sizes, accuracy, **levels)


def _form_of(parts: Sequence[Part] | None) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """The form of a context and the sizes and epsilons that its bounds take."""
    if not parts or (len(parts) > 1 and not all(part.is_uniform for part in parts)):
        return MATRIX, (), {}
    if len(parts) > 1:
        return BLOCKS, ([len(part.members) for part in parts],), {"epsilons": [part.level for part in parts]}
    k, sensitive, level = len(parts[0].members), len(parts[0].sensitive), {"epsilon": parts[0].level}
    return (UNIFORM, (k,), level) if parts[0].is_uniform else (HIGH_LOW, (k, sensitive), level)


def _minimax(form: Context, n: int) -> MinimaxRisk:
    kind, sizes, levels = _form_of(form.parts)
    if kind != MATRIX:
        return FUNCTIONS[kind][0](*sizes, n, **levels)
    if form.size == 2:
        return minimax_binary(n, epsilon_xz=form.at(0, 1), epsilon_zx=form.at(1, 0))
    return minimax_matrix(form, n)


def _known_scheme(form: Context, n: int) -> AttainedRisk:
    """The error of a known scheme: the papers' own with sharp constants, or that of the best mechanism, exactly."""
    # parts serve well where no two values must be alike; two values have a closed form of their own
    served = form.smallest > 0 and (form.parts is not None or form.size != 2)
    kind, sizes, levels = _form_of(form.coarsest_served().parts if served else None)
    if kind != MATRIX and sizes != (1,):
        return FUNCTIONS[kind][1](*sizes, n, **levels)
    try:
        best = mechanism(form)
        squared, distance = worst_squared_error(best, n), worst_total_variation(best, n)
    except DiscreetError:  # nothing can be told apart: any guess is as good as any other
        note = "no mechanism tells these values apart"
        return AttainedRisk(
            upper("total variation", 1.0, "", trivial=1.0, note=note),
            upper("squared error", 2.0, "", trivial=2.0, note=note),
        )
    source = f"{best.name}, exact"
    return AttainedRisk(
        upper(distance.name, distance.value, source, trivial=1.0),
        upper(squared.name, squared.value, source, trivial=2.0),
    )


def _unbiased(form: Context, n: int, p: Array) -> dict[str, Bound]:
    """The bounds on unbiased estimates at p for n people, by name."""
    bounds = {"each value": unbiased_matrix(form, p) if form.parts is None else unbiased_by_classes(form, p)}
    parts, name = (form.parts, "all values") if form.parts is not None else (_larger(form), "a larger context")
    sharp = None if parts is None else _exact_at(parts, p)
    bounds |= {} if sharp is None else {name: sharp}
    return {name: _for_n(bound, n) for name, bound in bounds.items()}


def _for_n(bound: Bound, n: int) -> Bound:
    """A bound on n times the squared error turned into one on the squared error."""
    value = bound.value / n * (1 - 1e-12)  # rounding must not lift it above the error that attains it
    return lower("squared error, unbiased estimates", value, bound.reference, note="at these shares")


def _larger(form: Context) -> list[Part] | None:
    """The parts of a context with no smaller entry, which allows more channels: each component at its largest entry.

    None if an entry inside a component is infinite.
    """
    closed, parts = form.closure_if_cheap(), []
    for number, members in enumerate(closed.components()):
        level = max((closed.at(x, z) for x in members for z in members if x != z), default=Fraction(0))
        if not isinstance(level, Fraction):
            return None
        parts.append(Part(number, members, members, level))
    return parts


def _exact_at(parts: Sequence[Part], p: Array) -> Bound | None:
    """The sharp bound of a form for shares that are even inside its parts, or among their sensitive values."""
    if not all(np.ptp(p[list(part.sensitive)]) <= 1e-12 for part in parts):
        return None
    masses = [float(p[list(part.sensitive)].sum()) for part in parts]
    kind, sizes, levels = _form_of(parts)
    if kind == UNIFORM:
        return unbiased_uniform(*sizes, **levels)
    if kind == BLOCKS:
        return unbiased_blocks(sizes[0], masses, **levels)
    if kind == MATRIX:
        return None
    (k, sensitive), mass = sizes, masses[0]
    squares = float(p @ p) - mass**2 / sensitive
    spread = squares / (1 - mass) ** 2 if mass < 1 else 1 / (k - sensitive)
    return unbiased_high_low(k, sensitive, min(mass, 1.0), **levels, spread=min(max(spread, 0.0), 1.0))


TITLES = {
    "squared_error": "squared error at these shares",
    "squared_error_worst": "squared error at the worst shares",
    "total_variation": "total variation at these shares",
    "total_variation_worst": "total variation at the worst shares",
}


@dataclass(frozen=True)
class Comparison:
    """For each quantity: a lower bound, what the mechanism attains, and an upper bound on the best possible.

    Attained squared errors are exact; attained total variations are upper bounds (for the unbiased estimate;
    projecting it lowers both). *Lower* holds for every mechanism and estimate, at these shares for every unbiased one.
    *Upper* is attained by some known scheme; a mechanism restricted to small reports may be above it.
    """

    mechanism: Mechanism
    n: int
    attained: dict[str, Bound]
    lower: dict[str, Bound]
    upper: dict[str, Bound]
    unbiased: dict[str, Bound]
    """The proved lower bounds on unbiased estimates at these shares, by name: lower has the largest."""

    def as_dict(self) -> dict[str, Any]:
        """The table as plain data: each bound named by its source."""
        return {
            "mechanism": self.mechanism.name,
            "n": self.n,
            **{
                side: {name: _as_dict(bound) for name, bound in getattr(self, side).items()}
                for side in ("attained", "upper", "lower", "unbiased")
            },
        }

    def __str__(self) -> str:
        columns = [("", "s"), ("lower", ""), ("attained", ""), ("upper", "")]
        sides = (self.lower, self.attained, self.upper)
        rows = [(title, *(_cell(side.get(quantity)) for side in sides)) for quantity, title in TITLES.items()]
        head = f"{self.mechanism.context!r}, {self.mechanism.name}, n = {self.n:,}"
        lines = [head, tables.text(columns, rows), ""]
        for quantity, title in TITLES.items():
            if quantity in self.lower:
                lines.append(
                    f"{title}: lower by {_source(self.lower[quantity])}; upper by {_source(self.upper[quantity])}"
                )
        proved = ", ".join(f"{name} {bound.value:.4g}" for name, bound in self.unbiased.items())
        lines.append(f"proved of unbiased estimates at these shares: {proved}")
        lines.append("A star says no more than the definition does. At these shares, lower binds unbiased estimates.")
        return "\n".join(lines)


def compare(mechanism: Mechanism, n: int, *, prior: Any = None, seconds: float | None = None) -> Comparison:
    """The mechanism's error with n reports beside lower and upper bounds; `prior` is uniform unless given.

    With `seconds`, a semidefinite program may take that long to prove a larger lower bound, for contexts of few values.
    """
    shares = prior_of(mechanism.context, prior)
    bounds = bounds_for(mechanism.context, n, prior=prior, seconds=seconds)
    attained = {
        "squared_error": squared_error(mechanism, n, shares),
        "total_variation": total_variation_at(mechanism, n, shares),
    }
    try:
        attained["squared_error_worst"] = worst_squared_error(mechanism, n)
        attained["total_variation_worst"] = worst_total_variation(mechanism, n)
    except InvalidInput:  # too many values that are not exchangeable
        pass
    return Comparison(mechanism, n, attained, bounds.lower, bounds.upper, bounds.unbiased)


def _as_dict(bound: Bound) -> dict[str, Any]:
    value = bound.value if math.isfinite(bound.value) else "inf"
    return {"value": value, "source": bound.reference, "note": bound.note, "vacuous": bound.vacuous}


def _cell(bound: Bound | None) -> str:
    return "" if bound is None else f"{bound.value:.4g}{'*' if bound.vacuous else ''}"


def _source(bound: Bound) -> str:
    return f"{bound.reference} ({bound.note})" if bound.note else bound.reference or "definition"
