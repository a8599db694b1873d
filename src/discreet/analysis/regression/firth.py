"""A likelihood with Firth's penalty, whose maximum is finite where that of the likelihood is not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...core.errors import InvalidInput, shown
from ..reference_distribution import Array
from .cells import Cells
from .maximum import Objective, Point

PENALTIES = ("firth",)


class Likelihood(Objective, Protocol):
    """A likelihood that knows the information to expect from reports."""

    cells: Cells
    exact: bool
    size: int

    @property
    def work(self) -> float:
        """The multiplications for one fit and the information at its end, roughly."""

    def terms(self, b: Array) -> Iterator[tuple[slice, Array]]:
        """The gradient of every cell for a weight of 1, a row each, some at a time."""

    def evenly(self, place: slice) -> Array:
        """What the terms at this place would be if all were of one size."""

    def expected(self, b: Array, weights: Array) -> Array:
        """The expected information where the cells have these weights."""

    def expected_along(self, b: Array, direction: Array) -> Iterator[tuple[slice, Array]]:
        """The expected information of every cell for a weight of 1, times this direction, a row each."""

    def expected_slope(self, b: Array, inverse: Array) -> Array:
        """``tr(inverse dI/db)`` for every coefficient, I the expected information."""


@dataclass(frozen=True, eq=False)
class Penalised:
    """``l(b) + c/2 log det I(b)``: Jeffreys' prior of what is seen, the reports (Firth1993, Heinze2002, Kosmidis2009).

    I is the expected information of the reports, not of the values behind them: through a noisy channel it falls
    faster towards shares of 0 and 1, so that no coefficient runs away. c is ``sum w**2 / sum w``, 1 without weights, so
    that the penalty keeps its size beside a likelihood of people who count unequally.
    """

    likelihood: Likelihood

    @property
    def strength(self) -> float:
        """The factor c of the penalty."""
        weights = self.likelihood.cells.weights
        alone = not self.likelihood.cells.design.survey.design
        return 1.0 if alone else float(weights @ weights / weights.sum())

    def value(self, b: Array) -> float:
        """The penalised log-likelihood."""
        with np.errstate(all="ignore"):
            sign, size = np.linalg.slogdet(self.likelihood.expected(b, self.likelihood.cells.weights))
        value = self.likelihood.value(b) + self.strength / 2 * float(size)
        return value if sign > 0 and math.isfinite(value) else -math.inf

    def at(self, b: Array) -> Point:
        """The penalised log-likelihood, its gradient, and the expected information, which steps are made with."""
        here = self.likelihood.at(b)
        with np.errstate(all="ignore"):
            information = self.likelihood.expected(b, self.likelihood.cells.weights)
            sign, size = np.linalg.slogdet(information)
            value = here.value + self.strength / 2 * float(size)
            if sign <= 0 or not math.isfinite(value):
                return here._replace(value=-math.inf)
            slope = self.likelihood.expected_slope(b, np.asarray(np.linalg.inv(information), dtype=float))
        return Point(b, value, here.gradient + self.strength / 2 * slope, information, np.zeros_like(information))


def check_penalty(penalty: str | None) -> None:
    """Refuse what is not the name of a penalty."""
    if penalty is not None and penalty not in PENALTIES:
        raise InvalidInput(f"penalty={shown(penalty)} must be None or one of {', '.join(PENALTIES)}")
