"""What is said of numbers beside the shares of their nodes: their mean, their spread and their median."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ...core.domain import plain_value
from ...core.errors import NotIdentifiable, Unavailable
from ...core.numbers import NumberDomain
from ..tally import Tally
from .layout import finite
from .shares import Query
from .table import CONFIDENCE
from .unbiased import Estimate, estimate
from .weights import cut_at, own_variance

MAX_ORDERED = 1_000
"""The most nodes of which a median is given unasked: it compares all of them."""

MIN_GIVEN = 0.01
"""The least share of people who gave a number of which anything is said."""

MIN_RANGES, MAX_RANGES = 4, 10
"""In how many ranges a histogram has its shares."""

FIGURES = ("mean", "spread", "median")


def figures_of(tally: Tally, *, confidence: float = CONFIDENCE, anytime: bool = False) -> dict[str, Any] | None:
    """The figures of numbers on a grid as plain data; None for any other values, and where there are no reports.

    `mean`, `spread` (the standard deviation) and `median` have a `value` and the ends `low` and `high` of an interval,
    or are None. They are about the people who gave a number, a share `given` of all; `cut` says where numbers were cut,
    and `ranges` are shares of all people, for a histogram.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.numbers(0, 8, "4", clip=True))
    >>> tally = mechanism.tally(mechanism.randomize_many([1.5, 20] * 5000, dc.random.seeded(1)))
    >>> figures = figures_of(tally)
    >>> round(figures["mean"]["value"]), figures["cut"]
    (5, 'of numbers cut at 0 and 8')
    """
    domain = tally.mechanism.context.domain
    if not isinstance(domain, NumberDomain) or not tally.n:
        return None
    result, how = estimate(tally), {"confidence": confidence, "anytime": anytime}
    on_scale = (np.arange(len(domain)) < domain.nodes).astype(float)
    given = result.query(on_scale).value if domain.outside else 1.0
    figures: dict[str, Any] = {"mean": None, "spread": None, "median": None, "given": given}
    figures |= {"low": float(domain.low), "high": float(domain.high), "cut": cut_at(domain), "ranges": None}
    if given <= MIN_GIVEN:
        return figures
    numbers = np.array([*map(float, domain.grid), *[0.0] * len(domain.outside)])
    try:
        mean, query = _among(result, numbers, on_scale, given)
        figures["mean"] = _ends(query, mean, how)
        squares = (numbers - mean) ** 2 + figures["mean"]["stderr"] ** 2 - own_variance(domain)
        variance, query = _among(result, squares, on_scale, given)
        figures["spread"] = _root(_ends(query, variance, how))
        figures["ranges"] = _ranges(result, domain, how)
        if not domain.outside and domain.nodes <= MAX_ORDERED:
            median = result.quantile(0.5)
            low, high = map(plain_value, median.interval(confidence, anytime=anytime))
            figures["median"] = {"value": plain_value(median.value), "low": low, "high": high}
    except (Unavailable, NotIdentifiable):
        pass
    return figures


def _among(result: Estimate, weights: Any, on_scale: Any, given: float) -> tuple[float, Query]:
    """The mean of weights among those who gave a number, and the query whose error is that of this ratio."""
    if on_scale.all():
        query = result.query(weights)
        return query.value, query
    ratio = result.query(weights * on_scale).value / given
    return ratio, result.query((weights - ratio) * on_scale / given)


def _ends(query: Query, value: float, how: Mapping[str, Any]) -> dict[str, Any]:
    """A figure with its error and its interval, which are those of a query."""
    ends = [value + end - query.value for end in query.interval(**how)]
    columns = finite(np.array([value, query.stderr, *ends])) or [None] * 4
    return dict(zip(("value", "stderr", "low", "high"), columns, strict=True))


def _ranges(result: Estimate, domain: NumberDomain, how: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The shares of a few ranges of all people, about: a node between two ranges counts half for each."""
    steps = domain.nodes - 1
    count = max(parts for parts in range(1, MAX_RANGES + 1) if steps % parts == 0 or parts == 1)
    count = count if count >= MIN_RANGES or steps < MIN_RANGES else MAX_RANGES
    ends = [round(i * steps / count) for i in range(count + 1)]
    ranges = []
    for first, last in pairwise(ends):
        weights = np.zeros(len(domain))
        weights[first : last + 1] = 1.0
        weights[first] = 1.0 if first == 0 else 0.5
        weights[last] = 1.0 if last == steps else 0.5
        query = result.query(weights)
        bounds = {"from": float(domain.grid[first]), "to": float(domain.grid[last])}
        ranges.append({**bounds, **_ends(query, query.value, how)})
    return ranges


def _root(variance: dict[str, Any]) -> dict[str, Any]:
    """The standard deviation, of a variance that may be below 0."""
    ends = {key: variance[key] for key in ("value", "low", "high")}
    return {key: None if end is None else math.sqrt(max(end, 0.0)) for key, end in ends.items()}


def figure_lines(figures: Mapping[str, Any], confidence: float = CONFIDENCE) -> list[str]:
    """The figures as lines of text, each with the sentence on numbers that were cut."""
    cut = figures["cut"]
    lines = []
    for name in FIGURES:
        figure = figures[name]
        if figure is None or None in (figure["value"], figure["low"], figure["high"]):
            continue
        ends = "{value} (from {low} to {high})".format(
            **{key: figure[key] if name == "median" else f"{figure[key]:.5g}" for key in ("value", "low", "high")}
        )
        title = "spread (standard deviation)" if name == "spread" else name
        lines.append(f"{title} {ends}{f', {cut}' if cut else ''}")
    if not lines:
        return ["no mean: too few reports tell of it"]
    if figures["given"] != 1.0:
        lines.append(f"these are of the {figures['given']:.1%} who gave a number")
    return lines
