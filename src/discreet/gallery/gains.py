"""What a context of the gallery gains: the error of its mechanisms beside that of classical privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..build import mechanism
from ..context import Context
from ..designing import Designed, design
from ..mechanisms.mechanism import Mechanism
from ..objective import objective_of
from . import Example

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Gain:
    """n times the error of what is asked, at even shares, under four ways to collect."""

    example: Example
    context: Context
    asked: str
    without: float
    """No privacy: every value is reported as it is."""
    classical: float
    """The best mechanism for classical privacy at the smallest entry of E."""
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
        asked.error(classical, even),
        chosen,
        asked.error(chosen, even),
        design(context, query=query, seconds=seconds, progress=progress),
    )
