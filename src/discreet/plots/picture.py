"""What all pictures share: colours, a figure without a screen, plain axes, and saving completely or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import InvalidInput, MissingExtra

ESTIMATE = "#1f5a85"
INTERVAL = "#8fb8d6"
TRUTH = "#d1495b"
INK = "#333333"
FAINT = "#d9d9d9"
COLOURS = (INK, ESTIMATE, TRUTH, "#e09f3e", "#5b8e7d", "#8a5a9e", "#7f7f7f", INTERVAL)
"""The colours of lines and bars, in the order in which they are drawn."""


def new_figure(width: float, height: float) -> Any:
    """An empty figure of that size in inches; `MissingExtra` names the install line if matplotlib is absent."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def plain(axes: Any, *, x_label: str = "", y_label: str = "", title: str = "") -> None:
    """Give the axes a thin grey grid, no frame and small labels."""
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0, labelsize=8, labelcolor=INK)
    axes.set_xlabel(x_label, fontsize=8.5, color=INK)
    axes.set_ylabel(y_label, fontsize=8.5, color=INK)
    axes.set_title(title, fontsize=10, color=INK, loc="left")
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)


def kind_of(path: str | Path) -> str:
    """The format, png, svg or pdf, by the name of the file; `InvalidInput` for any other name."""
    suffix = Path(path).suffix.lstrip(".").lower()
    if suffix not in ("png", "svg", "pdf"):
        raise InvalidInput(f"{path}: a picture must be a .png, .svg or .pdf file")
    return suffix


def save(figure: Any, path: str | Path, *, dpi: int = 160) -> None:
    """Write the picture, completely or not at all, in the format that its name means."""
    from ..files.atomic import replacing

    kind = kind_of(path)
    with replacing(path) as file:
        figure.savefig(file, format=kind, dpi=dpi)


def save_small(figure: Any, path: str | Path, *, dpi: int = 110) -> None:
    """The same for web pages: a .png gets a palette of 64 colours, which takes a third of the space."""
    from io import BytesIO

    from ..files.atomic import replacing

    if kind_of(path) != "png":
        save(figure, path, dpi=dpi)
        return
    from PIL import Image  # matplotlib's own dependency

    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=dpi)
    with Image.open(drawn) as picture, replacing(path) as file:
        picture.convert("RGB").quantize(64, method=Image.Quantize.MAXCOVERAGE).save(file, "png", optimize=True)
