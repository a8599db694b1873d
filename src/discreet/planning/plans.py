"""Plan a collection: how much error n reports will leave, or how many reports a target needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from ..contexts import Context
from ..core import tables
from ..core.errors import DiscreetError, InvalidInput, shown
from ..estimation.decoders import decoder_of
from ..estimation.tally import MAX_REPORTS
from ..mechanisms.build import REPORT_BITS
from ..mechanisms.mechanism import Mechanism
from .choose import compare_mechanisms, explain, prior_of
from .expected import Expected, deviations_of, expected_error, tv_of, without_privacy
from .explanation import Explanation, rate
from .objective import Array, Objective, objective_of, usual_query
from .power import Detection, Effect, effect_of

ROUNDING = 1e-9
"""A number of people this little below a whole number is that one."""
MAX_EVEN_DIFFERENCE = 1e-12
"""Shares that differ by no more than this are even."""
TWO_ANSWERS = (
    "For one TV `discreet bounds` names more people than `discreet plan`: it bounds the TV from above at the worst "
    "shares, while a plan gives the TV to expect at the assumed ones."
)
"""Why two commands answer one question differently."""


COLUMNS: list[tables.Column] = [
    *(("", "s"), ("mechanism", "s"), ("bits", "d"), ("sq. error", ".3g"), ("stderr", ".3g")),
    *(("TV", ".3f"), ("projected", ".3f"), ("detectable", ".3g"), ("guess", ".3g")),
]
"""The columns of a printed plan."""


@dataclass(frozen=True)
class Plan:
    """What a context costs: the chosen mechanism's expected error beside no privacy and classical privacy.

    >>> import discreet as dc
    >>> plan = dc.plan(dc.Context.uniform(["bus", "car", "bike"], epsilon="1"), n=10_000)
    >>> plan.mechanism.name, round(plan.expected.tv, 4)
    ('randomized_response', 0.0155)
    """

    context: Context
    n: int
    prior: Array
    explanation: Explanation
    users_needed: int | None
    target: str | None
    bits: int | None
    detection: Detection | None = None
    subgroup: float = 1.0

    @property
    def counted(self) -> int:
        """The number of people whose reports are counted: all, or those in the subgroup."""
        return max(1, math.floor(self.n * self.subgroup + ROUNDING))

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that the plan is for."""
        return self.explanation.chosen

    @cached_property
    def expected(self) -> Expected:
        """The error to expect from the chosen mechanism."""
        return expected_error(self.mechanism, self.counted, self.prior, label="this context", objective=self.objective)

    @property
    def objective(self) -> Objective:
        """The objective that the mechanism was chosen by."""
        return self.explanation.objective

    @cached_property
    def comparison(self) -> tuple[Expected, ...]:
        """No privacy, classical privacy at the context's smallest epsilon, and this context, side by side."""
        rows = [without_privacy(self.context, self.counted, self.prior, self.objective)]
        try:
            classical, expected = self._classical(), self.expected
            if classical.fingerprint != self.mechanism.fingerprint:
                expected = expected_error(classical, self.counted, self.prior, objective=self.objective)
            rows.append(replace(expected, label="classical"))
        except DiscreetError:
            pass  # epsilon 0 or infinite has no classical form
        return (*rows, self.expected)

    def _classical(self) -> Mechanism:
        """The best mechanism for classical privacy; for a context that asks for it, the one already chosen."""
        parts = self.context.parts or ()
        if len(self.explanation.candidates) > 1 and len(parts) == 1 and parts[0].is_uniform:
            return self.mechanism
        classical = Context.uniform(self.context.values, self.context.smallest)
        return compare_mechanisms(classical, self.prior, self.bits, self.objective).chosen

    @property
    def assumed(self) -> str:
        """The shares that the plan assumes: "even shares" or "the given shares"."""
        return "even shares" if np.ptp(self.prior) <= MAX_EVEN_DIFFERENCE else "the given shares"

    @property
    def worst_squared_error(self) -> float | None:
        """The largest squared error at any shares, for a plan of one target in the worst case; None for other plans."""
        single = self.objective.worst and len(self.objective.targets) == 1
        return self.explanation.candidates[0].error / self.counted if single else None

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain data."""
        expected = self.expected
        return {
            "mechanism": expected.mechanism,
            "n": self.n,
            "subgroup": self.subgroup,
            "assumed": self.assumed,
            "bits": expected.bits,
            "total_squared_error": expected.total_squared_error,
            "tv": expected.tv,
            "tv_projected": expected.tv_projected,
            "tv_by": "normal approximation; projected by seeded simulation",
            "stderr": expected.stderr,
            "objective": self.objective.name,
            "query_stderr": expected.targets[0][1] if len(expected.targets) == 1 else None,
            "wishes": expected.as_dict()["wishes"],
            "worst_squared_error": self.worst_squared_error,
            "detectable": expected.detectable,
            "guess": expected.guess,
            "users_needed": self.users_needed,
            "target": self.target,
            "detection": None if self.detection is None else self.detection.as_dict(),
            "comparison": [row.as_dict() for row in self.comparison],
            "candidates": [candidate.as_dict() for candidate in self.explanation.candidates],
        }

    def __str__(self) -> str:
        heading, columns, rows, lines = self._printed()
        return "\n".join([heading, tables.text(columns, rows), *lines])

    def _repr_html_(self) -> str:
        heading, columns, rows, lines = self._printed()
        return tables.html(columns, rows, caption=tables.sentences([heading, *lines]))

    def _printed(self) -> tuple[str, list[tables.Column], list[tuple[Any, ...]], list[str]]:
        """The heading, the columns and rows of the table, and the lines below it."""
        rows = [
            (
                *(r.label, r.mechanism, r.bits, r.total_squared_error, *(stderr for _, stderr in r.targets)),
                *(r.stderr, r.tv, r.tv_projected, r.detectable, r.guess),
            )
            for r in self.comparison
        ]
        queries: list[tables.Column] = [(f"{name} stderr", ".3g") for name, _ in self.expected.targets]
        inside = "" if self.subgroup == 1 else f", of whom {self.counted:,} are in the subgroup"
        heading, lines = f"{self.context!r}, n = {self.n:,}{inside}", list[str]()
        if self.users_needed is not None:
            lines.append(f"{self.target} needs {self.users_needed:,} users")
        if self.detection is not None:
            lines.append(self.detection.sentence)
        hint = "; a prior assumes others" if self.assumed == "even shares" else ""
        lines += [
            f"Errors are those to expect at {self.assumed}{hint}. A share is told from 0 in 19 of 20 surveys if it is "
            "detectable.",
            "Squared error and stderr are exact; TV is a normal approximation, projected TV a seeded simulation.",
            f"A guess of somebody's value from one report is right as often as the last column says; "
            f"{float(self.prior.max()):.3g} without one.",
        ]
        if self.objective.title:
            lines.append(f"Mechanisms are compared by the expected squared error of {self.objective.title}.")
        if self.worst_squared_error is not None:
            lines.append(f"At the worst shares the chosen one has a squared error of {self.worst_squared_error:.3g}.")
        if (better := self.explanation.better) is not None:
            less = "" if len(self.objective.targets) > 1 else f", {better.error / self.counted:.3g}"
            lines.append(
                f"At these shares {better.name} would have less error{less}: a spec chooses by the shares in its "
                "mechanism.prior."
            )
        if self.target is not None and self.target.startswith("tv"):
            lines.append(TWO_ANSWERS)
        return heading, [*COLUMNS[:4], *queries, *COLUMNS[4:]], rows, lines


def plan(
    subject: Context | Mechanism | Explanation | Any,
    *,
    n: int | None = None,
    tv: float | None = None,
    stderr: float | None = None,
    prior: Any = None,
    bits: int | None = REPORT_BITS,
    query: Any = None,
    worst: bool = False,
    difference: Any = None,
    slope: float | None = None,
    power: float | None = None,
    covariate: Any = None,
    alpha: float = 0.05,
    subgroup: float = 1.0,
    groups: tuple[float, ...] = (0.5, 0.5),
    comparisons: int = 1,
    design_effect: float = 1.0,
) -> Any:
    """The expected error of n reports, or the number of users that a target needs.

    `subject` is a context, for its best mechanism with reports of at most `bits` bits, a mechanism, or the comparison
    that one was chosen by. A form of several questions has its strategies compared at n people, and takes only n and
    `prior`. Give `n`, or a target: `tv` (expected total variation of the raw estimate) or `stderr` (the largest
    standard error of a share, or of `query`). `prior` is the assumed distribution, uniform unless given. `query` and
    `worst` say what the mechanism is chosen by, as in `dc.explain`; all errors in the plan are those at the assumed
    shares, and with `worst` the largest one at any shares is given beside them. The expected total squared error is
    exact: ``(sum_x E[phi_x**2] - |p|**2) / n``.

    A `difference` of the query between two groups, a number or the pair of its values, or a `slope` for each unit of a
    `covariate` (a sample; standard normal unless given) is planned to be detected with `power`, 0.8 unless given, by a
    two-sided test at `alpha`; with n its power is given instead, and with n and power the smallest difference.
    `subgroup` is the part of all people whom errors and tests are about, `groups` the part of those in each of two
    groups (one group is compared with a known figure), `comparisons` the number of tests that share alpha, and
    `design_effect` how many times as large variances are as those of people drawn one by one.

    >>> import discreet as dc
    >>> context = dc.Context.blocks({"boston": ["b1", "b2"], "nyc": ["n1", "n2", "n3"]}, epsilon="1")
    >>> dc.plan(context, stderr=0.01).users_needed
    10321
    >>> round(dc.plan(context, n=10_000).expected.tv, 4)
    0.018
    """
    effect = effect_of(
        difference=difference,
        slope=slope,
        power=power,
        covariate=covariate,
        alpha=alpha,
        subgroup=subgroup,
        groups=groups,
        comparisons=comparisons,
        design_effect=design_effect,
    )
    check_target(n=n, tv=tv, stderr=stderr, effect=effect)
    own_plan = getattr(type(subject), "plan", None)  # of a form of several questions
    if own_plan is not None:
        if n is None or effect is not None or query is not None or worst:
            raise InvalidInput("a form is planned with n people, and perhaps a prior; nothing else is taken")
        return own_plan(subject, n=n, prior=prior)
    if isinstance(subject, Mechanism):
        context = subject.context
        shares, objective = prior_of(context, prior), objective_of(context, usual_query(context, query), worst)
        explanation = Explanation(tuple(rate([subject], shares, objective)), f"{subject.name} was asked for", objective)
    elif isinstance(subject, Explanation):
        context = subject.chosen.context
        shares = prior_of(context, prior)
        same = query is None and worst is False
        objective = subject.objective if same else objective_of(context, query, worst)
        explanation = replace(subject, objective=objective).at(shares)
    elif isinstance(subject, Context):
        context, shares = subject, prior_of(subject, prior)
        explanation = explain(context, prior=shares, bits=bits, query=query, worst=worst)
    else:
        raise InvalidInput(f"subject of type {type(subject).__name__} must be a context or a mechanism")
    detection = None if effect is None else effect.detect(explanation.chosen, explanation.objective, shares, n)
    people, needed, target = n, None, None
    if n is None and detection is not None:
        size = detection.second if detection.kind == "slope" else detection.second - detection.first
        people = needed = detection.n
        target = f"a {detection.kind} of {size:g}"
    elif n is None:
        inside, target = _users_needed(explanation, shares, tv=tv, stderr=stderr)
        people = needed = math.ceil(inside / subgroup - ROUNDING)
    assert people is not None
    return Plan(context, int(people), shares, explanation, needed, target, bits, detection, subgroup)


def check_target(*, n: int | None, tv: float | None, stderr: float | None, effect: Effect | None = None) -> None:
    """Raise `InvalidInput` unless exactly one of n and the targets is given, and can be planned for."""
    if effect is None:
        if sum(given is not None for given in (n, tv, stderr)) != 1:
            raise InvalidInput("plan needs exactly one of n, tv, stderr, difference and slope")
    elif tv is not None or stderr is not None:
        raise InvalidInput("plan needs either tv or stderr, or a difference or slope")
    elif n is not None and effect.power is not None and (effect.difference or effect.slope):
        raise InvalidInput("plan needs two of n, power, and a difference or slope, and finds the third")
    elif n is None and not effect.difference and not effect.slope:
        raise InvalidInput("power must go with n, or with a difference or slope")
    if n is not None and (isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= MAX_REPORTS):
        raise InvalidInput(f"n={repr(n)[:60]} must be a whole number from 1 to {MAX_REPORTS}")
    if tv is not None and (not isinstance(tv, Real) or not 0 < tv < 1):
        raise InvalidInput(f"tv={shown(tv)} must be between 0 and 1")
    if stderr is not None and (not isinstance(stderr, Real) or not 0 < stderr < math.inf):
        raise InvalidInput(f"stderr={shown(stderr)} must be a positive number, and below 1 for a share")


def _users_needed(
    explanation: Explanation, shares: Array, *, tv: float | None, stderr: float | None
) -> tuple[int, str]:
    """How many people a target takes, and the target in words; the standard error falls with the root of n."""
    objective, chosen = explanation.objective, explanation.chosen
    if tv is not None:
        deviation, target, label = tv_of(deviations_of(chosen, shares)), tv, f"tv={tv}"
    else:
        assert stderr is not None
        if len(objective.targets) > 1:
            raise InvalidInput(f"stderr={stderr} must go with one query; there are {len(objective.targets)}")
        of_shares = objective.targets[0][1] is None
        if of_shares and stderr >= 1:
            raise InvalidInput(f"stderr={stderr} must be between 0 and 1 for a share")
        target, label = stderr, f"stderr={stderr}" + ("" if of_shares else f" of {objective.titles[0]}")
        (deviation,) = objective.deviations(decoder_of(chosen), shares)
        if objective.worst and not of_shares:
            deviation, label = math.sqrt(objective.error(chosen, shares)), f"{label} at the worst shares"
    if not deviation / target <= math.sqrt(MAX_REPORTS):
        raise InvalidInput(f"{label} needs more than {MAX_REPORTS} reports; it must be larger")
    return max(1, math.ceil((deviation / target) ** 2)), label
