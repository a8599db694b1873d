"""The result of a design: a certified mechanism, its error, and how far from the best possible it can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import tables
from ...mechanisms.mechanism import Mechanism
from ..explanation import Candidate

MAX_OPTIMAL_GAP = 1e-4
"""A mechanism that is proved to be within this part of the best possible is called optimal."""
MAX_CERTIFIED_GAP = 0.1
"""A proved gap above this part is shown, but not called a certificate."""
MAX_PRINTED_GAP = 0.99
"""A bound that leaves a larger gap than this part is not printed."""
MAX_PRINTED_FORMS = 8
"""How many closed forms a printed design lists."""


@dataclass(frozen=True)
class SearchStep:
    """One step of a search: the seconds since it began, n times the error, and the columns in use."""

    seconds: float
    error: float
    columns: int


@dataclass(frozen=True)
class Designed:
    """The best mechanism found for a context, certified like any other.

    `error` is n times the error of the objective, `bound` a value that no mechanism for the context can be below (the
    error without privacy where no better one could be proved), worked out apart from the search. `worst_case` is the
    largest error over all shares with the mechanism's own estimator, `expected_distance` the distance, in units of E,
    to expect between a value and the best guess from its report (None where E is no distance), `compared` the closed
    forms that were tried first, `history` the steps of the search, `prior` the shares that its estimator has the least
    error at. `converged` says that the search ended by itself: then the same seed finds the same again; `stopped` that
    it was ended by Ctrl-C.

    >>> import discreet as dc
    >>> context = dc.Context.matrix(["low", "mid", "high"], [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> designed = dc.design(context, seconds=1)
    >>> round(designed.error, 1), designed.bound <= designed.error < designed.compared[0].error
    (4.0, True)
    """

    mechanism: Mechanism
    objective: str
    prior: tuple[float, ...]
    error: float
    bound: float
    listed: bool
    worst_case: float
    expected_distance: float | None
    targets: tuple[tuple[str, float], ...]
    compared: tuple[Candidate, ...]
    history: tuple[SearchStep, ...]
    seconds: float
    converged: bool
    stopped: bool
    notes: tuple[str, ...]

    @property
    def gap(self) -> float:
        """The largest part of the error that a better mechanism could save; 1 where no bound was proved."""
        return max(0.0, 1 - self.bound / self.error) if self.error > 0 else 0.0

    @property
    def label(self) -> str:
        """What is known: "optimal, all types checked", "optimal (proved)", "within x % (proved)" or less."""
        if self.gap <= MAX_OPTIMAL_GAP:
            return "optimal, all types checked" if self.listed else "optimal (proved)"
        if self.gap <= MAX_CERTIFIED_GAP:
            return f"within {100 * self.gap:.2g} % (proved)"
        return "best found, no certificate"

    @property
    def gain(self) -> float | None:
        """The error of the best closed form divided by that of this mechanism; None if there is no closed form."""
        return self.compared[0].error / self.error if self.compared and self.error > 0 else None

    def as_dict(self) -> dict[str, Any]:
        """The design as plain data, without the law: `mechanism.law()` has it."""
        return {
            "mechanism": self.mechanism.name,
            "fingerprint": self.mechanism.fingerprint,
            "reports": self.mechanism.sampler.outputs,
            "bits": self.mechanism.bits,
            "objective": self.objective,
            "prior": list(self.prior),
            "n_error": self.error,
            "bound": self.bound,
            "gap": self.gap,
            "label": self.label,
            "worst_case": self.worst_case,
            "expected_distance": self.expected_distance,
            "wishes": [{"name": name, "n_error": error} for name, error in self.targets],
            "compared": [candidate.as_dict() for candidate in self.compared],
            "history": [vars(step) for step in self.history],
            "seconds": self.seconds,
            "converged": self.converged,
            "stopped": self.stopped,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        mechanism = self.mechanism
        columns: list[tables.Column] = [("mechanism", "s"), ("n x error", ".6g"), ("ratio", ".3f"), ("bits", "d")]
        rows: list[tuple[Any, ...]] = [("designed", self.error, 1.0, mechanism.bits)]
        unit = self.error or 1.0
        rows += [(c.name, c.error, c.error / unit, c.bits) for c in self.compared[:MAX_PRINTED_FORMS]]
        if self.gap < MAX_PRINTED_GAP:
            rows.append(("no mechanism below", self.bound, self.bound / unit, None))
        lines = [tables.text(columns, rows)]
        if len(self.compared) > MAX_PRINTED_FORMS:
            lines.append(f"and {len(self.compared) - MAX_PRINTED_FORMS} other closed forms with more error")
        count = mechanism.sampler.outputs
        reports = f"{count} reports" if count < 1 << 32 else f"up to 2**{mechanism.bits} reports"
        about = f"{mechanism.name} of {reports} for {self.objective}: {self.label}"
        lines.append(f"{about}; at the worst shares {self.worst_case:.6g}.")
        if self.expected_distance is not None:
            lines.append(
                f"The best guess from a report is {self.expected_distance:.4g} away from the value, in units of E."
            )
        if len(self.targets) > 1:
            lines.append("n x error of each: " + ", ".join(f"{name} {error:.6g}" for name, error in self.targets))
        if self.stopped:
            lines.append("The search was stopped before its time; this is the best that it had found.")
        return "\n".join([*lines, *self.notes])
