"""What a context of the gallery gains: the error of its mechanisms beside that of classical privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context
from ..mechanisms.build import mechanism
from ..mechanisms.mechanism import Mechanism
from ..planning.design import Designed, design
from ..planning.objective import Objective, objective_of
from . import Example

if TYPE_CHECKING:
    from collections.abc import Callable

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gain:
    """n times the error of what is asked, at even shares, under four ways to collect."""

    example: Example
    context: Context
    asked: str
    without: float
    """No privacy: every value is reported as it is."""
    classical: float
    """The best for classical privacy at the smallest entry of E: one of our mechanisms, or one bit about a query."""
    chosen: Mechanism
    error: float
    """That of the mechanism that "auto" chooses for the context."""
    designed: Designed

    @property
    def ratio(self) -> float:
        """How many times less error than classical privacy: the best of the chosen and the designed mechanism."""
        return self.classical / min(self.error, self.designed.error)


def gain_of(example: Example, *, seconds: float, progress: Callable[..., Any] | None = None) -> Gain:
    """The errors for one context, with a design of at most so many seconds."""
    spec = example.spec
    context, query = spec.context, spec.choice.get("query")
    asked = objective_of(context, query)
    even = np.full(context.size, 1 / context.size)
    classical = mechanism(Context.uniform(context.values, context.smallest), query=query)
    chosen = spec.mechanism
    return Gain(
        example,
        context,
        asked.name,
        asked.unhidden(even),
        min(asked.error(classical, even), one_bit(asked, even, float(context.smallest))),
        chosen,
        asked.error(chosen, even),
        design(context, query=query, seconds=seconds, progress=progress),
    )


def one_bit(asked: Objective, shares: Array, epsilon: float) -> float:
    """n times the error of one bit about a single query under classical privacy; infinite for anything else.

    With scores between m - r and m + r the bit is B = +1 with probability ``(1 + t (s - m) / r) / 2``, where
    ``t = tanh(epsilon / 2)``, so ``m + r B / t`` has the mean s and the variance ``(r / t)**2 - (s - m)**2``. The
    mean is estimated, and nothing else: for the shares there is no such bit (Duchi2013).
    """
    if len(asked.targets) > 1 or asked.targets[0][1] is None or len(asked.targets[0][1]) > 1:
        return math.inf
    (scores,) = asked.targets[0][1]
    middle, reach = (scores.max() + scores.min()) / 2, (scores.max() - scores.min()) / 2
    return float((reach / math.tanh(epsilon / 2)) ** 2 - (scores @ shares - middle) ** 2)
