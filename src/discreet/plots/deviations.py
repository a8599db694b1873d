"""Pictures of deviations: one point for each report or value, in standard errors, with the band of no surprise."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..estimation.results.intervals import quantile
from .picture import ESTIMATE, FAINT, INK, TRUTH, kind_of, new_figure, plain, save

WIDE = 60
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
        if len(shown) <= WIDE:
            axes.vlines([at for at, _ in of], 0, [height for _, height in of], color=colour, linewidth=1.2)
        axes.plot([at for at, _ in of], [height for _, height in of], "o", color=colour, markersize=3.2)
    plain(axes, x_label=x_label, y_label=y_label, title=title)
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)
