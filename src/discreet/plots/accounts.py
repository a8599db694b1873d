"""Pictures of what reports give away: shuffled with others, repeated, and one by one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .curves import plot_curves
from .picture import ESTIMATE, INTERVAL, TRUTH, kind_of, new_figure, plain, save

if TYPE_CHECKING:
    from ..leakage.exposing import Exposure
    from ..leakage.repetition import Repeated
    from ..leakage.shuffling import Shuffled

POINTS = 25
"""The points of a curve."""

SMALLEST = 1e-9
"""The smallest delta that is drawn."""

MAX_VALUES = 40
"""The most values that are drawn."""


def plot_shuffled(shuffled: Shuffled, x: Any, z: Any, path: str | Path, *, title: str = "") -> None:
    """Draw the certified delta of x against z over epsilon, both ways, down to where it is next to nothing."""
    kind_of(path)
    ends = [shuffled.epsilon(*pair, SMALLEST) for pair in ((x, z), (z, x))]
    end = max((one for one in ends if math.isfinite(one)), default=1.0) or 1e-6
    places = [end * number / POINTS for number in range(POINTS + 1)]
    series = {f"{a} against {b}": _drawn(shuffled.curve(a, b, places)) for a, b in ((x, z), (z, x))}
    panel = {"title": title or shuffled.mechanism.name, "x": places, "series": series}
    note = "Certified, for whoever sees the batch without who sent what."
    plot_curves([panel], path, x_label="epsilon", y_label="delta", log_y=True, note=note)


def plot_repeated(repeated: Repeated, x: Any, z: Any, path: str | Path, *, delta: float) -> None:
    """Draw epsilon at `delta` of x against z over the number of repetitions, beside the sum of E."""
    kind_of(path)
    most = max(times for _, times in repeated.releases)
    counts = sorted({max(1, round(most * number / 12)) for number in range(13)})
    scaled = [type(repeated)(tuple((one, count) for one, _ in repeated.releases)) for count in counts]
    series = {
        "sum of E": [float(one.context.epsilon(x, z)) for one in scaled],
        f"epsilon at delta {delta:g}": [one.epsilon(x, z, delta) for one in scaled],
    }
    panel = {"title": f"{x} against {z}", "x": counts, "series": series}
    plot_curves([panel], path, x_label="fresh reports", y_label="epsilon")


def plot_exposure(exposure: Exposure, path: str | Path) -> None:
    """Draw for each value its share, what reports make of it at least and at most, and what E promises."""
    kind_of(path)
    rows = exposure.as_dict()["values"][:MAX_VALUES]
    figure = new_figure(7.0, 1.2 + 0.3 * len(rows))
    axes = figure.subplots()
    for at, row in enumerate(rows):
        ends = (row["promised_low"], row["promised_high"]), (row["low"], row["high"])
        axes.plot(ends[0], [at, at], color=INTERVAL, linewidth=5, label="promised by E" if not at else None)
        axes.plot(ends[1], [at, at], color=ESTIMATE, linewidth=2, label="after one report" if not at else None)
        axes.plot(row["share"], at, "o", color=TRUTH, markersize=4, label="before" if not at else None)
    axes.set_yticks(range(len(rows)), [str(row["value"]) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(left=0)
    plain(axes, x_label="share of those who hold it", title=exposure.mechanism.name)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    save(figure, path)


def _drawn(deltas: list[float]) -> list[float]:
    """Nothing at all has no place on a logarithmic scale."""
    return [delta if delta >= SMALLEST / 10 else math.nan for delta in deltas]
