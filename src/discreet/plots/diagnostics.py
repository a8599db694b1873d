"""Pictures of diagnostics: deviations of reports from their law, and a query if some people do not comply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..estimation.results.intervals import quantile
from .picture import COLOURS, ESTIMATE, FAINT, INK, INTERVAL, TRUTH, kind_of, new_figure, plain, save

MAX_STEMS = 60
"""With more points than this, they are drawn without stems."""


def plot_deviations(
    deviations: Iterable[float],
    path: str | Path,
    *,
    title: str,
    x_label: str,
    y_label: str,
    one_sided: bool,
    confidence: float,
) -> None:
    """Draw deviations by number, those beyond a band that holds all of them together in another colour.

    With `one_sided` only those below the band count: shares may be as far above 0 as they like.
    """
    kind_of(path)
    shown = [(at, height) for at, height in enumerate(deviations) if height == height]
    reach = quantile(confidence, among=max(1, len(shown)))
    figure = new_figure(7.2, 3.4)
    axes = figure.subplots()
    top = max([reach, *(height for _, height in shown)]) * 1.05 if one_sided else reach
    axes.axhspan(-reach, top, color=FAINT, alpha=0.5, linewidth=0, label=f"{confidence:g} of the time, all inside")
    axes.axhline(0, color=INK, linewidth=0.8)
    for far, colour in ((False, ESTIMATE), (True, TRUTH)):
        of = [(at, height) for at, height in shown if (height < -reach or (height > top)) == far]
        if len(shown) <= MAX_STEMS:
            axes.vlines([at for at, _ in of], 0, [height for _, height in of], color=colour, linewidth=1.2)
        axes.plot([at for at, _ in of], [height for _, height in of], "o", color=colour, markersize=3.2)
    plain(axes, x_label=x_label, y_label=y_label, title=title)
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)


def plot_noncompliance(
    shares: Any,
    lines: Mapping[str, Any],
    band: tuple[Any, Any],
    path: str | Path,
    *,
    title: str,
    threshold: float | None,
    largest: float,
) -> None:
    """Draw one line for each reading over the shares of people who evade; `band` is the interval of the first.

    A dashed line is at the threshold, a dotted one at the largest share that leaves no share of a value below 0.
    """
    kind_of(path)
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    axes.fill_between(shares, *band, color=INTERVAL, alpha=0.35, linewidth=0)
    for (name, heights), colour, style in zip(lines.items(), COLOURS[1:], ("-", "--", "-."), strict=False):
        axes.plot(shares, heights, color=colour, linestyle=style, linewidth=1.5, label=name)
    if threshold is not None:
        axes.axhline(threshold, color=INK, linewidth=0.9, linestyle=(0, (6, 3)), label=f"threshold {threshold:g}")
    axes.axvline(largest, color=INK, linewidth=0.8, linestyle=":")
    plain(axes, x_label="share of people who evade", y_label="estimate", title=title)
    figure.legend(loc="outside lower center", ncols=1, frameon=False, fontsize=8)
    save(figure, path)
