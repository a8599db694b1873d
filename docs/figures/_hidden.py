"""Who is hidden from whom: the values of a context with links between them, and E beside them.

A link says that two values are hard to tell apart, the thicker the harder; an arrow leads from a value that is hidden
to one that it may be taken for; an outline is what a report shows. All of it is read from the context itself.
"""

import math
from pathlib import Path
from typing import Any

from discreet import Context
from discreet.plots.picture import ESTIMATE, FAINT, INK, INTERVAL, new_figure, save

Places = dict[Any, tuple[float, float]]

CIRCLE = {True: {"markersize": 11}, False: {"markersize": 10, "markerfacecolor": "white", "markeredgewidth": 1.4}}
"""How a value is drawn that is hidden from some other, and one that is not."""


def on_circle(values: Any, *, radius: float = 1.0, centre: tuple[float, float] = (0, 0), start: float = 90) -> Places:
    """Places on a circle, clockwise from the top or from another angle in degrees."""
    angles = [math.radians(start - 360 * i / len(values)) for i in range(len(values))]
    return {
        value: (centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle))
        for value, angle in zip(values, angles, strict=True)
    }


def in_row(values: Any, *, step: float = 0.5) -> Places:
    """Places from left to right."""
    return {value: (step * i, 0.0) for i, value in enumerate(values)}


def picture(context: Context, places: Places, path: str | Path, *, bend: float = 0.0, names: Any = str) -> None:
    """Draw the values of a context at their places with their links, and E as a table; save the picture.

    `bend` curves the links, for values in a row; `names` gives the text of a value.
    """
    values = list(context.values)
    entries = [[float(context.epsilon(x, z)) for z in values] for x in values]
    figure = new_figure(7.4, 3.1)
    drawing, table = figure.subplots(1, 2, width_ratios=[1.25, 1])
    _outlines(drawing, context, places)
    _links(drawing, entries, [places[x] for x in values], bend)
    _values(drawing, context, entries, places, names, bend != 0)
    _table(table, entries, [names(x) for x in values])
    _legend(figure, entries)
    save(figure, path)


def width(epsilon: float) -> float:
    """The width of a link in points: the harder to tell apart, the thicker."""
    return max(0.5, 8 * math.exp(-0.75 * epsilon))


def _links(axes: Any, entries: list[list[float]], at: list[tuple[float, float]], bend: float) -> None:
    """Lines where both directions ask the same, arrows where they do not; the thickest on top."""
    pairs = [(x, z) for x in range(len(at)) for z in range(len(at)) if x != z and math.isfinite(entries[x][z])]
    for x, z in sorted(pairs, key=lambda pair: -entries[pair[0]][pair[1]]):
        both = entries[z][x] == entries[x][z]
        if both and x > z:
            continue
        two_arrows = not both and math.isfinite(entries[z][x])
        epsilon = entries[x][z]
        axes.annotate(
            "",
            at[z],
            at[x],
            arrowprops={
                "arrowstyle": "-" if both else f"-|>,head_width={0.22 + 0.04 * width(epsilon)},head_length=0.5",
                "connectionstyle": f"arc3,rad={0.16 if two_arrows else bend}",
                "linewidth": width(epsilon),
                "color": INTERVAL,
                "shrinkA": 0 if both else 6,
                "shrinkB": 0 if both else 9,
                "capstyle": "butt",
                "joinstyle": "miter",
            },
            zorder=2,
        )


def _values(
    axes: Any, context: Context, entries: list[list[float]], places: Places, names: Any, in_a_row: bool
) -> None:
    """A filled circle for a value that is hidden from something, an open one for a value that is not."""
    values, parts = list(context.values), context.components()
    for part in parts:
        middle = [sum(places[values[x]][i] for x in part) / len(part) for i in (0, 1)]
        for x in part:
            place = places[values[x]]
            hidden = any(math.isfinite(entry) for z, entry in enumerate(entries[x]) if z != x)
            axes.plot(*place, "o", color=ESTIMATE if hidden else INK, **CIRCLE[hidden], zorder=3, clip_on=False)
            away = (0.0, -1.0) if in_a_row else (place[0] - middle[0], place[1] - middle[1])
            if len(parts) > 1:
                away = (0.0, math.copysign(1.0, away[1]))
            length = math.hypot(*away) or 1.0
            axes.annotate(
                names(values[x]),
                place,
                xytext=(11 * away[0] / length, 15 * away[1] / length),
                textcoords="offset points",
                ha="center" if abs(away[0]) < 0.45 * length else "left" if away[0] > 0 else "right",
                va="center",
                fontsize=9,
                color=INK,
            )
    axes.set_aspect("equal")
    axes.margins(0.24, 0.2)
    axes.axis("off")


