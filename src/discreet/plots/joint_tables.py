"""Pictures of joint tables: shades, with every number printed in its field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..core.errors import InvalidInput
from .picture import ESTIMATE, INK, kind_of, new_figure, plain, save

DEEPEST = 0.5
"""How much of the colour the largest share has: so much that ink can still be read on it, in both themes."""
MAX_SIDE = 30
"""The most rows or columns whose numbers can still be read."""


def plot_table(
    shares: Sequence[Sequence[float]],
    halves: Sequence[Sequence[float]],
    path: str | Path,
    *,
    row_names: Sequence[object],
    column_names: Sequence[object],
    labels: tuple[str, str],
    title: str = "",
    note: str = "",
) -> None:
    """Draw a table of shares as shades, each with its number and, below it, the half-width of its interval."""
    kind_of(path)
    rows, columns = len(shares), len(shares[0])
    if max(rows, columns) > MAX_SIDE:
        raise InvalidInput(
            f"a table of {rows} x {columns} fields cannot be read; it must have at most {MAX_SIDE} a side"
        )
    figure = new_figure(max(4.4, 1.8 + 0.78 * columns), 1.4 + 0.46 * rows)
    from matplotlib.patches import Rectangle

    axes = figure.subplots()
    largest = max(max(map(max, shares)), 1e-12)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    for x, row in enumerate(shares):
        for z, share in enumerate(row):
            depth = DEEPEST * max(share, 0) / largest
            axes.add_patch(Rectangle((z - 0.48, x - 0.47), 0.96, 0.94, color=ESTIMATE, alpha=depth, linewidth=0))
            axes.annotate(
                f"{100 * share:.1f} %", (z, x), ha="center", va="bottom", fontsize=8, color=INK, fontweight="bold"
            )
            axes.annotate(
                f"± {100 * halves[x][z]:.1f}",
                (z, x),
                xytext=(0, -2),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize=6.5,
                color=INK,
            )
    plain(axes, x_label=labels[1], y_label=labels[0], title=title)
    axes.grid(visible=False)
    axes.set_xticks(range(columns), [_short(name) for name in column_names], rotation=90 if columns > 8 else 0)
    axes.set_yticks(range(rows), [_short(name) for name in row_names])
    save(figure, path, note=note)


def _short(name: object) -> str:
    text = str(name)
    return text if len(text) <= 16 else f"{text[:15]}…"
