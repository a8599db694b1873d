"""All bounds on the error under a context: what no mechanism can beat, and what a known scheme attains.

Three quantities, each for n people whose values are drawn from shares p:

- `squared_error`: the expected sum of squared errors at the given p. The lower bound binds unbiased estimates,
  such as `discreet.estimate`; a projected or shrunken one may be below it.
- `squared_error_worst` and `total_variation_worst`: the largest expected error over all p. The lower bounds
  bind every estimate from every mechanism that is fixed beforehand.

References: Acharya2020, and those of the bounds themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context, Part
from ..core.errors import DiscreetError, InvalidInput
from ..mechanisms.build import mechanism
from ..planning.choose import prior_of
from .attained import AttainedRisk, attained_blocks, attained_high_low, attained_subset
from .channels.finite import Bound, at_least, lower, upper
from .minimax.minimax import (
    MinimaxRisk,
    minimax_binary,
    minimax_blocks,
    minimax_classical,
    minimax_high_low,
    minimax_matrix,
)
from .of_mechanism import worst_squared_error, worst_total_variation
from .sample_size import SampleSize, blocks_users, classical_users, high_low_users
from .unbiased import (
    unbiased_blocks,
    unbiased_by_classes,
    unbiased_high_low,
    unbiased_matrix,
    unbiased_semidefinite,
    unbiased_uniform,
)

Array = NDArray[np.float64]
Result = TypeVar("Result")

QUANTITIES = ("squared_error", "squared_error_worst", "total_variation_worst")
MAX_MATRIX_VALUES = 1024
"""The most values of an arbitrary matrix for which lower bounds are computed."""


@dataclass(frozen=True)
class ContextBounds:
    """Lower and upper bounds on the best possible error, by quantity; see the docstring of this module.

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
    risk = _minimax(form, n)
    best = _known_scheme(form, n)
    unbiased = _unbiased(form, n, p)
    if seconds is not None and (bound := unbiased_semidefinite(context, p, seconds=float(seconds))) is not None:
        unbiased["semidefinite"] = _for_n(bound, n)
    return ContextBounds(
        context,
        n,
        {
            "squared_error": max(unbiased.values(), key=lambda bound: bound.value),
            "squared_error_worst": risk.squared_error,
            "total_variation_worst": risk.total_variation,
        },
        {
            "squared_error": best.squared_error,
            "squared_error_worst": best.squared_error,
            "total_variation_worst": best.total_variation,
        },
        unbiased,
    )


def users_for(context: Context, accuracy: float) -> SampleSize | None:
    """The users needed for an expected total variation of `accuracy` at the worst shares; None without a bound."""
    form = context.canonical_form()
    return _by_parts(
        form.parts,
        uniform=lambda k, level: classical_users(k, accuracy, epsilon=level) if k > 1 else None,
        blocks=lambda sizes, levels: blocks_users(sizes, accuracy, epsilons=levels),
        high_low=lambda k, sensitive, level: high_low_users(k, sensitive, accuracy, epsilon=level),
        otherwise=lambda: None,
    )


def _by_parts(
    parts: Sequence[Part] | None,
    *,
    uniform: Callable[[int, Fraction], Result],
    blocks: Callable[[list[int], list[Fraction]], Result],
    high_low: Callable[[int, int, Fraction], Result],
    otherwise: Callable[[], Result],
) -> Result:
    """What the matching function gives: one uniform part, several, one high-low part, or anything else."""
    if not parts or (len(parts) > 1 and not all(part.is_uniform for part in parts)):
        return otherwise()
    if len(parts) > 1:
        return blocks([len(part.members) for part in parts], [part.level for part in parts])
    part = parts[0]
    if part.is_uniform:
        return uniform(len(part.members), part.level)
    return high_low(len(part.members), len(part.sensitive), part.level)


def _minimax(form: Context, n: int) -> MinimaxRisk:
    return _by_parts(
        form.parts,
        uniform=lambda k, level: minimax_classical(k, n, epsilon=level),
        blocks=lambda sizes, levels: minimax_blocks(sizes, n, epsilons=levels),
        high_low=lambda k, sensitive, level: minimax_high_low(k, sensitive, n, epsilon=level),
        otherwise=lambda: _minimax_matrix(form, n),
    )


def _minimax_matrix(form: Context, n: int) -> MinimaxRisk:
    if form.size == 2:
        return minimax_binary(n, epsilon_xz=form.at(0, 1), epsilon_zx=form.at(1, 0))
    return minimax_matrix(form, n)


def _known_scheme(form: Context, n: int) -> AttainedRisk:
    """The error of a known scheme: the papers' own with sharp constants, or that of the best mechanism, exactly."""
    return _by_parts(
        form.coarsest_served().parts if _identifiable(form) else None,
        uniform=lambda k, level: attained_subset(k, n, epsilon=level) if k > 1 else _attained_exactly(form, n),
        blocks=lambda sizes, levels: attained_blocks(sizes, n, epsilons=levels),
        high_low=lambda k, sensitive, level: attained_high_low(k, sensitive, n, epsilon=level),
        otherwise=lambda: _attained_exactly(form, n),
    )


def _attained_exactly(form: Context, n: int) -> AttainedRisk:
    """The exact error of the best mechanism."""
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


def _identifiable(form: Context) -> bool:
    """True if its parts serve it well: no two values must be alike, and two values have their own closed form."""
    return form.smallest > 0 and (form.parts is not None or form.size != 2)


def _unbiased(form: Context, n: int, p: Array) -> dict[str, Bound]:
    """The bounds on unbiased estimates at p for n people: value by value, of the form itself, of a larger context."""
    bounds = {"each value": unbiased_matrix(form, p) if form.parts is None else unbiased_by_classes(form, p)}
    parts, name = (form.parts, "all values") if form.parts is not None else (_larger(form), "a larger context")
    sharp = None if parts is None else _exact_at(parts, p)
    bounds |= {} if sharp is None else {name: sharp}
    return {name: _for_n(bound, n) for name, bound in bounds.items()}


def _for_n(bound: Bound, n: int) -> Bound:
    """The bound on n times the squared error as one on the squared error."""
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
    if not _even(p, [part.sensitive for part in parts]):
        return None
    masses = [float(p[list(part.sensitive)].sum()) for part in parts]
    return _by_parts(
        parts,
        uniform=lambda k, level: unbiased_uniform(k, epsilon=level),
        blocks=lambda sizes, levels: unbiased_blocks(sizes, masses, epsilons=levels),
        high_low=lambda k, sensitive, level: _high_low(k, sensitive, level, p, masses[0]),
        otherwise=lambda: None,
    )


def _high_low(k: int, sensitive: int, level: Fraction, p: Array, mass: float) -> Bound:
    """The bound of a high-low context at shares that are even among the sensitive values, whatever the others have."""
    squares = float(p @ p) - mass**2 / sensitive
    spread = squares / (1 - mass) ** 2 if mass < 1 else 1 / (k - sensitive)
    return unbiased_high_low(k, sensitive, min(mass, 1.0), epsilon=level, spread=min(max(spread, 0.0), 1.0))


def _even(p: Array, parts: Sequence[Sequence[int]]) -> bool:
    return all(np.ptp(p[list(part)]) <= 1e-12 for part in parts)
