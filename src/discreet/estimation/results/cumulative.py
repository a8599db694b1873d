"""Values in order: the share of the values up to each, and quantiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.domain import Domain, Value, listed_values, plain_value
from ...core.errors import InvalidInput, Unavailable, shown
from ...core.numbers import NumberDomain
from ..decoders import decoder_of
from ..tally import Tally
from .anytime import anytime_of_cells
from .covariance import covariance_of_queries, with_errors
from .frames import Columns
from .intervals import Level, checked_level, move_inside
from .layout import ShareTable
from .score_law import ScoreLaw, concatenate_laws, remark_on_few
from .table import CONFIDENCE, PICTURES, Printed, Tabular
from .together import MAX_TOGETHER, sup_t
from .weights import calibrated_value, calibrated_weights, constants, numbers_of, query_law

if TYPE_CHECKING:
    from .unbiased import Estimate

Array = NDArray[np.float64]

SLAB = 1 << 21
"""Weights that are handled at once."""
WIDTHS = (1, 2, 3, 5, 8, 12, 18, 26, 40, 60, 90, 135, 200, 300, 450, 675, 1000, 1400)
"""Of how many values the windows are that bound a quantile."""


@dataclass(frozen=True, eq=False, repr=False)
class Cumulative(ShareTable):
    """F(t), the share of the values up to t, for every value t in order; of the last one it is 1.

    Each is a calibrated query, of the weights ``1{x <= t}``: `raw` has their values, which are unbiased but may fall
    and leave 0 to 1, `stderr` and the intervals are theirs. `shares` is the curve to show: the isotonic regression of
    the raw one, cut to 0..1.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(range(1, 6), epsilon="2"))
    >>> tally = mechanism.tally(mechanism.randomize_many([3, 4, 4, 5] * 500, dc.random.seeded(1)))
    >>> cumulative = dc.estimate(tally).cumulative()
    >>> cumulative.shares.round(2).tolist()
    [0.0, 0.0, 0.22, 0.73, 1.0]
    """

    result: Estimate
    places: NDArray[np.int64]
    """The number of each value in the domain, from the lowest to the highest."""

    heading = "up to"
    method = "unbiased, made to rise"

    @property
    def tally(self) -> Tally:  # type: ignore[override]
        """The reports that the curve was made from."""
        return self.result.tally

    @cached_property
    def values(self) -> list[Value]:
        """The values in order."""
        domain = self.result.values
        return [domain[x] for x in self.places.tolist()]

    @cached_property
    def raw(self) -> Array:
        """The unbiased shares of the values up to each."""
        parts = (calibrated_value(self.result, w, c) for w, c in self._rows())
        return np.append(np.concatenate(list(parts)), 1.0) if self.n else np.full(len(self.places), np.nan)

    @cached_property
    def shares(self) -> Array:
        """The raw shares made to rise, by isotonic regression, and cut to 0..1 (Barlow1972)."""
        if not self.n or len(self.raw) == 1:
            return self.raw
        from scipy.optimize import isotonic_regression  # 0.4 s, which only this curve is worth

        return np.append(np.clip(isotonic_regression(self.raw[:-1]).x, 0.0, 1.0), 1.0)

    def _rows(self) -> Iterator[tuple[Array, Array]]:
        """The weights of the queries, but for the last, and the constants that calibrate them, some at a time."""
        size = len(self.places)
        step = max(1, SLAB // size)
        for begin in range(0, size - 1, step):
            count = min(step, size - 1 - begin)
            weights = np.zeros((count, size))
            weights[:, self.places] = np.arange(size) <= begin + np.arange(count)[:, None]
            yield weights, constants(decoder_of(self.result.mechanism), weights)

    @cached_property
    def law(self) -> ScoreLaw:
        """The confidence distribution of the raw shares, but for the last, which is 1."""
        return concatenate_laws([query_law(self.result, w, c) for w, c in self._rows()])

    @cached_property
    def stderr(self) -> Array:
        """The standard error of each raw share; that of the last is 0."""
        if not self.n or len(self.places) == 1:
            return np.full(len(self.places), 0.0 if self.n else np.inf)
        return np.append(self.law.stderr, 0.0)

    @property
    def covariance_matrix(self) -> Array:
        """The covariance of the raw shares, a row for each value; that of the last one is 0."""
        return with_errors(self.stderr, self._raw_covariance)

    def _raw_covariance(self) -> Array:
        covariance = np.zeros((len(self), len(self)))
        if len(self) > 1:
            weights, fixed = (np.concatenate(part) for part in zip(*self._rows(), strict=True))
            covariance[:-1, :-1] = covariance_of_queries(self.result, weights, fixed)
        return covariance

    def _remarks(self) -> list[str]:
        return remark_on_few([self.law], "shares but the last") if self.n and len(self) > 1 else []

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the curve of values that are numbers with its intervals, or the share up to each of any others."""
        numbers: list[Any] = [x for x in self.values if isinstance(x, Real) and not isinstance(x, bool)]
        if len(numbers) < len(self):
            return super().plot(path, title=title, confidence=confidence)
        if not self.n:
            raise InvalidInput("there is nothing to draw: no reports, no shares")
        panel: dict[str, Any] = {
            "title": "",
            "x": [float(x) for x in numbers],
            "series": {"share of people up to it": self.shares},
        }
        panel["bands"] = {f"{confidence:g} intervals": self.interval(confidence)}
        return PICTURES["curves"]([panel], path, x_label="value", y_label="share of people", title=title)

    @property
    def _claims(self) -> int:
        return max(1, len(self.places) - 1)

    def _interval(self, level: Level) -> tuple[Array, Array]:
        """The interval of the raw share, moved into 0..1, and stretched to include the one that is shown."""
        if not self.n or len(self.places) == 1:
            return np.full(len(self.places), float(bool(self.n))), np.ones(len(self.places))
        low, high = (np.append(end, 1.0) for end in self._raw_ends(level))
        return move_inside(low, high, value=self.raw, around=self.shares, limits=(0.0, 1.0))

    def _raw_ends(self, level: Level) -> tuple[Array, Array]:
        """The ends of the raw shares, but for the last."""
        decoder = decoder_of(self.result.mechanism)
        if not (level.anytime and decoder.disjoint):
            return self.law.ends(level.quantile(self.n))
        scores = (calibrated_weights(decoder, w, c) for w, c in self._rows())
        counts, confidence, among = self.tally.counts, level.confidence, level.among
        ends = [anytime_of_cells(counts, rows, confidence, among=among) for rows in scores]
        return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])

    def _together(self, confidence: float) -> Level:
        level, decoder = super()._together(confidence), decoder_of(self.result.mechanism)
        if not self.n or not decoder.disjoint or self._claims * decoder.cells > MAX_TOGETHER:
            return level
        scores = np.concatenate([calibrated_weights(decoder, w, c) for w, c in self._rows()])
        return level._replace(z=sup_t(confidence, scores, self.tally.counts / self.n))

    def simultaneous_interval(self, confidence: float = CONFIDENCE, *, anytime: bool = False) -> tuple[Array, Array]:
        """A band that holds the whole curve with this confidence; like the curve its ends rise.

        No true curve in a band is below the largest low end so far, nor above the least high end to come.
        """
        low, high = super().simultaneous_interval(confidence, anytime=anytime)
        rising = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
        if (rising[0] > rising[1]).any():
            return low, high
        return np.minimum(rising[0], self.shares), np.maximum(rising[1], self.shares)

    def window_ends(self, width: int, level: Level, *, after: bool) -> Array:
        """High ends of the mean of F over each value and the `width` - 1 after it, or low ends over those before it.

        F rises, so these bound F at the value itself, with the noise of a mean and not that of a single share.
        """
        law = query_law(self.result, *self._window_rows(range(len(self.places)), width, after))
        return law.ends(level.quantile(self.n))[1 if after else 0]

    def _window_rows(self, at: Sequence[int], width: int, after: bool) -> tuple[Array, Array]:
        """The weights, and constants, of the mean of F over a window that begins or ends at each of these places."""
        size = len(self.places)
        end = np.asarray(at)[:, None] + (width if after else 1)  # the first place up to which F no longer counts
        weights = np.zeros((len(at), size))
        weights[:, self.places] = np.clip(end - np.arange(size), 0, width) / width
        return weights, constants(decoder_of(self.result.mechanism), weights)

    def best_width(self, place: int, z: float, *, after: bool) -> int:
        """The window at a place with the least ``|F - its mean| + z sd``, both at the curve that is shown."""
        widths = [width for width in WIDTHS if width <= len(self.places) / 3 + 1]
        rows = [self._window_rows([place], width, after) for width in widths]
        weights, fixed = (np.concatenate(part) for part in zip(*rows, strict=True))
        law = query_law(self.result, weights, fixed)
        curve = np.concatenate([np.zeros(max(widths)), self.shares, np.ones(max(widths))])
        at = place + max(widths)
        means = [np.mean(curve[at : at + h] if after else curve[at - h + 1 : at + 1]) for h in widths]
        away = np.abs(curve[at] - np.array(means))
        return widths[int(np.argmin(away + z * law.stderr))]

    def quantile(self, level: float) -> Quantile:
        """The lowest value with at least the share `level` of the people at it or below, 0.5 for the median."""
        if isinstance(level, bool) or not isinstance(level, Real) or not 0 < level < 1:
            raise InvalidInput(f"level={shown(level)} must be between 0 and 1")
        return Quantile(self, float(level))

    def __getitem__(self, value: Value) -> float:
        """The share of the values up to this one, as shown; `UnknownValue` if it is not in the domain."""
        return float(self.shares[int(np.argmax(self.places == self.result.values.number_of(value)))])

    def _columns(self, confidence: float, anytime: bool = False) -> tuple[dict[str, Array | None], dict[str, str]]:
        low, high = self.interval(confidence, anytime=anytime)
        return {"shares": self.shares, "raw": self.raw, "stderr": self.stderr, "low": low, "high": high}, {}


