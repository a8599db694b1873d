"""Shares as a table: printed, as plain data, and as data frames."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...core import tables
from ...core.domain import Domain, Value, plain_value
from ...core.errors import Unavailable
from ...mechanisms.mechanism import Mechanism
from ..tally import Tally
from .covariance import affordable
from .frames import Columns, plain_data
from .intervals import Level, checked_level
from .table import CONFIDENCE, PICTURES, Printed, Tabular, middle_out

Array = NDArray[np.float64]

NUMBERS = ("shares", "stderr", "low", "high")


class ShareTable(Tabular):
    """A share for every value with its errors, which can be printed, written as JSON and taken to a data frame."""

    BULLET = ""
    heading: ClassVar[str] = "value"
    """What the column of the values is called where the table is printed."""
    tally: Tally
    method: str

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.tally.n

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that wrote the reports."""
        return self.tally.mechanism

    @property
    @abstractmethod
    def values(self) -> Domain | Sequence[Value]:
        """The values that the shares belong to, in order."""

    @abstractmethod
    def _interval(self, level: Level) -> tuple[Array, Array]:
        """The ends of the interval of each share."""

    @property
    def _claims(self) -> int:
        """How many intervals there are that can miss."""
        return len(self.values)

    def _together(self, confidence: float) -> Level:
        """The level at which the intervals of all shares hold together (Bonferroni)."""
        return Level(confidence, among=self._claims)

    def interval(self, confidence: float = CONFIDENCE, *, anytime: bool = False) -> tuple[Array, Array]:
        """A low and a high end for each share, which hold with this confidence each, and enclose the share.

        They are not symmetric: where few reports tell of a value, the far end is further than by its standard error.
        With `anytime` each holds at all times at once: look as often as you like while reports come in, and stop when
        you like. Such intervals are about twice as long.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="2"))
        >>> tally = mechanism.tally(mechanism.randomize_many(["bus", "car", "car", "bike"] * 500, dc.random.seeded(1)))
        >>> low, high = dc.estimate(tally).interval(confidence=0.9)
        >>> low.round(2).tolist(), high.round(2).tolist()
        ([0.23, 0.47, 0.23], [0.28, 0.52, 0.28])
        """
        return self._interval(checked_level(confidence, anytime))

    def simultaneous_interval(self, confidence: float = CONFIDENCE, *, anytime: bool = False) -> tuple[Array, Array]:
        """Low and high ends that hold for all shares together with this confidence, at any time if so asked."""
        level = checked_level(confidence, anytime)
        return self._interval(level._replace(among=self._claims) if anytime else self._together(confidence))

    @abstractmethod
    def _columns(self, confidence: float, anytime: bool = False) -> tuple[dict[str, Array | None], dict[str, str]]:
        """Shares, stderr, low and high, perhaps more, with None for those not available, and the reasons by name."""

    def _about(self, confidence: float, anytime: bool = False) -> dict[str, Any]:
        about = {"mechanism": self.mechanism.name, "fingerprint": self.tally.fingerprint, "n": self.n}
        insecure = {"insecure": True} if self.tally.insecure else {}
        return {**about, "method": self.method, "confidence": float(confidence), "anytime": anytime, **insecure}

    @property
    def covariance_matrix(self) -> Array:
        """The covariance of the shares; `Unavailable` where there is none that is honest."""
        raise Unavailable(
            f"there is no covariance of shares by {self.method}: use dc.estimate(tally).covariance_matrix"
        )

    def to_dict(self, *, confidence: float = CONFIDENCE, anytime: bool = False) -> dict[str, Any]:
        """The result as plain data that JSON can hold.

        Numbers that JSON cannot express (no reports, nothing known) are None. A column that cannot be given
        honestly is None as a whole, and `notes` says why, under "stderr" or "interval". So is `covariance`, a row for
        each value, which is also None for more than 300 values.
        """
        columns, notes = self._columns(confidence, anytime)
        values = [plain_value(value) for value in self.values]
        numbers = {name: finite(column) for name, column in columns.items()}
        covariance = plain_data(affordable(len(self), lambda: self.covariance_matrix))
        about = self._about(confidence, anytime)
        return {**about, "values": values, **numbers, "covariance": covariance, "notes": notes}

    def __len__(self) -> int:
        """The number of values."""
        return len(self.values)

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the shares with their intervals and save the picture as .png, .svg or .pdf; needs matplotlib."""
        panel = self._columns(confidence)[0] | {"values": list(self.values), "title": self.method}
        PICTURES["shares"](panel, path, title=title)

    def _frame(self, confidence: float) -> tuple[Columns, dict[str, Any]]:
        columns, notes = self._columns(confidence)
        named: dict[str, Any] = {"share" if name == "shares" else name: column for name, column in columns.items()}
        return {"value": list(self.values), **named}, {**self._about(confidence), "notes": notes}

    def _remarks(self) -> list[str]:
        """What there is to say of the numbers, a sentence each."""
        return []

    def _printed(self, confidence: float) -> Printed:
        columns, notes = self._columns(confidence)
        shown, left_out = middle_out(len(self.values), "values")
        remarks = [
            f"{self.n:,} reports of {self.mechanism.name}; {self.method}; each interval at {confidence:g} confidence"
        ]
        remarks += [*self._remarks(), *(f"no {name}: {reason}" for name, reason in notes.items())]
        rows = rows_of(self.values, columns, shown)
        return Printed([(self.heading, "s"), *columns_of(columns)[1:]], rows, left_out, remarks)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.values):,} values, {self.n:,} reports of {self.mechanism.name}>"


def finite(column: Array | None) -> list[float | None] | None:
    """The column as JSON data, with None for numbers that JSON does not have."""
    if column is None:
        return None
    return [number if math.isfinite(number) else None for number in column.tolist()]


def columns_of(columns: Mapping[str, Any]) -> list[tables.Column]:
    """Value, share, stderr, low and high, with enough digits for the smallest error."""
    spec = f".{tables.digits(_smallest_error(columns))}f"
    return [("value", "s"), ("share", spec), ("stderr", spec), ("low", spec), ("high", spec)]


def rows_of(values: Sequence[Any] | Domain, columns: Mapping[str, Any], order: Iterable[int]) -> list[list[Any]]:
    """The rows of these values; a column that is None is missing."""
    numbers = [columns[name] for name in NUMBERS]
    return [[str(values[x]), *(None if column is None else column[x] for column in numbers)] for x in order]


def _smallest_error(columns: Mapping[str, Any]) -> float | None:
    """The smallest positive standard error, or a quarter of the narrowest interval where there is none."""
    if columns["stderr"] is not None:
        spread = np.asarray(columns["stderr"], dtype=float)
    elif columns["low"] is not None:
        spread = (np.asarray(columns["high"], dtype=float) - np.asarray(columns["low"], dtype=float)) / 4
    else:
        return None
    return min(spread[np.isfinite(spread) & (spread > 0)].tolist(), default=None)
