"""What every context of the gallery gains over classical privacy: a table, and pictures of E, mechanism and gain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context
from ..mechanisms.build import mechanism
from ..mechanisms.mechanism import Mechanism
from ..papers.report import CheckedClaim, ExperimentReport, ReportTable
from ..planning.design import Designed, design
from ..planning.objective import objective_of
from ..plots import plot_matrices
from . import Example

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


MIN_GAIN = 1.3
"""How many times less error than classical privacy every context of the gallery must have."""


def page(gains: Sequence[Gain], *, seconds: float) -> ExperimentReport:
    """The table, the checks and one picture for each context."""
    columns = [("context", "s"), ("values", "d"), ("asked", "s"), ("smallest E", ".3g"), ("no privacy", ".3g")]
    columns += [("classical", ".4g"), ("chosen", ".4g"), ("by", "s"), ("designed", ".4g"), ("at least", ".4g")]
    columns += [("gain", ".2f"), ("proved", "s")]
    rows = []
    for gain in gains:
        of_context = gain.example.name, gain.context.size, gain.asked, float(gain.context.smallest)
        errors = gain.without, gain.classical, gain.error, gain.chosen.name, gain.designed.error, gain.designed.bound
        rows.append((*of_context, *errors, gain.ratio, gain.designed.label))
    least = min(gains, key=lambda gain: gain.ratio)
    claim = f"every context has at least {MIN_GAIN} times less error than classical privacy"
    return ExperimentReport(
        "gallery",
        "natural contexts, and what they gain",
        """
        Each context is a spec to start from (`discreet gallery NAME` prints it). Errors are n times the variance of
        what is asked, summed, at even shares: *classical* is the best mechanism for local differential privacy at the
        smallest entry of E, which is what one would use without a context; *chosen* is what `dc.mechanism` serves at
        once, *designed* what `dc.design` finds within the seconds it is given, *at least* a lower bound that is
        proved for every mechanism, and *gain* how many times less error the better of the two has than classical
        privacy. The promise is the one that was asked for: every pair is as hard to tell apart as its entry of E says.
        Classical privacy promises the smallest entry for all pairs, more than was asked, and that is what it pays for.
        """,
        [ReportTable("gains", "n x error of what is asked", columns, rows)],
        [CheckedClaim(claim, least.ratio >= MIN_GAIN, f"least {least.ratio:.2f}, {least.example.name}")],
        {f"gallery-{gain.example.name}": partial(draw, gain) for gain in gains},
        options=f"all --seconds {seconds:g}",
        command_name="gallery",
        captions={f"gallery-{gain.example.name}": _caption(gain) for gain in gains},
    )


def _caption(gain: Gain) -> str:
    """The heading of one context, and its spec."""
    return f"## {_heading(gain)}\n\n```toml\n{gain.example.text}```"


def _heading(gain: Gain) -> str:
    return gain.example.title[0].upper() + gain.example.title[1:]


def draw(gain: Gain, path: str | Path) -> None:
    """The picture of one context: E, the channel of the designed mechanism, and the errors."""
    names, designed = list(gain.context.values), gain.designed.mechanism
    channel = np.array(designed.channel(), dtype=float)
    means = np.arange(len(channel)) @ channel / channel.sum(axis=0)  # the mean number of the values that write a report
    order = np.argsort(means, kind="stable")
    panels: list[dict[str, Any]] = [
        {
            "title": "E: how well x may be told from z",
            "rows": gain.context.matrix(),
            "x_label": "the value z",
            "y_label": "the value x",
            "x_names": names,
            "y_names": names,
        },
        {
            "title": f"{designed.name}: probability of a report",
            "rows": channel[:, order].tolist(),
            "x_label": f"{len(order)} reports",
            "y_label": "the value x",
        },
    ]
    bars = {"classical": gain.classical, "chosen": gain.error, "designed": gain.designed.error}
    if gain.designed.bound:
        bars["no less than"] = gain.designed.bound
    bars["no privacy"] = gain.without
    plot_matrices(panels, path, bars=bars, bars_title=f"n x error of the {gain.asked}", title=_heading(gain))