def _outlines(axes: Any, context: Context, places: Places) -> None:
    """A box around values that are linked, where there are several such parts: a report shows which."""
    from matplotlib.patches import FancyBboxPatch

    parts = context.parts or ()
    for part in parts if len(parts) > 1 else ():
        xs, ys = zip(*(places[context.values[x]] for x in part.members), strict=True)
        corner = min(xs) - 0.6, min(ys) - 0.6
        size = max(xs) - min(xs) + 1.2, max(ys) - min(ys) + 1.2
        shape = "round,pad=0.25,rounding_size=0.3"
        axes.add_patch(FancyBboxPatch(corner, *size, boxstyle=shape, fill=False, edgecolor=INK, linestyle=(0, (4, 3))))
        axes.annotate(
            f"shown: {part.name}",
            (corner[0] + size[0] / 2, corner[1] + size[1] + 0.25),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=9,
            fontweight="bold",
            color=INK,
        )


def _table(axes: Any, entries: list[list[float]], names: list[str]) -> None:
    """E, entry by entry: the deeper the colour, the harder to tell apart."""
    from matplotlib.patches import Rectangle

    for x, row in enumerate(entries):
        for z, entry in enumerate(row):
            text = "" if x == z else f"{entry:.3g}" if math.isfinite(entry) else "\N{INFINITY}"
            colour = FAINT if x == z else INTERVAL
            depth = 0.5 if x == z else math.exp(-0.5 * entry)
            axes.add_patch(Rectangle((z, x), 1, 1, facecolor=colour, alpha=depth, edgecolor="none"))
            axes.add_patch(Rectangle((z, x), 1, 1, fill=False, edgecolor=FAINT, linewidth=0.6))
            axes.text(z + 0.5, x + 0.52, text, ha="center", va="center", fontsize=8, color=INK)
    k = len(names)
    axes.set_xlim(0, k)
    axes.set_ylim(k, 0)
    axes.set_aspect("equal")
    steep = max(map(len, names)) > 4
    axes.set_xticks([z + 0.5 for z in range(k)], names, fontsize=8, color=INK, rotation=40 if steep else 0)
    if steep:
        for label in axes.get_xticklabels():
            label.set_ha("left")
            label.set_rotation_mode("anchor")
    axes.set_yticks([x + 0.5 for x in range(k)], names, fontsize=8, color=INK)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelcolor=INK)
    axes.set_xlabel("E: the value of the row against that of the column", fontsize=8, color=INK)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)


def _legend(figure: Any, entries: list[list[float]]) -> None:
    """What a link of each width allows, in odds, and what arrows and open circles mean."""
    from matplotlib.lines import Line2D

    size = range(len(entries))
    finite = sorted({entries[x][z] for x in size for z in size if x != z and math.isfinite(entries[x][z])})
    if len(finite) > 3:
        finite = [finite[0], finite[len(finite) // 2], finite[-1]]
    keys = [Line2D([], [], linewidth=width(e), color=INTERVAL, label=f"E {e:.3g}: odds × {_odds(e)}") for e in finite]
    if any(entries[x][z] != entries[z][x] for x in size for z in size):
        style = {"marker": ">", "markersize": 7, "linestyle": "none", "color": INTERVAL}
        keys.append(Line2D([], [], label="may be taken for", **style))
    if any(all(math.isinf(entries[x][z]) for z in size if x != z) for x in size):
        keys.append(Line2D([], [], marker="o", linestyle="none", color=INK, label="may be shown", **CIRCLE[False]))
    figure.legend(handles=keys, loc="outside lower left", ncols=len(keys), frameon=False, fontsize=8, labelcolor=INK)


def _odds(epsilon: float) -> str:
    """e to the epsilon with three digits, rounded up: a promise is never shown smaller than it is."""
    odds = math.exp(epsilon)
    unit = 10 ** (math.floor(math.log10(odds)) - 2)
    return f"{math.ceil(odds / unit) * unit:.3g}"
