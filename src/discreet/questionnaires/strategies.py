"""The ways to ask several questions compared, before anybody is asked: exact errors of shares and of joint shares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.result import CONFIDENCE, Result
from ..core.errors import BeyondLimits, DiscreetError, InvalidInput, check_type
from ..core.exact import Epsilon, text_of
from ..estimation.decoders import decoder_of
from ..estimation.results.weights import calibrated_moment, constants
from ..mechanisms.mechanism import Mechanism
from ..planning import check_target
from ..planning.choose import prior_of
from ..wire.form import EACH, ONE, STRATEGIES, TOGETHER, Form

Array = NDArray[np.float64]

MAX_TUPLES = 1 << 12
"""The most tuples of answers for which a mechanism is sought to compare it."""
MAX_CELLS = 512
"""The most pairs of answers to two questions whose errors are all worked out; of more only some are."""


@dataclass(frozen=True)
class Strategy:
    """What one strategy gives for n people.

    `shares` has for each question the largest standard error of a share, `joint` that of the share of two answers
    together, for the two questions that are worst, and `association` that of their excess ``p_xz - p_x p_z`` where
    answers are independent; None where the strategy tells nothing of it, or was not worked out, for the `reason` given.
    """

    strategy: str
    mechanisms: tuple[str, ...]
    epsilon: Epsilon | None
    bits: int | None
    shares: dict[str, float] | None
    joint: float | None
    association: float | None
    reason: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Strategies(Result):
    """The strategies of a form side by side; `form.asking(strategy)` is the form by another one."""

    form: Form
    n: int
    strategies: tuple[Strategy, ...]
    assumed: str

    def __getitem__(self, strategy: str) -> Strategy:
        return next(one for one in self.strategies if one.strategy == strategy)

    @property
    def best_for_shares(self) -> str:
        """The strategy with the least squared error of the questions' shares, all of them added up."""
        errors = {
            one.strategy: sum(e**2 for e in one.shares.values()) for one in self.strategies if one.shares is not None
        }
        return min(errors, key=lambda strategy: errors[strategy])

    @property
    def best_for_joint(self) -> str | None:
        """The strategy with the least error of the share of two answers together; None if none was worked out."""
        errors = {one.strategy: one.joint for one in self.strategies if one.joint is not None}
        return min(errors, key=lambda strategy: errors[strategy]) if errors else None

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        """A row for each strategy: the epsilon of the form, the bits that a person sends, and standard errors."""
        rows = self.strategies
        columns: dict[str, Sequence[Any]] = {
            "strategy": [row.strategy for row in rows],
            "mechanism": [", ".join(dict.fromkeys(row.mechanisms)) or None for row in rows],
            "epsilon": [None if row.epsilon is None else text_of(row.epsilon) for row in rows],
            "bits": [row.bits for row in rows],
        }
        for name in self.form.names:
            columns[f"stderr of {name}"] = [None if row.shares is None else row.shares[name] for row in rows]
        return columns | {
            "of two answers": [row.joint for row in rows],
            "of association": [row.association for row in rows],
        }

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        """What the strategies are for, and which has the least error."""
        remarks = [f"largest standard errors to expect from {self.n:,} people, exact, at {self.assumed}"]
        if self.form.epsilon is None:
            remarks.append(
                "each question has its own context: what each and together give away adds up over the questions, and "
                "one at random gives away one question's"
            )
        else:
            epsilon = text_of(self.form.epsilon)
            remarks.append(
                f"everybody is protected by {epsilon} for the whole form; 'each' splits it over the questions"
            )
        remarks.append(f"for the shares of single questions {self.best_for_shares!r} has the least error")
        if (best := self.best_for_joint) is not None:
            remarks.append(f"for two answers together {best!r} has; {ONE!r} tells nothing of how answers go together")
        return remarks + [f"{row.strategy}: not worked out: {row.reason}" for row in self.strategies if row.reason]

    @property
    def about(self) -> dict[str, Any]:
        """What is said beside the table."""
        return {
            "n": self.n,
            "form": list(self.form.names),
            "asked": self.form.strategy,
            "assumed": self.assumed,
            "best_for_shares": self.best_for_shares,
            "best_for_joint": self.best_for_joint,
        }

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the errors of every strategy as bars."""
        from ..plots import plot_bars

        done = [row for row in self.strategies if row.shares is not None]
        groups = [*(f"share of {name}" for name in self.form.names), "two answers", "association"]
        series = {row.strategy: [*(row.shares or {}).values(), row.joint, row.association] for row in done}
        plot_bars(groups, series, path, y_label="largest standard error", title=title, note=self.remarks()[0])


def strategies(form: Form, *, n: int, prior: Mapping[str, Any] | None = None, tuples: int = MAX_TUPLES) -> Strategies:
    """The strategies compared for n people who are asked the questions of a form.

    "together" is left out where there are more than `tuples` tuples of answers, unless the form asks so.

    A share has n times the variance ``V = E[phi_x**2] - p_x**2`` of its mechanism; if one of m questions is asked,
    m times as much. Two answers with a report each have ``(V1 + p_x**2)(V2 + p_z**2) - (p_x p_z)**2``, and together
    the variance of a query of one mechanism, calibrated. Answers are assumed to be independent. The form's own strategy
    is compared with its own mechanisms, the others with the best for even shares.
    """
    check_type("form", form, Form, "a form")
    check_target(n=n, tv=None, stderr=None)
    check_type("prior", {} if prior is None else prior, Mapping, "shares by the name of the question")
    given = dict(prior or {})
    for name in given.keys() - set(form.names):
        raise InvalidInput(f"prior of {name!r} must be that of one of the questions: {', '.join(form.names)}")
    shares = {name: prior_of(spec.context, given.get(name)) for name, spec in form.questions.items()}
    compared = tuple(_strategy(form, strategy, shares, int(n), tuples) for strategy in STRATEGIES)
    return Strategies(form, int(n), compared, "the given shares" if given else "even shares")


def _strategy(form: Form, strategy: str, shares: Mapping[str, Array], n: int, most: int) -> Strategy:
    try:
        if strategy == TOGETHER:
            tuples = math.prod(map(len, shares.values()))
            if tuples > most and form.strategy != TOGETHER:
                raise BeyondLimits(f"{tuples} tuples of answers are more than the {most} that are compared")
        variant = form.asking(strategy)
        mechanisms = variant.mechanisms
    except DiscreetError as problem:
        return Strategy(strategy, (), None, None, None, None, None, str(problem))
    variances = (_joint_variances if strategy == TOGETHER else _separate_variances)(mechanisms, shares)
    people = len(shares) if strategy == ONE else 1
    singles = {name: math.sqrt(people * float(variances[name].max()) / n) for name in shares}
    pairs: list[tuple[float, float]] = []
    if strategy == EACH:
        pairs = [_products(variances[a], shares[a], variances[b], shares[b]) for a, b in combinations(shares, 2)]
    elif strategy == TOGETHER:
        (mechanism,) = mechanisms.values()
        pairs = [_of_pairs(mechanism, list(shares.values()), a, b) for a, b in combinations(range(len(shares)), 2)]
    joint, association = (math.sqrt(max(column) / n) for column in zip(*pairs, strict=True)) if pairs else (None, None)
    names = tuple(mechanism.name for mechanism in mechanisms.values())
    bits = [mechanism.bits for mechanism in mechanisms.values()]
    sent = max(bits) + (len(bits) - 1).bit_length() if strategy == ONE else sum(bits)
    return Strategy(strategy, names, variant.largest, sent, singles, joint, association)


def _separate_variances(mechanisms: Mapping[str, Mechanism], shares: Mapping[str, Array]) -> dict[str, Array]:
    """n times the variance of every share of every question, a report each."""
    return {
        name: np.array([variance(mechanisms[name], query, p) for query in np.eye(len(p))]) for name, p in shares.items()
    }


def _joint_variances(mechanisms: Mapping[str, Mechanism], shares: Mapping[str, Array]) -> dict[str, Array]:
    """The same where the answers are one value: sums of the shares of tuples."""
    (mechanism,) = mechanisms.values()
    sides = list(shares.values())
    joint = _product(sides)
    return {
        name: np.array([variance(mechanism, _spread(sides, {place: row}), joint) for row in np.eye(len(p))])
        for place, (name, p) in enumerate(shares.items())
    }


def _products(v1: Array, p1: Array, v2: Array, p2: Array) -> tuple[float, float]:
    """The largest n times variance of the share of two answers with a report each, and of their association."""
    joint = np.outer(v1 + p1**2, v2 + p2**2) - np.outer(p1, p2) ** 2
    return float(joint.max()), float(np.outer(v1, v2).max())


def _of_pairs(mechanism: Mechanism, sides: Sequence[Array], a: int, b: int) -> tuple[float, float]:
    """The same where all answers are one value."""
    joint = _product(sides)
    cells = [(x, z) for x in range(len(sides[a])) for z in range(len(sides[b]))]
    variances = []
    for x, z in cells[:: max(1, math.ceil(len(cells) / MAX_CELLS))]:
        one, two = np.eye(len(sides[a]))[x], np.eye(len(sides[b]))[z]
        cell = variance(mechanism, _spread(sides, {a: one, b: two}), joint)
        excess = _spread(sides, {a: one - sides[a][x], b: two - sides[b][z]})
        variances.append((cell, variance(mechanism, excess, joint)))
    return max(cell for cell, _ in variances), max(excess for _, excess in variances)


def variance(mechanism: Mechanism, query: Array, shares: Array) -> float:
    """n times the variance of a calibrated query: ``E[((w - c) . phi + c_b)**2] - (w . p)**2`` with b the block."""
    decoder = decoder_of(mechanism)
    calibrated = query, constants(decoder, query, shares)
    return max(0.0, float(calibrated_moment(decoder, shares, calibrated, calibrated) - (query @ shares) ** 2))


def _product(sides: Sequence[Array]) -> Array:
    """The distribution of tuples of independent answers."""
    return reduce(lambda joint, side: np.outer(joint, side).ravel(), sides)


def _spread(sides: Sequence[Array], weights: Mapping[int, Array]) -> Array:
    """A weight for every tuple: the product of those of some of its answers."""
    return _product([weights.get(place, np.ones(len(side))) for place, side in enumerate(sides)])
