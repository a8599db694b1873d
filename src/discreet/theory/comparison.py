"""A mechanism's error beside what no mechanism can beat and what a known scheme guarantees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..core import tables
from ..core.errors import InvalidInput
from ..mechanisms.mechanism import Mechanism
from ..planning.choose import prior_of
from .channels.finite import Bound
from .of_context import ContextBounds, bounds_for
from .of_mechanism import squared_error, total_variation_at, worst_squared_error, worst_total_variation

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
                side: {quantity: _as_dict(bound) for quantity, bound in bounds.items()}
                for side, bounds in (("attained", self.attained), ("upper", self.upper), ("lower", self.lower))
            },
            "unbiased": {name: _as_dict(bound) for name, bound in self.unbiased.items()},
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
    bounds: ContextBounds = bounds_for(mechanism.context, n, prior=prior, seconds=seconds)
    attained = {
        "squared_error": squared_error(mechanism, n, shares),
        "total_variation": total_variation_at(mechanism, n, shares),
    }
    try:
        attained["squared_error_worst"] = worst_squared_error(mechanism, n)
        attained["total_variation_worst"] = worst_total_variation(mechanism, n)
    except InvalidInput:  # too many values that are not treated alike
        pass
    return Comparison(mechanism, n, attained, bounds.lower, bounds.upper, bounds.unbiased)


def _as_dict(bound: Bound) -> dict[str, Any]:
    value = bound.value if math.isfinite(bound.value) else "inf"
    return {"value": value, "source": bound.reference, "note": bound.note, "vacuous": bound.vacuous}


def _cell(bound: Bound | None) -> str:
    return "" if bound is None else f"{bound.value:.4g}{'*' if bound.vacuous else ''}"


def _source(bound: Bound) -> str:
    return f"{bound.reference} ({bound.note})" if bound.note else bound.reference or "definition"
