"""A picture of a design: E, the channel that was found for it, and the search."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InvalidInput
from .picture import ESTIMATE, INK, TRUTH, kind_of, new_figure, plain, save

if TYPE_CHECKING:
    from ..planning.design import Designed

MAX_VALUES = 320
"""The most values that are drawn."""


def plot_design(designed: Designed, path: str | Path) -> None:
    """Draw E, the channel with its reports sorted by the value that they speak for, and the error along the search."""
    kind_of(path)
    made = designed.mechanism
    size = made.context.size
    if size > MAX_VALUES or made.sampler.outputs > 1 << 14:
        raise InvalidInput(f"{path}: at most {MAX_VALUES} values and {1 << 14} reports are drawn")
    figure = new_figure(12.0, 3.8)
    left, middle, right = figure.subplots(1, 3)
    entries = [[float(made.context.closure().at(x, z)) for z in range(size)] for x in range(size)]
    shown = [[entry if math.isfinite(entry) else math.nan for entry in row] for row in entries]
    figure.colorbar(left.imshow(shown, cmap="viridis"), ax=left, shrink=0.8)
    plain(left, x_label="against the value", y_label="value", title="E (blank: nothing is asked)")
    rows = [[float(entry) for entry in row] for row in made.channel()]
    columns = sorted(zip(*rows, strict=True), key=lambda column: (column.index(max(column)), max(column)))
    logs = [
        [math.log(column[x] / max(column)) if column[x] > 0 else math.nan for column in columns] for x in range(size)
    ]
    drawn = middle.imshow(logs, cmap="viridis", aspect="auto", interpolation="nearest")
    figure.colorbar(drawn, ax=middle, shrink=0.8)
    plain(middle, x_label="report", y_label="value", title="log of the channel, each report's largest 0")
    for axes in (left, middle):
        axes.grid(visible=False)
    _search(right, designed)
    save(figure, path, note=f"{designed.mechanism.name} for {designed.objective}: {designed.label}.")


def _search(axes: Any, designed: Designed) -> None:
    """The error along the search, the best closed form, and the bound."""
    plain(axes, x_label="seconds", y_label="n x error", title="search")
    for level, colour, name in (
        (designed.compared[0].error if designed.compared else None, INK, "best closed form"),
        (designed.bound or None, TRUTH, "no mechanism below"),
    ):
        if level is not None:
            axes.axhline(level, color=colour, linewidth=1, linestyle="--", label=name)
    seconds, errors = [step.seconds for step in designed.history], [step.error for step in designed.history]
    axes.plot(seconds, errors, color=ESTIMATE, marker="o", markersize=2.5, label="designed")
    axes.set_yscale("log")
    axes.legend(fontsize=8, frameon=False)