@dataclass(frozen=True, eq=False, repr=False)
class Quantile(Tabular):
    """The lowest value t with F(t) of at least `level`, and the values between which it may be.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(range(1, 6), epsilon="2"))
    >>> tally = mechanism.tally(mechanism.randomize_many([3, 4, 4, 5] * 500, dc.random.seeded(1)))
    >>> median = dc.estimate(tally).quantile(0.5)
    >>> median.value, median.interval()
    (4, (4, 4))
    """

    cumulative: Cumulative
    level: float

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.cumulative.n

    @cached_property
    def _place(self) -> int:
        if not self.n:
            raise Unavailable("no reports tell of no quantile")
        return int(np.argmax(self.cumulative.shares >= self.level))

    @cached_property
    def value(self) -> Value:
        """The quantile of the curve that is shown; `Unavailable` where there are no reports."""
        return self.cumulative.values[self._place]

    def interval(self, confidence: float = CONFIDENCE, *, anytime: bool = False) -> tuple[Value, Value]:
        """The lowest and the highest value that the quantile may be: it covers at least as often, values being few.

        From the first value whose share up to it may be `level` or more, to the one after the last whose share up to
        it may be less. What the share may be is bounded by means of F over a window, F at each value being noisy:
        the windows that serve best at 0.95, so that intervals of more confidence hold those of less. The share up to a
        node of a grid is a mean of F over the step after it, so that numbers take a step more each way.
        """
        level, place, values = checked_level(confidence, anytime), self._place, self.cumulative.values
        z, last = level._replace(confidence=CONFIDENCE).quantile(self.n), len(values) - 1
        before, after = (self.cumulative.best_width(place, z, after=side) for side in (False, True))
        high = self.cumulative.window_ends(after, level, after=True)
        low = self.cumulative.window_ends(before, level, after=False)
        first = int(np.argmax(high >= self.level)) if (high >= self.level).any() else last
        below = np.nonzero(low < self.level)[0]
        upper = min(int(below[-1]) + 1, last) if len(below) else 0
        if isinstance(self.cumulative.result.values, NumberDomain):
            first, upper = max(first - 1, 0), min(upper + 1, last)
        return values[min(first, place)], values[max(upper, place)]

    def to_dict(self, *, confidence: float = CONFIDENCE, anytime: bool = False) -> dict[str, Any]:
        """The quantile and the values between which it may be as plain data."""
        low, high = self.interval(confidence, anytime=anytime)
        about = self.cumulative._about(confidence, anytime) | {"method": "quantile", "level": self.level}
        return {**about, "value": plain_value(self.value), "low": plain_value(low), "high": plain_value(high)}

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw the share of the values up to each, in which the quantile is read, under a title that says it."""
        self.cumulative.plot(path, title=title or self.to_text(confidence), confidence=confidence)

    def _frame(self, confidence: float) -> tuple[Columns, dict[str, Any]]:
        low, high = self.interval(confidence)
        columns: Columns = {"level": [self.level], "value": [self.value], "low": [low], "high": [high]}
        return columns, self.cumulative._about(confidence) | {"method": "quantile"}

    def _printed(self, confidence: float) -> Printed:
        columns, about = self._frame(confidence)
        row = [f"{self.level:g}", *(str(cells[0]) for name, cells in columns.items() if cells and name != "level")]
        said = f"{about['n']:,} reports of {about['mechanism']}; interval at {confidence:g} confidence"
        return Printed([(name, "s") for name in columns], [row], None, [said])

    def to_text(self, confidence: float = CONFIDENCE) -> str:
        """The quantile and the values between which it may be in one line."""
        low, high = self.interval(confidence)
        return f"{self.value}, from {low} to {high} at {confidence:g} confidence (quantile {self.level:g})"

    def __repr__(self) -> str:
        return f"<Quantile {self.level:g}: {self.value!r} from {self.n:,} reports>"


def places_of(domain: Domain, order: Any) -> NDArray[np.int64]:
    """The numbers of the values from the lowest to the highest: of numbers as they are, of any others as listed."""
    if order is None:
        try:
            return np.argsort(numbers_of(domain, "order"), kind="stable")
        except InvalidInput:
            raise InvalidInput(
                "order must list all values from the lowest to the highest where they are not two numbers or more"
            ) from None
    places = [domain.number_of(value) for value in listed_values(order, "order")]
    if sorted(places) != list(range(len(domain))):
        raise InvalidInput(f"order must list each of the {len(domain)} values once, from the lowest to the highest")
    return np.array(places, dtype=np.int64)
